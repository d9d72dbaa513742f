"""The first view of a run stays one while the canvas changes its size, until somebody moves it."""

from __future__ import annotations

import pytest

from bench.generate import agent_run
from opentine_gui.app.canvas.shown_layouts import keep_first_view
from opentine_gui.app.document.camera.framing import beside_controls, zoom_controls
from opentine_gui.app.document.picture.fold import FOLDED_PADDING
from opentine_gui.layout import Layout
from opentine_gui.scene.space.camera import Camera, Viewport, fitted, to_screen
from tests.app.conftest import Bench
from tests.conftest import run_of

SMALL = Viewport(900.0, 520.0)


@pytest.mark.parametrize("steps", [5, 40, 200])
def test_a_view_that_was_not_moved_follows_the_size_of_the_canvas(bench: Bench, steps: int) -> None:
    run = run_of({str(number): str(number - 1) if number else "" for number in range(steps)})
    document = bench.open("run.tine", run)
    large = bench.session.viewport
    first = document.picture.camera
    keep_first_view(document, large, SMALL)
    small = document.picture.camera
    keep_first_view(document, SMALL, large)
    assert document.picture.camera == first != small


def test_a_view_that_was_moved_stays(bench: Bench) -> None:
    document = bench.open("run.tine", run_of({"a": "", "b": "a"}))
    assert document.picture.camera is not None
    moved = document.picture.camera._replace(x=document.picture.camera.x + 40.0)
    document.picture.set_camera(moved)
    keep_first_view(document, bench.session.viewport, SMALL)
    assert document.picture.camera == moved


@pytest.mark.parametrize("steps", range(24, 60, 5))
def test_a_run_in_columns_is_still_shown_whole_when_the_time_strip_takes_a_little_of_the_canvas(
    bench: Bench, steps: int
) -> None:
    bench.session.viewport = large = Viewport(900.0, 600.0)
    document = bench.open(
        "run.tine", run_of({str(number): str(number - 1) if number else "" for number in range(steps)})
    )
    assert document.picture.fold is not None and document.picture.layout is not None
    bench.session.viewport = less = Viewport(900.0, 560.0)
    keep_first_view(document, large, less)
    camera = document.picture.camera
    assert camera is not None
    seen = [to_screen(camera, less, x, y) for x, y in document.picture.layout.centers.tolist()]
    assert all(0 < x < less.width and 0 < y < less.height for x, y in seen), camera


def test_the_view_of_a_folded_run_is_in_plain_numbers(bench: Bench) -> None:
    """A number of numpy's compares with a tuple element by element: two lists of shapes could not be compared."""
    document = bench.open("long.tine", agent_run(300))
    assert document.record is not None and document.picture.fold is not None
    bench.do("fold.open", step=document.record.graph.ids[0])
    bench.do("view.fit")
    bench.clock.now += 10.0
    bench.step()
    assert document.picture.layout is not None and document.picture.camera is not None
    assert {type(value) for value in (*document.picture.layout.bounds, *document.picture.camera)} == {float}


@pytest.mark.parametrize(("size", "shown"), [((498.0, 500.0), True), ((700.0, 500.0), True), ((250.0, 500.0), False)])
def test_cards_stand_beside_the_zoom_controls_where_there_is_room_else_in_the_middle(
    bench: Bench, size: tuple[float, float], shown: bool
) -> None:
    run = run_of({str(number): str(number - 1) if number else "" for number in range(6)})
    layout, viewport = bench.open("run.tine", run).picture.layout, Viewport(*size)
    assert layout is not None
    centred = fitted(layout.bounds, viewport, FOLDED_PADDING)
    camera = beside_controls(layout, centred, viewport)
    assert camera.zoom == centred.zoom
    assert (camera == centred) is (not shown or not _under_controls(layout, centred, viewport))
    assert _under_controls(layout, camera, viewport) is not shown
    x0, y0, x1, y1 = layout.bounds
    left, top = to_screen(camera, viewport, x0, y0)
    right, bottom = to_screen(camera, viewport, x1, y1)
    assert left >= 0 and top >= 0 and right <= viewport.width and bottom <= viewport.height, "all of it is still shown"


def _under_controls(layout: Layout, camera: Camera, viewport: Viewport) -> bool:
    """Whether a card lies under the zoom controls."""
    wide, high = layout.spacing[:2]
    across, up = zoom_controls(viewport.width).corner
    corners = [to_screen(camera, viewport, x - wide / 2, y + high / 2) for x, y in layout.centers.tolist()]
    return any(x < across and y > viewport.height - up for x, y in corners)


def test_a_first_view_is_made_for_what_the_panels_leave_of_the_canvas(bench: Bench) -> None:
    """The time strip of a run comes up in the first frame after it was read, when its graph may be ready."""
    bench.session.viewport, run = SMALL, agent_run(300)
    fits = bench.open("fits.tine", run).picture.fold
    bench.session.viewport = Viewport(900.0, 900.0)
    tall = bench.open("tall.tine", run).picture.fold
    assert fits is not None and tall is not None and len(fits) < len(tall)

    def strip_comes_up() -> None:
        bench.session.viewport = SMALL

    bench.session.make_room = strip_comes_up
    document = bench.open("room.tine", run)
    assert document.picture.fold is not None and len(document.picture.fold) == len(fits)
    bench.session.viewport = Viewport(900.0, 900.0)
    short = bench.open("short.tine", run_of({str(number): str(number - 1) if number else "" for number in range(9)}))
    assert short.picture.fold is not None, "a card a step, in columns"
