"""Where the camera looks."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.camera.framing import camera_of_all
from opentine_gui.scene.space.camera import Camera
from tests.app.actions.conftest import cases_of, covers, opened
from tests.app.conftest import Bench
from tests.conftest import named


def far_away(bench: Bench) -> None:
    opened(bench, "c")
    bench.active.picture.set_camera(Camera(9000.0, 9000.0, 0.7))


@covers("view.fit")
def shows_everything(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.fit")
    assert bench.active.picture.camera == camera_of_all(bench.active.picture, bench.session.viewport)


@covers("view.frame_selection")
def shows_the_selected_steps(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.frame_selection")
    layout, camera = bench.active.picture.layout, bench.active.picture.camera
    assert layout is not None
    assert camera is not None
    assert (camera.x, camera.y) == layout.position(named(bench.record, "c"))
    assert camera.zoom == 1.0


@covers("view.zoom")
def zooms_about_a_point(bench: Bench) -> None:
    far_away(bench)
    width, height = bench.session.viewport.width, bench.session.viewport.height
    bench.do("view.zoom", factor=2.0, x=width, y=height / 2)
    assert bench.active.picture.camera is not None
    assert bench.active.picture.camera.zoom == pytest.approx(1.4)
    assert bench.active.picture.camera.x == pytest.approx(9000.0 + width / 2 / 0.7 - width / 2 / 1.4)


@covers("view.zoom_in")
def makes_everything_larger(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.zoom_in")
    assert bench.active.picture.camera == Camera(9000.0, 9000.0, pytest.approx(0.875))


@covers("view.zoom_out")
def makes_everything_smaller(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.zoom_out")
    assert bench.active.picture.camera == Camera(9000.0, 9000.0, pytest.approx(0.56))


@covers("view.zoom_actual")
def shows_natural_size(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.zoom_actual")
    assert bench.active.picture.camera == Camera(9000.0, 9000.0, pytest.approx(1.0))


@covers("view.pan")
def pulls_the_picture(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.pan", dx=7.0, dy=-14.0)
    assert bench.active.picture.camera == Camera(pytest.approx(8990.0), pytest.approx(9020.0), 0.7)


@covers("view.center")
def looks_at_a_point(bench: Bench) -> None:
    far_away(bench)
    bench.do("view.center", x=1.0, y=2.0)
    assert bench.active.picture.camera == Camera(1.0, 2.0, 0.7)


test_the_action_does_what_it_says = cases_of(__name__)
