"""Breaking text into lines by pixel width."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.scene.text.clean import ELLIPSIS

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics


def wrapped(
    text: str, width: float, face: str, size: float, metrics: FontMetrics, most: int | None = None
) -> list[str]:
    """Return lines of at most `width` pixels at an em size in pixels, broken at spaces and inside words too long.

    Newlines end lines. Beyond `most` lines the last one is elided.
    """
    enough = None if most is None else most + 1
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines += _paragraph(paragraph, width, face, size, metrics, enough)
        if most is not None and len(lines) > most:
            last = f"{lines[most - 1]} {lines[most]} {ELLIPSIS}"
            return [*lines[: most - 1], metrics.shortened_end(last, width, face, size)]
    return lines


def _paragraph(text: str, width: float, face: str, size: float, metrics: FontMetrics, enough: int | None) -> list[str]:
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
        if line:
            lines.append(line)
        while length > width and len(word) > 1:
            cut = _fitting(word, width, face, size, metrics)
            lines.append(word[:cut])
            if enough is not None and len(lines) >= enough:
                return lines
            word = word[cut:]
            length = metrics.width(word, face, size)
        line, used = word, length
    return [*lines, line]


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
