"""Files renamed and moved: never over another one, with edits kept, and with everything that named them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from opentine_gui.app.files.renaming import no_name
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.core import StorageError
from opentine_gui.core.files import atomic_write, storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a", "c": "a"}
RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-a-plain" / "home"


def test_a_name_that_is_taken_leaves_both_files_as_they_are(bench: Bench) -> None:
    other = bench.write("other.tine", run_of(TREE, run_id="other"))
    bench.open("run.tine", run_of(TREE))
    before = other.read_bytes()
    bench.do("runs.rename", name="other")
    assert "already" in bench.notices("error")[0]
    assert other.read_bytes() == before
    assert bench.active.path == bench.folder / "run.tine"
    with pytest.raises(StorageError):
        atomic_write.move_file(bench.folder / "run.tine", other)
    assert other.read_bytes() == before


def test_what_was_renamed_or_moved_is_brought_back_by_the_button_of_its_notice(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    first = bench.folder / "run.tine"
    (bench.folder / "elsewhere").mkdir()
    for action, arguments in (
        ("runs.rename", {"name": "other"}),
        ("runs.move", {"folder": bench.folder / "elsewhere"}),
    ):
        bench.do(action, **arguments)
        assert bench.active.path != first
        notice = next(one for one in bench.session.notices.list() if one.key == "moved")
        (label, undo, given), *_ = notice.actions
        assert label == "Undo"
        bench.do(undo, **given)
        assert bench.active.path == first
        assert first.is_file()


def test_undo_and_redo_cover_renames_in_the_order_of_the_edits(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("runs.rename", name="second")
    bench.do("runs.rename", name="third")
    bench.do("run.edit_details", title="New", accept=True)
    assert bench.active.dirty
    names = []
    for way in ("undo", "undo", "undo", "redo", "redo", "redo"):
        bench.do(f"edit.{way}")
        assert bench.active.path is not None
        names.append((bench.active.path.stem, bench.active.dirty))
    assert names == [
        ("third", False), ("second", False), ("run", False), ("second", False), ("third", False), ("third", True),
    ]  # fmt: skip
    assert sorted(path.name for path in bench.folder.glob("*.tine")) == ["third.tine"]


def test_a_rename_that_cannot_be_undone_is_reported_and_the_next_one_is_undone_as_usual(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("runs.rename", name="second")
    bench.write("run.tine", run_of(TREE, run_id="other"))
    bench.do("edit.undo")
    assert "already" in bench.notices("error")[0]
    bench.do("runs.rename", name="third")
    bench.do("edit.undo")
    assert bench.active.path == bench.folder / "second.tine"


def test_a_run_that_went_to_the_trash_comes_back_by_undo(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    path = bench.folder / "run.tine"
    bench.session.trash = lambda file: file.rename(file.with_name("kept"))
    bench.do("runs.trash", "Move to trash")
    assert not path.exists() and bench.session.documents == []
    bench.do("edit.undo")
    assert path.exists() and bench.active.path == path


def test_a_fork_made_after_a_file_was_moved_is_undone_first(bench: Bench) -> None:
    document = bench.open("run.tine", run_of(TREE))
    bench.do("runs.rename", name="other")
    bench.do("run.fork", step=named(document.state.record, "b") if document.state else "", accept=True)
    assert len(bench.session.documents) == 2
    bench.do("edit.undo")
    assert bench.session.documents == [document] and document.path == bench.folder / "other.tine"
    bench.do("edit.undo")
    assert document.path == bench.folder / "run.tine"


def test_what_the_button_of_a_notice_took_back_is_not_undone_once_more(bench: Bench) -> None:
    bench.write("other.tine", run_of(TREE, run_id="other"))
    bench.open("run.tine", run_of(TREE))
    bench.session.trash = lambda file: file.rename(file.with_name("kept"))
    for action, answers in (("runs.rename", ()), ("runs.trash", ("Move to trash",))):
        given = {"name": "another"} if action == "runs.rename" else {}
        bench.do(action, *answers, run=bench.folder / "other.tine", **given)
        _, undo, back = next(one for one in bench.session.notices.list() if one.key == "moved").actions[0]
        bench.do(undo, **back)
        assert (bench.folder / "other.tine").is_file()
        assert bench.session.enabled("edit.undo") is not None, "there is nothing left to take back"
    assert not bench.notices("error")


@pytest.mark.parametrize("name", ["", "  ", "..", "a/b", "a\\b", "a\0b"])
def test_what_is_not_a_name_is_refused(bench: Bench, name: str) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("runs.rename", name=name)
    assert "name" in bench.notices("error")[0]
    assert sorted(path.name for path in bench.folder.glob("*.tine")) == ["run.tine"]


def test_undo_of_a_rename_brings_back_a_name_that_has_the_suffix_twice(bench: Bench) -> None:
    path = bench.write("notes.tine.tine", run_of(TREE))
    bench.open("notes.tine.tine")
    bench.do("runs.rename", name="other")
    notice = next(one for one in bench.session.notices.list() if one.key == "moved")
    _, action, arguments = notice.actions[0]
    bench.do(action, **arguments)
    assert path.exists() and not (bench.folder / "other.tine").exists()


def test_edits_stay_and_are_saved_under_the_new_name(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.edit_details", title="New", accept=True)
    bench.do("runs.rename", name="second")
    assert bench.active.dirty
    bench.do("file.save")
    assert not bench.active.dirty
    assert storage.read(bench.folder / "second.tine").title == "New"
    assert not (bench.folder / "run.tine").exists()
    bench.session.watched.watch.post([bench.folder / "run.tine", bench.folder / "second.tine"])
    bench.session.settle()
    assert not bench.active.on_disk.gone
    assert bench.notices("warning") == []


@pytest.mark.parametrize("action", ["runs.rename", "runs.trash"])
def test_a_move_that_is_stopped_does_not_leave_its_run_being_written_for_good(bench: Bench, action: str) -> None:
    document = bench.open("run.tine", run_of(TREE))
    bench.jobs.hold = True
    bench.prompter.answers = ["Move to trash"]
    bench.session.invoke(action, **({"name": "other"} if action == "runs.rename" else {}))
    bench.step()
    bench.step()
    (job,) = bench.session.jobs.running()
    bench.session.invoke("job.cancel", key=job.key)
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not document.on_disk.saving
    assert document not in bench.session.documents or (document.path is not None and document.path.exists())


def test_a_fork_still_refuses_to_overwrite_its_source_after_that_was_renamed(bench: Bench) -> None:
    record = run_of(TREE)
    source = bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), accept=True)
    fork = bench.active
    bench.do("runs.rename", run=source.number, name="first")
    assert fork.source is not None
    assert fork.source.paths == (bench.folder / "first.tine",)


def test_a_run_that_is_shown_in_a_comparison_is_not_moved_under_it(bench: Bench) -> None:
    one = bench.write("one.tine", run_of(TREE))
    two = bench.write("two.tine", run_of({**TREE, "d": "a"}, run_id="two"))
    bench.do("compare.open", a=one, b=two)
    bench.do("runs.rename", run=one, name="first")
    assert "close that first" in bench.notices("error")[0]
    assert one.exists()


def test_edits_of_a_run_that_goes_to_the_trash_stay_open_and_can_be_saved(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("run.edit_details", title="New", accept=True)
    bench.do("runs.trash", "Move to trash")
    assert not (bench.folder / "run.tine").exists()
    assert (bench.active.dirty, bench.active.on_disk.gone) == (True, True)
    bench.do("file.save_as", path=bench.folder / "again.tine")
    assert storage.read(bench.folder / "again.tine").title == "New"


def test_a_file_that_the_trash_does_not_give_back_has_no_earlier_move_to_undo(bench: Bench) -> None:
    bench.session.trash = lambda path: path.unlink()
    bench.open("run.tine", run_of(TREE))
    bench.do("runs.rename", name="other.tine")
    assert bench.session.enabled("edit.undo") is None
    bench.do("runs.trash", "Move to trash")
    assert bench.session.enabled("edit.undo") is not None


def test_where_the_trash_refuses_nothing_is_deleted_or_closed(bench: Bench) -> None:
    def refuse(path: Path) -> Path | None:
        raise StorageError("it could not be put into the trash", path=path)

    bench.session.trash = refuse
    document = bench.open("run.tine", run_of(TREE))
    bench.do("runs.trash", "Move to trash")
    assert "could not be put" in bench.notices("error")[0]
    assert (bench.folder / "run.tine").exists()
    assert bench.session.documents == [document]
    assert not document.on_disk.saving


@pytest.mark.skipif(sys.platform != "linux", reason="the trash of the freedesktop specification")
@pytest.mark.parametrize("folder", [".", "data/demo"])
def test_the_trash_of_the_desktop_has_the_file_and_knows_where_it_was(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "a run.tine"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"content")
    script = (
        "import sys; from pathlib import Path; sys.modules['gi'] = None\n"  # not the trash of whoever runs the test
        "from opentine_gui.app.system.desktop.trash import from_trash, to_trash; path = Path(sys.argv[1])\n"
        "trashed = to_trash(path); print(trashed)\n"
        "if sys.argv[2:]: from_trash(trashed, path)"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    subprocess.run([sys.executable, "-c", script, str(path)], env=environment, check=True, timeout=60)
    assert not path.exists()
    (kept,) = (tmp_path / "data" / "Trash" / "files").iterdir()
    assert kept.read_bytes() == b"content"
    (note,) = (tmp_path / "data" / "Trash" / "info").iterdir()
    assert "a%20run.tine" in note.read_text()

    path.write_bytes(b"another of this name")
    back = [sys.executable, "-c", script, str(path), "back"]
    done = subprocess.run(back, env=environment, check=True, timeout=60, capture_output=True, text=True)
    assert Path(done.stdout.strip()).parent == kept.parent
    assert path.read_bytes() == b"another of this name"
    assert list(kept.parent.iterdir()) == [kept], "the one from before is still there"
    assert list(note.parent.iterdir()) == [note]


def test_a_link_is_not_moved(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "link").symlink_to("file")
    with pytest.raises(StorageError):
        atomic_write.move_file(tmp_path / "link", tmp_path / "moved")
    assert (tmp_path / "link").exists()


def test_to_another_file_system_it_is_copied_and_only_then_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one.tine", tmp_path / "other.tine"
    one.write_bytes(b"12345" * 1000)
    one.chmod(0o640)

    def no_rename(source: Path, target: Path, *_flags: int) -> bool:
        if source == one:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return False

    monkeypatch.setattr(atomic_write, "_rename", no_rename)
    atomic_write.move_file(one, other)
    assert other.read_bytes() == b"12345" * 1000
    assert other.stat().st_mode & 0o777 == 0o640
    assert not one.exists()
    other.rename(one)
    (tmp_path / "taken").write_bytes(b"kept")
    with pytest.raises(StorageError):
        atomic_write.move_file(one, tmp_path / "taken")
    assert (one.exists(), (tmp_path / "taken").read_bytes()) == (True, b"kept")


def test_the_session_of_an_agent_is_neither_moved_nor_trashed_open_or_not(bench: Bench) -> None:
    (recorded,) = (RECORDED / ".claude" / "projects").rglob("*.jsonl")
    path = bench.folder / "session.jsonl"
    path.write_bytes(recorded.read_bytes())
    bench.do("file.open_folder", path=bench.folder)
    assert [row.path for row in bench.session.runs.rows] == [path]
    for opened in (False, True):
        if opened:
            bench.open("session.jsonl")
        for action, more in (("runs.trash", {}), ("runs.rename", {"name": "x"}), ("runs.move", {"folder": "/"})):
            bench.do(action, "Move to trash", run=path, **more)
            bench.prompter.answers.clear()
            assert path.exists()
            assert "stays where it is" in bench.notices("info")[-1]
        bench.do("runs.copy_path", run=path)
    assert bench.copied == [str(path)] * 2


@pytest.fixture
def case_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are found by their names in any case, as on macOS and Windows."""
    lstat = os.lstat

    def found(path: str | Path) -> os.stat_result:
        folder, name = os.path.split(path)
        same = [other for other in os.listdir(folder) if other.casefold() == name.casefold()]
        return lstat(os.path.join(folder, same[0] if same else name))

    def is_there(path: str | Path) -> bool:
        try:
            found(path)
        except OSError:
            return False
        return True

    monkeypatch.setattr(os, "lstat", found)
    monkeypatch.setattr(os.path, "lexists", is_there)


