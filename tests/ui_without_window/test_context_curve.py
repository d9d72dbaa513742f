"""What the curve of the context is drawn of: as much as can be seen, however many requests a run has."""

from __future__ import annotations

from array import array

import numpy as np

from opentine_gui.app.inspect.analysis.context_rows import Curve
from opentine_gui.core.analysis.agents import MAIN
from opentine_gui.core.analysis.context import Context
from opentine_gui.scene.overviews.timeline import timeline
from opentine_gui.ui.panels.time_strip.drawing import curve_columns


def columns(requests: int, width: float, cliffs: tuple[int, ...] = ()) -> list[tuple[float, float, int]]:
    times = np.arange(1.0, requests + 1) * 10
    line = timeline(array("d", times), array("d", [5.0]) * requests, np.full(requests, MAIN, dtype=np.int32))
    assert line is not None
    found = Context(array("d", [7.0]) * requests, array("d", [-1.0]) * requests, bytearray(requests), cliffs)
    return curve_columns(line, Curve(found, tuple(range(requests))), width)


def test_each_request_lasts_to_the_next_one_where_there_is_room() -> None:
    found = columns(5, 1000.0)
    assert [step for _, _, step in found] == [0, 1, 2, 3, 4]
    assert [right for _, right, _ in found[:-1]] == [left for left, _, _ in found[1:]]


def test_no_more_is_drawn_than_two_columns_a_pixel_for_any_number_of_requests() -> None:
    assert len(columns(50_000, 300.0)) <= 2 * 300


def test_every_compaction_is_drawn_among_many_requests() -> None:
    cliffs = (10, 11, 4_000, 49_999)
    found = columns(50_000, 300.0, cliffs)
    assert [step for _, right, step in found if right < 0] == list(cliffs)
