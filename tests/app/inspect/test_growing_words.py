"""What is said of a run while its log is written: what is known stays until something newer is known."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import is_written
from opentine_gui.app.inspect.analysis.call_rows import phases_of
from opentine_gui.app.inspect.analysis.clock import clock_of
from opentine_gui.app.inspect.analysis.file_rows import NAME as FILES
from opentine_gui.app.inspect.analysis.file_rows import touched_of
from opentine_gui.app.inspect.analysis.findings import NAME as FINDINGS
from opentine_gui.app.inspect.analysis.findings import are_so_far, findings_of
from opentine_gui.app.inspect.analysis.results import GIVEN_UP
from opentine_gui.app.inspect.figures import BY_THE_CLOCK, NOT_COUNTED_YET, totals_figures
from opentine_gui.app.inspect.outcome import NOT_LOOKED_AT, last_checks, outcome_of
from opentine_gui.app.state.payload_form import entry_of
from opentine_gui.core import RunRecord, RunStatus
from opentine_gui.core.analysis.run_clock import UNKNOWN
from tests.app.conftest import MOST_STEPS, Bench
from tests.core.analysis.call_runs import START, Recording

LOG = {"capture": {"method": "transcript-import"}}
LONG_AGO = START - 86_400.0


def session_of(later: int) -> RunRecord:
    """A log in which a check failed, and which went on for some steps since."""
    run = Recording()
    run.ask("Make it two", timestamp=LONG_AGO)
    run.call("Bash", {"command": "pytest -q"}, failed="AssertionError: one", timestamp=LONG_AGO + 10)
    for number in range(later):
        run.call("Read", {"file_path": f"src/{number}.py"}, timestamp=LONG_AGO + 20 + 10 * number)
    return run.record(metadata=LOG, status=RunStatus.RUNNING)


def grow(bench: Bench, later: int) -> None:
    """Write the log again with more steps, and take it in without another analysis of it."""
    path = bench.write("log.tine", session_of(later))
    record = bench.record
    bench.clock.now += 1.0
    bench.watch.post([path])
    bench.until(lambda: bench.record is not record, "the run with the steps that were added")


def test_a_verdict_stays_while_a_log_is_written_and_says_that_it_is_so_far(bench: Bench) -> None:
    document = bench.open("log.tine", session_of(1))
    findings_of(bench.session, document)
    bench.session.settle()
    before = last_checks(findings_of(bench.session, document), bench.record.graph, so_far=are_so_far(document))
    assert before.sentence == "1 check failed the last time it ran"
    for later in (2, 3, 5):
        grow(bench, later)
        now = last_checks(findings_of(bench.session, document), bench.record.graph, so_far=are_so_far(document))
        assert are_so_far(document)
        assert now.sentence == "1 check failed the last time it ran, so far"
        assert now.hint.endswith(NOT_LOOKED_AT)
        assert (now.step, now.role, now.checks) == (before.step, "bad", before.checks)
    bench.clock.now += 60.0
    findings_of(bench.session, document)
    bench.session.settle()
    assert not are_so_far(document)
    assert last_checks(findings_of(bench.session, document), bench.record.graph) == before


def growing(bench: Bench) -> Document:
    """A log that grew since it was looked through: what was found in it is said to be so far."""
    document = bench.open("log.tine", session_of(1))
    findings_of(bench.session, document)
    bench.session.settle()
    grow(bench, 2)
    assert are_so_far(document) and findings_of(bench.session, document) is not None
    return document


def test_nothing_is_said_to_be_so_far_of_a_run_that_was_edited(bench: Bench) -> None:
    document = growing(bench)
    bench.do("run.add_step", step=bench.record.graph.ids[-1], inputs=entry_of({"prompt": "go on"}), accept=True)
    assert document.edited
    assert not are_so_far(document)
    assert findings_of(bench.session, document) is None, "what was found is not about the step that was added"
    bench.do("edit.undo")
    assert findings_of(bench.session, document) is not None


@pytest.mark.parametrize("name", [FILES, FINDINGS])
def test_nothing_is_said_to_be_so_far_once_somebody_stopped_looking_through_the_run(bench: Bench, name: str) -> None:
    document = growing(bench)
    bench.clock.now += 60.0
    bench.jobs.hold = True
    if name == FINDINGS:
        touched_of(bench.session, document)
        bench.jobs.release()
        bench.step()
    assert findings_of(bench.session, document) is not None and are_so_far(document), "it is looked through"
    assert document.finding_marks.flags, "the last check failed"
    bench.jobs.stop(f"{name}:{document.number}")
    assert findings_of(bench.session, document) is None
    assert not are_so_far(document)
    bench.step()
    assert not document.finding_marks.flags, "no card keeps what was found in the state before"
    assert bench.session.enabled("go.next_suspect") == GIVEN_UP


def test_a_clock_that_nobody_counts_any_more_is_said_to_be_unknown(bench: Bench) -> None:
    document = bench.open("log.tine", session_of(3))
    bench.jobs.hold = True
    assert clock_of(bench.session, document) is None
    bench.jobs.stop(f"clock:{document.number}")
    assert clock_of(bench.session, document) is UNKNOWN


def test_the_clock_of_the_last_state_stays_until_the_new_one_is_known(bench: Bench) -> None:
    document = bench.open("log.tine", session_of(3))
    clock_of(bench.session, document)
    bench.session.settle()
    before = clock_of(bench.session, document)
    assert before is not None and before.whole > 0 and not before.so_far
    grow(bench, 9)
    for _ in range(MOST_STEPS):
        now = clock_of(bench.session, document)
        if now is None or not now.so_far:
            break
        duration = totals_figures(bench.record.shown_totals, clock=now)[1]
        assert (duration.label, now.whole) == (BY_THE_CLOCK, before.whole)
        assert duration.full.endswith(NOT_COUNTED_YET)
        bench.step()
        before = now
    else:
        raise AssertionError(f"the clock of the new state did not come within {MOST_STEPS} steps")
    assert before.so_far, "it was said meanwhile"
    assert now is not None and now.whole > before.whole


def test_a_log_that_grows_again_and_again_is_being_written_whatever_times_its_steps_have(bench: Bench) -> None:
    document = bench.open("log.tine", session_of(1))
    grow(bench, 2)
    assert not is_written(bench.session, document), "once: it may have been copied"
    grow(bench, 3)
    assert outcome_of(document, bench.record, written=is_written(bench.session, document)).word == "Running"
    bench.clock.now += 61.0
    assert outcome_of(document, bench.record, written=is_written(bench.session, document)).word == "No end recorded"


def with_a_call_under_way(answered: int) -> RunRecord:
    """A log in which a check failed; of the edits since then all but the last are answered."""
    run = Recording()
    run.ask("Make it two", timestamp=LONG_AGO)
    run.call("Bash", {"command": "pytest -q"}, failed="AssertionError: one", timestamp=LONG_AGO + 10)
    for number in range(answered + 1):
        result = "ok" if number < answered else ""
        given = {"file_path": "src/a.py", "old_string": f"{number}", "new_string": f"{number + 1}"}
        run.call("Edit", given, result, timestamp=LONG_AGO + 20 + 10 * number)
    return run.record(metadata=LOG, status=RunStatus.RUNNING)


def test_a_verdict_stays_when_the_last_call_gets_its_result_and_with_it_another_id(bench: Bench) -> None:
    document = bench.open("log.tine", with_a_call_under_way(1))
    findings_of(bench.session, document)
    bench.session.settle()
    path, record = bench.write("log.tine", with_a_call_under_way(3)), bench.record
    bench.clock.now += 1.0
    bench.watch.post([path])
    bench.until(lambda: bench.record is not record, "the run with the steps that were added")
    assert record.graph.ids[-1] not in bench.record.graph
    found = findings_of(bench.session, document)
    assert are_so_far(document)
    now = last_checks(found, bench.record.graph, so_far=True)
    assert now.sentence == "1 check failed the last time it ran, so far"
    assert found is not None
    assert not found.flags(bench.record.graph).keys() - set(bench.record.graph.ids)


def test_what_the_time_was_for_stays_on_the_strip_while_a_log_is_written(bench: Bench) -> None:
    document = bench.open("log.tine", session_of(1))
    shown = bench.record.graph
    assert phases_of(bench.session, document, shown) is None, "nothing is known yet"
    bench.session.settle()
    phases = phases_of(bench.session, document, shown)
    assert phases is not None and len(phases) == len(shown)
    grow(bench, 4)
    assert phases_of(bench.session, document, shown) == phases, "the strip shows the state before for a while"
    now = phases_of(bench.session, document, bench.record.graph)
    assert now == phases + bytes(len(bench.record.graph) - len(shown)), "and of the new steps it is not known yet"
    bench.session.settle()
    assert phases_of(bench.session, document, shown) == phases
    now = phases_of(bench.session, document, bench.record.graph)
    assert now is not None and all(now[1:])
