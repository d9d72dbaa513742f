"""The first view of a run stays one while the canvas changes its size, until somebody moves it."""

from __future__ import annotations

import pytest

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
