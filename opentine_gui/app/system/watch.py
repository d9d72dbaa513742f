"""Watches files in a thread and reports changed paths; whether their content changed is decided elsewhere."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.importers import readers

if TYPE_CHECKING:
    from watchfiles import Change

LOOK_SECONDS = 2.0
"""Seconds between two looks at the folders where the system cannot tell of changes."""
IDLE_SECONDS = 0.5
GATHERED, MOST_GATHERED = 25, 100
"""Milliseconds without another change after which changes are reported, and the most they wait while more come."""
Identity = tuple[int, int]
"""Device and inode of a folder."""
State = tuple[int, int, int, int]
"""Size, times of the last change of content and of anything, in nanoseconds, and inode of a file."""
_KERNEL_CLOCK = 5 if sys.platform == "linux" else None
"""CLOCK_REALTIME_COARSE, which Python does not name: Linux takes the times of files from it."""
COARSEST_CLOCK = 20_000_000
"""Nanoseconds by which the times of files may lag behind the clock elsewhere."""


class NoWatch:
    """A watch without a thread; tests post changes by hand."""

    def __init__(self) -> None:
        self.folders: frozenset[Path] = frozenset()
        self.names: frozenset[str] = frozenset()
        """Names of files, and of folders with all their files, that are reported whatever they end in."""
        self.wake: Callable[[], None] | None = None
        self.polls = False
        """Whether changes are looked for, because the system cannot tell of them."""
        self._lock = threading.Lock()
        self._changed: set[Path] = set()

    def watch(self, folders: Iterable[Path], files: Iterable[Path] = ()) -> None:
        """Watch exactly these folders (not their subfolders) from now on: their .tine files, and these `files`."""
        self.folders, self.names = frozenset(folders), frozenset(file.name for file in files)

    def post(self, paths: Iterable[Path]) -> None:
        """Report changed paths. Any thread."""
        with self._lock:
            self._changed.update(paths)
        if self.wake is not None:
            self.wake()

    def begin(self) -> None:
        """Let a watch that was made to wait begin."""

    def drain(self) -> frozenset[Path]:
        """The paths posted since the last call. Main thread only."""
        if not self._changed:
            return frozenset()
        with self._lock:
            taken, self._changed = frozenset(self._changed), set()
        return taken

    def close(self) -> None:
        """Stop."""


class Watch(NoWatch):
    """A watch with a thread, which is started anew when the set of folders changes; nothing is missed in between.

    The old thread goes on until the new one has looked at the folders; what differs once the new one is told of changes
    is reported then. What was written since `watch` was called counts as different, too: an open file is read after
    that call, and may have been written to after it was read and before the thread looked.

    The system tells of changes where it can (inotify, FSEvents); where it has no watches left the thread looks itself,
    every `LOOK_SECONDS`, and `polls` says so. A folder that goes is watched again when there is one of its name.

    One that `waits` asks the system only after `begin`: loading what it asks with takes a window 85 ms.
    """

    def __init__(self, *, waits: bool = False) -> None:
        super().__init__()
        self._begun = threading.Event()
        if not waits:
            self._begun.set()
        self._stops: list[threading.Event] = []
        """Those of threads that go on, the newest last."""
        self._thread: threading.Thread | None = None

    def watch(self, folders: Iterable[Path], files: Iterable[Path] = ()) -> None:
        """Watch exactly these folders, those that are missing now as soon as they are there."""
        wanted, present = frozenset(folders), self.folders
        super().watch(wanted, files)
        if wanted == present:
            return
        if not wanted:
            self._end()
            return
        before, stop = tuple(self._stops), threading.Event()
        self._stops = [*(one for one in before if not one.is_set()), stop]
        what = (wanted, stop, before, time_of_files())
        self._thread = threading.Thread(target=self._observe, args=what, name="watch", daemon=True)
        self._thread.start()

    def begin(self) -> None:
        """Let the thread ask the system from now on; what changed since `watch` was called is reported."""
        self._begun.set()

    def close(self) -> None:
        """Tell the thread to stop; it ends within half a second."""
        self._end()
        self.folders = frozenset()

    def _end(self) -> None:
        for stop in self._stops:
            stop.set()
        self._stops, self._thread = [], None

    def _observe(
        self, folders: frozenset[Path], stop: threading.Event, before: Iterable[threading.Event], since: int
    ) -> None:
        """Report changes, by notification or by polling, until `stop` is set.

        `before` are the threads that this one takes over from; `since` is a time in nanoseconds.
        """
        known = _known_now(folders)
        seen = {path: state for path, state in _look(folders).items() if max(state[1], state[2]) < since}
        for other in before:
            other.set()
        while not self._begun.wait(IDLE_SECONDS) and not stop.is_set():
            pass
        while not stop.is_set():
            there = [folder for folder in folders if known[folder] is not None]
            try:
                changes = self._changes(there, stop) if there else self._idle(stop)
                self._until_folders_change(known, changes, stop, seen)
                seen = {}  # all that is there then is reported: nobody told of changes since
            except (OSError, RuntimeError):
                if _known_now(folders) == known:  # it is not a folder that went: the system has no watches left
                    self.polls = True
            now = _known_now(folders)
            for folder in folders:
                if now[folder] != known[folder]:  # what happened in it before this went unreported
                    self._report({*map(folder.joinpath, self.names), *_listing(folder)}, stop)
            known = now

    def _until_folders_change(
        self,
        known: dict[Path, Identity | None],
        changes: Iterator[set[Path]],
        stop: threading.Event,
        seen: dict[Path, State],
    ) -> None:
        """Report changes, and with the first of them what differs from the files as they were `seen` before."""
        has_begun = False
        for paths in changes:
            if not has_begun:
                has_begun, now = True, _look(known)
                paths = paths | {path for path in {*seen, *now} if seen.get(path) != now.get(path)}
            self._report(paths, stop)
            if _known_now(known) != known:
                return

    def _report(self, paths: set[Path], stop: threading.Event) -> None:
        wanted = {
            path
            for path in paths
            if readers.is_run(path.name) or path.name in self.names or path.parent.name in self.names
        }
        if wanted and not stop.is_set():
            self.post(wanted)

    def _changes(self, folders: list[Path], stop: threading.Event) -> Iterator[set[Path]]:
        """The paths that changed, an empty set twice a second; OSError or RuntimeError when the system cannot tell."""
        if self.polls:
            yield from self._looks(folders, stop)
            return
        for changes in told(folders, stop):
            yield {Path(path) for _, path in changes}

    def _looks(self, folders: list[Path], stop: threading.Event) -> Iterator[set[Path]]:
        """The paths that differ from one look at the folders to the next."""
        before = _look(folders)
        while not stop.wait(LOOK_SECONDS):
            now = _look(folders)
            yield {path for path in {*before, *now} if before.get(path) != now.get(path)}
            before = now

    def _idle(self, stop: threading.Event) -> Iterator[set[Path]]:
        """Nothing, twice a second: no folder is there."""
        while not stop.wait(IDLE_SECONDS):
            yield set()


def told(folders: list[Path], stop: threading.Event) -> Iterator[set[tuple[Change, str]]]:
    """The changes the system tells of in these folders, an empty set twice a second without any."""
    from watchfiles import watch

    yield from watch(
        *folders,
        stop_event=stop,
        recursive=False,
        debounce=MOST_GATHERED,
        step=GATHERED,
        rust_timeout=500,
        yield_on_timeout=True,
        watch_filter=None,
    )


def _identity(folder: Path) -> Identity | None:
    """Identifies a folder: another folder that takes its name later has another identity. None if there is none."""
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def time_of_files() -> int:
    """The time in nanoseconds that a file written now would have, or an earlier one."""
    return time.time_ns() - COARSEST_CLOCK if _KERNEL_CLOCK is None else time.clock_gettime_ns(_KERNEL_CLOCK)


def _known_now(folders: Iterable[Path]) -> dict[Path, Identity | None]:
    return {folder: _identity(folder) for folder in folders}


def _listing(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:
        return []


def _look(folders: Iterable[Path]) -> dict[Path, State]:
    """All files in the folders, as they are now."""
    found = {}
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    status = entry.stat()
                    found[folder / entry.name] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return found
