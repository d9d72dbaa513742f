"""Keeping in the application: off by default, quiet, listed where the source is gone, and offered there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.folder.keeping.keeping import AFTER_STOP, EVERY, JOB, locked, opened_folder, whose_words
from opentine_gui.importers.readers import read_run
from tests.app.conftest import Bench
from tests.conftest import TESTS

CLAUDE = TESTS / "data" / "recordings" / "claude-code"
CODEX = TESTS / "data" / "recordings" / "codex"


@pytest.fixture
def source(bench: Bench) -> Path:
    """A recorded session of Claude Code with sub-agents, in the home folder of the test."""
    home = bench.session.agent_sessions.places.home
    (recorded,) = CLAUDE.glob("2.1.197-f-subagent")
    shutil.copytree(recorded / "home", home, dirs_exist_ok=True)
    return next((home / ".claude" / "projects").glob("*/*.jsonl"))


def pass_time(bench: Bench, seconds: float) -> None:
    bench.clock.now += seconds
    bench.step()
    bench.session.settle()


def keep(bench: Bench) -> None:
    bench.do("keep.switch", on=True)
    bench.session.settle()


def look(bench: Bench) -> None:
    bench.session.agent_sessions.look(bench.session)
    bench.session.settle()


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_is_kept_before_it_is_switched_on(bench: Bench, source: Path) -> None:
    look(bench)
    pass_time(bench, 10 * EVERY)
    assert not bench.session.agent_sessions.keeping.folder(bench.session.settings).exists()


def test_a_session_whose_source_is_gone_is_listed_and_opens_with_its_sub_agents(bench: Bench, source: Path) -> None:
    before = read_run(source)
    home = files_below(source.parent)
    keep(bench)
    assert files_below(source.parent) == home
    source.unlink()
    shutil.rmtree(source.with_suffix(""))
    look(bench)
    pass_time(bench, EVERY)
    (row,) = [row for row in bench.session.agent_sessions.rows if row.kept]
    assert row.title
    bench.do("sessions.open", path=row.path)
    assert bench.record.graph.ids == before.graph.ids
    kept = {name.partition("/")[2]: data for name, data in files_below(opened_folder()).items()}
    assert {name.removeprefix("kept/"): data for name, data in kept.items()} == {
        f"{source.parent.name}/{name}": data for name, data in home.items()
    }


def test_notes_of_the_source_are_on_the_kept_copy(bench: Bench, source: Path) -> None:
    bench.do("file.open", path=source)
    step = bench.record.graph.ids[3]
    bench.do("step.note", step=step, text="remember this")
    keep(bench)
    source.unlink()
    bench.do("keep.open_copy", path=source)
    assert bench.active.path != source
    assert bench.active.state is not None
    assert bench.active.state.annotations[step].note == "remember this"


def test_a_session_that_went_is_reported_and_its_copy_offered(bench: Bench, source: Path) -> None:
    bench.do("file.open", path=source)
    keep(bench)
    source.unlink()
    bench.watch.post([source])
    bench.session.settle()
    offered = [action for notice in bench.session.notices.list() for action in notice.actions]
    assert ("Open kept copy", "keep.open_copy", {"path": source}) in offered
    bench.session.remove_document(bench.active)
    bench.do("file.open", path=source)
    assert any("a copy of it is kept" in text for text in bench.notices("warning"))


def test_what_grew_is_taken_again_once_it_rests(bench: Bench, source: Path) -> None:
    now = bench.session.now()
    for path in source.parent.rglob("*"):
        os.utime(path, (now - 1000, now - 1000))
    keep(bench)
    keeping = bench.session.agent_sessions.keeping
    size = keeping.size
    with source.open("ab") as file:
        file.write(b'{"type":"new"}\n')
    os.utime(source, (now - 5, now - 5))
    pass_time(bench, EVERY + 1)  # still being written, but for long: taken all the same
    assert keeping.size.whole == size.whole + 15
    with source.open("ab") as file:
        file.write(b'{"type":"newer"}\n')
    os.utime(source, (now - 2, now - 2))
    pass_time(bench, EVERY + 1)
    assert keeping.size.whole == size.whole + 15
    os.utime(source, (now - 100, now - 100))
    pass_time(bench, EVERY + 1)
    assert keeping.size.whole == size.whole + 32


def test_a_fork_of_codex_opens_with_the_rollout_that_it_goes_on_from(bench: Bench) -> None:
    home = bench.session.agent_sessions.places.home
    shutil.copytree(CODEX / "0.169.0-e-fork" / "home", home, dirs_exist_ok=True)
    found = sorted((home / ".codex" / "sessions").rglob("rollout-*.jsonl"))
    before = {path.name: read_run(path).graph.ids for path in found}
    keep(bench)
    shutil.rmtree(home / ".codex")
    look(bench)
    pass_time(bench, EVERY)
    for row in [row for row in bench.session.agent_sessions.rows if row.kept]:
        shutil.rmtree(opened_folder(), ignore_errors=True)
        bench.do("sessions.open", path=row.path)
        assert bench.record.graph.ids == before[row.path.name]
    assert len(before) > 1


def test_going_on_from_a_kept_session_writes_where_the_agent_looks(bench: Bench, source: Path) -> None:
    keep(bench)
    bench.do("sessions.open", path=source)
    assert bench.active.origin is not None
    assert whose_words(bench.active.origin.file, "Claude Code") == "Claude Code file, read only"
    shutil.rmtree(source.parent)
    bench.do("keep.open_copy", path=source)
    assert bench.active.origin is not None
    assert whose_words(bench.active.origin.file, "Claude Code") == "kept copy of a Claude Code file"
    tip = bench.record.refs["main"]
    bench.do("continue.propose", step=tip)
    bench.session.settle()
    proposal = bench.session.proposal
    assert proposal is not None
    handback = proposal.handback  # type: ignore[attr-defined]
    assert handback.files
    assert all(file.path.is_relative_to(source.parent) for file in handback.files)
    assert "--fork-session" not in handback.command  # the agent has no such session any more


def test_another_window_that_keeps_is_waited_for_and_said(bench: Bench, source: Path) -> None:
    folder = bench.session.agent_sessions.keeping.folder(bench.session.settings)
    folder.mkdir(parents=True)
    with locked(folder):
        keep(bench)
    assert any("another window" in text for text in bench.notices("warning"))
    pass_time(bench, EVERY + 1)
    assert len(bench.session.agent_sessions.keeping.pages) == 1


@pytest.mark.parametrize("opened_again", [False, True])
def test_an_archive_whose_disk_is_gone_is_reported_and_not_begun_anew(
    bench: Bench, second_bench: Callable[[], Bench], source: Path, opened_again: bool
) -> None:
    disk = bench.folder / "disk"
    disk.mkdir()
    bench.session.agent_sessions.keeping.move_to(bench.session, disk / "kept")
    keep(bench)
    assert bench.session.agent_sessions.keeping.size.sessions == 1
    disk.rename(bench.folder / "elsewhere")
    if opened_again:
        settings = bench.session.settings
        bench = second_bench()
        bench.session.settings = settings
    source.write_bytes(source.read_bytes() + b'{"type":"new"}\n')
    for _ in range(3):
        pass_time(bench, EVERY + 1)
    assert not disk.exists()
    assert any("the archive is gone" in text for text in bench.notices("warning"))
    (bench.folder / "elsewhere").rename(disk)
    os.utime(source, (bench.session.now() - 1000, bench.session.now() - 1000))
    pass_time(bench, EVERY + 1)
    assert bench.session.agent_sessions.keeping.problem == ""
    assert bench.session.agent_sessions.keeping.size.sessions == 1


def test_stopped_it_rests_for_long(bench: Bench, source: Path) -> None:
    bench.jobs.hold = True
    bench.session.invoke("keep.switch", on=True)
    bench.step()
    bench.step()
    assert bench.session.jobs.is_running(JOB)
    bench.session.invoke("job.cancel", key=JOB)
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    keeping = bench.session.agent_sessions.keeping
    pass_time(bench, EVERY + 1)
    assert not keeping.pages
    pass_time(bench, AFTER_STOP)
    assert len(keeping.pages) == 1


def test_what_is_kept_is_listed_when_the_window_opens_again(
    bench: Bench, source: Path, second_bench: Callable[[], Bench]
) -> None:
    keep(bench)
    source.unlink()
    other = second_bench()
    other.session.step()
    other.session.settle()
    look(other)
    assert [row.kept for row in other.session.agent_sessions.rows] == [
        page.key for page in other.session.agent_sessions.keeping.gone
    ]
    assert len(other.session.agent_sessions.rows) == 1


def test_an_archive_lies_in_no_folder_of_an_agent_and_among_no_other_files(bench: Bench, source: Path) -> None:
    before = bench.session.settings.keep_folder
    for folder in (source.parent / "mine", source.parents[1]):
        bench.do("keep.choose_folder", folder=folder)
        assert "choose a folder of your own" in bench.notices("error")[-1]
    assert bench.session.settings.keep_folder == before
    (bench.folder / "papers").mkdir()
    (bench.folder / "papers" / "letter.txt").write_text("mine")
    bench.do("keep.choose_folder", folder=bench.folder / "papers")
    keep(bench)
    assert sorted(path.name for path in (bench.folder / "papers").iterdir()) == [
        "letter.txt",
        "opentine-gui kept sessions",
    ]


def test_the_folder_of_opened_copies_is_none_of_them(bench: Bench) -> None:
    assert bench.session.agent_sessions.keeping.page_at(opened_folder()) is None
