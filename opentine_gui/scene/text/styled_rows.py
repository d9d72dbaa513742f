"""Breaks styled lines into rows by pixel width, and finds the place of a character in a row."""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.line_break import BORDERS
from opentine_gui.scene.text.styled import SIZES, Span, StyledLine

MOST_CARRIED = 64
"""Most combining marks that stay with the letter before them."""


def span_size(span: Span, metrics: FontMetrics, scale: float) -> float:
    """Em size of a piece in pixels, one whose line height is a multiple of half a pixel.

    The window draws at such heights only: at any other size, a text would be narrower or wider than measured, and
    pieces of a line would not meet.
    """
    return _snapped(metrics, span.face, (span.size or SIZES[span.face]) * scale)


@lru_cache(maxsize=256)
def _snapped(metrics: FontMetrics, face: str, size: float) -> float:
    height = metrics.line_height(face, size)
    return size * (round(height * 2) / 2) / height


def ends_of(line: StyledLine, metrics: FontMetrics, scale: float) -> Sequence[float]:
    """The x in pixels at which each character of a line would end if the line were one row."""
    widths: list[float] = []
    for span in line.spans:
        widths += metrics.advances(span.text, span.face, span_size(span, metrics, scale))
    return array("d", accumulate(widths))


def row_ends(line: StyledLine, ends: Sequence[float], width: float, scale: float) -> tuple[int, ...]:
    """The offset at which each row ends, the last being the length of the text: no character is lost or moved.

    `ends` are the ends of the characters, `width` the room in pixels. Rows break after a space if one is near, else
    after a sign like a slash, else anywhere but before a combining mark. Spaces at the end of a row may stand beyond
    `width` pixels; all rows but the first are narrower by `hang`.
    """
    if not ends or ends[-1] <= width:
        return (len(ends),)
    text, found, start = line.text, [], 0
    narrow = max(width - line.hang * scale, width / 4)
    while True:
        taken = ends[start - 1] if start else 0.0
        cut = max(bisect_right(ends, taken + (narrow if start else width), start), start + 1)
        if cut >= len(text):  # all of the rest fits, or its only letter is wider than a row
            break
        cut = _broken(text, start, cut)
        if cut >= len(text):
            break
        found.append(cut)
        start = cut
    return (*found, len(text))


def _broken(text: str, start: int, cut: int) -> int:
    """Where a row with room up to `cut` ends: after a space, or between two letters."""
    if text[cut] == " ":
        while cut < len(text) and text[cut] == " ":
            cut += 1
        return cut
    space = text.rfind(" ", start + (cut - start) // 3, cut)
    if space > start:
        return space + 1
    for border in range(cut, start + 2 * (cut - start) // 3, -1):
        if text[border - 1] in BORDERS and text[border] not in BORDERS:
            return border
    back = cut
    while back > start + 1 and cut - back < MOST_CARRIED and _joins(text[back]):
        back -= 1
    return back if back > start else cut


def _joins(character: str) -> bool:
    """Whether a character is drawn on the one before it."""
    return not character.isascii() and unicodedata.combining(character) != 0


def offset_at(ends: Sequence[float], begin: int, end: int, x: float) -> int:
    """The offset nearest to `x` pixels from the start of the row from `begin` to `end`."""
    base = ends[begin - 1] if begin else 0.0
    place = bisect_left(ends, base + x, begin, end)
    if place >= end:
        return end
    before = ends[place - 1] if place else 0.0
    return place + 1 if base + x > (before + ends[place]) / 2 else place


def character_at(ends: Sequence[float], begin: int, end: int, x: float) -> int | None:
    """The character under `x`; None right of the last."""
    base = ends[begin - 1] if begin else 0.0
    place = bisect_right(ends, base + x, begin, end)
    return place if place < end and x >= 0 else None
