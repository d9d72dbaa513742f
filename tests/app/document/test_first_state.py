"""The first view: as many cards as the canvas shows at a readable size, and not many fewer."""

from __future__ import annotations

import pytest

from bench.session_runs import messy_run
from opentine_gui.app.document.picture.fold import LEAST_ZOOM, Room, first_state, fold
from opentine_gui.core.structure.structure import Structure
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Viewport

ROOM = Room(Direction.TOP_TO_BOTTOM, Viewport(1000, 760))


@pytest.mark.parametrize("size", [300, 2_000])
def test_the_first_view_of_a_messy_run_fills_the_canvas(size: int) -> None:
    # Its width is guessed too small, so that the view to begin with does not fit and emptier ones are tried.
    structure = Structure(messy_run(size).graph, size - 1)
    folded = fold(structure, first_state(structure, ROOM), ROOM)
    x0, y0, x1, y1 = folded.layout.bounds
    zoom = min(ROOM.inner[0] / (x1 - x0), ROOM.inner[1] / (y1 - y0))
    assert LEAST_ZOOM <= zoom < 0.72, f"{len(folded)} cards at {zoom:.0%}"
