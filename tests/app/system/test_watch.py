"""The thread that watches files: what it reports, and that it never stops reporting."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.system import watch as watch_module
from opentine_gui.app.system.watch import NoWatch, Watch
from opentine_gui.core.files import storage
from tests.app.conftest import Bench

LIMIT = 30.0
"""Seconds after which a thread that was waited for counts as hung."""


class SeenPaths(Watch):
    """A watch that collects the names it posted."""

    def __init__(self, *, waits: bool = False) -> None:
        super().__init__(waits=waits)
        self.posted: set[str] = set()
        self.arrived = threading.Event()
        self.wake = self.arrived.set

    def write_until_posted(self, *files: Path) -> None:
        """Write the files in this order, again and again, until the last one is posted: the thread takes a moment."""
        end = time.monotonic() + LIMIT
        for number in itertools.count():
            for file in files:
                file.write_bytes(b"{}" * (number % 50))
            self.arrived.wait(0.05)
            self.arrived.clear()
            self.posted |= {path.name for path in self.drain()}
            if files[-1].name in self.posted:
                return
            assert time.monotonic() < end, self.posted

    def wait_until_posted(self, name: str) -> None:
        """Wait until a path of this name is posted."""
        end = time.monotonic() + LIMIT
        while name not in self.posted:
            self.arrived.wait(0.05)
            self.arrived.clear()
            self.posted |= {path.name for path in self.drain()}
            assert time.monotonic() < end, self.posted


def test_posted_paths_are_taken_once_and_wake_the_loop() -> None:
    watch, woken = NoWatch(), []
    watch.wake = lambda: woken.append(True)
    watch.post([storage.Path("a"), storage.Path("b")])
    watch.post([storage.Path("a")])
    assert watch.drain() == {storage.Path("a"), storage.Path("b")}
    assert watch.drain() == frozenset()
    assert len(woken) == 2


def test_the_watch_thread_notices_a_new_file_and_ends(tmp_path: Path) -> None:
    watch = SeenPaths()
    watch.watch([tmp_path, tmp_path / "missing"])
    thread = watch._thread
    assert thread is not None
    try:
        # Changes arrive in order: when a file is posted, those written before it were seen, too.
        watch.write_until_posted(tmp_path / "other.txt", tmp_path / "run.tine")
        watch.write_until_posted(tmp_path / "other.txt", tmp_path / "last.tine")
    finally:
        watch.close()
    assert watch.posted == {"run.tine", "last.tine"}
    assert watch.folders == frozenset()
    thread.join(LIMIT)
    assert not thread.is_alive()


def test_a_watch_that_waits_reports_what_was_written_before_it_began_and_ends_without_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[Path]] = []
    told = watch_module.told

    def noted(folders: list[Path], stop: threading.Event) -> Iterator[Any]:
        asked.append(folders)
        yield from told(folders, stop)

    monkeypatch.setattr(watch_module, "told", noted)
    watch, never = SeenPaths(waits=True), SeenPaths(waits=True)
    for one in (watch, never):
        one.watch([tmp_path])
    (tmp_path / "run.tine").write_bytes(b"{}")
    thread = never._thread
    assert thread is not None
    never.close()
    thread.join(LIMIT)
    assert not thread.is_alive()
    assert asked == []
    try:
        watch.begin()
        watch.wait_until_posted("run.tine")
    finally:
        watch.close()
    assert asked == [[tmp_path]]


def test_the_watch_thread_looks_at_files_it_is_told_of_from_then_on(tmp_path: Path) -> None:
    watch = SeenPaths()
    watch.watch([tmp_path])
    watch.watch([tmp_path], [tmp_path / "run.json"])
    try:
        watch.write_until_posted(tmp_path / "other.json", tmp_path / "run.json")
        watch.write_until_posted(tmp_path / "other.json", tmp_path / "last.tine")
    finally:
        watch.close()
    assert watch.posted == {"run.json", "last.tine"}


def test_a_folder_that_is_deleted_and_made_again_is_watched_again(tmp_path: Path) -> None:
    watch, folder, late = SeenPaths(), tmp_path / "runs", tmp_path / "late"
    folder.mkdir()
    watch.watch([folder, late], [folder / "open.json"])
    try:
        watch.write_until_posted(folder / "first.tine")
        shutil.rmtree(folder)
        watch.wait_until_posted("open.json")  # what is open there is looked at when the folder goes
        folder.mkdir()
        watch.write_until_posted(folder / "second.tine")
        late.mkdir()  # one that was not there when the watch began
        watch.write_until_posted(late / "third.tine")
        moved = tmp_path / "moved"
        folder.rename(moved)
        folder.mkdir()
        watch.write_until_posted(moved / "elsewhere.tine", folder / "fourth.tine")
    finally:
        watch.close()
    assert not watch.polls


@pytest.mark.parametrize("first", [True, False])
def test_what_changes_while_the_watch_begins_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: bool
) -> None:
    """The system tells of changes some time after it was asked to; the last line of a session may be written then."""
    begin, tell = threading.Event(), watch_module.told
    begin.set()

    def told_late(folders: list[Path], stop: threading.Event) -> Iterator[set[tuple[Any, str]]]:
        begin.wait(LIMIT)
        yield from tell(folders, stop)

    monkeypatch.setattr(watch_module, "told", told_late)
    watch, one, other = SeenPaths(), tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        for name in ("open.json", "new.tine", "unchanged.tine"):
            (folder / name).write_bytes(b"{}")
            os.utime(folder / name, (1.0, 1.0))
    wait_for_the_clock(other / "unchanged.tine")
    try:
        if not first:
            watch.watch([other], [other / "open.json"])
            watch.write_until_posted(other / "begun.tine")
        begin.clear()
        watch.watch([one, other], [one / "open.json", other / "open.json"])
        for folder in (one, other):
            (folder / "open.json").write_bytes(b"{}")  # of the same size as before
            (folder / "new.tine").write_bytes(b"{ }")
        begin.set()
        for name in ("open.json", "new.tine"):
            watch.wait_until_posted(name)
    finally:
        watch.close()
    assert "unchanged.tine" not in watch.posted


def test_a_folder_that_is_watched_already_goes_on_being_watched_while_another_is_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, hangs = watch_module._look, threading.Event()
    watch, slow = SeenPaths(), tmp_path / "slow"
    slow.mkdir()
    watch.watch([tmp_path])
    watch.write_until_posted(tmp_path / "begun.tine")

    def hanging(folders: Iterable[Path]) -> dict[Path, Any]:
        found = list(folders)
        if slow in found:
            hangs.wait(LIMIT)
        return look(found)

    monkeypatch.setattr(watch_module, "_look", hanging)
    try:
        watch.watch([tmp_path, slow])
        watch.write_until_posted(tmp_path / "meanwhile.tine")
        hangs.set()
        watch.write_until_posted(slow / "then.tine")
    finally:
        hangs.set()
        watch.close()


def wait_for_the_clock(file: Path) -> None:
    """Wait until the clock of files, which goes in steps of milliseconds, is past the time of this one."""
    end = time.monotonic() + LIMIT
    while watch_module.time_of_files() <= file.stat().st_ctime_ns:
        assert time.monotonic() < end


def test_without_watches_of_the_system_changes_are_looked_for_and_the_window_says_so(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_arguments: object) -> Iterator[set[tuple[Any, str]]]:
        raise OSError(28, "OS file watch limit reached")
        yield

    monkeypatch.setattr(watch_module, "told", none_left)
    monkeypatch.setattr(watch_module, "LOOK_SECONDS", 0.02)
    watch = SeenPaths()
    watch.watch([tmp_path])
    try:
        watch.write_until_posted(tmp_path / "other.txt", tmp_path / "run.tine")
        assert watch.polls
        (tmp_path / "run.tine").unlink()
        watch.posted.clear()
        watch.wait_until_posted("run.tine")
    finally:
        watch.close()
    bench.session.watched.watch = watch
    for _ in range(2):
        bench.step()
    (said,) = bench.notices("warning")
    assert said.startswith("The system has no file watches left, so changed files are looked for every")
