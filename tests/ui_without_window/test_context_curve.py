"""What the curve of the context is drawn of: as much as can be seen, however many requests a run has."""

from __future__ import annotations

from array import array

import numpy as np

from opentine_gui.app.document.overlay import Overlay, ShownRun, run_role
from opentine_gui.app.inspect.analysis.context_rows import MOST_CURVES, Curve, run_curves
from opentine_gui.core import RunRecord, StepKind, family_of
from opentine_gui.core.analysis.agents import MAIN
from opentine_gui.core.analysis.context import Context, context, main_line
from opentine_gui.scene.overviews.timeline import Timeline, timeline
from opentine_gui.ui.panels.time_strip.curves import curve_columns, drawn_curves
from tests.core.analysis.call_runs import Recording


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


def forked_in_two(at: int = 10, count: int = 14) -> tuple[RunRecord, RunRecord]:
    """Two runs of one request a time that share the first `at`; of the second one the context was replaced there."""
    runs = []
    for name in ("kept", "replaced"):
        run = Recording()
        run.ask("Begin")
        for number in range(count):
            own = f"{name} {number}" if number >= at else f"{number}"
            if number == at and name == "replaced":
                run.add(StepKind.THINK, {"trigger": "auto"}, outputs={"summary": "All so far"})
            tokens = 1_000 * (number + 1) if name == "kept" or number < at else 500
            run.say(own, usage={"input": tokens, "cache_read": 300 * (number + 1)})
        runs.append(run.record(run_id=name))
    return runs[0], runs[1]


def together(*records: RunRecord) -> tuple[Curve, Overlay]:
    family = family_of(records)
    runs = tuple(
        ShownRun(f"run {number}", run_role(number), "completed", len(record.graph), 0)
        for number, record in enumerate(records)
    )
    found = context(family.graph)
    return Curve(found, tuple(main_line(found, family.graph))), Overlay(family, runs)


def test_each_of_several_runs_has_a_curve_in_its_colour_and_shared_requests_are_in_both() -> None:
    curve, overlay = together(*forked_in_two())
    first, second = run_curves(curve, overlay)
    assert (first.role, second.role) == (run_role(0), run_role(1))
    shared = set(first.curve.steps) & set(second.curve.steps)
    assert len(shared) == 10
    for run in (first, second):
        for step in set(run.curve.steps) - shared:
            assert overlay.family.runs_of(step) == (run.run,)
    assert [step in curve.context.cliffs for step in second.curve.steps if step not in shared] == [True] + [False] * 4
    assert not set(first.curve.steps) & set(curve.context.cliffs)
    assert [run.run for run in run_curves(curve, overlay.toggled(0))] == [1]
    lit = run_curves(curve, overlay.lighting(0))
    assert [(run.run, run.role) for run in lit] == [(1, run_role(1)), (0, "accent")]


def test_of_many_runs_as_many_have_a_curve_as_there_are_colours_and_the_whole_has_a_bound() -> None:
    records = []
    for number in range(20):
        run = Recording()
        for step in range(400):
            run.say(f"{number} {step}", usage={"input": 10})
        records.append(run.record(run_id=f"{number}"))
    curve, overlay = together(*records)
    shown = run_curves(curve, overlay.lighting(15))
    assert len(shown) == MOST_CURVES
    assert shown[-1].run == 15
    line = line_of(overlay)
    drawn = drawn_curves(line, [run.curve for run in shown], 300.0)
    assert sum(map(len, drawn.columns)) <= 4 * 300 + MOST_CURVES


def test_the_request_under_the_pointer_is_that_of_the_nearest_curve() -> None:
    curve, overlay = together(*forked_in_two())
    curves = run_curves(curve, overlay)
    drawn = drawn_curves(line_of(overlay), [run.curve for run in curves], 1_000.0)
    place = 800.0
    full, replaced = ([step for left, right, step in of if left <= place < right] for of in drawn.columns)
    assert full != replaced
    assert [drawn.step_at(place, 1.0)] == full
    assert [drawn.step_at(place, 0.0)] == replaced
    assert drawn.step_at(-5.0, 0.5) is None


def test_a_request_that_runs_share_is_drawn_up_to_where_the_first_of_them_goes_on() -> None:
    curve, overlay = together(*forked_in_two())
    drawn = drawn_curves(line_of(overlay), [run.curve for run in run_curves(curve, overlay)], 1_000.0)
    first, second = ({step: (left, right) for left, right, step in columns} for columns in drawn.columns)
    assert all(first[step] == second[step] for step in first.keys() & second.keys())


def line_of(overlay: Overlay) -> Timeline:
    graph = overlay.family.graph
    agents = np.full(len(graph), MAIN, dtype=np.int32)
    line = timeline(graph.timestamps, graph.durations, agents)
    assert line is not None
    return line
