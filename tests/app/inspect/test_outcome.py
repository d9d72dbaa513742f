"""How a run ended, and which of its failures is selected."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.files.following import is_live, is_written
from opentine_gui.app.folder.run_rows import status_of, summary_of
from opentine_gui.app.inspect.analysis.findings import findings_of
from opentine_gui.app.inspect.listed_runs import shown_status
from opentine_gui.app.inspect.outcome import MOST_CHECKS, failure_words, last_checks, outcome_of, stopped_in
from opentine_gui.core import RunStatus, Step, StepKind
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.core.edit.fork import fork, fork_and_edit
from opentine_gui.core.files.storage import fingerprint
from opentine_gui.describe.groups.call_name import call_name
from tests.app.conftest import Bench
from tests.conftest import named, run_of
from tests.core.analysis.call_runs import Recording, failing_session
from tests.core.sample_runs import make_record, make_step

SHAPE = {"plan": "", "xfetch": "plan", "retry": "xfetch", "xgiven up": "retry", "done": "xgiven up"}


def test_a_failed_run_names_its_last_failure_and_a_completed_one_its_answer(bench: Bench) -> None:
    record = run_of(SHAPE)
    document = bench.open("run.tine", msgspec.structs.replace(record, status=RunStatus.FAILED))
    outcome = outcome_of(document, bench.record)
    assert (outcome.word, outcome.role, outcome.step) == ("Failed", "bad", named(record, "xgiven up"))
    document = bench.open("fine.tine", run_of({"plan": "", "answer": "plan"}, run_id="fine"))
    outcome = outcome_of(document, bench.record)
    assert (outcome.word, outcome.sentence) == ("Completed", "answer")


def test_a_run_that_failed_with_an_exit_code_alone_says_what_was_printed_above_it(bench: Bench) -> None:
    run = Recording()
    error = {"type": "exit_code", "exit_code": 1, "message": "exit code 1"}
    run.call("Bash", {"command": "make"}, "cc a.c\na.c:1:10: fatal error: x.h: No such file", error=error)
    document = bench.open("run.tine", msgspec.structs.replace(run.record(), status=RunStatus.FAILED))
    assert outcome_of(document, bench.record).sentence == "a.c:1:10: fatal error: x.h: No such file"


def test_of_an_agents_log_the_turn_ended_and_the_last_words_are_the_agents(bench: Bench) -> None:
    answer = make_step("All pass", kind=StepKind.DONE)
    record = make_record([answer], metadata={"capture": {"method": "transcript-import"}})
    document = bench.open("log.tine", record)
    outcome = outcome_of(document, bench.record)
    assert (outcome.word, outcome.role, outcome.sentence) == ("Turn ended", "text", "“All pass”")
    summary = summary_of(Path("log.jsonl"), record)
    assert status_of(summary) == "turn ended", "the list of runs says so, too"
    assert status_of(summary_of(Path("log.tine"), record)) == "turn ended", "saved as .tine it is the same log"
    assert status_of(summary_of(Path("own.tine"), make_record([answer]))) == "completed"


def test_last_words_that_only_lead_to_something_are_shown_with_it(bench: Bench) -> None:
    answer = make_step("Two ways:\n1. A token of your own\n2. A deploy key", kind=StepKind.DONE)
    document = bench.open("log.tine", make_record([answer]))
    said = outcome_of(document, bench.record).sentence
    assert said == "“Two ways: A token of your own A deploy key”"


def test_failures_are_counted_and_the_selected_one_is_numbered(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(SHAPE))
    assert failure_words(document) == "2 failures"
    bench.do("go.next_failure")
    assert failure_words(document) == "failure 1 of 2"
    bench.do("go.next_failure")
    assert failure_words(document) == "failure 2 of 2"
    bench.do("select.child")
    assert failure_words(document) == "2 failures"
    assert failure_words(bench.open("fine.tine", run_of({"a": ""}, run_id="fine"))) == ""


def test_of_a_log_that_merely_stops_no_end_is_recorded_and_it_runs_only_while_it_is_written(bench: Bench) -> None:
    call = make_step("look", kind=StepKind.TOOL)
    log = {"capture": {"method": "transcript-import"}}
    document = bench.open("log.tine", make_record([call], status=RunStatus.RUNNING, metadata=log))
    outcome = outcome_of(document, bench.record)
    assert (outcome.word, outcome.role) == ("No end recorded", "quiet")
    assert outcome.sentence.startswith("last step "), "what is known: where it stopped"
    assert outcome_of(document, bench.record, written=True).word == "Running"
    own = bench.open("own.tine", make_record([call], status=RunStatus.RUNNING, run_id="own"))
    assert outcome_of(own, bench.record).word == "Running", "of a run of ours the format says it"


def test_a_fork_that_was_just_saved_is_not_called_running_for_a_minute(bench: Bench) -> None:
    source = run_of(SHAPE)
    made = fork(source, named(source, "plan"), now=1.0, nonce="n")
    longer = run_of({"plan": "", "later": "plan"})
    went_on = msgspec.structs.replace(made, graph=longer.graph, refs=longer.refs, run_id="went on")
    for name, record, written in (("fork.tine", made, False), ("went.tine", went_on, True)):
        document = bench.open(name, record)
        os.utime(bench.folder / name, (bench.session.now(), bench.session.now()))
        document.on_disk.fingerprint = fingerprint(bench.folder / name)
        assert is_written(bench.session, document) is written, name


@pytest.mark.parametrize(("age", "written"), [(5.0, True), (300.0, True), (86_400.0, False)])
def test_an_old_log_that_was_just_copied_is_not_called_running(bench: Bench, age: float, written: bool) -> None:
    now = bench.session.now()
    call = msgspec.structs.replace(make_step("look", kind=StepKind.TOOL), timestamp=now - age)
    log = {"capture": {"method": "transcript-import"}}
    document = bench.open("log.tine", make_record([call], status=RunStatus.RUNNING, metadata=log))
    os.utime(bench.folder / "log.tine", (now, now))
    document.on_disk.fingerprint = fingerprint(bench.folder / "log.tine")
    assert is_written(bench.session, document) is written


def test_a_log_that_ends_where_a_person_stopped_it_says_so_and_counts_no_failure(bench: Bench) -> None:
    call = make_step("look", kind=StepKind.TOOL)
    end = make_step("", call.id, kind=StepKind.ERROR, error={"type": "interrupted", "message": "by the user"})
    log = {"capture": {"method": "transcript-import"}}
    document = bench.open("log.tine", make_record([call, end], status=RunStatus.PAUSED, metadata=log))
    outcome = outcome_of(document, bench.record)
    assert (outcome.word, outcome.role) == ("Interrupted", "stopped")
    assert (failure_words(document), stopped_in(document)) == ("", "1 interrupted")


@pytest.mark.parametrize("status", [RunStatus.COMPLETED, RunStatus.RUNNING])
def test_what_a_person_ran_after_the_answer_is_not_how_the_agent_ended(bench: Bench, status: RunStatus) -> None:
    run = Recording()
    run.ask("Make it two")
    answer = run.add(StepKind.DONE, {}, outputs={"text": "It is two."})
    own = {"name": "bash", "arguments": {"command": "find ."}, "by": "person"}
    run.add(StepKind.TOOL, own, outputs={"result": "a.py"})
    run.add(StepKind.TOOL, own, error={"type": "exit_code", "message": "exit code 1"})
    log = {"capture": {"method": "transcript-import"}}
    document = bench.open("log.jsonl.tine", run.record(status=status, metadata=log))
    outcome = outcome_of(document, bench.record)
    assert outcome.step == bench.record.graph.ids[answer]
    assert outcome.sentence.endswith("“It is two”")
    assert call_name(bench.record.graph, answer + 1) == "Ran by the user: find ."


def test_the_last_check_says_what_it_ran(bench: Bench) -> None:
    document = bench.open("edits.tine", failing_session())
    bench.session.settle()
    found = findings_of(bench.session, document)
    assert found is not None
    checks = last_checks(found, bench.record.graph)
    assert checks.words
    assert [check.called for check in checks.checks] == ["pytest"]


def test_a_turn_that_ended_with_a_failing_check_has_suspects_to_walk_through(bench: Bench) -> None:
    run = Recording()
    run.ask("Make it two")
    culprit = run.call("Edit", {"file_path": "/w/a.go", "old_string": "1", "new_string": "2"}, "ok")
    printed = "a.go:9: x\n[lint:go] ERROR task failed"
    run.call("Bash", {"command": "mise run lint 2>&1 | tail"}, printed)
    run.add(StepKind.DONE, {"text": "All done."})
    bench.open("red.tine", run.record(status=RunStatus.COMPLETED))
    bench.session.settle()
    bench.session.settle()
    found = findings_of(bench.session, bench.active)
    assert last_checks(found, bench.record.graph).words == "1 failing check"
    assert bench.session.enabled("go.next_suspect") is None
    bench.do("go.next_suspect")
    assert bench.active.selection.primary == bench.record.graph.ids[culprit]


def test_the_last_of_many_failing_checks_are_named_with_their_reasons_and_the_others_counted(bench: Bench) -> None:
    run = Recording()
    run.ask("Make it two")
    commands = ["make check", "pytest -q a", "ruff check .", "npm run build"]
    steps = [run.call("Bash", {"command": words}, failed=f"NameError: {words[:4]}") for words in commands]
    document = bench.open("checks.tine", run.record())
    bench.session.settle()
    found, graph = findings_of(bench.session, document), bench.record.graph
    checks = last_checks(found, graph)
    assert checks.words == "4 failing checks"
    assert [check.step for check in checks.checks] == [graph.ids[step] for step in steps[-MOST_CHECKS:]]
    assert checks.checks[-1].called.startswith("npm run build") and "NameError: npm" in checks.checks[-1].why
    assert checks.more == len(commands) - MOST_CHECKS


@pytest.mark.parametrize("result", ["2 passed", ""])
def test_of_a_fork_that_has_not_run_no_check_is_said_to_have_passed_or_failed(bench: Bench, result: str) -> None:
    run = Recording()
    run.ask("Make it two")
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "1", "new_string": "2"}, "ok")
    checked = run.call("Bash", {"command": "pytest -q"}, result, failed="" if result else "1 failed")
    last = run.call("Bash", {"command": "ls"}, "a.py")
    source = run.record(status=RunStatus.RUNNING, metadata={"capture": {"method": "transcript-import"}})
    document = bench.open("source.tine", source)
    bench.session.settle()
    found = findings_of(bench.session, document)
    assert found is not None and last_checks(found, source.graph).words, "of its source it is said"
    made = fork_and_edit(
        source, source.graph.ids[last], inputs={"name": "Bash", "arguments": {"command": "go test"}}, now=1.0, nonce="n"
    )
    document = bench.open("fork.tine", made)
    bench.session.settle()
    found = findings_of(bench.session, document)
    assert found is not None and outcome_of(document, bench.record).word == "Not run yet"
    assert last_checks(found, bench.record.graph).words == ""
    flags = [flag.text for card in range(len(bench.record.graph)) for flag in document.face(card).flags]
    assert "not run yet" in flags
    assert not [words for words in flags if "check" in words or words.startswith("end:")]
    assert checked == 2


def test_a_step_that_was_added_and_has_not_run_is_not_answered_by_another_branch(bench: Bench) -> None:
    run = Recording()
    first = run.ask("Add a retry")
    run.add(StepKind.DONE, {}, outputs={"text": "Switched to another library"})
    run.ask("Write it from scratch", after=[first])
    run.add(StepKind.DONE, {}, outputs={"text": "Rewrote it"})
    log = run.record(metadata={"capture": {"method": "transcript-import"}})
    assert log.main_tip is not None
    record, _ = add_step(log, log.main_tip, inputs={"prompt": "try again"}, now=9e9)
    document = bench.open("added.tine", record)
    found = outcome_of(document, bench.record)
    assert found.word == "Not run yet"
    assert "try again" in found.sentence and found.step == record.graph.ids[-1]


def test_a_card_says_that_a_log_is_being_written_when_its_headline_does_and_no_longer(bench: Bench) -> None:
    now, log = bench.session.now(), {"capture": {"method": "transcript-import"}}
    calls = [msgspec.structs.replace(make_step("look", kind=StepKind.TOOL), timestamp=now - 5.0)]
    document = bench.open("log.tine", make_record(calls, status=RunStatus.RUNNING, metadata=log))

    def said(steps: list[Step], age: float) -> tuple[str, str, str]:
        record = make_record(
            [msgspec.structs.replace(one, timestamp=now - age) for one in steps], status=RunStatus.RUNNING, metadata=log
        )
        path = bench.write("log.tine", record)
        bench.clock.now += 10.0
        bench.watch.post([path])
        bench.session.settle()
        flag = document.face(len(bench.record.graph) - 1).flags[-1].text
        headline = outcome_of(document, bench.record, written=is_written(bench.session, document)).word
        return headline, flag, shown_status(bench.session, summary_of(path, bench.record))

    os.utime(bench.folder / "log.tine", (now - 7200.0, now - 7200.0))
    calls.append(make_step("and more", calls[-1].id, kind=StepKind.TOOL))
    assert said(calls, 5.0) == ("Running", "running", "running")
    bench.clock.now += 61.0
    os.utime(bench.folder / "log.tine", (now - 7200.0, now - 7200.0))
    document.on_disk.fingerprint = fingerprint(bench.folder / "log.tine")
    bench.session.settle()
    assert document.face(1).flags[-1].text == "no end recorded", "nothing came for a minute"
    calls.append(make_step("still more", calls[-1].id, kind=StepKind.TOOL))
    assert said(calls, 86_400.0) == ("No end recorded", "no end recorded", "no end recorded"), "it ran a day ago"


def test_another_log_in_the_place_of_one_is_not_seen_to_grow(bench: Bench) -> None:
    log = {"capture": {"method": "transcript-import"}}
    first, other = make_step("one", kind=StepKind.TOOL), make_step("other", kind=StepKind.TOOL)
    document = bench.open("log.tine", make_record([first], status=RunStatus.RUNNING, metadata=log))
    path = bench.write("log.tine", make_record([other], status=RunStatus.RUNNING, metadata=log, run_id="other"))
    bench.watch.post([path])
    bench.session.settle()
    assert bench.record.graph.ids[0] == other.id
    assert not is_live(bench.session, document)
