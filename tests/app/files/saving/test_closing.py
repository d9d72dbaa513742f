"""Closing and quitting lose nothing without asking, and wait for what is being written."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.files.closing import close
from opentine_gui.app.files.recovery.typed_forms import named as named_forms
from opentine_gui.app.files.recovery.typed_forms import show_form, typed_forms
from opentine_gui.app.files.reloading import paths_changed
from opentine_gui.app.inspect.analysis import call_rows
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.jobs import Jobs
from opentine_gui.core import StorageError
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.saved_runs import TREE, edited, forked
from tests.conftest import named, run_of


@pytest.mark.parametrize(
    ("answer", "closed", "saved"),
    [("Save", True, True), ("Don't save", True, False), ("Cancel", False, False), (None, False, False)],
)
def test_closing_an_unsaved_document_asks(bench: Bench, answer: str | None, closed: bool, saved: bool) -> None:
    edited(bench)
    bench.do("file.close", answer)
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.choices == ("Save", "Don't save", "Cancel")
    assert (bench.session.documents == []) is closed
    assert (len(storage.read(bench.folder / "run.tine").graph) == 4) is saved


def test_a_tab_that_should_be_saved_first_stays_open_when_saving_is_declined(bench: Bench) -> None:
    forked(bench)
    bench.do("file.close", "Save", None)
    assert len(bench.session.documents) == 2
    assert bench.active.dirty


def test_the_analysis_of_a_run_stops_when_it_is_closed_and_starts_again_when_it_is_reopened(bench: Bench) -> None:
    edited(bench)
    document = bench.active
    bench.jobs.hold = True
    assert call_rows.calls_of(bench.session, document) is None
    assert not bench.jobs.idle
    bench.prompter.answers = ["Don't save"]
    bench.session.invoke("file.close")
    for _ in range(3):
        bench.step()
    assert bench.session.documents == []
    assert [job.key for job in bench.jobs.running() if job.document == document.number] == []
    bench.jobs.hold = False
    bench.do("file.reopen")
    assert bench.active is document
    call_rows.calls_of(bench.session, document)
    bench.session.settle()
    assert call_rows.calls_of(bench.session, document) is not None


def test_quitting_asks_about_each_unsaved_document_and_a_cancel_stops_it(bench: Bench) -> None:
    edited(bench)
    bench.do("run.fork", step=bench.record.graph.ids[0], accept=True)
    bench.do("file.quit", "Don't save", "Cancel")
    assert not bench.session.quit
    assert len(bench.session.documents) == 1
    bench.do("file.quit", "Don't save")
    assert bench.session.quit
    assert len(storage.read(bench.folder / "run.tine").graph) == 3


def test_quitting_asks_about_a_form_that_was_typed_into_but_not_about_one_that_was_not(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"), inputs='{"text": "typed"}')
    bench.do("file.quit", "Stay")
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.choices[0] == "Stay"  # the choice of Enter
    assert not bench.session.quit
    assert bench.session.proposal is not None
    assert bench.session.proposal.touched
    bench.do("file.quit", "Quit")
    assert bench.session.quit
    bench.session.quit = False
    bench.do("run.fork_edit", step=named(record, "c"))
    questions = len(bench.prompter.asked)
    bench.do("file.quit")
    assert (bench.session.quit, len(bench.prompter.asked)) == (True, questions)


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("action", ["file.close", "file.quit"])
def test_what_was_typed_into_a_form_does_not_go_with_its_tab_unasked(bench: Bench, action: str, left: bool) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    document = bench.active
    bench.open("other.tine", run_of({"a": "", "z": "a"}, run_id="other"))
    bench.session.activate(document)
    bench.do("run.fork_edit", step=named(record, "b"), inputs='{"text": "typed"}')
    if left:
        bench.do("proposal.cancel")
    for answer in ("Stay", None):
        bench.do(action, answer)
        question = bench.prompter.asked[-1]
        assert isinstance(question, Confirm)
        assert "typed" in question.title and question.choices[0] == "Stay"
        assert document in bench.session.documents and not bench.session.quit
    bench.do("run.fork_edit", step=named(record, "b"))
    assert bench.session.proposal is not None and bench.session.proposal.touched
    bench.do("proposal.cancel")
    bench.session.activate(bench.session.documents[-1])
    for kind in ("run.add_step", "run.edit_details"):
        bench.do(kind)  # not typed into: not asked about
        bench.do("proposal.cancel")
    bench.do(action, "Show", **({"document": document.number} if action == "file.close" else {}))
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.text.startswith("Fork and edit of step 2 in “run.tine”: it was typed into a form")
    assert question.choices[:2] == ("Stay", "Show") and question.danger == {question.choices[2]}
    assert bench.session.active is document
    shown = bench.session.proposal
    assert isinstance(shown, ForkProposal) and shown.inputs.value == {"text": "typed"}
    bench.do(action, question.choices[2])
    assert bench.session.quit or document not in bench.session.documents
    assert not bench.session.drafts


def test_a_form_whose_step_is_gone_is_named_and_not_offered(bench: Bench) -> None:
    record = edited(bench)
    bench.do("run.add_step", step=bench.record.graph.ids[-1])
    bench.do("proposal.change", inputs='{"prompt": "a long text"}')
    bench.do("edit.undo")
    bench.do("file.close", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.text.startswith("A step after a step in “run.tine”")
    assert question.choices == ("Stay", "Close and forget it")
    bench.do("run.add_step", step=named(record, "a"))
    bench.do("proposal.change", inputs='{"prompt": "another"}')
    bench.do("proposal.cancel")
    bench.do("file.close", "Show")
    assert bench.session.proposal is not None
    assert bench.session.proposal.touched
    assert not bench.notices("error")


def test_each_form_that_was_typed_into_is_named_and_the_last_left_is_shown_again(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    for action, step, fields in (
        ("run.fork_edit", "c", {"title": "x"}),
        ("run.merge", "", {"steps": [named(record, "b"), named(record, "c")], "title": "x"}),
        ("run.edit_details", "", {"title": "x"}),
    ):
        bench.do(action, **({"step": named(record, step)} if step else {}), **fields)
        bench.do("proposal.cancel")
    places = [form.name for form in typed_forms(bench.session)]
    assert places == [
        "Fork and edit of step 3 in “run.tine”",
        "A merge of 2 steps in “run.tine”",
        "Title and tags of “run.tine”",
    ]
    assert named_forms(typed_forms(bench.session)).endswith("in “run.tine”, and 1 more form")
    for form in typed_forms(bench.session):
        show_form(bench.session, form)
        bench.session.settle()
        assert bench.session.proposal is not None and bench.session.proposal.touched, form.name
        subject = bench.session.proposal.subject
        assert isinstance(subject, tuple) and subject[0] == form.kind


def test_a_form_of_one_tab_is_not_asked_about_when_another_is_closed(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork_edit", step=named(record, "b"), inputs='{"text": "typed"}')
    bench.do("proposal.cancel")
    other = bench.open("other.tine", run_of({"a": "", "z": "a"}, run_id="other"))
    bench.do("file.close")
    assert other not in bench.session.documents
    assert bench.session.drafts


@pytest.mark.parametrize("action", ["file.close", "file.quit"])
@pytest.mark.parametrize("copied", [False, True])
def test_a_save_that_still_checks_what_the_run_was_made_from_is_waited_for(
    bench: Bench, action: str, copied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_verified_yet(monkeypatch)
    edited(bench)
    target = bench.folder / ("copy.tine" if copied else "run.tine")
    bench.jobs.hold = True
    if copied:
        bench.prompter.answers = [(target,)]
    bench.session.invoke("file.save_copy" if copied else "file.save")
    bench.step()
    assert bench.jobs.is_running(bench.active.key("marks"))
    if copied:
        bench.prompter.answers = ["Don't save"]
    asked = len(bench.prompter.asked)
    bench.session.invoke(action)
    bench.step()
    assert len(bench.prompter.asked) == asked
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert len(bench.prompter.asked) == asked + copied
    assert bench.session.documents == [] or bench.session.quit
    assert len(storage.read(target).graph) == 4


def not_verified_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the check of what is opened to the save."""
    monkeypatch.setattr("opentine_gui.app.canvas.layouts.request_verification", lambda *_given: None)


