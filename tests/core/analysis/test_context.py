"""The context at each request: recorded where usage is, estimated where it is not, begun anew at compactions."""

from __future__ import annotations

from opentine_gui.core import StepKind
from opentine_gui.core.analysis.context import CHARACTERS, context, main_line
from tests.core.analysis.call_runs import Recording


def test_the_fill_is_what_went_in_with_what_came_from_the_cache() -> None:
    run = Recording()
    run.ask("go")
    step = run.say("x", usage={"input": 100, "cache_read": 800, "cache_write_5m": 100, "output": 50})
    found = context(run.record().graph)
    assert (found.fill[step], found.cached[step], found.estimated[step]) == (1_000, 800, 0)
    assert found.fill[0] == 0, "a person makes no request"
    assert found.recorded


def test_without_usage_it_is_estimated_from_what_was_said_since_the_last_compaction() -> None:
    run = Recording()
    run.ask("go" * 2_000)
    before = run.say("x")
    cliff = run.add(StepKind.THINK, {"trigger": "auto"}, outputs={"summary": "s"})
    after = run.say("y")
    graph = run.record().graph
    found = context(graph)
    assert found.cliffs == (cliff,)
    assert found.estimated[before] and found.estimated[after] and not found.recorded
    assert found.fill[before] == len(graph.raws[0]) / CHARACTERS
    assert found.fill[after] < found.fill[before]
    assert found.cached[before] == -1
    assert main_line(found, graph) == [before, cliff, after]


def test_calls_side_by_side_count_together_and_a_sub_agent_has_a_context_of_its_own() -> None:
    run = Recording()
    asked = run.ask("go" * 5_000)
    one = run.call("Read", {"path": "a"}, "x" * 4_000, after=[asked])
    two = run.call("Read", {"path": "b"}, "y" * 8_000, after=[asked])
    both = run.add(StepKind.MODEL, {}, outputs={"text": "z"}, after=[one, two])
    run.add(StepKind.MODEL, {"prompt": "look"}, v3_kind="subagent", after=[both])
    inside = run.say("inside")
    graph = run.record().graph
    found = context(graph)
    assert found.fill[both] == sum(len(graph.raws[step]) for step in (asked, one, two)) / CHARACTERS
    assert 0 < found.fill[inside] < 200
    assert inside not in main_line(found, graph)
