"""Laws of the camera: what is where, before and after every move."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.space.camera import (
    MAX_ZOOM,
    MIN_ZOOM,
    Camera,
    Viewport,
    eased,
    fitted,
    panned,
    to_screen,
    to_world,
    view_rect,
    zoomed,
)

COORDINATES = st.floats(-1e6, 1e6)
CAMERAS = st.builds(Camera, COORDINATES, COORDINATES, st.floats(0.001, MAX_ZOOM))
VIEWPORTS = st.builds(Viewport, st.floats(1, 4000), st.floats(1, 4000))
PIXELS = st.floats(-100, 4000)


@given(CAMERAS, VIEWPORTS, COORDINATES, COORDINATES)
def test_a_world_point_comes_back_from_the_screen(camera: Camera, viewport: Viewport, x: float, y: float) -> None:
    assert to_world(camera, viewport, *to_screen(camera, viewport, x, y)) == pytest.approx((x, y), abs=1e-3)


@given(CAMERAS, VIEWPORTS)
def test_the_camera_looks_at_the_middle_of_the_viewport(camera: Camera, viewport: Viewport) -> None:
    middle = (viewport.width / 2, viewport.height / 2)
    assert to_screen(camera, viewport, camera.x, camera.y) == pytest.approx(middle)


@given(CAMERAS, VIEWPORTS, PIXELS, PIXELS, st.floats(0.01, 100))
def test_zooming_keeps_the_point_under_the_pointer(
    camera: Camera, viewport: Viewport, sx: float, sy: float, factor: float
) -> None:
    before = to_world(camera, viewport, sx, sy)
    after = zoomed(camera, viewport, sx, sy, factor)
    assert to_screen(after, viewport, *before) == pytest.approx((sx, sy), abs=1e-2)
    assert MIN_ZOOM <= after.zoom <= MAX_ZOOM


def test_zooming_stops_at_both_ends_without_drifting() -> None:
    viewport = Viewport(800, 600)
    for factor, end in ((10, MAX_ZOOM), (0.1, MIN_ZOOM)):
        camera = Camera(5, 5, 1)
        for _ in range(20):
            camera = zoomed(camera, viewport, 100, 100, factor)
        assert camera.zoom == end
        again = zoomed(camera, viewport, 700, 20, factor)
        assert (again.x, again.y) == pytest.approx((camera.x, camera.y))


@given(CAMERAS, VIEWPORTS, PIXELS, PIXELS)
def test_panning_moves_the_picture_by_the_pixels_of_the_drag(
    camera: Camera, viewport: Viewport, dx: float, dy: float
) -> None:
    x, y = to_screen(panned(camera, dx, dy), viewport, camera.x, camera.y)
    assert (x, y) == pytest.approx((viewport.width / 2 + dx, viewport.height / 2 + dy), abs=1e-2)


@given(COORDINATES, COORDINATES, st.floats(0, 1e6), st.floats(0, 1e6), st.floats(200, 3000), st.floats(200, 3000))
def test_fit_shows_everything(x: float, y: float, w: float, h: float, width: float, height: float) -> None:
    viewport = Viewport(width, height)
    camera = fitted((x, y, x + w, y + h), viewport)
    left, top, right, bottom = view_rect(camera, viewport)
    assert camera.zoom <= 1
    slack = 1e-3 + 1e-6 * max(w, h)
    assert left <= x + slack
    assert top <= y + slack
    assert right >= x + w - slack
    assert bottom >= y + h - slack


def test_fit_shows_a_chain_of_a_hundred_thousand_steps_in_a_small_window() -> None:
    viewport = Viewport(640, 480)
    bounds = (-110.0, -40.0, 110.0, 100_000 * 120.0)
    _, top, _, bottom = view_rect(fitted(bounds, viewport), viewport)
    assert top <= bounds[1]
    assert bottom >= bounds[3]


def test_fit_of_a_single_point_does_not_zoom_in() -> None:
    assert fitted((3, 4, 3, 4), Viewport(800, 600)) == Camera(3, 4, 1.0)


@given(CAMERAS, CAMERAS, st.floats(0, 1))
def test_easing_stays_between_its_ends_and_meets_them(a: Camera, b: Camera, t: float) -> None:
    assert eased(a, b, 0) == a
    assert eased(a, b, 1) == b
    between = eased(a, b, t)
    low, high = sorted((a.zoom, b.zoom))
    assert low * 0.999 <= between.zoom <= high * 1.001
    reach = 1e-3 + 1e-6 * abs(b.x - a.x)
    assert min(a.x, b.x) - reach <= between.x <= max(a.x, b.x) + reach


@given(CAMERAS, VIEWPORTS, PIXELS, PIXELS, st.floats(0.1, 10), st.floats(0, 1))
def test_easing_a_zoom_about_the_pointer_keeps_its_point_all_the_way(
    camera: Camera, viewport: Viewport, sx: float, sy: float, factor: float, t: float
) -> None:
    point = to_world(camera, viewport, sx, sy)
    target = zoomed(camera, viewport, sx, sy, factor)
    between = eased(camera, target, t)
    assert to_screen(between, viewport, *point) == pytest.approx((sx, sy), abs=0.5)
