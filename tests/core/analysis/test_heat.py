"""Levels, names and the figures of one tool."""

from __future__ import annotations

import pytest
from hypothesis import given

from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.agents import MAIN, agents
from opentine_gui.core.analysis.call_table import Phase, call_table
from opentine_gui.core.analysis.heat import LEVELS, MOST_NAMES, TOP, Figure, Heat, heat, tool_figures
from opentine_gui.core.model import StepKind
from opentine_gui.core.structure.work_times import work_times
from tests.core.analysis.call_runs import Recording, session_of_edits
from tests.core.run_shapes import runs


def test_the_ten_with_most_come_first_and_what_was_not_recorded_has_no_level() -> None:
    run = Recording()
    for number in range(15):
        run.say("x", cost=number / 100)
    graph = run.record().graph
    found = heat(graph, Figure.COST, call_table(graph), ())
    assert found.levels[0] == 0
    assert found.levels[14] == LEVELS
    assert found.top == tuple(range(14, 14 - TOP, -1))
    assert (found.low, found.high) == (0.01, 0.14)


def test_names_share_a_colour_beyond_those_with_one_of_their_own() -> None:
    run = Recording()
    for number in range(12):
        for _ in range(12 - number):
            run.call(f"tool{number}", {})
    graph = run.record().graph
    found = heat(graph, Figure.TOOL, call_table(graph), ())
    assert found.names[0] == "tool0" and found.counts[0] == 12
    assert set(found.levels) == set(range(1, MOST_NAMES + 2))


def test_the_figures_of_a_tool_count_calls_failures_and_times() -> None:
    run = Recording()
    for seconds in (0.5, 1.0, 2.0, 8.0):
        run.call("Bash", {"command": "x"}, duration=seconds, failed="no" if seconds == 8.0 else "")
    run.call("Read", {"path": "a"})
    graph = run.record().graph
    found = tool_figures(graph, call_table(graph), "Bash")
    assert (found.steps, found.failed, sum(found.bins)) == ((0, 1, 2, 3), 1, 4)
    assert (found.share(0.5), found.share(0.99)) == (2.0, 8.0)
    untimed = tool_figures(graph, call_table(graph), "Read")
    assert (untimed.share(0.5), sum(untimed.bins)) == (None, 0)


def waiting_run() -> Recording:
    """A question answered after an hour, an edit that waited to be allowed, one that was refused, and work."""
    run = Recording()
    run.ask("Mend it", timestamp=1_000.0)
    run.call("Bash", {"command": "make"}, "ok", duration=40.0, timestamp=1_100.0)
    run.call("AskUserQuestion", {"question": "Which?"}, "The first", duration=3_600.0, timestamp=5_000.0)
    run.call(
        "Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, "ok", duration=700.0, timestamp=6_000.0
    )
    run.call("Edit", {"file_path": "a.py", "old_string": "b", "new_string": "c"}, "ok", duration=2.0, timestamp=6_100.0)
    refused = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
    run.call("Bash", {"command": "git push"}, error=refused, duration=90.0, timestamp=6_300.0)
    run.call("Bash", {"command": "pytest"}, "ok", duration=10.0, timestamp=6_400.0)
    return run


def test_by_time_waits_for_a_person_are_no_work_as_on_the_time_strip() -> None:
    graph = waiting_run().record().graph
    found = heat(graph, Figure.TIME, call_table(graph), ())
    assert found.top == (1, 6, 4)
    assert (found.low, found.high) == (2.0, 40.0)
    assert list(found.levels) == [0, LEVELS, 0, 0, 2, 0, 3]
    assert found.waits == (2, 3, 5)
    assert set(found.waits) == work_times(graph).waited


def test_a_run_that_only_waited_has_no_scale() -> None:
    run = Recording()
    run.call("AskUserQuestion", {"question": "Which?"}, "The first", duration=3_600.0)
    graph = run.record().graph
    assert heat(graph, Figure.TIME, call_table(graph), ()) == Heat(Figure.TIME, bytes(1), waits=(0,))


def test_the_figures_of_a_tool_tell_waits_from_work() -> None:
    graph = waiting_run().record().graph
    found = tool_figures(graph, call_table(graph), "Edit")
    assert (list(found.seconds), found.waited, sum(found.bins)) == ([2.0], 700.0, 1)
    found = tool_figures(graph, call_table(graph), "Bash")
    assert (list(found.seconds), found.waited) == ([10.0, 40.0], 90.0)


def test_times_as_far_apart_as_numbers_can_be_have_a_place_on_the_scale() -> None:
    run = Recording()
    for seconds in (5e-324, 1.0, 1e308):
        run.call("Bash", {"command": "x"}, duration=seconds)
    graph = run.record().graph
    found = tool_figures(graph, call_table(graph), "Bash")
    assert (found.bins[0], sum(found.bins), found.bins[-1]) == (1, 3, 1)


def test_the_phases_of_a_run_are_what_its_calls_are_for() -> None:
    found = call_table(session_of_edits().graph)
    assert [Phase(code).name for code in found.phases if code] == ["FIND", "CHANGE", "CHECK", "CHANGE", "CHANGE"]


def test_a_sub_agent_does_what_rests_on_its_start_until_it_is_joined() -> None:
    run = Recording()
    asked = run.say("I delegate")
    start = run.add(StepKind.MODEL, {"prompt": "look"}, v3_kind="subagent")
    inside = run.call("Read", {"path": "a"})
    join = run.call("Task", {}, after=[asked, inside])
    assert list(agents(run.record().graph)) == [MAIN, start, start, MAIN]
    assert join == 3


@pytest.mark.parametrize("figure", list(Figure))
@given(record=runs())
def test_any_run_has_a_code_for_every_step(figure: Figure, record: RunRecord) -> None:
    graph = record.graph
    found = heat(graph, figure, call_table(graph), ["m"] * len(graph))
    assert len(found.levels) == len(graph)
    assert all(0 <= step < len(graph) for step in found.top)
    assert not set(found.top) & set(found.waits)
    assert not any(found.levels[step] for step in found.waits)
