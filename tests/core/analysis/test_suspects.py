"""Suspects: each reason on a small run, and how often the first three hold a planted culprit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given

from bench.generate import linear_run
from bench.planted import FIRST, SORTS, score
from opentine_gui.core import RunRecord, RunStatus, StepKind
from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.suspicion.call_facts import call_facts
from opentine_gui.core.analysis.suspicion.open_checks import open_end
from opentine_gui.core.analysis.suspicion.reasons import Evidence, Reason
from opentine_gui.core.analysis.suspicion.spectrum import End, only_failing, replaced
from opentine_gui.core.analysis.suspicion.suspects import MOST, Suspicion, ends_of, suspects
from opentine_gui.describe.finding_words import reason_words
from tests.core.analysis.call_runs import Recording
from tests.core.run_shapes import runs
from tests.growth import control_text, excess


def of(record: RunRecord) -> Suspicion:
    graph = record.graph
    main = graph.index(record.main_tip) if record.main_tip else None
    return suspects(graph, ends_of(record), touched_files(graph), main=main)


def reasons(found: Suspicion) -> dict[int, list[Reason]]:
    return {suspect.position: [one.reason for one in suspect.evidence] for suspect in found.suspects}


def evidence(found: Suspicion, reason: Reason) -> Evidence:
    return next(one for suspect in found.suspects for one in suspect.evidence if one.reason is reason)


def edit(run: Recording, path: str, number: int, **fields: str) -> int:
    return run.call("Edit", {"file_path": path, "old_string": f"o{number}", "new_string": f"n{number}"}, "ok", **fields)


def test_the_last_edit_of_a_file_that_the_failure_names_comes_first() -> None:
    run = Recording()
    run.ask("go")
    edit(run, "/w/reader.py", 1)
    run.call("Bash", {"command": "pytest -q"}, "ok")
    culprit = edit(run, "/w/reader.py", 2)
    edit(run, "/w/cli.py", 3)
    run.call("Bash", {"command": "pytest -q"}, failed='File "/w/reader.py", line 88, in link\nKeyError')
    found = of(run.record(status=RunStatus.FAILED))
    assert found.failing
    assert found.suspects[0].position == culprit
    assert evidence(found, Reason.LAST_EDIT).place == "/w/reader.py:88"


def test_an_error_that_was_mended_is_weaker_than_the_first_that_lasted() -> None:
    run = Recording()
    mended = run.call("Bash", {"command": "ls build"}, failed="no such file")
    run.call("Bash", {"command": "ls build"}, "x")
    lasting = run.call("Bash", {"command": "npm install"}, failed="no network")
    run.call("Bash", {"command": "node build.js"}, failed="Cannot find left-pad")
    found = of(run.record(status=RunStatus.FAILED))
    order = [suspect.position for suspect in found.suspects]
    assert order.index(lasting) < order.index(mended)


def test_what_was_stopped_is_no_error() -> None:
    run = Recording()
    run.ask("go")
    run.call("Bash", {"command": "sleep 30"}, error={"type": "interrupted", "message": "aborted by user"})
    lasting = run.call("Bash", {"command": "npm install"}, failed="no network")
    run.call("Bash", {"command": "node build.js"}, failed="Cannot find left-pad")
    found = of(run.record(status=RunStatus.FAILED))
    assert reasons(found) == {lasting: [Reason.FIRST_ERROR]}


def test_the_same_call_three_times_is_a_repetition_with_what_it_cost() -> None:
    run = Recording()
    run.ask("go")
    for _ in range(4):
        run.say("again", cost=0.5, usage={"input": 1_000})
        run.call("Bash", {"command": "curl health"}, "starting", duration=2.0)
    found = of(run.record())
    repeated = evidence(found, Reason.REPEATED)
    assert (repeated.times, repeated.cost, repeated.tokens, repeated.seconds) == (4, 1.5, 3_000, 6.0)
    assert reasons(found)[2] == [Reason.REPEATED]


def test_running_tests_again_after_an_edit_and_asking_again_are_no_repetitions() -> None:
    run = Recording()
    for number in range(4):
        run.ask("go")
        run.call("Bash", {"command": "git status"}, "clean")
        edit(run, "/w/a.py", number)
        run.call("Bash", {"command": "pytest"}, f"{number} passed")
    assert Reason.REPEATED not in {one for found in reasons(of(run.record())).values() for one in found}


def test_what_a_repetition_cost_is_not_recorded_rather_than_nothing() -> None:
    run = Recording()
    for _ in range(3):
        run.call("Bash", {"command": "curl health"}, "starting")
    repeated = evidence(of(run.record()), Reason.REPEATED)
    assert (repeated.cost, repeated.tokens, repeated.seconds) == (None, None, None)


def test_an_edit_after_which_nothing_was_run_is_unchecked() -> None:
    run = Recording()
    edit(run, "/w/a.py", 1)
    run.call("Bash", {"command": "pytest"}, "ok")
    last = edit(run, "/w/a.py", 2)
    edit(run, "/w/notes.md", 3)
    run.add(StepKind.DONE, {"text": "done"})
    assert reasons(of(run.record())) == {last: [Reason.UNCHECKED]}


def test_an_edit_at_the_end_of_a_run_may_still_be_checked() -> None:
    run = Recording()
    edit(run, "/w/a.py", 1)
    assert reasons(of(run.record())) == {}


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ({"type": "rejected", "message": "The user doesn't want to proceed"}, Reason.REFUSED),
        ({"type": "no result", "message": "No result was recorded."}, Reason.UNANSWERED),
        ({"type": "no_result", "message": "no result recorded"}, Reason.UNANSWERED),
    ],
)
def test_refused_and_unanswered_calls_are_named(error: dict[str, str], reason: Reason) -> None:
    run = Recording()
    step = run.call("Bash", {"command": "git push"}, error=error)
    run.say("well")
    assert reasons(of(run.record())) == {step: [reason]}


def test_permission_denied_in_a_tools_own_words_is_no_refusal() -> None:
    run = Recording()
    run.call("Bash", {"command": "cat /etc/shadow"}, failed="cat: /etc/shadow: Permission denied")
    run.say("well")
    assert reasons(of(run.record())) == {}


def test_a_fork_that_succeeded_marks_the_step_it_replaced() -> None:
    run = Recording()
    start = run.ask("go")
    bad = run.say("in minutes")
    run.add(StepKind.ERROR, {"text": "wrong"}, error={"message": "wrong"})
    good = run.say("in hours", after=[start])
    run.add(StepKind.DONE, {"text": "right"})
    found = of(run.record())
    assert found.suspects[0].position == bad
    assert evidence(found, Reason.REPLACED).steps == (good,)


def test_the_spectrum_gives_the_first_step_only_failing_ends_rest_on_and_the_stretch_like_it() -> None:
    run = Recording()
    start = run.ask("go")
    stretch = [run.say(word) for word in ("in minutes", "more", "most")]
    one = run.add(StepKind.DONE, {"text": "a"})
    two = run.add(StepKind.DONE, {"text": "b"}, after=[stretch[-1]])
    other = run.say("in hours", after=[start])
    three = run.add(StepKind.DONE, {"text": "c"}, after=[other])
    graph = run.record().graph
    ends = [End(one, True), End(two, True), End(three, False)]
    found = next(only_failing(graph, ends))
    assert (found.step, found.share, found.runs, found.alike) == (stretch[0], 1.0, (2, 2, 0), tuple(stretch[1:]))
    assert list(replaced(graph, ends)) == [(stretch[0], other)]
    assert list(only_failing(graph, ends[:2])) == []


def test_equal_work_on_a_passing_way_counts_whatever_its_id() -> None:
    run = Recording()
    start = run.ask("go")
    run.call("Read", {"file_path": "a"}, "x", after=[start])
    bad = run.call("Bash", {"command": "rm a"}, "y")
    failing = run.add(StepKind.ERROR, {}, error={"message": "gone"})
    run.say("another way", after=[start])
    run.call("Read", {"file_path": "a"}, "x")
    passing = run.add(StepKind.DONE, {"text": "done"})
    found = [one.step for one in only_failing(run.record().graph, [End(failing, True), End(passing, False)])]
    assert found[0] == bad


@given(runs())
def test_any_run_has_a_few_suspects_that_lie_on_the_way(record: RunRecord) -> None:
    found = of(record)
    assert len(found.suspects) <= MOST
    for suspect in found.suspects:
        assert 0 <= suspect.position < len(record.graph)
        assert suspect.evidence


@pytest.mark.serial  # beside others less of the processor's caches is left to the work than to the control
def test_the_work_grows_with_the_number_of_steps_and_not_faster() -> None:
    def looked_through(count: int) -> Callable[[], object]:
        record = linear_run(count)
        touched, ends = touched_files(record.graph), ends_of(record)
        return lambda: suspects(record.graph, ends, touched, main=count - 1)

    few, many = 3_000, 30_000
    assert not excess(looked_through(few), looked_through(many), (control_text(few), control_text(many)))


LEAST = {
    "an edit, named by what fails": 0.8,
    "an edit, others are named": 0.35,
    "a refused call": 0.9,
    "a lasting error from outside": 0.65,
    "a repeated call": 0.95,
    "an edit that nobody checked": 0.6,
    "a decision, replaced by a fork": 0.95,
}


@pytest.mark.parametrize("sort", LEAST)
def test_the_first_three_hold_a_planted_culprit(sort: str) -> None:
    assert FIRST == 3
    assert score(SORTS[sort], runs=25, seed=7).among_three >= LEAST[sort]


def test_a_decision_that_only_other_runs_tell_about_lies_in_the_first_three_stretches() -> None:
    found = score(SORTS["a decision, in a family of 3 to 6"], runs=25, seed=7)
    assert found.in_range >= 0.9


# What real sessions showed to be wrong when every finding was looked up in its log.


def test_what_several_agents_each_do_once_is_no_circle() -> None:
    run = Recording()
    run.ask("Review it")
    asked = run.say("I send four")
    ends = []
    for number in range(4):
        run.add(StepKind.MODEL, {"text": f"Review {number}"}, after=[asked], v3_kind="subagent")
        ends.append(run.call("Read", {"file_path": "/w/a.py"}, "the same"))
    run.say("All is well", after=[asked, *ends])
    assert Reason.REPEATED not in {one for found in reasons(of(run.record())).values() for one in found}


def test_a_patch_that_a_tool_rejects_was_refused_by_nobody() -> None:
    for message, expected in (("patch rejected: empty patch", []), ("patch rejected by user", [Reason.REFUSED])):
        run = Recording()
        call = run.call("apply_patch", {"input": "x"}, error={"type": "rejected", "message": message})
        run.say("Then otherwise")
        run.add(StepKind.DONE, {"text": "done"})
        assert reasons(of(run.record())).get(call, []) == expected


def test_a_file_that_was_deleted_needs_no_check() -> None:
    run = Recording()
    edit(run, "/w/a.py", 1)
    run.call("Bash", {"command": "pytest"}, "ok")
    run.call("Bash", {"command": "rm reproduce.py"}, "")
    run.add(StepKind.DONE, {"text": "done"})
    assert reasons(of(run.record())) == {}


def test_a_step_with_several_parents_is_replaced_once() -> None:
    run = Recording()
    asked = run.ask("go")
    one, other = run.call("Read", {"file_path": "/w/a"}, "1", after=[asked]), 0
    other = run.call("Read", {"file_path": "/w/b"}, "2", after=[asked])
    bad = run.call("Bash", {"command": "false"}, failed="no", after=[one, other])
    good = run.say("Well", after=[one, other])
    graph = run.record().graph
    assert list(replaced(graph, [End(bad, True), End(good, False)])) == [(bad, good)]


def test_calls_that_one_response_asked_for_and_nobody_answered_are_one_suspect() -> None:
    run = Recording()
    asked = run.say("Both at once")
    error = {"type": "no_result", "message": "no result"}
    both = [run.call("Read", {"file_path": f"/w/{name}"}, error=error, after=[asked]) for name in "ab"]
    run.say("Nothing came", after=both)
    alone = run.call("Read", {"file_path": "/w/c"}, error=error)
    run.add(StepKind.DONE, {"text": "done"})
    found = of(run.record())
    assert {one.position: one.evidence[0].steps for one in found.suspects} == {both[0]: (both[1],), alone: ()}


def looked_at(run: Recording, **fields: RunStatus) -> Suspicion:
    """The suspects of a run as the window finds them: an end with a check that did not pass counts as failed there."""
    record = run.record(**fields)
    graph, touched = record.graph, touched_files(record.graph)
    main = graph.index(record.main_tip or graph.ids[-1])
    path = graph.closure([main])
    facts = call_facts(graph, (step for step in path if graph.kinds[step] is StepKind.TOOL))
    check = max(open_end(graph, path, facts, touched).checks, default=-1)
    return suspects(graph, ends_of(record), touched, main=main, open_check=check)


def red_run() -> tuple[Recording, dict[str, int]]:
    """A run that its log calls completed, although a check failed and was not run again."""
    run, at = Recording(), {}
    run.ask("go")
    run.call("WebFetch", {"url": "https://example.org/usage"}, failed="404")
    run.call("Bash", {"command": "mise run lint"}, "ok")
    at["other"] = edit(run, "/w/hooks.go", 1)
    at["culprit"] = edit(run, "/w/registry.go", 2)
    piped, printed = {"command": "mise run lint 2>&1 | tail"}, "registry.go:9: x\n[lint:go] ERROR task failed"
    at["first"] = run.call("Bash", piped, printed)
    at["check"] = run.call("Bash", piped, printed)
    at["reverted"] = run.call("Bash", {"command": "git checkout -- /w/registry.go"}, "")
    run.call("Bash", {"command": "go test ./..."}, "ok")
    at["after"] = edit(run, "/w/hooks.go", 3)
    run.call("Bash", {"command": "go test ./..."}, "ok")
    run.add(StepKind.DONE, {"text": "All green."})
    return run, at


def test_a_run_that_ends_with_a_failing_check_has_suspects_although_its_log_says_that_it_completed() -> None:
    run, at = red_run()
    found = looked_at(run, status=RunStatus.COMPLETED)
    assert (found.failing, found.tip) == (True, at["check"])
    assert found.suspects[0].position == at["culprit"]
    given = reasons(found)
    named = {at[name] for name in ("culprit", "other", "first", "reverted", "after")}
    assert set(given) == named, "and not the page that was missing"
    assert given[at["first"]] == [Reason.FIRST_ERROR]
    assert not evidence(found, Reason.FIRST_ERROR).fixed_later, "a check that fails again fixes nothing"
    assert given[at["after"]] == given[at["reverted"]] == [Reason.NOT_RERUN]
    words = {suspect.position: reason_words(suspect.evidence[0]) for suspect in found.suspects}
    assert words[at["reverted"]] == "it took changes back, and the check that had failed was not run again"
    assert words[at["after"]] == "the last of 2 changes after which the check that had failed was not run again"


def test_once_the_check_passes_nothing_stands_out() -> None:
    run, _ = red_run()
    run.call("Bash", {"command": "mise run lint"}, "ok")
    run.add(StepKind.DONE, {"text": "All green."})
    found = looked_at(run, status=RunStatus.COMPLETED)
    assert (found.failing, found.suspects) == (False, ())


def test_of_edits_before_a_check_that_never_passed_it_is_not_said_that_it_had() -> None:
    run = Recording()
    run.ask("go")
    edit(run, "/w/a.go", 1)
    run.call("Bash", {"command": "mise run lint"}, failed="1 issue")
    run.add(StepKind.DONE, {"text": "Done."})
    (suspect,) = looked_at(run, status=RunStatus.COMPLETED).suspects
    assert (
        reason_words(suspect.evidence[0])
        == "the edit before the check failed, which is not known to have passed before"
    )
