"""Two presses are a double click by what the user did, not by what the frames took."""

from __future__ import annotations

import pytest

from opentine_gui.ui.input.double_press import DoublePress


def doubles(presses: list[tuple[int, float]]) -> list[bool]:
    """What each press at one place counts as: (number of the frame that saw it, seconds)."""
    button = DoublePress()
    return [button.is_double(100, 100, frame=frame, seconds=seconds) for frame, seconds in presses]


@pytest.mark.parametrize("frame_time", [1 / 60, 0.1, 0.2, 0.4])
def test_press_release_press_in_three_frames_is_a_double_click_however_long_they_take(frame_time: float) -> None:
    assert doubles([(10, 10 * frame_time), (12, 12 * frame_time)]) == [False, True]


def test_two_presses_in_one_frame_are_a_double_click() -> None:
    assert doubles([(10, 1.0), (10, 1.0)]) == [False, True]


def test_two_slow_clicks_in_quick_frames_are_none() -> None:
    assert doubles([(10, 0.0), (10 + 24, 0.4)]) == [False, False]


def test_clicks_a_long_while_apart_are_none_even_when_hardly_a_frame_was_drawn_between() -> None:
    assert doubles([(10, 0.0), (12, 3.0)]) == [False, False]


def test_a_third_press_is_no_second_double_click_and_a_later_one_begins_again() -> None:
    quick = doubles([(1, 0.0), (3, 0.1), (5, 0.2), (7, 0.3), (100, 2.0), (102, 2.1)])
    assert quick == [False, True, False, False, False, True]


def test_presses_at_two_places_are_none() -> None:
    button = DoublePress()
    assert not button.is_double(100, 100, frame=1, seconds=0.0)
    assert not button.is_double(107, 100, frame=3, seconds=0.05)
    assert button.is_double(104, 103, frame=5, seconds=0.1)
