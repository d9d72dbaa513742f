"""Unsaved work survives a crash."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER, PICTURE_FIRST
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.app.state.settings import data_folder, load_settings, save_settings
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.recovery.crashes import TREE, copies, crashed, fork_and_wait, leave_behind, offer
from tests.conftest import named, run_of


def test_a_copy_of_an_unsaved_document_is_kept_and_offered_after_a_crash(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    fork_and_wait(first)
    expected = first.record
    assert [len(storage.read(path).graph) for path in copies()] == [2]
    crashed(first)

    second = second_bench()
    text, actions = offer(second)
    assert text == "Recovered unsaved work: Precious"
    second.do("file.recover", key=actions["Open"]["key"])
    assert second.active.title == "Precious"
    assert second.active.dirty
    assert second.record.run_id == expected.run_id
    assert second.record.graph.ids == expected.graph.ids
    assert second.active.picture.layout is not None
    assert suggested_name(second.active, second.folder) == "Precious.tine"
    second.do("file.save_as", path=second.folder / "run.tine", overwrite=True)
    assert "never overwritten" in second.notices("error")[0]


def test_a_copy_that_is_found_always_knows_which_file_it_belongs_to(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash may come between any two writes: none of them may leave a copy alone."""
    lonely: list[Path] = []
    for name in ("write", "write_bytes_atomic"):
        real = getattr(storage, name)

        def and_look(*arguments: Any, real: Callable[..., object] = real, **options: Any) -> object:
            written = real(*arguments, **options)
            lonely.extend(copy for copy in copies() if not copy.with_suffix(".json").exists())
            return written

        monkeypatch.setattr(storage, name, and_look)
    fork_and_wait(bench)
    assert copies()
    assert lonely == []


def test_lost_work_can_be_discarded(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    fork_and_wait(first)
    crashed(first)
    second = second_bench()
    _, actions = offer(second)
    for answer in ("Keep it", None):
        second.do("file.discard_recovered", answer, key=actions["Discard"]["key"])
        assert len(copies()) == 1
    question = second.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert "Precious" in question.text
    assert question.choices[0] not in question.danger
    second.do("file.discard_recovered", "Discard", key=actions["Discard"]["key"])
    assert copies() == []
    assert second.notices() == []
    assert list((data_folder() / "recovery").iterdir()) == []


def test_the_work_of_a_session_that_is_still_running_is_not_offered(second_bench: Callable[[], Bench]) -> None:
    fork_and_wait(second_bench())
    second = second_bench()
    second.session.settle()
    assert second.notices() == []
    assert len(copies()) == 1


@pytest.mark.parametrize("end", ["save", "close", "undo"])
def test_the_copy_goes_away_when_the_work_is_saved_closed_or_undone(bench: Bench, end: str) -> None:
    if end == "undo":
        record = run_of(TREE)
        bench.open("run.tine", record)
        bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
        bench.clock.now += COPY_AFTER
        bench.session.settle()
    else:
        fork_and_wait(bench)
    assert len(copies()) == 1
    if end == "save":
        bench.do("file.save_as", path=bench.folder / "kept.tine")
    elif end == "close":
        bench.do("file.close", "Don't save")
    else:
        bench.do("edit.undo")
    assert copies() == []


def test_a_document_that_does_not_change_is_copied_once(bench: Bench) -> None:
    fork_and_wait(bench)
    written = copies()[0].stat().st_mtime_ns, copies()[0].stat().st_ino
    bench.clock.now += 5 * COPY_AFTER
    bench.session.settle()
    assert (copies()[0].stat().st_mtime_ns, copies()[0].stat().st_ino) == written


@pytest.mark.parametrize("drawn_in_time", [True, False])
def test_the_picture_of_an_edit_comes_before_its_copy_but_not_for_long(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, drawn_in_time: bool
) -> None:
    """They would share one interpreter, and both would take twice as long."""
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), title="Precious", accept=True)
    bench.session.settle()
    drawing = {bench.active.key("layout")}
    monkeypatch.setattr(bench.jobs, "is_running", drawing.__contains__)
    bench.clock.now += COPY_AFTER
    bench.session.step()
    assert copies() == []
    if drawn_in_time:
        drawing.clear()
    else:
        bench.clock.now += PICTURE_FIRST - COPY_AFTER
    bench.session.step()
    assert len(copies()) == 1


