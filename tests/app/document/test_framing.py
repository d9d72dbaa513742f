"""The first view of a run keeps its cards clear of the map."""

from __future__ import annotations

from opentine_gui.app.document.camera.framing import FIRST_ZOOM, first_camera, zoom_controls
from opentine_gui.scene.space.camera import Viewport, to_screen
from tests.app.conftest import Bench
from tests.conftest import run_of


def test_the_first_view_of_a_long_run_keeps_its_cards_beside_the_map(bench: Bench) -> None:
    steps = {str(number): str(number - 1) if number else "" for number in range(27)}
    steps |= {"aside": "2", "aside 2": "aside", "aside 3": "aside 2", "aside 4": "aside 3"}
    document = bench.open("run.tine", run_of(steps))
    bench.do("fold.every_step")
    layout = document.picture.layout
    assert layout is not None
    viewport = Viewport(980.0, 660.0, 238.0, 178.0)
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


def test_the_first_view_moves_a_little_where_that_frees_the_cards_below_the_zoom_controls(bench: Bench) -> None:
    steps = {str(number): str(number - 1) if number else "" for number in range(27)}
    steps |= {f"beside {number}": "3" for number in range(6)}
    document = bench.open("run.tine", run_of(steps))
    layout = document.picture.layout
    assert layout is not None
    freed = 0
    for height in range(400, 500, 10):
        viewport = Viewport(700.0, float(height))
        camera = first_camera(layout, viewport)
        half = layout.spacing.node_height / 2 * camera.zoom
        assert 21.0 <= to_screen(camera, viewport, *layout.centers.tolist()[0])[1] - half <= 130.0, (
            "the first is in view"
        )
        wide, high = zoom_controls(viewport.width).corner
        places = [to_screen(camera, viewport, x, y) for x, y in layout.centers.tolist()]
        across = layout.spacing.node_width / 2 * camera.zoom
        freed += not any(x - across < wide and height - high < y + half and y - half < height for x, y in places)
    assert freed == 10


def test_the_first_view_of_a_long_graph_shows_all_its_lanes_where_they_fit(bench: Bench) -> None:
    steps = {str(number): str(number - 1) if number else "" for number in range(27)}
    steps |= {f"{lane} {number}": f"{lane} {number - 1}" if number else "3" for lane in "abc" for number in range(9)}
    document = bench.open("run.tine", run_of(steps))
    bench.do("fold.every_step")
    layout = document.picture.layout
    assert layout is not None

    def in_view(width: float) -> tuple[bool, float]:
        viewport = Viewport(width, 660.0)
        camera = first_camera(layout, viewport)
        half = layout.spacing.node_width / 2 * camera.zoom
        places = [to_screen(camera, viewport, x, y)[0] for x, y in layout.centers.tolist()]
        return min(places) - half >= 0 and max(places) + half <= width, camera.zoom

    breadth = layout.bounds[2] - layout.bounds[0]
    assert in_view(breadth * FIRST_ZOOM + 30) == (True, FIRST_ZOOM), "its first card is not in their middle"
    seen, zoom = in_view(breadth * 0.7)
    assert seen
    assert 0.6 <= zoom < FIRST_ZOOM
    assert in_view(breadth * 0.5) == (False, FIRST_ZOOM), "titles that read come before lanes"
