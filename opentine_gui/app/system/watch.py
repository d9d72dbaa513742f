"""Watches files in a thread and reports changed paths; whether their content changed is decided elsewhere."""

from __future__ import annotations

import os
import stat
import threading
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
"""Milliseconds without a change after which those that came are told, and the most they wait while more come."""
Identity = tuple[int, int]
"""Device and inode of a folder."""


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
    """A watch with a thread, which is started anew when the set of folders changes.

    The system tells of changes where it can (inotify, FSEvents); where it has no watches left the thread looks itself,
    every `LOOK_SECONDS`, and `polls` says so. A folder that goes is watched again when there is one of its name.
    """

    def __init__(self) -> None:
        super().__init__()
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def watch(self, folders: Iterable[Path], files: Iterable[Path] = ()) -> None:
        """Watch exactly these folders, those that are missing now as soon as they are there."""
        wanted, present = frozenset(folders), self.folders
        super().watch(wanted, files)
        if wanted == present:
            return
        self._end()
        if wanted:
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._observe, args=(wanted, self._stop), name="watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Tell the thread to stop; it ends within half a second."""
        self._end()
        self.folders = frozenset()

    def _end(self) -> None:
        if self._stop is not None:
            self._stop.set()
        self._stop = self._thread = None

    def _observe(self, folders: frozenset[Path], stop: threading.Event) -> None:
        """Report changes until told to stop: told of them or looking for them, from one state of the folders on."""
        known = {folder: _identity(folder) for folder in folders}
        while not stop.is_set():
            there = [folder for folder in folders if known[folder] is not None]
            try:
                changes = self._changes(there, stop) if there else self._idle(stop)
                self._until_folders_change(known, changes, stop)
            except (OSError, RuntimeError):
                if _known_now(folders) == known:  # it is not a folder that went: the system has no watches left
                    self.polls = True
            now = _known_now(folders)
            for folder in folders:
                if now[folder] != known[folder]:  # what happened in it meanwhile nobody told
                    self._report({*map(folder.joinpath, self.names), *_listing(folder)}, stop)
            known = now

    def _until_folders_change(
        self, known: dict[Path, Identity | None], changes: Iterator[set[Path]], stop: threading.Event
    ) -> None:
        for paths in changes:
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
    """Which folder this is; another one of its name has another identity. None if there is none."""
    try:
        status = os.stat(folder)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISDIR(status.st_mode) else None


def _known_now(folders: Iterable[Path]) -> dict[Path, Identity | None]:
    return {folder: _identity(folder) for folder in folders}


def _listing(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:
        return []


def _look(folders: list[Path]) -> dict[Path, tuple[int, int, int]]:
    """Size, time and inode of all files in the folders."""
    found = {}
    for folder in folders:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    status = entry.stat()
                    found[folder / entry.name] = (status.st_size, status.st_mtime_ns, status.st_ino)
    return found
