"""Files that change on disk while they are open."""

from __future__ import annotations

import os

import pytest

from opentine_gui.app.document.document import Document
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}
MORE = {**TREE, "d": "c"}


def post_change(bench: Bench) -> None:
    """Report the file as changed, as the watch thread does."""
    bench.watch.post([bench.folder / "run.tine"])
    bench.session.settle()


def edited_here(bench: Bench) -> Document:
    """A run with a step that is not saved yet."""
    document = bench.open("run.tine", run_of(TREE))
    bench.do("run.add_step", step=bench.record.graph.ids[0], accept=True, inputs='{"prompt": "x"}')
    return document


def test_a_changed_file_is_read_again_keeping_selection_view_and_positions(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.do("select.step", step=named(record, "b"))
    bench.do("canvas.move_steps", pins={named(record, "c"): (400.0, 400.0)})
    layout, camera = document.picture.layout, document.picture.camera
    assert layout is not None
    assert camera is not None
    seen_at = [(layout.position(named(record, "b"))[axis] - (camera.x, camera.y)[axis]) for axis in (0, 1)]
    bench.write("run.tine", run_of(MORE))
    post_change(bench)
    assert len(bench.record.graph) == 4
    assert document.selection.ids == (named(record, "b"),)
    layout, camera = document.picture.layout, document.picture.camera
    assert layout is not None
    assert camera is not None
    assert layout.position(named(record, "c")) == (400.0, 400.0)
    now_at = [(layout.position(named(record, "b"))[axis] - (camera.x, camera.y)[axis]) for axis in (0, 1)]
    assert now_at == pytest.approx(seen_at)
    assert not document.dirty
    assert document.verification is not None


def test_steps_that_are_gone_leave_the_selection(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(MORE))
    bench.do("select.all")
    bench.write("run.tine", run_of(TREE))
    post_change(bench)
    assert len(document.selection) == 3


def test_a_touched_file_is_not_a_changed_one(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    record = document.record
    os.utime(bench.folder / "run.tine", ns=(1, 1))
    post_change(bench)
    assert document.record is record
    assert bench.notices() == []
    assert document.on_disk.fingerprint == storage.fingerprint(bench.folder / "run.tine")


@pytest.mark.parametrize("answer", ["Reload", "Keep mine"])
def test_with_edits_the_user_is_asked_and_either_answer_is_followed(bench: Bench, answer: str) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    mine = document.record
    bench.write("run.tine", run_of(MORE))
    post_change(bench)
    assert document.record is mine
    notice = bench.session.notices.list()[-1]
    assert "unsaved edits" in notice.text
    _, action_id, arguments = next(action for action in notice.actions if action[0] == answer)
    bench.do(action_id, **arguments)
    assert (document.record is mine) is (answer == "Keep mine")
    assert bench.session.notices.get(notice.key) is None
    assert bench.prompter.asked == []


def test_what_is_kept_is_asked_about_again_when_the_file_holds_something_else(bench: Bench) -> None:
    bench.open("run.tine", run_of({"a": ""}))
    path, document = bench.folder / "run.tine", bench.active
    bench.do("run.edit_details", title="mine", accept=True)
    for shape, asked in (({"a": "", "b": "a"}, True), ({"a": "", "b": "a"}, False), ({"a": "", "c": "a"}, True)):
        storage.write(path, run_of(shape))
        post_change(bench)
        assert [notice.key for notice in bench.session.notices.list()] == [document.key("changed")] * asked
        bench.do("notice.dismiss", key=document.key("changed"))
    path.unlink()
    post_change(bench)
    assert "deleted" in bench.notices("warning")[0]
    storage.write(path, run_of({"a": "", "c": "a"}))
    post_change(bench)
    assert "unsaved edits" in bench.notices("warning")[0], "it is there again"


def test_our_own_save_is_not_a_change_by_someone_else(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.do("file.save")
    kept = document.record
    post_change(bench)
    assert document.record is kept
    assert [text for text in bench.notices() if "changed" in text] == []


def test_a_deleted_file_is_reported_and_what_was_read_stays(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    (bench.folder / "run.tine").unlink()
    post_change(bench)
    assert bench.notices("warning") == [
        "run.tine was deleted or moved; what you see is still here. Save it to keep it."
    ]
    assert str(bench.folder / "run.tine") in bench.session.notices.list()[-1].detail
    assert document.record is not None
    assert bench.session.enabled("file.save") is None
    bench.do("file.save")
    assert len(storage.read(bench.folder / "run.tine").graph) == 3


def test_a_file_that_broke_leaves_what_was_read_and_says_why(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    (bench.folder / "run.tine").write_bytes(b"{ not json")
    post_change(bench)
    assert document.record is not None
    assert "cannot be read now" in bench.notices("warning")[0]


def test_a_file_that_cannot_be_read_opens_as_a_document_that_says_why_and_recovers(bench: Bench) -> None:
    (bench.folder / "run.tine").write_bytes(b"{ not json")
    document = bench.open("run.tine")
    assert document.error is not None
    assert str(bench.folder / "run.tine") in str(document.error)
    assert document.record is None
    assert not document.dirty
    assert bench.session.enabled("run.fork") == "This file could not be read."
    bench.write("run.tine", run_of(TREE))
    post_change(bench)
    assert document.error is None
    assert document.picture.layout is not None


def test_a_missing_file_is_an_error_of_its_document(bench: Bench) -> None:
    document = bench.open("nowhere.tine")
    assert document.error is not None
    assert "nowhere.tine" in str(document.error)


def test_the_folders_of_open_files_and_of_the_runs_are_watched(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    assert bench.watch.folders == {bench.folder}
    other = bench.folder / "other"
    other.mkdir()
    bench.do("file.open_folder", path=other)
    assert bench.watch.folders == {bench.folder, other}
    bench.do("file.close")
    assert bench.watch.folders == {other}


def test_an_edit_made_while_the_file_is_read_again_is_kept_and_the_user_is_asked(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.write("run.tine", run_of(MORE))
    bench.watch.post([bench.folder / "run.tine"])
    bench.jobs.hold = True
    bench.step()  # begins to compare
    bench.jobs.release()
    bench.step()  # begins to read
    assert bench.session.jobs.is_running(document.key("open"))
    bench.session.invoke("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.step()
    mine = document.record
    assert document.dirty
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert document.record is mine
    assert document.dirty
    notice = bench.session.notices.list()[-1]
    assert [label for label, _, _ in notice.actions] == ["Reload", "Show difference", "Keep mine"]


def test_a_file_saved_while_it_is_read_again_stays_as_saved(bench: Bench) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    bench.jobs.hold = True
    bench.session.invoke("file.reload")
    bench.step()
    bench.session.invoke("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.step()
    (reading,) = [job for job in bench.jobs.held if job.key.startswith("open:")]
    bench.jobs.held.remove(reading)
    reading.execute()  # it has read the old file
    bench.jobs.hold = False
    bench.session.invoke("file.save")
    bench.step()
    bench.step()
    mine = document.record
    assert not document.dirty
    bench.jobs._finish(reading)
    bench.jobs.release()
    bench.session.settle()
    assert document.record is mine
    assert len(storage.read(bench.folder / "run.tine").graph) == 4


@pytest.mark.parametrize("noticed", [True, False])
def test_closing_what_lost_its_file_asks(bench: Bench, noticed: bool) -> None:
    bench.open("run.tine", run_of(TREE))
    (bench.folder / "run.tine").unlink()
    if noticed:
        post_change(bench)
        assert bench.active.dirty
    bench.do("file.close", "Cancel")
    assert len(bench.session.documents) == 1
    bench.do("file.quit", "Save")
    assert bench.session.quit
    assert len(storage.read(bench.folder / "run.tine").graph) == 3


def test_a_file_that_comes_back_other_than_it_was_is_read_without_asking(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    (bench.folder / "run.tine").unlink()
    post_change(bench)
    bench.write("run.tine", run_of(MORE))
    post_change(bench)
    assert len(bench.record.graph) == 4
    assert not document.dirty


def test_an_open_file_is_watched_whatever_its_name(bench: Bench) -> None:
    bench.write("run.tine", run_of(TREE)).rename(bench.folder / "run.json")
    bench.do("file.open", path=bench.folder / "run.json")
    assert "run.json" in bench.watch.names
    bench.do("file.close")
    assert bench.watch.names == frozenset()


def test_quitting_asks_about_what_lost_its_file_unnoticed(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    (bench.folder / "run.tine").unlink()
    bench.do("file.quit", "Cancel")
    assert len(bench.prompter.asked) == 1
    assert not bench.session.quit


@pytest.mark.parametrize("meanwhile", ["read again", "saved"])
def test_a_change_that_comes_while_the_file_is_in_use_is_looked_at_afterwards(bench: Bench, meanwhile: str) -> None:
    record = run_of(TREE)
    document = bench.open("run.tine", record)
    if meanwhile == "saved":
        bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.jobs.hold = True
    bench.session.invoke("file.reload" if meanwhile == "read again" else "file.save")
    bench.step()
    (under_way,) = [job for job in bench.jobs.held if job.key.startswith(("open:", "save:"))]
    bench.jobs.held.remove(under_way)
    under_way.execute()
    bench.write("run.tine", run_of(MORE))
    bench.watch.post([bench.folder / "run.tine"])
    bench.step()
    bench.jobs.hold = False
    bench.jobs._finish(under_way)
    bench.jobs.release()
    bench.session.settle()
    assert bench.record.graph.ids == run_of(MORE).graph.ids
    assert not document.dirty
    assert not document.on_disk.recheck_pending


def test_a_file_whose_second_reading_was_stopped_says_so_and_is_read_when_asked_again(bench: Bench) -> None:
    path = bench.folder / "run.tine"
    path.write_bytes(b"not a run")
    bench.open("run.tine")
    document = bench.active
    assert document.error is not None
    storage.write(path, run_of({"a": ""}), overwrite=True)
    bench.jobs.hold = True
    bench.session.invoke("file.reload")
    bench.step()
    bench.jobs.stop(document.key("open"))
    assert document.loading is None
    assert "stopped" in str(document.error)
    bench.jobs.hold = False
    bench.jobs.release()  # others wait as well, such as a look at the folder
    bench.do("file.reload")
    assert (document.error, len(bench.record.graph)) == (None, 1)


@pytest.mark.parametrize("gone", [True, False])
def test_what_is_asked_about_a_changed_file_goes_with_its_tab_and_comes_again_with_it(bench: Bench, gone: bool) -> None:
    document = edited_here(bench)
    if gone:
        (bench.folder / "run.tine").unlink()
    else:
        bench.write("run.tine", run_of(MORE))
    post_change(bench)
    (asked,) = bench.notices("warning")
    bench.do("file.close", "Don't save")
    assert bench.notices("warning") == []
    bench.do("file.reopen")
    assert bench.active is document
    assert bench.notices("warning") == [asked]


def test_edits_that_were_kept_are_not_asked_about_again_in_a_tab_that_is_reopened(bench: Bench) -> None:
    document = edited_here(bench)
    bench.write("run.tine", run_of(MORE))
    post_change(bench)
    bench.do("notice.dismiss", key=document.key("changed"))
    bench.do("file.close", "Don't save")
    bench.do("file.reopen")
    assert bench.notices("warning") == []
