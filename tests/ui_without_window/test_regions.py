"""Dividing the window among panels and canvas, and the flags in the table of panels."""

from __future__ import annotations

from itertools import pairwise

import pytest

from opentine_gui.app.state.window_state import WindowState
from opentine_gui.ui.panels import PANELS
from opentine_gui.ui.toolkit.regions import SMALLEST_CANVAS, Area, divide, stack


@pytest.mark.parametrize("size", [(720.0, 480.0), (1000.0, 700.0), (1920.0, 1080.0)])
@pytest.mark.parametrize("bottom", [(), (30.0,), (40.0, 30.0)])
def test_sides_canvas_and_bottom_fill_the_window_with_one_pixel_between_them(
    size: tuple[float, float], bottom: tuple[float, ...]
) -> None:
    width, height = size
    regions = divide(width, height, top=36.0, left=250.0, right=340.0, bottom=bottom)
    row = (regions.left, regions.canvas, regions.right)
    assert [after.x - (before.x + before.width) for before, after in pairwise(row)] == pytest.approx([1.0, 1.0])
    assert regions.canvas.width >= SMALLEST_CANVAS
    assert regions.right.x + regions.right.width == pytest.approx(width)
    column = (regions.canvas, *regions.bottom)
    assert [after.y - (before.y + before.height) for before, after in pairwise(column)] == pytest.approx(
        [1.0] * len(bottom)
    )
    assert tuple(area.height for area in regions.bottom) == bottom
    assert column[-1].y + column[-1].height == pytest.approx(height)


def test_the_canvas_keeps_half_of_a_window_until_the_user_wants_something_else() -> None:
    for chosen, canvas in ((False, 500.0), (True, SMALLEST_CANVAS)):
        regions = divide(1000.0, 700.0, top=0.0, left=200.0, right=700.0, bottom=(), chosen=chosen)
        assert regions.canvas.width == pytest.approx(canvas, abs=2 if not chosen else 0.1)
        assert regions.left.width == 200.0


def test_closed_sides_leave_everything_to_the_canvas() -> None:
    regions = divide(1000.0, 700.0, top=0.0, left=0.0, right=0.0, bottom=())
    assert regions.canvas == Area(0, 0, 1000.0, 700.0)
    assert not regions.left_edge.contains(0, 350)
    assert not regions.right_edge.contains(999, 350)


def test_a_stack_gives_heights_first_and_shares_the_rest() -> None:
    column = Area(5, 10, 200, 600)
    assert stack(column, (150.0, None)) == (Area(5, 10, 200, 150), Area(5, 160, 200, 450))
    assert [area.height for area in stack(column, (None, 100.0, None))] == [250, 100, 250]
    assert [area.height for area in stack(column, (600.0, None))] == [600, 0]
    assert [area.height for area in stack(column, (400.0, 400.0))] == [300, 300]


def test_the_highest_of_a_stack_give_way_and_a_low_one_keeps_its_line() -> None:
    column = Area(5, 10, 200, 600)
    assert [area.height for area in stack(column, (250.0, 400.0, 30.0, None))] == [250, 320, 30, 0]
    assert [area.height for area in stack(column, (500.0, 400.0, 30.0, None))] == [285, 285, 30, 0]
    assert [area.height for area in stack(column, (900.0, None))] == [600, 0]


def test_what_a_panel_keeps_is_taken_from_the_others() -> None:
    column = Area(5, 10, 200, 600)
    assert [area.height for area in stack(column, (500.0, 500.0, 30.0), (0.0, 400.0, 0.0))] == [170, 400, 30]
    assert [area.height for area in stack(column, (500.0, 500.0, 30.0), (0.0, 100.0, 0.0))] == [285, 285, 30]
    assert [area.height for area in stack(column, (500.0, 900.0), (0.0, 700.0))] == [0, 600]


def test_every_panel_has_a_name_of_its_own_and_a_flag_that_the_window_state_knows() -> None:
    assert len({row.name for row in PANELS}) == len(PANELS)
    for row in PANELS:
        assert isinstance(getattr(WindowState(), row.flag), bool), row.name
