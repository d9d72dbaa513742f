"""The first view of a run stays one while the canvas changes its size, until somebody moves it."""

from __future__ import annotations

import pytest

from bench.generate import agent_run
from opentine_gui.app.canvas.layouts import keep_first_view
from opentine_gui.scene.space.camera import Viewport
from tests.app.conftest import Bench
from tests.conftest import run_of

SMALL = Viewport(900.0, 520.0)


@pytest.mark.parametrize("steps", [5, 40, 200])
def test_a_view_nobody_moved_is_the_first_view_of_the_canvas_as_it_is_now(bench: Bench, steps: int) -> None:
    run = run_of({str(number): str(number - 1) if number else "" for number in range(steps)})
    document = bench.open("run.tine", run)
    large = bench.session.viewport
    first = document.camera
    keep_first_view(document, large, SMALL)
    small = document.camera
    keep_first_view(document, SMALL, large)
    assert document.camera == first != small


def test_a_view_that_was_moved_stays(bench: Bench) -> None:
    document = bench.open("run.tine", run_of({"a": "", "b": "a"}))
    assert document.camera is not None
    moved = document.camera._replace(x=document.camera.x + 40.0)
    document.set_camera(moved)
    keep_first_view(document, bench.session.viewport, SMALL)
    assert document.camera == moved


def test_the_view_of_a_folded_run_is_in_plain_numbers(bench: Bench) -> None:
    """A number of numpy's compares with a tuple element by element: two lists of shapes could not be compared."""
    document = bench.open("long.tine", agent_run(300))
    assert document.record is not None and document.fold is not None
    bench.do("fold.open", step=document.record.graph.ids[0])
    bench.do("view.fit")
    bench.clock.now += 10.0
    bench.session.step()
    assert document.layout is not None and document.camera is not None
    assert {type(value) for value in (*document.layout.bounds, *document.camera)} == {float}
