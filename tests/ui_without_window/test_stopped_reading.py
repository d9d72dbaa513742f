"""Work for a view that the user stops: the view says so, nothing begins it again at once, and coming back does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.document.origin import Origin
from opentine_gui.app.system import jobs
from opentine_gui.core import RunRecord
from opentine_gui.ui.panels.search.known_values import KnownValues
from opentine_gui.ui.panels.time_strip.strip_run import StripRun
from opentine_gui.ui.reading.step import conversations, transcripts
from opentine_gui.ui.reading.step.conversations import STOPPED, Conversations
from opentine_gui.ui.reading.step.records import stored_records
from opentine_gui.ui.reading.step.records.source_records import SourceRecords
from opentine_gui.ui.reading.step.records.stored_records import StoredRecords
from opentine_gui.ui.reading.step.transcripts import Transcripts
from tests.app.conftest import Bench
from tests.conftest import run_of


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.open("a.tine", run_of({"a": "", "b": "a"}))
    made.session.settle()
    made.jobs.hold = True
    return made


def record_of(bench: Bench) -> RunRecord:
    record = bench.active.record
    assert record is not None
    return record


def stop(bench: Bench) -> None:
    """Stop the only job that waits, as the status bar does."""
    (job,) = bench.jobs.running()
    bench.session.invoke("job.cancel", key=job.key)
    bench.session.step()
    assert bench.jobs.idle


def read_now(bench: Bench, ask: Callable[[], object]) -> object:
    """What `ask` has once the job that it begins is done."""
    bench.jobs.hold = False
    ask()
    bench.session.settle()
    return ask()


def test_records_of_a_source(bench: Bench) -> None:
    document, first, second = bench.active, *record_of(bench).graph
    document.origin = Origin("tiny", "Tiny", bench.folder / "a.jsonl", (), {}, None)
    records = SourceRecords(bench.session)
    assert records.of(document, first) is None
    stop(bench)
    (said,) = records.of(document, first) or ()
    assert said.value == "Reading the source was stopped. Leave it and come back to try again."
    assert bench.jobs.idle and records.revision == 1
    records.leave()
    (read,) = read_now(bench, lambda: records.of(document, first))  # type: ignore[misc]
    assert "No bytes stand for this step" in read.value
    revision = records.revision
    records.leave()
    assert records.of(document, first) == (read,) and records.revision == revision, "what was read stays"
    assert records.of(document, second) != (said,)


def test_the_record_as_stored(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_records, "LARGE_RECORD", 0)
    record, first = record_of(bench), next(iter(record_of(bench).graph))
    records = StoredRecords(bench.session)
    assert records.of(bench.active, record, first) is None
    stop(bench)
    said = records.of(bench.active, record, first)
    assert said == "Reading the record was stopped. Leave it and come back to try again." and bench.jobs.idle
    records.forget()
    assert read_now(bench, lambda: records.of(bench.active, record, first))["id"] == first.id  # type: ignore[index]


def test_a_conversation(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversations, "LARGE_CONVERSATION", -1)
    record, first = record_of(bench), next(iter(record_of(bench).graph))
    pages = Conversations(bench.session)
    assert pages.of(bench.active, record, first, []) is None
    stop(bench)
    assert pages.of(bench.active, record, first, []) is STOPPED and bench.jobs.idle
    pages.forget()
    assert read_now(bench, lambda: pages.of(bench.active, record, first, [])) not in (None, STOPPED)


def test_a_transcript(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcripts, "LARGE_TRANSCRIPT", -1)
    record, turns = record_of(bench), Transcripts(bench.session)
    assert turns.of(bench.active, record) is None and not turns.stopped
    stop(bench)
    assert turns.of(bench.active, record) is None and turns.stopped and bench.jobs.idle
    turns.leave()
    assert read_now(bench, lambda: turns.of(bench.active, record)) == [] and not turns.stopped


def test_the_time_strip(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "INLINE_STEPS", 0)
    strip = StripRun(bench.session)
    strip.follow(bench.active)
    assert strip.reading
    stop(bench)
    strip.follow(bench.active)
    assert not strip.reading and strip.made is None and bench.jobs.idle


def test_values_that_a_query_can_name(bench: Bench) -> None:
    values = KnownValues(bench.session)
    values.of_active_run()
    stop(bench)
    assert values.of_active_run() == {} and bench.jobs.idle
