"""Saves and copies that are stopped, overtaken or meet what cannot be locked or deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.actions.window import cancel_job
from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core import RunRecord, StorageError
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.saved_runs import edited


def test_a_save_that_fails_says_so_and_leaves_the_document_unsaved(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(bench)
    before = (bench.folder / "run.tine").read_bytes()

    def full(*_args: object, **_kwargs: object) -> Path:
        raise StorageError("the file cannot be written", path=bench.folder / "run.tine", cause="No space left")

    monkeypatch.setattr(storage, "write_and_keep", full)
    bench.do("file.save")
    assert bench.active.dirty
    assert not bench.active.on_disk.saving
    assert "No space left" in bench.notices("error")[0]
    assert (bench.folder / "run.tine").read_bytes() == before
    monkeypatch.undo()
    bench.do("file.save")
    assert not bench.active.dirty


def test_an_edit_during_a_save_is_still_unsaved_after_it(bench: Bench) -> None:
    edited(bench)
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    assert bench.session.enabled("file.save") == "It is being saved already."
    bench.session.invoke("edit.undo")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.active.dirty
    assert len(storage.read(bench.folder / "run.tine").graph) == 4


def test_a_save_stopped_in_time_writes_nothing_and_says_so(bench: Bench) -> None:
    edited(bench)
    before = (bench.folder / "run.tine").read_bytes()
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    bench.session.invoke("job.cancel", key=bench.active.key("save"))
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert (bench.folder / "run.tine").read_bytes() == before
    assert bench.active.dirty
    assert not bench.active.on_disk.saving
    assert "was stopped" in bench.notices("info")[-1]
    assert bench.notices("error") == []
    bench.do("file.save")
    assert not bench.active.dirty


def test_a_copy_stopped_in_time_writes_nothing_and_says_so(bench: Bench) -> None:
    edited(bench)
    bench.prompter.answers = [(bench.folder / "copy.tine",)]
    bench.jobs.hold = True
    bench.session.invoke("file.save_copy")
    bench.step()
    bench.step()
    bench.session.invoke("job.cancel", key=f"copy:{bench.folder / 'copy.tine'}")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not (bench.folder / "copy.tine").exists()
    assert "was stopped" in bench.notices("info")[-1]
    assert bench.notices("error") == []


def test_a_second_copy_or_export_does_not_drop_the_first(bench: Bench) -> None:
    edited(bench)
    names = ("one.tine", "two.tine", "one.json", "two.json")
    bench.jobs.hold = True
    for name in names:
        bench.prompter.answers = [(bench.folder / name,)]
        bench.session.invoke("file.save_copy" if name.endswith(".tine") else "file.export")
        for _step in range(4):
            bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert [name for name in names if not (bench.folder / name).exists()] == []
    assert len(bench.notices("good")) == len(names)


def test_a_save_stopped_too_late_is_a_save(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(bench)
    write = storage.write_and_keep

    def stopped_after(*args: Any, **kwargs: Any) -> tuple[Path, RunRecord]:
        written = write(*args, **kwargs)
        cancel_job(bench.session, bench.active.key("save"))
        return written

    monkeypatch.setattr(storage, "write_and_keep", stopped_after)
    bench.do("file.save")
    assert len(storage.read(bench.folder / "run.tine").graph) == 4
    assert not bench.active.dirty
    assert not bench.active.on_disk.saving


def test_a_save_needs_no_lock_where_none_can_be_had(bench: Bench) -> None:
    edited(bench)
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_bytes(b"a file where the folder of the locks would be")
    bench.do("file.save")
    assert not bench.active.dirty
    assert len(storage.read(bench.folder / "run.tine").graph) == 4


def test_a_lock_that_cannot_be_released_makes_no_save_fail(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(bench)
    monkeypatch.setattr("filelock.FileLock.release", lambda *_arguments, **_options: _raise(OSError(5, "broken")))
    bench.do("file.save")
    assert bench.notices("error") == []
    assert not bench.active.dirty


def _raise(error: Exception) -> None:
    raise error


def test_a_safety_copy_that_cannot_be_deleted_does_not_leave_a_saved_run_in_the_middle_of_its_save(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(bench)
    bench.clock.now += COPY_AFTER
    bench.session.settle()
    (copy,) = (data_folder() / "recovery").rglob("*.tine")
    real = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path.parent == copy.parent:
            raise OSError(30, "Read-only file system", str(path))
        real(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    bench.do("file.save")
    assert not bench.active.on_disk.saving
    assert bench.notices("error") == []
    bench.do("file.quit")
    assert bench.session.quit
