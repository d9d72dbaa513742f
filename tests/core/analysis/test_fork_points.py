"""Where to fork: before refusals, failures from outside and failing streaks; never at failing tests."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import Graph, StepKind
from opentine_gui.core.analysis.suspicion.call_facts import CallFacts, call_facts
from opentine_gui.core.analysis.suspicion.failures import Sort, failed
from opentine_gui.core.analysis.suspicion.fork_points import ForkPoint, Why, common_point, fork_points, last_pass
from tests.core.analysis.call_runs import Recording

REJECTED = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
LIMIT = {"type": "api_error", "message": "429 rate limit"}


def points(run: Recording, *failing: int) -> list[ForkPoint]:
    return fork_points(run.record().graph, failing)


@pytest.mark.parametrize(
    ("error", "why"),
    [(REJECTED, Why.REFUSED), ({"type": "interrupted", "message": "aborted by user"}, Why.INTERRUPTED)],
)
def test_before_a_call_that_a_person_stopped(error: dict[str, Any], why: Why) -> None:
    run = Recording()
    run.ask("go")
    decision = run.say("I push")
    call = run.call("Bash", {"command": "git push"}, error=error)
    run.say("then not")
    assert points(run) == [ForkPoint(decision, call, why, 2, 2)]


def test_before_a_failure_from_outside_only_where_it_ended_a_lane() -> None:
    run = Recording()
    decision = run.ask("go")
    end = run.add(StepKind.ERROR, {}, error=LIMIT)
    assert points(run) == [ForkPoint(decision, end, Why.OUTSIDE, 1, 1)]
    run.say("it went on")
    assert points(run) == []


def test_before_the_last_failing_streak_of_a_failing_end() -> None:
    run = Recording()
    run.say("fine")
    run.call("Bash", {"command": "ls"}, "x")
    decision = run.say("now this")
    first = run.call("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}, failed="not found")
    run.say("again")
    run.call("Bash", {"command": "true"}, "x")
    run.say("and again")
    end = run.call("Edit", {"file_path": "a", "old_string": "z", "new_string": "y"}, failed="not found")
    assert points(run, end) == [ForkPoint(decision, first, Why.STREAK, 3, 5)]


def test_never_at_failing_tests() -> None:
    run = Recording()
    for _ in range(4):
        run.say("again")
        end = run.call("Bash", {"command": "pytest -q"}, failed="1 failed")
    assert points(run, end) == []


def test_the_common_point_of_steps_is_the_last_all_rest_on_whichever_way() -> None:
    run = Recording()
    root = run.ask("go")
    left, right = run.say("l", after=[root]), run.say("r", after=[root])
    one = run.add(StepKind.DONE, {"text": "1"}, after=[left, right])
    two = run.add(StepKind.DONE, {"text": "2"}, after=[left])
    graph = run.record().graph
    found = common_point(graph, [one, two])
    assert found is not None
    assert (found.step, found.kept, found.dropped) == (root, 1, 4)
    assert common_point(graph, [one]) is None
    other = run.ask("other", after=[])
    assert common_point(run.record().graph, [one, other]) is None


def test_the_last_time_the_same_request_passed() -> None:
    run = Recording()
    passed = run.call("Bash", {"command": "pytest -q"}, "ok")
    run.call("Bash", {"command": "pytest -x"}, "ok")
    run.call("Bash", {"command": "pytest -q"}, failed="1 failed")
    fails = run.call("Bash", {"command": "pytest -q"}, failed="1 failed")
    graph = run.record().graph
    assert last_pass(graph, fails) == passed
    assert last_pass(graph, passed) is None


def test_the_last_pass_reads_no_record_whose_call_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Recording()
    passed = run.call("Bash", {"command": "pytest -q"}, "ok")
    fails = run.call("Bash", {"command": "pytest -q"}, failed="1 failed" * 1_000)
    graph = run.record().graph
    known: dict[str, CallFacts] = {}
    call_facts(graph, range(len(graph)), known)
    monkeypatch.setattr(Graph, "raws", property(lambda _graph: pytest.fail("a record was read")), raising=False)
    assert last_pass(graph, fails, known) == passed


def test_one_stop_that_two_steps_tell_of_is_one_place_to_fork() -> None:
    run = Recording()
    run.ask("go")
    said = run.say("I try")
    run.call("Bash", {"command": "sleep 30"}, error={"type": "rejected", "message": "The user doesn't want to proceed"})
    run.add(StepKind.ERROR, {"text": "x"}, error={"type": "interrupted", "message": "[Request interrupted by user]"})
    points = fork_points(run.record().graph, [])
    assert [(point.step, point.why) for point in points] == [(said, Why.REFUSED)]


def test_why_a_large_step_failed_is_told_from_what_was_decoded_when_it_was_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Recording()
    step = run.call("Bash", {"command": "pytest -q"}, failed="1 failed\n" * 200_000)
    graph = run.record().graph
    graph.decode_large()
    monkeypatch.setattr(Graph, "step", {step: graph.step(step)}.__getitem__)
    monkeypatch.setattr("opentine_gui.core.analysis.suspicion.failures._record", None)
    found = failed(graph, step)
    assert (found.sort, found.call.command) == (Sort.CHECK, "pytest -q")
