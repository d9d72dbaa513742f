"""Edges between panels: what a press, a drag and a double click on them do, without a window."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.arrangement.splitters import LOWEST, Splitters
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.regions import SMALLEST_CANVAS, Area, divide
from opentine_gui.ui.toolkit.style import Style
from tests.app.conftest import Bench

SIZE = (1440.0, 900.0)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def splitters(bench: Bench) -> Splitters:
    """Those of a window with both sides, a panel of 300 pixels at the left and a strip of 40 below."""
    found = Splitters(bench.session, Style(DARK, FontMetrics()), 0)
    regions = divide(*SIZE, top=36.0, left=260.0, right=380.0, bottom=(40.0, 30.0))
    found.place(regions, [("runs", Area(0, 36, 260, 300))], [("timeline", regions.bottom[0])])
    return found


def send(splitters: Splitters, x: float, y: float, *kinds: str, down: bool = True) -> Pointer:
    pointer = Pointer()
    pointer.x, pointer.y, pointer.left_down = x, y, down
    pointer.events = [InputEvent(kind, x, y, button="left") for kind in kinds]  # type: ignore[arg-type]
    splitters.handle(pointer, SIZE)
    return pointer


def test_a_press_alone_moves_nothing_and_reaches_nothing_below(bench: Bench, splitters: Splitters) -> None:
    assert send(splitters, 100, 337, "press").events == []
    assert splitters.dragged is not None
    send(splitters, 101, 338, "move")
    send(splitters, 101, 338, "release", down=False)
    assert splitters.dragged is None
    assert bench.session.settings.panel_heights == {}


def test_a_drag_resizes_and_a_double_click_takes_it_back(bench: Bench, splitters: Splitters) -> None:
    for (x, y), (to_x, to_y), name, height in (
        ((100, 336), (100, 436), "runs", 400),
        ((700, 829), (700, 800), "timeline", 69),
    ):
        send(splitters, x, y, "press")
        send(splitters, to_x, to_y, "move")
        send(splitters, to_x, to_y, "release", down=False)
        assert bench.session.settings.panel_heights[name] == pytest.approx(height, abs=1)
    send(splitters, 100, 336, "press", "double")
    send(splitters, 100, 336, "release", down=False)
    assert list(bench.session.settings.panel_heights) == ["timeline"]


def test_a_side_leaves_the_canvas_its_least_width_and_the_other_its_own(bench: Bench, splitters: Splitters) -> None:
    settings = bench.session.settings
    edge = SIZE[0] - 380
    send(splitters, edge, 400, "press")
    send(splitters, 40, 400, "move")
    send(splitters, 40, 400, "release", down=False)
    assert (settings.left_width, settings.right_width) == (260, 1440 - 260 - SMALLEST_CANVAS - 2)
    send(splitters, 260, 400, "press")
    send(splitters, 3, 400, "move")
    assert settings.left_width == 160


def test_an_edge_under_a_dialog_or_another_view_cannot_be_taken(splitters: Splitters) -> None:
    pointer = Pointer()
    pointer.x, pointer.y, pointer.left_down, pointer.covered = 100, 336, True, True
    pointer.events = [InputEvent("press", 100, 336, button="left")]
    splitters.handle(pointer, SIZE)
    assert splitters.dragged is None
    splitters.covered = "right"
    assert splitters.under(SIZE[0] - 380, 400) is None


def test_a_height_that_was_chosen_leaves_room_for_what_is_below(bench: Bench, splitters: Splitters) -> None:
    bench.session.settings.panel_heights = {"runs": 5000, "timeline": 5000}
    assert splitters.heights([("runs", 200.0), ("outline", None)], 600.0) == [480.0, None]
    assert splitters.heights([("runs", 200.0), ("files", 150.0), ("outline", None)], 600.0) == [330.0, 150.0, None]
    assert splitters.heights([("runs", 200.0), ("search", 590.0), ("outline", None)], 600.0) == [LOWEST, 590.0, None]
    bench.session.settings.panel_heights = {"runs": 5000, "files": 100, "timeline": 5000}
    assert splitters.heights([("runs", 200.0), ("files", 150.0), ("outline", None)], 600.0) == [380.0, 100.0, None]
    assert splitters.strip_height("timeline", 40.0, 900.0) == 360.0
    assert splitters.strip_height("timeline", 0.0, 900.0) == 0.0, "nothing to show"
