"""Breaks text into lines by pixel width."""

from __future__ import annotations

from opentine_gui.scene.text.clean import ELLIPSIS, shortened_end
from opentine_gui.ui.toolkit.style import Style


def wrap(text: str, width: float, style: Style, *, face: str = "text", size: float = 13.0, most: int = 0) -> list[str]:
    """Break text into lines of at most `width` pixels, at spaces or, where a word is too long, inside it.

    `size` is an em size in design pixels. Beyond `most` lines (0: any number) the last one is elided.
    """
    em = style.size(size)
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_paragraph(paragraph, width, style, face, em, most + 1 if most else 0))
        if most and len(lines) > most:
            break
    if most and len(lines) > most:
        kept = lines[:most]
        kept[-1] = shortened_end(kept[-1] + " " + lines[most] + ELLIPSIS, width, face, em, style.metrics)
        return kept
    return lines


def _paragraph(text: str, width: float, style: Style, face: str, em: float, most: int) -> list[str]:
    lines: list[str] = []
    line, used = "", 0.0
    space = style.width(" ", face, em)
    for word in text.split(" "):
        if most and len(lines) >= most:
            return lines
        length = style.width(word, face, em)
        if line and used + space + length <= width:
            line, used = f"{line} {word}", used + space + length
            continue
        if line:
            lines.append(line)
        while length > width and len(word) > 1:
            cut = _fitting(word, width, style, face, em)
            lines.append(word[:cut])
            if most and len(lines) >= most:
                return lines
            word = word[cut:]
            length = style.width(word, face, em)
        line, used = word, length
    lines.append(line)
    return lines


def _fitting(word: str, width: float, style: Style, face: str, em: float) -> int:
    """How many characters of a word fit into `width`; at least one."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        if style.width(word[:middle], face, em) <= width:
            low = middle
        else:
            high = middle - 1
    return low