def test_a_close_goes_on_where_the_mark_of_a_run_that_did_not_verify_is_declined(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    not_verified_yet(monkeypatch)
    record = run_of(TREE)
    path = bench.write("run.tine", record)
    path.write_bytes(
        path.read_bytes().replace(b'"duration":0', b'"duration":7').replace(b'"duration": 0', b'"duration": 7')
    )
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    bench.session.invoke("file.close")
    bench.step()
    bench.prompter.answers = ["Cancel", "Don't save"]
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert [question.title for question in bench.prompter.asked if isinstance(question, Confirm)] == [
        "Save a run made from one that did not verify?",
        "Save run.tine before closing?",
    ]
    assert bench.session.documents == []


@pytest.mark.parametrize("action", ["file.close", "file.quit"])
def test_an_edit_made_while_saving_before_the_close_is_asked_about_again(bench: Bench, action: str) -> None:
    edited(bench)
    bench.prompter.answers = ["Save", "Cancel"]
    bench.jobs.hold = True
    bench.session.invoke(action)
    bench.step()
    assert bench.active.on_disk.saving
    bench.session.invoke("edit.undo")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert len(bench.prompter.asked) == 2
    assert bench.active.dirty
    assert not bench.session.quit


@pytest.mark.parametrize("action", ["file.close", "file.quit"])
def test_a_close_while_a_save_runs_waits_for_it_and_asks_nothing(bench: Bench, action: str) -> None:
    edited(bench)
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    bench.session.invoke(action)
    bench.step()
    assert bench.session.documents
    assert not bench.session.quit
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.prompter.asked == []
    assert bench.session.documents == []
    assert bench.session.quit is (action == "file.quit")
    assert len(storage.read(bench.folder / "run.tine").graph) == 4


def test_a_close_while_a_save_runs_asks_if_it_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(bench)

    def full(*_args: object, **_kwargs: object) -> None:
        raise StorageError("the file cannot be written", cause="No space left on device")

    monkeypatch.setattr(storage, "write_and_keep", full)
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    bench.session.invoke("file.quit")
    bench.step()
    bench.prompter.answers.append("Cancel")
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.prompter.asked[0].title.startswith("Save run")
    assert bench.active.dirty
    assert not bench.session.quit


def test_a_session_that_ends_during_a_save_finishes_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.session.jobs = Jobs()
    edited(bench)
    bench.session.invoke("file.save")
    bench.step()
    bench.session.close()
    assert len(storage.read(tmp_path / "run.tine").graph) == 4
    assert list((data_folder() / "recovery").rglob("*.tine")) == []


def until_cancelled(_progress: object, cancelled: Callable[[], bool]) -> None:
    never = threading.Event()
    while not cancelled():
        never.wait(0.01)


def test_a_session_that_ends_during_a_copy_or_an_export_finishes_it(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.session.jobs = Jobs()
    edited(bench)
    for key in ("one", "other"):  # both workers are busy until the session ends
        bench.session.jobs.submit(key, until_cancelled, lambda _nothing: None)
    bench.prompter.answers = [(tmp_path / "copy.tine",)]
    bench.session.invoke("file.save_copy")
    bench.session.invoke("file.export", path=tmp_path / "run.svg")
    bench.step()
    bench.step()
    bench.session.close()
    assert len(storage.read(tmp_path / "copy.tine").graph) == 4
    assert (tmp_path / "run.svg").read_bytes().rstrip().endswith(b"</svg>")


def test_an_answer_that_comes_after_a_document_was_closed_brings_nothing_to_the_front(bench: Bench) -> None:
    edited(bench)
    document, done = bench.active, list[str]()
    bench.session.remove_document(document)
    bench.session.activate(document)
    assert bench.session.active is None
    asked = len(bench.prompter.asked)
    close(bench.session, document, lambda: done.append("the rest"))
    assert done == ["the rest"] and len(bench.prompter.asked) == asked, "it is closed, and nothing is asked"
    assert bench.session.active is None
    other = bench.open("other.tine", run_of({"a": ""}, run_id="other"))
    bench.do("document.activate", document=document.number)
    assert bench.session.active is other


def test_a_run_whose_file_is_gone_is_there_again_after_it_was_closed_without_saving(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    path = bench.folder / "run.tine"
    path.unlink()
    paths_changed(bench.session, [path])
    bench.session.settle()
    bench.do("file.close", "Don't save")
    assert bench.session.documents == []
    bench.do("file.reopen")
    assert bench.session.documents == [document]
    assert document.dirty
    bench.do("file.save")
    assert len(storage.read(path).graph) == len(TREE)
