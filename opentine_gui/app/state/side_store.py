"""Positions of cards by step id, kept beside the runs and never in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from opentine_gui.app.state.settings import data_folder
from opentine_gui.core.files import storage

MOST_POSITIONS = 50_000
_LOCK_SECONDS = 2.0

Point = tuple[float, float]


class Placed(msgspec.Struct, array_like=True):
    """A card's remembered centre and when it was put there (Unix seconds, for pruning the oldest)."""

    x: float
    y: float
    at: float


class SideStore:
    """Positions of moved cards by direction and step id, beside the files and never in them.

    One store for all runs: a step that several runs of a family share stands in the same place in each. Every change
    reads, merges and rewrites the file under a lock, so that two windows do not lose each other's positions.
    """

    def __init__(self, folder: Path | None = None, *, now: Callable[[], float], most: int = MOST_POSITIONS) -> None:
        self._path = (folder or data_folder()) / "positions.json"
        self._now = now
        self._most = most

    def positions(self, direction: str, step_ids: Iterable[str]) -> dict[str, Point]:
        """Remembered centres of those steps; empty when nothing is stored or the store cannot be read."""
        stored = self._read().get(direction, {})
        if not stored:
            return {}
        return {key: (stored[key].x, stored[key].y) for key in step_ids if key in stored}

    def remember(self, direction: str, changes: Mapping[str, Point | None]) -> None:
        """Store new centres, forget those given as None; prunes the oldest beyond the store's size.

        Raises OSError, StorageError or filelock.Timeout when the store cannot be written.
        """
        if not changes:
            return
        from filelock import FileLock  # not at the start: it is not cheap to import

        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(str(self._path) + ".lock", timeout=_LOCK_SECONDS):
            everything = self._read()
            stored = everything.setdefault(direction, {})
            at = self._now()
            for key, point in changes.items():
                if point is None:
                    stored.pop(key, None)
                else:
                    stored[key] = Placed(float(point[0]), float(point[1]), at)
            if len(stored) > self._most:
                newest = sorted(stored.items(), key=lambda item: item[1].at)[-self._most :]
                everything[direction] = dict(newest)
            storage.write_bytes_atomic(self._path, msgspec.json.encode(everything))

    def _read(self) -> dict[str, dict[str, Placed]]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, dict[str, Placed]])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}
