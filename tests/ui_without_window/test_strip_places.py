"""Where the parts of a time strip are: the clock times stay as long as there is room for them."""

from __future__ import annotations

import pytest

from opentine_gui.ui.panels.time_strip.panel import HEIGHT, LOW
from opentine_gui.ui.panels.time_strip.places import CURVE, CURVES, MARKS, WORDS, places_of


def test_the_strip_of_a_short_session_has_clock_times_below_its_bars() -> None:
    for scale in (1.0, 1.5, 2.0):
        at = places_of(1200 * scale, LOW * scale, scale, 14 * scale, 1)
        assert at.words, "there is an axis"
        assert at.ribbon >= at.top + at.rows and at.pitch >= 8 * scale
        assert at.words - WORDS / 2 * scale >= at.ribbon, "below all bars"
        assert at.words < LOW * scale


def test_a_strip_with_more_to_say_has_names_and_marks_as_well() -> None:
    at = places_of(1200, HEIGHT, 1.0, 14, 2)
    assert at.words and at.names and at.marks
    low = places_of(1200, 40, 1.0, 14, 1)
    assert not low.words and not low.names, "what does not fit is dropped"


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_rows_and_curve_take_the_room_there_is(rows: int) -> None:
    high = HEIGHT + CURVES
    at = places_of(1200, high, 1.0, 14, rows, curve=CURVE)
    assert at.pitch >= 13, "words in its bars can be read"
    assert at.marks < at.words - WORDS / 2 < at.marks + MARKS + 4, "there is no empty band above the times"
    crowded = places_of(1200, high, 1.0, 14, 9, curve=CURVE)
    assert crowded.rows + crowded.curve < crowded.ribbon and crowded.curve >= CURVE