@pytest.mark.usefixtures("case_does_not_count")
def test_a_name_can_be_written_in_other_case_where_case_does_not_count(bench: Bench) -> None:
    bench.open("Run.tine", run_of(TREE))
    path = bench.folder / "Run.tine"
    assert no_name(path, "run") == ""
    bench.do("runs.rename", name="run")
    assert [path.name for path in bench.folder.glob("*.tine")] == ["run.tine"]
    assert bench.active.path == bench.folder / "run.tine"
    bench.do("edit.undo")
    assert [path.name for path in bench.folder.glob("*.tine")] == ["Run.tine"]
    bench.write("other.tine", run_of(TREE, run_id="other"))
    assert no_name(path, "OTHER") != ""
    bench.do("runs.rename", name="OTHER")
    assert "already" in bench.notices("error")[0]


def test_a_second_name_of_a_file_is_taken_where_case_counts(bench: Bench) -> None:
    path = bench.write("Run.tine", run_of(TREE))
    os.link(path, bench.folder / "run.tine")
    assert no_name(path, "run") != ""
    with pytest.raises(StorageError):
        atomic_write.move_file(path, bench.folder / "run.tine")
    assert sorted(other.name for other in bench.folder.glob("*.tine")) == ["Run.tine", "run.tine"]


def test_the_question_about_the_trash_says_that_what_was_typed_goes_with_the_tab(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("runs.trash", None)
    bench.do("run.add_step", step=named(record, "b"), inputs='{"prompt":"a long text"}')
    bench.do("runs.trash", None)
    said = "What was typed into its forms and has not been done goes with it."
    assert [said in question.text for question in bench.prompter.asked if isinstance(question, Confirm)] == [
        False,
        True,
    ]
    assert bench.session.proposal is not None and bench.session.proposal.touched


def test_a_file_that_is_renamed_while_it_is_read_is_a_recent_file_by_its_new_name(bench: Bench) -> None:
    path = bench.write("run.tine", run_of(TREE))
    bench.jobs.hold = True
    bench.session.invoke("file.open", path=path)
    bench.session.invoke("runs.rename", run=path, name="new.tine")
    bench.step()
    bench.jobs.hold = False
    held, bench.jobs.held = bench.jobs.held, []
    for job in held:
        job.execute()
    for job in sorted(held, key=lambda job: not job.key.startswith("move")):
        bench.jobs._finish(job)
    bench.session.settle()
    assert bench.active.path == bench.folder / "new.tine"
    assert bench.session.settings.recent == [str(bench.folder / "new.tine")]
