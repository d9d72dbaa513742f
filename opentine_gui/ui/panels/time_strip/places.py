"""Where the parts of a time strip are: names of rows, rows, the curve, the ribbon, marks and the axis."""

from __future__ import annotations

from typing import NamedTuple

RIBBON, MARKS, WORDS, CURVE, CURVES = 5.0, 11.0, 15.0, 24.0, 36.0
"""Heights in design pixels; `CURVES` is that of the curves of several runs, beside which there are two lines."""
TALL = 15.0
"""The height in design pixels of a row where there is room for it: words in its bars can be read."""
AXIS_FROM = 62.0
"""Height in design pixels from which there is room for the axis."""
WORDS_FROM = 50.0
"""The same from which there is room for the clock times alone, as below the strip of a short session."""
NAMES, NAMES_FROM = 104.0, 520.0
"""The width of the names at the left, and that of a strip from which there is room for them."""


class Places(NamedTuple):
    """Where the parts of a strip are, in pixels: rows begin at `top`, `pitch` apart; 0 for what does not fit.

    `names` is the width of the names left of `left`.
    """

    left: float
    width: float
    top: float
    pitch: float
    rows: float
    curve: float
    ribbon: float
    marks: float
    words: float
    names: float = 0.0


def places_of(
    width: float, height: float, scale: float, margin: float, row_count: int, *, curve: float = 0.0
) -> Places:
    """Divide a strip. When it is too small, the axis, the marks and the names are dropped first, then the ribbon.

    `curve` is the height wanted for the context, in design pixels.
    """
    with_axis = height >= AXIS_FROM * scale
    curve = curve * scale if with_axis else 0.0
    with_words = height >= WORDS_FROM * scale
    below = curve + (RIBBON + 3 if height >= 36 * scale else 0.0) * scale
    below += (MARKS + WORDS if with_axis else WORDS if with_words else 0.0) * scale
    top = 4.0 * scale
    room = max(height - top - below - 3 * scale, 6.0)
    pitch = min(TALL * scale * max(room / (40 * scale), 1.0), room / row_count)
    if with_axis:  # what the rows leave free makes the curve readable
        curve += min(room - pitch * row_count, curve)
    bottom = top + pitch * row_count if with_axis else top + room
    if not with_axis:
        top = top + (room - pitch * row_count) / 2
    ribbon = bottom + curve + 3 * scale if below else 0.0
    marks = ribbon + (RIBBON + MARKS / 2 + 1) * scale if with_axis else 0.0
    words = height - WORDS / 2 * scale - 1 if with_words else 0.0
    names = NAMES * scale if with_axis and width >= NAMES_FROM * scale else 0.0
    left = margin + names
    return Places(
        left, max(width - left - margin, 1.0), top, pitch, pitch * row_count, curve, ribbon, marks, words, names
    )
