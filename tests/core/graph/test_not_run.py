"""Steps added by hand behind the end of a log: they have not run, and the log's end is not theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.app.folder.run_rows import status_of, summarise
from opentine_gui.core import RunRecord, RunStatus, StepKind
from opentine_gui.core.analysis.run_clock import clock
from opentine_gui.core.analysis.suspicion.account import account_of
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.core.edit.merge import merge
from opentine_gui.core.files.storage import write
from opentine_gui.core.graph.outcomes.not_run import steps_not_run
from opentine_gui.core.structure.work_times import follow_work_times, work_times
from opentine_gui.describe.failures.run_status import NOT_RUN_YET, TURN_ENDED, status_words
from opentine_gui.scene.overviews.timeline import timeline
from tests.core.analysis.call_runs import START, Recording

WEEK = 7 * 86_400.0


def session(status: RunStatus = RunStatus.COMPLETED) -> RunRecord:
    """A log whose check failed, and that was taken up again from its first answer."""
    run = Recording()
    run.ask("Make it two")
    first = run.say("I look at it")
    run.call("Bash", {"command": "pytest -q"}, failed="1 failed", duration=2.0)
    run.say("It fails")
    run.ask("Do it otherwise", after=[first])
    run.say("Done otherwise")
    return run.record(status=status, metadata={"capture": {"method": "transcript-import"}})


def tip(record: RunRecord) -> str:
    assert record.main_tip is not None
    return record.main_tip


def added(record: RunRecord, kind: StepKind = StepKind.MODEL) -> RunRecord:
    made, _ = add_step(record, tip(record), kind=kind, inputs={"prompt": "try again"}, now=START + WEEK)
    return made


def merged(record: RunRecord) -> RunRecord:
    parents = [record.graph.ids[3], tip(record)]
    return merge([record], parents, inputs={"prompt": "both"}, now=START + WEEK, nonce="n")


MADE = {
    "a step": added(session()),
    "a step behind one": added(added(session()), StepKind.TOOL),
    "a merge": merged(session()),
    "a step behind a merge": added(merged(session())),
    "a step behind a log without an end": added(session(RunStatus.RUNNING)),
    "a step behind a log that failed": added(session(RunStatus.FAILED)),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_written_behind_the_end_of_a_log_has_not_run(name: str, tmp_path: Path) -> None:
    record = MADE[name]
    assert status_words(record).word == NOT_RUN_YET
    assert not account_of(record).end.steps, "what was checked came before it"
    write(tmp_path / "made.tine", record)
    assert status_of(summarise(tmp_path / "made.tine")) == NOT_RUN_YET


def test_the_steps_of_the_log_itself_have_run() -> None:
    record = session()
    assert not steps_not_run(record.graph)
    assert status_words(record).word == TURN_ENDED
    made = MADE["a step behind one"]
    assert [made.graph.ids[step] for step in sorted(steps_not_run(made.graph))] == list(made.graph.ids[-2:])


def test_a_step_that_is_added_elsewhere_leaves_the_end_of_the_log_where_it_was() -> None:
    record = session()
    beside, _ = add_step(record, record.graph.ids[3], inputs={"prompt": "and now"}, now=START + WEEK)
    assert status_words(beside).word == TURN_ENDED
    assert len(steps_not_run(beside.graph)) == 1


def test_an_answer_that_came_is_an_end() -> None:
    record = session()
    made, _ = add_step(record, tip(record), inputs={"prompt": "more"}, outputs={"text": "done"}, now=START + WEEK)
    assert status_words(made).word == TURN_ENDED


def test_a_step_that_has_not_run_takes_no_part_in_the_times_of_the_run() -> None:
    record = session()
    took = clock(record.graph)
    assert took.whole == took.working > 0
    for name in ("a step", "a step behind one", "a merge", "a step behind a merge"):
        graph = MADE[name].graph
        assert clock(graph) == took, name
        work = work_times(graph)
        assert not work.pauses, "nobody waited a week"
        assert all(work.ends[step] == work.starts[step] == 0.0 for step in steps_not_run(graph))
        assert graph.timestamps[-1] == START + WEEK, "when it was written is still known"


def test_times_that_are_followed_know_what_has_not_run() -> None:
    record = session()
    work_times(record.graph)
    grown = added(record)
    follow_work_times(grown.graph, record.graph)
    assert work_times(grown.graph).not_run == steps_not_run(grown.graph) != frozenset()


def test_the_time_strip_of_a_log_is_no_longer_for_a_step_behind_it() -> None:
    record = session()
    graphs = record.graph, MADE["a step"].graph
    before, after = (timeline(work_times(graph).ends, [0.0] * len(graph), [-1] * len(graph)) for graph in graphs)
    assert before is not None and after is not None
    assert (before.first, before.last) == (after.first, after.last)
