"""When steps were at work: told from logs that give a step's beginning and from those that give its end."""

from __future__ import annotations

import pytest

from opentine_gui.core.graph.work_times import WAITING, timestamps_are_begins, waits, work_times, worked
from tests.core.analysis.call_runs import START, Recording

SPANS = ((0.0, 0.0), (1.0, 7.0), (7.0, 249.0), (249.0, 258.0), (700.0, 710.0))


def one_after_another(*, begins: bool) -> Recording:
    run = Recording()
    for begin, end in SPANS:
        run.say(f"{begin}", timestamp=START + (begin if begins else end), duration=end - begin)
    return run


@pytest.mark.parametrize("begins", [False, True])
def test_both_ways_to_record_a_time_come_to_the_same_work_and_pauses(begins: bool) -> None:
    graph = one_after_another(begins=begins).record().graph
    assert timestamps_are_begins(graph.timestamps, graph.durations, graph.parents) is begins
    work = work_times(graph)
    assert [(start - START, end - START) for start, end in zip(work.starts, work.ends, strict=True)] == list(SPANS)
    assert [(pause.begin - START, pause.seconds) for pause in work.pauses] == [(258.0, 442.0)]


def test_a_sub_agent_that_works_while_it_is_waited_for_does_not_change_what_the_times_mean() -> None:
    run = one_after_another(begins=True)
    call = run.call("Task", {}, timestamp=START + 710, duration=900.0)
    for number in range(3):
        run.say(f"inside {number}", timestamp=START + 720 + 200 * number, duration=180.0)
    run.say("It is done", after=[call, run.last[0]], timestamp=START + 1_610, duration=5.0)
    graph = run.record().graph
    assert timestamps_are_begins(graph.timestamps, graph.durations, graph.parents)
    assert [pause.begin - START for pause in work_times(graph).pauses] == [258.0]


def test_a_time_that_is_missing_pauses_nothing() -> None:
    run = Recording()
    for at in (START, 0.0, START + 10_000.0):
        run.say(f"{at}", timestamp=at)
    work = work_times(run.record().graph)
    assert work.starts[1] == work.ends[1] == 0.0
    assert [pause.seconds for pause in work.pauses] == [10_000.0]


def test_a_pause_is_five_minutes_or_more_in_which_nothing_ran() -> None:
    assert waits([]) == []
    assert waits([(0.0, 1.0), (WAITING, WAITING + 1.0)]) == []
    assert [pause.seconds for pause in waits([(0.0, 1.0), (1.0 + WAITING, 400.0)])] == [WAITING]
    assert waits([(0.0, 1_000.0), (10.0, 20.0), (900.0, 950.0), (1_100.0, 1_200.0)]) == []


def test_a_call_that_a_person_refused_only_waited() -> None:
    refusal = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
    run = Recording()
    run.ask("go", timestamp=START)
    run.say("I push it", timestamp=START, duration=10.0)
    call = run.call("Bash", {"command": "git push"}, error=refusal, timestamp=START + 10, duration=WAITING + 60)
    run.say("I leave it", timestamp=START + WAITING + 70, duration=5.0)
    graph = run.record().graph
    work = work_times(graph)
    assert work.waited == {call}
    assert [pause.seconds for pause in work.pauses] == [WAITING + 60], "nothing was at work while it was asked"
    assert worked(graph, work, range(len(graph))) == 15.0


def test_what_runs_inside_or_beside_another_step_counts_once() -> None:
    run = Recording()
    run.ask("go", timestamp=START)
    said = run.say("I ask two", timestamp=START, duration=10.0)
    for number in range(2):
        run.call("Task", {"description": f"Look {number}"}, after=[said], timestamp=START + 10, duration=100.0)
    graph = run.record().graph
    assert worked(graph, work_times(graph), range(len(graph))) == 110.0
    untimed = Recording()
    untimed.say("", timestamp=0.0, duration=7.0)
    untimed.say("", timestamp=0.0, duration=3.0)
    graph = untimed.record().graph
    assert worked(graph, work_times(graph), range(len(graph))) == 10.0, "without times they are added up"
