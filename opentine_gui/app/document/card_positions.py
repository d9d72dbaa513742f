"""Remembers where the user put cards: a store by step id, and a writer that works in jobs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.core import TineError
from opentine_gui.core.files import storage
from opentine_gui.layout import Direction

if TYPE_CHECKING:
    from opentine_gui.app.state.commands import DocumentState, Point
    from opentine_gui.app.state.notices import Notices
    from opentine_gui.app.system.jobs import Jobs

Changes = dict[str, "dict[str, Point | None]"]
"""Direction -> step id -> new centre, or None to forget it."""

MOST_POSITIONS = 50_000
"""Positions kept for each direction; the oldest are dropped."""

_LOCK_SECONDS = 2.0
_KEY = "positions"
_PRIORITY = 4


class StoredPosition(msgspec.Struct, array_like=True):
    """A card's remembered centre, and when it was put there (Unix seconds; the oldest are dropped first)."""

    x: float
    y: float
    at: float


class PositionStore:
    """Positions of moved cards by direction and step id, in the user's data folder and never in a .tine file.

    There is one store for all runs: a step that several runs share has the same place in each. Every change reads,
    merges and rewrites the file under a lock, so that two windows do not lose each other's positions.
    """

    def __init__(self, folder: Path | None = None, *, now: Callable[[], float], most: int = MOST_POSITIONS) -> None:
        self._path = (folder or data_folder()) / "positions.json"
        self._now = now
        self._most = most

    def positions(self, direction: str, step_ids: Iterable[str]) -> dict[str, Point]:
        """The remembered centres of these steps; empty if the store cannot be read."""
        stored = self._read().get(direction, {})
        if not stored:
            return {}
        return {key: (stored[key].x, stored[key].y) for key in step_ids if key in stored}

    def remember(self, direction: str, changes: Mapping[str, Point | None]) -> None:
        """Store new centres and drop those given as None; beyond the store's size the oldest are dropped.

        Raises OSError, StorageError or filelock.Timeout when the store cannot be written.
        """
        if not changes:
            return
        from filelock import FileLock  # slow to import, so not at the start

        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(str(self._path) + ".lock", timeout=_LOCK_SECONDS):
            everything = self._read()
            stored = everything.setdefault(direction, {})
            at = self._now()
            for key, point in changes.items():
                if point is None:
                    stored.pop(key, None)
                else:
                    stored[key] = StoredPosition(float(point[0]), float(point[1]), at)
            if len(stored) > self._most:
                newest = sorted(stored.items(), key=lambda item: item[1].at)[-self._most :]
                everything[direction] = dict(newest)
            storage.write_bytes_atomic(self._path, msgspec.json.encode(everything))

    def _read(self) -> dict[str, dict[str, StoredPosition]]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, dict[str, StoredPosition]])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}


class PositionWriter:
    """Writes moved cards to the store in jobs, one at a time and in order; what is left is written on closing."""

    def __init__(self, store: PositionStore, jobs: Jobs, notices: Notices) -> None:
        self.store = store
        self._jobs, self._notices = jobs, notices
        self._waiting: Changes = {}
        self._writing: Changes = {}

    def remember(self, before: DocumentState, after: DocumentState) -> None:
        """Queue the cards that moved from one state of a document to the next."""
        for direction in Direction:
            old, new = before.placed(direction), after.placed(direction)
            if old is not new:
                changes = self._waiting.setdefault(direction.value, {})
                changes.update({key: new.get(key) for key in {*old, *new} if old.get(key) != new.get(key)})
        self._write_next()

    def close(self) -> None:
        """Write now what may not be written yet."""
        self._take_back()
        try:
            _write(self.store, self._waiting)
        except (OSError, TineError) as error:
            self._report(error)

    def _write_next(self) -> None:
        if self._jobs.is_running(_KEY):
            return
        self._take_back()  # there is something only if a write was cancelled
        if not any(self._waiting.values()):
            return
        self._writing, self._waiting = self._waiting, {}
        changes, store = self._writing, self.store

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            _write(store, changes)

        def done(_nothing: None) -> None:
            self._writing = {}
            self._write_next()

        def failed(error: Exception) -> None:
            self._take_back()  # tried again with the next move, and on closing
            self._report(error)

        self._jobs.submit(_KEY, work, done, failed, priority=_PRIORITY)

    def _take_back(self) -> None:
        """Put what was being written before what waits; of two positions of a card the later one counts."""
        for direction, moved in self._writing.items():
            self._waiting[direction] = {**moved, **self._waiting.get(direction, {})}
        self._writing = {}

    def _report(self, error: Exception) -> None:
        text = f"The card positions could not be remembered: {error}"
        self._notices.add("warning", text, key="positions")


def _write(store: PositionStore, changes: Mapping[str, Mapping[str, Point | None]]) -> None:
    for direction, moved in changes.items():
        store.remember(direction, moved)
