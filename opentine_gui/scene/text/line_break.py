"""Breaking text into lines by pixel width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.scene.text.clean import ELLIPSIS, shorter_calls

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics


BORDERS = "-–—/\\_.:,;=|()"
"""Signs inside a word after which it may be broken."""
LAST_RESORT = "."
"""A sign after which a word is broken only if no other sign is near the end of the line: a file's suffix follows it."""


def wrapped(
    text: str, width: float, face: str, size: float, metrics: FontMetrics, most: int | None = None, *,
    whole_words: bool = False,
) -> list[str]:  # fmt: skip
    """Return lines of at most `width` pixels at an em size in pixels, broken at spaces and inside words too long.

    Newlines end lines. Beyond `most` lines the last one is elided, and a call on a file loses folders. A word that is
    too long is broken after a sign such as a hyphen or a slash if one is near the end of the line, else anywhere. With
    `whole_words` any such sign will do, and a word without one is elided.
    """
    enough = None if most is None else most + 1
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _paragraph(paragraph, width, face, size, metrics, enough, whole_words)
        if most is not None and len(lines) > most:
            for call in shorter_calls(text):
                shorter = wrapped(call, width, face, size, metrics, whole_words=whole_words)
                if len(shorter) <= most:
                    return shorter
            together = lines[most - 1] + lines[most]  # a word that was broken, or two
            together = together if together in paragraph else f"{lines[most - 1]} {lines[most]}"
            last = together if together.endswith(ELLIPSIS) else f"{together} {ELLIPSIS}"
            return [*lines[: most - 1], metrics.shortened_end(last, width, face, size)]
    return lines


def _paragraph(
    text: str, width: float, face: str, size: float, metrics: FontMetrics, enough: int | None, whole_words: bool
) -> list[str]:
    lines: list[str] = []
    line, used = "", 0.0
    space = metrics.width(" ", face, size)
    for word in text.split(" "):
        if enough is not None and len(lines) >= enough:
            return lines
        length = metrics.width(word, face, size)
        if line and used + space + length <= width:
            line, used = f"{line} {word}", used + space + length
            continue
        if whole_words and line and length > width:
            cut = _at_border(word, width - used - space, face, size, metrics)
            line, word = (f"{line} {word[:cut]}", word[cut:]) if cut else (line, word)
            length = metrics.width(word, face, size)
        if line:
            lines.append(line)
        while length > width and len(word) > 1:
            cut = _at_border(word, width, face, size, metrics) if whole_words else 0
            if whole_words and not cut:
                word = metrics.shortened_end(word, width, face, size)
                length = metrics.width(word, face, size)
                break
            if not cut:
                fits, border = (of(word, width, face, size, metrics) for of in (_fitting, _at_border))
                cut = border if border >= fits / 2 else fits
            lines.append(word[:cut])
            if enough is not None and len(lines) >= enough:
                return lines
            word = word[cut:]
            length = metrics.width(word, face, size)
        line, used = word, length
    return [*lines, line]


LEAST_PIECE = 3
"""Least number of characters of a broken word on each line."""


def _at_border(word: str, width: float, face: str, size: float, metrics: FontMetrics) -> int:
    """How many characters of a word fit, up to a sign after which it may be broken; 0 if there is no such sign."""
    fits = _fitting(word, width, face, size, metrics) if metrics.width(word[:1], face, size) <= width else 0
    last = min(fits, len(word) - 1)
    # Between two signs, as in "https://", nothing is broken.
    cuts = [cut for cut in range(last, LEAST_PIECE - 1, -1) if word[cut - 1] in BORDERS and word[cut] not in BORDERS]
    good = (cut for cut in cuts if word[cut - 1] not in LAST_RESORT and cut >= last / 2)
    return next(good, cuts[0] if cuts else 0)


def _fitting(word: str, width: float, face: str, size: float, metrics: FontMetrics) -> int:
    """How many characters of a word fit, at least one."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        if metrics.width(word[:middle], face, size) <= width:
            low = middle
        else:
            high = middle - 1
    return low
