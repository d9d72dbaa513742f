"""Which results of sub-agents arrived while their caller went on, as sessions are read."""

from __future__ import annotations

from opentine_gui.core.structure.late_joins import late_joins
from tests.core.structure.shapes import graph_of


def test_a_caller_that_waits_has_no_late_joins() -> None:
    # prompt, decision, two sub-agents of two steps, the calls that got their results, the next decision
    table = [(), (0,), (1,), (2,), (1,), (4,), (1, 3), (1, 5), (6, 7)]
    assert late_joins(graph_of(table, "hmsRsRRRm")) == frozenset()


def test_a_result_that_arrives_decisions_later_is_late() -> None:
    # the call says "launched" at once; two decisions later the result comes with a prompt
    table = [(), (0,), (1,), (2,), (1,), (4,), (5,), (6, 3)]
    assert late_joins(graph_of(table, "hmsRRmRm")) == {(3, 7)}


def test_the_first_decision_after_the_call_waited_for_nothing_else() -> None:
    table = [(), (0,), (1,), (2,), (1,), (4, 3)]
    assert late_joins(graph_of(table, "hmsRRm")) == frozenset()


def test_a_sub_agent_of_a_sub_agent_is_judged_by_its_own_caller() -> None:
    # the outer sub-agent 2 decides at 3, calls the inner one 4-5, goes on at 6 and gets the result at 7
    table = [(), (0,), (1,), (2,), (3,), (4,), (3,), (6, 5), (1, 7)]
    assert late_joins(graph_of(table, "hmsmsRmmR")) == {(5, 7)}


def test_merges_without_sub_agents_are_never_late() -> None:
    assert late_joins(graph_of([(), (0,), (0,), (1, 2)], "hmmm")) == frozenset()
