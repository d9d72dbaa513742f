"""A run made from one that did not verify is saved with a mark, and after a question."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.inspect import integrity
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core import Verdict, verify
from opentine_gui.core.files import storage
from opentine_gui.core.format.metadata import marks_in
from tests.app.conftest import Bench
from tests.app.files.saved_runs import asked_later
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}


def open_forged(bench: Bench, name: str = "run.tine") -> Path:
    """Open a run whose costs were changed in its file."""
    path = bench.write(name, run_of(TREE))
    document = json.loads(path.read_bytes())
    for step in document["graph"]["steps"].values():
        step["cost"] = 0.5
    path.write_text(json.dumps(document))
    bench.do("file.open", path=path)
    return path


def begin_to_save_unchecked(bench: Bench) -> None:
    """Save a merge in a file whose check is not done; the job that checks it waits."""
    open_forged(bench)
    record = bench.record
    assert record.source is not None
    record.source.check.done = False  # as if the check of a large file were still under way
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    assert bench.record.origins == (record,)
    record.source.check.done = False
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()


def questions(bench: Bench) -> list[Confirm]:
    return [asked for asked in bench.prompter.asked if isinstance(asked, Confirm)]


@pytest.mark.parametrize("edit", ["run.fork", "run.merge"])
def test_a_save_that_would_make_a_changed_file_verify_is_asked_about(bench: Bench, edit: str) -> None:
    source = open_forged(bench)
    record = bench.record
    steps = {"step": named(record, "b")} if edit == "run.fork" else {"steps": (named(record, "b"), named(record, "c"))}
    bench.do(edit, accept=True, **steps)
    before = source.read_bytes()
    target = bench.folder / "new.tine"
    bench.do("file.save_as", "Cancel", path=target)
    (question,) = questions(bench)
    assert question.title == "Save a run made from one that did not verify?"
    assert question.choices[0] == "Cancel"
    assert "where the digest says " in question.text
    assert not target.exists() and source.read_bytes() == before
    bench.do("file.save_as", "Save with the mark", path=target)
    assert len(marks_in(storage.read(target).metadata)) == 1
    assert verify(target).verdict is Verdict.CONTRADICTED
    words, colour, _ = integrity.verdict(bench.active)
    assert words.startswith("MISMATCH: made from a run that did not verify: run ")
    assert colour == "bad"
    assert integrity.statements(bench.active)[0][0].startswith("Made from a run that did not verify: run ")
    bench.do("edit.undo")
    bench.do("edit.redo")
    bench.do("file.save")
    assert len(questions(bench)) == 2  # it was agreed to


def test_an_untouched_file_that_does_not_verify_is_saved_elsewhere_without_a_question(bench: Bench) -> None:
    source = open_forged(bench)
    bench.do("file.save_as", path=bench.folder / "copy.tine")
    assert questions(bench) == []
    assert json.loads((bench.folder / "copy.tine").read_bytes()) == json.loads(source.read_bytes())


def test_what_a_run_was_made_from_is_checked_in_a_job_before_the_question(bench: Bench) -> None:
    begin_to_save_unchecked(bench)
    assert [job.key for job in bench.jobs.held if not job.cancelled][-1] == bench.active.key("marks")
    assert questions(bench) == []
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert len(questions(bench)) == 1
    assert bench.active.dirty


def made_from_a_changed_run(bench: Bench, checked: bool = False) -> None:
    """Open a changed run and merge its tips; whether the file was read through to its end by then."""
    open_forged(bench)
    record = bench.record
    assert record.source is not None
    record.source.check.done = checked
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    record.source.check.done = checked


@pytest.mark.parametrize("answer", [None, "Cancel", "something else"])
@pytest.mark.parametrize("checked", [True, False])
def test_a_save_whose_question_is_left_can_be_begun_again_and_the_program_ends(
    bench: Bench, answer: str | None, checked: bool
) -> None:
    made_from_a_changed_run(bench, checked)
    bench.do("file.save", answer)
    assert not bench.active.on_disk.saving
    assert bench.active.dirty
    bench.do("file.save", "Save with the mark")
    assert not bench.active.dirty
    bench.do("file.quit")
    assert bench.session.quit


def test_a_check_that_the_user_stops_ends_the_save_and_says_so(bench: Bench) -> None:
    made_from_a_changed_run(bench)
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    (job,) = (job for job in bench.jobs.held if not job.cancelled and job.title.startswith("Checking what"))
    assert bench.active.on_disk.saving
    bench.session.invoke("file.close")
    bench.step()
    assert "Closing when" in bench.notices("info")[-1]
    bench.session.invoke("job.cancel", key=job.key)
    bench.prompter.answers = ["Don't save"]
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert "Saving run.tine was stopped; nothing was written." in bench.notices("info")
    assert bench.session.documents == []  # the close went on, with its own question


def test_closing_waits_for_the_answer_to_the_question_about_the_mark(bench: Bench) -> None:
    made_from_a_changed_run(bench, checked=True)
    answers: list[Any] = []
    bench.session.prompter = asked_later(answers)
    bench.do("file.save")
    bench.do("file.close")
    assert len(answers) == 1
    answers.pop()("Save with the mark")
    bench.session.settle()
    assert answers == []
    assert bench.session.documents == []


@pytest.mark.parametrize("way_out", ["cancel", "escape", "stop"])
def test_a_document_whose_marks_were_declined_can_be_closed(bench: Bench, way_out: str) -> None:
    begin_to_save_unchecked(bench)
    document = bench.active
    assert document.on_disk.saving
    if way_out == "stop":
        bench.session.invoke("job.cancel", key=document.key("marks"))
        bench.step()
    else:
        bench.prompter.answers.append("Cancel" if way_out == "cancel" else None)
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert document.dirty and not document.on_disk.saving
    bench.do("file.close", "Don't save")
    assert document not in bench.session.documents


def test_copies_are_marked_too(bench: Bench) -> None:
    open_forged(bench)
    record = bench.record
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.clock.now += COPY_AFTER
    bench.session.settle()
    (kept,) = (data_folder() / "recovery").rglob("*.tine")
    target = bench.folder / "copy.tine"
    bench.do("file.save_copy", (target,), "Save with the mark")
    assert [len(marks_in(storage.read(path).metadata)) for path in (kept, target)] == [1, 1]


def test_a_run_that_verifies_is_saved_without_a_question(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.do("file.save_as", path=bench.folder / "new.tine")
    assert questions(bench) == []
    assert integrity.verdict(bench.active)[0] == "Verified"
