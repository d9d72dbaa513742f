"""Watches files in a thread and reports changed paths; whether their content changed is decided elsewhere."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from opentine_gui.importers import readers


class NoWatch:
    """A watch without a thread; tests post changes by hand."""

    def __init__(self) -> None:
        self.folders: frozenset[Path] = frozenset()
        self.names: frozenset[str] = frozenset()
        """Names of files, and of folders with all their files, that are reported whatever they end in."""
        self.wake: Callable[[], None] | None = None
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
    """A watch with a watchfiles thread, which is started anew when the set of folders changes."""

    def __init__(self) -> None:
        super().__init__()
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def watch(self, folders: Iterable[Path], files: Iterable[Path] = ()) -> None:
        """Watch exactly these folders; missing ones are left out."""
        wanted, present = frozenset(folder for folder in folders if os.path.isdir(folder)), self.folders
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
        from watchfiles import watch

        try:
            for changes in watch(
                *folders, stop_event=stop, recursive=False, debounce=200, step=50, rust_timeout=500, watch_filter=None
            ):
                paths = {Path(path) for _, path in changes}
                paths = {
                    path
                    for path in paths
                    if readers.is_run(path.name) or path.name in self.names or path.parent.name in self.names
                }
                if paths and not stop.is_set():
                    self.post(paths)
        except (OSError, RuntimeError):
            return  # a folder is gone or the system has no watches left: Reload still works
