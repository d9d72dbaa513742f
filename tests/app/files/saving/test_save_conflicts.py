"""What is saved over something else: another writer's file, a changed, a vanished or a protected one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.recovery.crashes import crashed, offer
from tests.app.files.saved_runs import TREE, asked_later, continued, edited
from tests.conftest import run_of


@pytest.mark.parametrize("answer", ["Overwrite", "Cancel", "Save as…", "Keep both"])
def test_saving_over_a_file_that_someone_else_changed_asks(bench: Bench, answer: str) -> None:
    edited(bench)
    theirs = run_of({"theirs": ""})
    bench.write("run.tine", theirs)
    answers = [answer, (bench.folder / "mine.tine",)] if answer == "Save as…" else [answer]
    bench.do("file.save", *answers)  # type: ignore[arg-type]
    assert bench.prompter.asked[0].title == "Overwrite run.tine?"
    on_disk = storage.read(bench.folder / "run.tine")
    assert (len(on_disk.graph) == 4) is (answer == "Overwrite")
    assert bench.active.dirty is (answer == "Cancel")
    assert (bench.folder / "mine.tine").exists() is (answer == "Save as…")
    assert (bench.folder / "run-copy.tine").exists() is (answer == "Keep both")


def test_the_difference_is_shown_before_one_of_two_versions_is_chosen(bench: Bench) -> None:
    edited(bench)
    mine, ours = bench.active, bench.record
    theirs = run_of({"theirs": ""})
    bench.write("run.tine", theirs)
    bench.do("file.save", "Show difference")
    assert bench.active is not mine
    assert bench.active.overlay is not None
    compared = bench.active.overlay.comparison
    assert compared is not None
    assert (compared.a.graph.ids, compared.b.graph.ids) == (theirs.graph.ids, ours.graph.ids)
    assert storage.read(bench.folder / "run.tine").graph.ids == theirs.graph.ids
    assert mine.dirty
    assert mine.record is ours
    bench.do("document.activate", document=mine.number)
    bench.do("file.save", "Keep both")
    assert storage.read(bench.folder / "run-copy.tine").graph.ids == ours.graph.ids


def test_saving_over_a_file_that_was_only_touched_does_not_ask(bench: Bench) -> None:
    edited(bench)
    os.utime(bench.folder / "run.tine", ns=(1, 1))
    bench.do("file.save")
    assert bench.prompter.asked == []
    assert not bench.active.dirty


def test_a_file_replaced_right_after_the_save_is_noticed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(bench)
    write = storage.write_and_keep

    def replaced_after(*args: Any, **kwargs: Any) -> tuple[Path, RunRecord]:
        written = write(*args, **kwargs)
        write(bench.folder / "run.tine", run_of({"theirs": ""}))
        return written

    monkeypatch.setattr(storage, "write_and_keep", replaced_after)
    bench.do("file.save")
    monkeypatch.undo()
    bench.do("edit.undo")
    bench.do("file.save", None)
    assert bench.prompter.asked[-1].title == "Overwrite run.tine?"
    assert len(storage.read(bench.folder / "run.tine").graph) == 1


def test_a_change_that_size_and_time_do_not_show_is_asked_about(bench: Bench) -> None:
    edited(bench)
    path = bench.folder / "run.tine"
    before = path.stat()
    theirs = path.read_bytes()[:-1] + b" "
    path.write_bytes(theirs)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    bench.do("file.save", "Cancel")
    assert bench.prompter.asked[0].title == "Overwrite run.tine?"
    assert path.read_bytes() == theirs


def test_overwriting_asks_again_when_the_file_changes_once_more(bench: Bench) -> None:
    edited(bench)
    bench.write("run.tine", run_of({"theirs": ""}))
    bench.session.invoke("file.save")
    asked: list[Any] = []
    bench.session.prompter = asked_later(asked)
    bench.session.settle()
    bench.write("run.tine", run_of({"others": ""}))
    asked.pop()("Overwrite")
    bench.session.settle()
    assert len(asked) == 1
    assert storage.read(bench.folder / "run.tine").graph.ids == run_of({"others": ""}).graph.ids


def test_a_folder_that_vanished_is_reported_and_not_made_again(bench: Bench) -> None:
    inside = bench.folder / "usb"
    inside.mkdir()
    edited(bench, "usb/run.tine")
    (inside / "run.tine").unlink()
    inside.rmdir()
    bench.do("file.save")
    assert "its folder does not exist" in bench.notices("error")[0]
    assert bench.active.dirty
    assert not inside.exists()


def test_a_disk_that_was_taken_away_is_reported_where_its_empty_folder_stays(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(bench)
    path = bench.folder / "run.tine"
    path.unlink()
    with monkeypatch.context() as patch:
        disk = storage.disk_of(path)
        patch.setattr(storage, "disk_of", lambda _path: disk + 1)  # what lies under the place where a disk was
        bench.do("file.save")
        assert "is not connected" in bench.notices("error")[0]
        assert bench.active.dirty
        assert not path.exists()
    bench.do("file.save")  # deleted, but its disk is there: saved again
    assert path.exists()


@pytest.mark.parametrize("answer", ["Replace", "Cancel"])
@pytest.mark.parametrize("why", ["read-only", "hard links"])
def test_a_read_only_file_or_one_of_several_names_is_replaced_only_when_the_user_says_so(
    bench: Bench, why: str, answer: str
) -> None:
    edited(bench)
    path = bench.folder / "run.tine"
    path.chmod(0o444) if why == "read-only" else os.link(path, bench.folder / "other.tine")
    before = path.read_bytes()
    bench.do("file.save", answer)
    (question,) = bench.prompter.asked
    assert isinstance(question, Confirm)
    assert why in question.text
    assert (path.read_bytes() == before) is (answer == "Cancel")


@pytest.mark.parametrize("way", ["edit.redo", "edit.undo"])
def test_what_another_program_added_is_not_lost_to_an_older_state_that_undo_leads_to(bench: Bench, way: str) -> None:
    document = bench.open("run.tine", run_of(TREE))
    bench.do("run.edit_details", title="mine", accept=True)
    bench.do("edit.undo" if way == "edit.redo" else "file.save")
    theirs = continued(bench, bench.folder / "run.tine")
    assert document.record is not None and document.record.graph.ids == theirs.graph.ids
    bench.do(way)
    assert document.dirty
    bench.do("file.save", "Cancel")
    assert [question.title for question in bench.prompter.asked] == ["Overwrite run.tine?"]
    assert storage.read(bench.folder / "run.tine").graph.ids == theirs.graph.ids
    bench.do("edit.undo" if way == "edit.redo" else "edit.redo")
    assert not document.dirty
    bench.do(way)
    bench.do("file.save", "Overwrite")
    assert len(storage.read(bench.folder / "run.tine").graph) == len(TREE)
    assert not document.dirty


def test_an_older_state_of_what_was_saved_here_is_saved_without_a_question(bench: Bench) -> None:
    edited(bench)
    bench.do("file.save")
    bench.do("edit.undo")
    bench.do("file.save")
    bench.do("edit.redo")
    bench.do("file.save")
    assert bench.prompter.asked == []
    assert storage.read(bench.folder / "run.tine").graph.ids == bench.record.graph.ids


def test_what_another_program_added_before_a_crash_is_asked_about_after_it(
    bench: Bench, second_bench: Callable[[], Bench]
) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.edit_details", title="mine", accept=True)
    bench.do("edit.undo")
    theirs = continued(bench, bench.folder / "run.tine")
    bench.do("edit.redo")
    bench.clock.now += COPY_AFTER
    bench.session.settle()
    crashed(bench)
    again = second_bench()
    again.do("file.recover", key=offer(again)[1]["Open"]["key"])
    again.do("file.save")
    assert [question.title for question in again.prompter.asked] == ["Overwrite run.tine?"]
    assert storage.read(bench.folder / "run.tine").graph.ids == theirs.graph.ids


@pytest.mark.parametrize("asked", ["Replace", "Overwrite", "Keep both"])
def test_a_file_that_is_renamed_while_a_question_is_open_is_saved_by_its_new_name(bench: Bench, asked: str) -> None:
    edited(bench)
    path = bench.folder / "run.tine"
    if asked == "Replace":
        os.link(path, bench.folder / "link.tine")
    else:
        bench.write("run.tine", run_of({"theirs": ""}))
    answers: list[Any] = []
    bench.session.prompter = asked_later(answers)
    bench.do("file.save")
    bench.do("runs.rename", run=path, name="new.tine")
    answers[0](asked)
    bench.session.settle()
    assert not path.exists()
    kept = {
        name: len(storage.read(bench.folder / f"{name}.tine").graph)
        for name in ("new", "new-copy")[: 1 + (asked == "Keep both")]
    }
    assert kept == ({"new": 1, "new-copy": 4} if asked == "Keep both" else {"new": 4})
    assert not bench.active.dirty
