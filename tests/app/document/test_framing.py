"""A view of everything keeps its cards clear of what lies over the corner of the canvas."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.camera.framing import FIRST_ZOOM, READING_ZOOM, camera_of_all, first_camera
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen
from tests.app.conftest import Bench
from tests.conftest import run_of

BAR = (198.0, 56.0)


def under_the_bar(bench: Bench, camera: Camera, viewport: Viewport) -> int:
    """How many cards lie under the bar in the lower left corner."""
    layout = bench.active.layout
    assert layout is not None
    half_width, half_height = layout.spacing.node_width / 2 * camera.zoom, layout.spacing.node_height / 2 * camera.zoom
    found = 0
    for x, y in layout.centers.tolist():
        across, down = to_screen(camera, viewport, x, y)
        found += across - half_width < BAR[0] - 0.01 and down + half_height > viewport.height - BAR[1]
    return found


def line_of(steps: int) -> dict[str, str]:
    return {str(number): str(number - 1) if number else "" for number in range(steps)}


SHAPES = {
    "a line in the middle": line_of(6),
    "a line with forks to its left and right": line_of(6) | {f"fork {number}": "4" for number in range(3)},
    "two steps": line_of(2),
    "a wide row": {"root": ""} | {f"child {number}": "root" for number in range(5)},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", [(500.0, 498.0), (420.0, 640.0), (1000.0, 600.0)])
def test_no_card_that_can_be_read_lies_under_the_zoom_bar(bench: Bench, shape: str, size: tuple[float, float]) -> None:
    document = bench.open("run.tine", run_of(SHAPES[shape]))
    plain = camera_of_all(document, Viewport(*size))
    viewport = Viewport(*size, *BAR)
    camera = camera_of_all(document, viewport)
    assert plain is not None and camera is not None
    if camera == plain:
        assert not under_the_bar(bench, camera, viewport) or plain.zoom < 1.25 * READING_ZOOM
    else:
        assert under_the_bar(bench, camera, viewport) == 0
        assert camera.zoom >= min(plain.zoom, READING_ZOOM)
    layout = document.layout
    assert layout is not None
    x0, y0, x1, y1 = layout.bounds
    left, top = to_screen(camera, viewport, x0, y0)
    right, bottom = to_screen(camera, viewport, x1, y1)
    assert min(left, top) >= 0 and right <= size[0] and bottom <= size[1], "everything is in view all the same"


def test_where_there_is_room_beside_the_bar_nothing_gets_smaller(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(line_of(6)))
    plain, clear = (camera_of_all(document, Viewport(500.0, 498.0, *corner)) for corner in ((0.0, 0.0), BAR))
    assert plain is not None and clear is not None
    assert clear.zoom == plain.zoom
    assert clear.x < plain.x


def test_the_first_view_of_a_long_run_keeps_its_cards_beside_the_map(bench: Bench) -> None:
    steps = line_of(27) | {"aside": "2", "aside 2": "aside", "aside 3": "aside 2", "aside 4": "aside 3"}
    document = bench.open("run.tine", run_of(steps))
    layout = document.layout
    assert layout is not None
    viewport = Viewport(980.0, 660.0, *BAR, 238.0, 178.0)
    camera = first_camera(layout, viewport)
    assert camera.zoom == FIRST_ZOOM, "not all of it is in view"
    plain = first_camera(layout, viewport._replace(map_width=0.0, map_height=0.0))
    covered = []
    for seen in (plain, camera):
        half_width = layout.spacing.node_width / 2 * seen.zoom
        half_height = layout.spacing.node_height / 2 * seen.zoom
        places = [to_screen(seen, viewport, x, y) for x, y in layout.centers.tolist()]
        covered.append(sum(
            x + half_width > 742.01 and x - half_width < 980 and y + half_height > 482 and y - half_height < 660
            for x, y in places
        ))  # fmt: skip
        assert min(x - half_width for x, y in places if y < 660) >= 0
    assert covered[0] > covered[1] == 0
