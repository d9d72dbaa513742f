"""When steps were at work: told from logs that give a step's beginning and from those that give its end."""

from __future__ import annotations

import math
from array import array
from types import SimpleNamespace
from typing import cast
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import Graph, StepKind
from opentine_gui.core.graph.outcomes.stopped import REFUSED
from opentine_gui.core.structure import work_times as module
from opentine_gui.core.structure.work_times import (
    LONG,
    WAITING,
    _work_times,
    follow_work_times,
    waits,
    work_times,
    worked,
)
from opentine_gui.describe.failures.stopped_words import wait_words
from tests.core.analysis.call_runs import START, Recording

SPANS = ((0.0, 0.0), (1.0, 7.0), (7.0, 249.0), (249.0, 258.0), (700.0, 710.0))


class _Run:
    """The columns of a graph that say when its steps were at work; a graph takes no times that are no numbers."""

    def __init__(self, columns: SimpleNamespace) -> None:
        self.__dict__ |= vars(columns)

    def __len__(self) -> int:
        return len(self.timestamps)  # type: ignore[attr-defined,no-any-return]


def one_after_another(*, begins: bool) -> Recording:
    run = Recording()
    for begin, end in SPANS:
        run.say(f"{begin}", timestamp=START + (begin if begins else end), duration=end - begin)
    return run


@pytest.mark.parametrize("begins", [False, True])
def test_both_ways_to_record_a_time_come_to_the_same_work_and_pauses(begins: bool) -> None:
    graph = one_after_another(begins=begins).record().graph
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
    assert [pause.begin - START for pause in work_times(graph).pauses] == [258.0]


def test_a_time_that_is_missing_pauses_nothing() -> None:
    run = Recording()
    for at in (START, 0.0, START + 10_000.0):
        run.say(f"{at}", timestamp=at)
    work = work_times(run.record().graph)
    assert work.starts[1] == work.ends[1] == 0.0
    assert [pause.seconds for pause in work.pauses] == [10_000.0]


times = st.sampled_from((0.0, 1.0, 2.0, 300.0, 301.0, 500.0, 1_000.0, 2_000.0, 2_301.0, -1.0, math.nan, math.inf))
step_times = st.tuples(times, times, st.integers(0, 3), st.booleans(), st.booleans())
EDIT = b'{"inputs":{"name":"Write","arguments":{"file_path":"/w/a.py"}}}'


@settings(max_examples=400)
@given(st.lists(step_times, min_size=1, max_size=12), st.integers(1, 12))
def test_the_times_of_a_run_that_went_on_are_those_of_the_run_read_anew(
    recorded: list[tuple[float, float, int, bool, bool]], known: int
) -> None:
    def graph_of(count: int) -> Graph:
        columns = SimpleNamespace(
            timestamps=array("d", [START + time if time > 0 else time for time, *_ in recorded[:count]]),
            durations=array("d", [length for _, length, *_ in recorded[:count]]),
            parents=[
                () if not up or not step else (max(step - up, 0),) for step, (_, _, up, *_) in enumerate(recorded)
            ],
            stopped={step: REFUSED for step, (*_, refused, _) in enumerate(recorded[:count]) if refused},
            kinds=[StepKind.TOOL] * count,
            v3_kinds={},
            raws=[EDIT if edits else b"{}" for *_, edits in recorded[:count]],
        )
        columns.parents = columns.parents[:count]
        return cast(Graph, _Run(columns))

    before, after = graph_of(min(known, len(recorded))), graph_of(len(recorded))
    work_times(before)
    follow_work_times(after, before)
    gone_on, anew = work_times(after), work_times(graph_of(len(recorded)))
    assert gone_on.waited == anew.waited  # whose order differs
    assert repr(gone_on._replace(waited=frozenset())) == repr(anew._replace(waited=frozenset()))


def test_times_go_on_from_known_ones_only() -> None:
    graph, longer = (one_after_another(begins=True) for _ in range(2))
    longer.say("more", timestamp=START + 2_000, duration=5.0)
    before, after = graph.record().graph, longer.record().graph
    with patch.object(module, "_work_times", side_effect=AssertionError("found anew")) as anew:
        follow_work_times(after, before)
        with pytest.raises(AssertionError, match="found anew"):
            work_times(after)
        anew.side_effect = _work_times
        work_times(before)
        anew.side_effect = AssertionError("found anew")
        follow_work_times(after, before)
        assert [pause.begin - START for pause in work_times(after).pauses] == [258.0, 710.0]


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


@pytest.mark.parametrize(
    ("name", "arguments", "seconds", "waits_long"),
    [
        ("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}, 940.0, True),
        ("Write", {"file_path": "/w/a.py", "content": "b"}, LONG, True),
        ("Write", {"file_path": "/w/a.py", "content": "b"}, LONG - 1, False),
        ("AskUserQuestion", {"questions": []}, 300.0, True),
        ("ask_expert", {"question": "Which?"}, 300.0, False),
        ("mcp__asana__get_tasks_for_user", {"user": "me"}, 300.0, False),
        ("mcp__gitlab__merge_request_user_notes", {"id": 1}, 300.0, False),
        ("create_stack", {"file": "/w/stack.yml"}, 300.0, False),
        ("mcp__fs__write_file", {"path": "/w/a.py", "content": "b"}, 300.0, True),
        ("Bash", {"command": "mkdir -p /w/b && make"}, 940.0, False),
        ("Read", {"file_path": "/w/a.py"}, 940.0, False),
    ],
)
def test_an_edit_of_minutes_and_a_question_waited_and_nothing_is_said_of_what_may_have_worked(
    name: str, arguments: dict[str, object], seconds: float, waits_long: bool
) -> None:
    run = Recording()
    run.ask("go", timestamp=START)
    run.say("I change it", timestamp=START, duration=10.0)
    call = run.call(name, arguments, "ok", timestamp=START + 10, duration=seconds)
    run.say("Done", timestamp=START + 10 + seconds, duration=5.0)
    graph = run.record().graph
    work = work_times(graph)
    assert work.waited == ({call} if waits_long else set())
    assert worked(graph, work, range(len(graph))) == 15.0 + (0.0 if waits_long else seconds)
    assert bool(wait_words(graph.step(call))) is waits_long


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