def test_a_copy_that_cannot_be_written_is_reported_once_and_work_goes_on(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_kwargs: object) -> Path:
        raise storage.StorageError("the file cannot be written", cause="No space left")

    monkeypatch.setattr(storage, "write", full)
    record = run_of(TREE)
    path = bench.folder / "run.tine"
    monkeypatch.undo()
    storage.write(path, record)
    bench.open("run.tine")
    bench.do("run.fork", step=named(record, "b"), accept=True)
    monkeypatch.setattr(storage, "write", full)
    for _ in range(3):
        bench.clock.now += COPY_AFTER
        bench.session.settle()
    assert len(bench.notices("warning")) == 1
    assert "No space left" in bench.notices("warning")[0]
    assert bench.active.dirty


def test_a_session_that_ends_properly_leaves_nothing_behind(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    fork_and_wait(first)
    first.do("file.quit", "Don't save")
    first.session.close()
    assert list((data_folder() / "recovery").iterdir()) == []


def test_damaged_copies_are_reported_and_do_not_stop_the_others(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    fork_and_wait(first)
    crashed(first)
    folder = copies()[0].parent
    (folder / "0.tine").write_bytes(b"broken")
    second = second_bench()
    text, actions = offer(second)
    assert text == "Recovered unsaved work: 2 documents"
    second.do("file.recover", key=actions["Open"]["key"])
    assert [document.title for document in second.session.documents] == ["Precious"]
    assert "could not be recovered" in second.notices("error")[0]
    assert str(folder / "0.tine") in second.notices("error")[0]
    second.do("file.save_as", path=second.folder / "kept.tine")
    assert copies() == [folder / "0.tine"]
    assert copies()[0].read_bytes() == b"broken"


def test_a_copy_under_way_when_the_document_is_forgotten_leaves_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    bench.session.settle()
    document, write = bench.active, storage.write

    def forgotten_meanwhile(*args: Any, **kwargs: Any) -> Path:
        kwargs.pop("cancelled", None)  # the case in which it is too late to stop
        bench.session.recovery.forget(document)
        return write(*args, **kwargs)

    monkeypatch.setattr(storage, "write", forgotten_meanwhile)
    bench.clock.now += COPY_AFTER
    bench.step()
    assert copies() == []


def test_a_copy_that_is_not_needed_is_deleted_in_a_job_and_one_that_is_wanted_again_is_not(bench: Bench) -> None:
    """To delete a hundred megabytes takes a tenth of a second: no frame waits for it."""
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.clock.now += COPY_AFTER
    bench.step()
    bench.session.settle()
    assert len(copies()) == 1
    bench.jobs.hold = True
    for action in ("edit.undo", "edit.redo"):
        bench.session.invoke(action)
        bench.step()
        assert len(copies()) == 1, "nothing is deleted in a frame"
    bench.clock.now += COPY_AFTER
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert [len(storage.read(path).graph) for path in copies()] == [4], "the edit came back"
    bench.do("edit.undo")
    assert copies() == []


def test_an_edit_younger_than_its_copy_survives_the_end_of_the_session(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    assert copies() == []
    first.session.close()
    assert [len(storage.read(path).graph) for path in copies()] == [4]


def test_a_copy_waits_for_the_one_before(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.jobs.hold = True
    for _ in range(3):
        bench.clock.now += COPY_AFTER
        bench.step()
        bench.session.invoke("edit.undo")
        bench.step()
        bench.session.invoke("edit.redo")
        bench.step()
    assert len([job for job in bench.jobs.held if job.key.startswith("recover:") and not job.cancelled]) <= 1


def test_a_copy_that_was_begun_before_an_edit_cannot_end_as_the_last_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    begun: list[Callable[..., None]] = []
    submit = bench.session.jobs.submit

    def kept_back(key: str, work: Callable[..., None], *rest: Any, **options: Any) -> None:
        begun.append(work) if key.startswith("recover:") else submit(key, work, *rest, **options)

    monkeypatch.setattr(bench.session.jobs, "submit", kept_back)
    for steps in (("b", "c"), ("c", "b")):
        bench.do("run.merge", steps=tuple(named(record, step) for step in steps), accept=True)
        bench.session.recovery.copy_all()
    for work in reversed(begun):
        work(lambda *_: None, lambda: False)
    assert len(begun) == 2
    assert [storage.read(path).graph.ids for path in copies()] == [bench.record.graph.ids]


def test_a_file_whose_name_is_not_utf_8_is_copied_recovered_and_remembered(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    name = os.fsdecode(b"run-\xff.tine")
    record = run_of(TREE)
    first.open(name, record)
    first.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    first.clock.now += COPY_AFTER
    first.session.settle()
    assert first.notices("warning") == []
    save_settings(first.session.settings)
    assert load_settings().recent == [str(first.folder / name)]
    crashed(first)
    second = second_bench()
    _text, actions = offer(second)
    second.do("file.recover", key=actions["Open"]["key"])
    assert second.active.path == first.folder / name
    second.do("file.save")
    assert len(storage.read(second.folder / name).graph) == 4


def test_a_folder_of_copies_that_cannot_be_made_is_reported_in_a_sentence(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    data_folder().mkdir(parents=True)
    (data_folder() / "recovery").write_bytes(b"a file where the folder would be")
    bench.do("run.fork", step=named(bench.record, "b"), title="Precious", accept=True)
    bench.session.settle()
    bench.clock.now += COPY_AFTER
    bench.session.settle()
    assert [text for text in bench.notices("warning") if text.startswith("A safety copy of Precious could not be")]
    assert bench.notices("error") == []


def test_what_a_link_in_the_recovery_folder_leads_to_is_left_alone(
    second_bench: Callable[[], Bench], tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "package.json").write_text("{}")
    root = data_folder() / "recovery"
    root.mkdir(parents=True)
    (root / "link").symlink_to(theirs)
    inside = leave_behind("0" * 32, "Precious")
    (inside / "2.tine").symlink_to(theirs / "run.tine")
    storage.write(theirs / "run.tine", run_of(TREE))
    second = second_bench()
    text, actions = offer(second)
    assert text == "Recovered unsaved work: Precious"
    second.do("file.discard_recovered", "Discard", key=actions["Discard"]["key"])
    assert not inside.exists()
    assert sorted(os.listdir(theirs)) == ["package.json", "run.tine"]


def test_many_crashed_sessions_are_one_offer_and_hold_no_files_open(second_bench: Callable[[], Bench]) -> None:
    for number in range(60):
        leave_behind(f"{number:032x}", f"Run {number}")
    (data_folder() / "recovery" / ("f" * 32)).mkdir()  # of a session that wrote nothing
    opened = len(os.listdir("/proc/self/fd"))
    second = second_bench()
    text, actions = offer(second)
    assert text == "Recovered unsaved work: 60 documents of 60 sessions"
    assert len(second.notices("warning")) == 1
    assert len(os.listdir("/proc/self/fd")) <= opened + 1
    assert not (data_folder() / "recovery" / ("f" * 32)).exists()
    second.do("file.discard_recovered", "Discard", key=actions["Discard"]["key"])
    assert copies() == []


def test_lost_work_is_looked_for_and_read_in_jobs(second_bench: Callable[[], Bench]) -> None:
    leave_behind("0" * 32, "Precious")
    second = second_bench()
    second.jobs.hold = True
    second.session.step()
    assert [job.key for job in second.jobs.held if job.key.startswith("recover")] == ["recover:look"]
    assert second.notices() == []
    second.jobs.release()
    _, actions = offer(second)
    second.session.invoke("file.recover", key=actions["Open"]["key"])
    second.session.step()
    assert second.session.documents == []
    second.jobs.release()
    second.jobs.hold = False
    second.session.settle()
    assert [document.title for document in second.session.documents] == ["Precious"]
