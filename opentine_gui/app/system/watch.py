"""Watching files: one thread that says which paths changed; whether their content did is decided elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from opentine_gui.importers import readers


class NoWatch:
    """Watches nothing; tests and batch runs post changes by hand."""

    def __init__(self) -> None:
        self.folders: frozenset[Path] = frozenset()
        self.names: frozenset[str] = frozenset()
        """Names of files that are looked at although they do not end in .tine."""
        self.wake: Callable[[], None] | None = None
        self._lock = threading.Lock()
        self._changed: set[Path] = set()

    def watch(self, folders: Iterable[Path], files: Iterable[Path] = ()) -> None:
        """Watch exactly these folders (not what is below them) from now on: their .tine files, and these `files`."""
        self.folders, self.names = frozenset(folders), frozenset(file.name for file in files)

    def post(self, paths: Iterable[Path]) -> None:
        """Say that something happened to these paths. Any thread."""
        with self._lock:
            self._changed.update(paths)
        if self.wake is not None:
            self.wake()

    def drain(self) -> frozenset[Path]:
        """The paths posted since the last call. Main thread."""
        if not self._changed:
            return frozenset()
        with self._lock:
            taken, self._changed = frozenset(self._changed), set()
        return taken

    def close(self) -> None:
        """Stop."""


class Watch(NoWatch):
    """A thread around watchfiles; it is started by the first folder and begun anew when the set of folders changes."""

    def __init__(self) -> None:
        super().__init__()
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def watch(self, folders: Iterable[Path], files: Iterable[Path] = ()) -> None:
        """Watch exactly these folders; those that do not exist are left out."""
        wanted, present = frozenset(folder for folder in folders if folder.is_dir()), self.folders
        super().watch(wanted, files)
        if wanted == present:
            return
        self._end()
        if wanted:
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._observe, args=(wanted, self._stop), name="watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop the thread; it ends within its next look at the stop sign."""
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
                paths = {path for path in paths if readers.is_run(path.name) or path.name in self.names}
                if paths and not stop.is_set():
                    self.post(paths)
        except (OSError, RuntimeError):
            return  # a folder went away or the system has no watches left: reload by hand still works
