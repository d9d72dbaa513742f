"""Remembers where the user put cards, by step id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.side_stores.store_writer import StoreWriter
from opentine_gui.app.state.commands import pins_section
from opentine_gui.app.state.own_files import held_lock
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core import StorageError
from opentine_gui.core.files import storage
from opentine_gui.layout import Direction

if TYPE_CHECKING:
    from opentine_gui.app.state.commands import DocumentState, Point
    from opentine_gui.app.state.notices import Notices
    from opentine_gui.app.system.jobs import Jobs

MOST_POSITIONS = 50_000
"""Positions kept for each direction; the oldest are dropped."""

FARTHEST = 1e8
"""Design pixels from the origin to the farthest position that is believed: 800,000 steps in a row end before it."""

_LOCK_SECONDS = 2.0


class StoredPosition(msgspec.Struct, array_like=True):
    """A card's remembered centre, and when it was put there (Unix seconds; the oldest are dropped first)."""

    x: float
    y: float
    at: float


class PositionStore:
    """Positions of moved cards by direction and step id, in the user's data folder and never in a .tine file.

    There is one store for all runs: a step that several runs share has the same place in each, as far as no other card
    of a folded run stands there. Every change reads, merges and rewrites the file under a lock, so that two windows do
    not lose each other's positions.
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
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with held_lock(self._path, _LOCK_SECONDS):
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
            data = storage.read_bytes(self._path)
            sections = msgspec.json.decode(data, type=dict[str, dict[str, msgspec.Raw]])
        except (StorageError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return {}
        return {name: dict(_usable(stored)) for name, stored in sections.items()}


def _usable(stored: Mapping[str, msgspec.Raw]) -> Iterator[tuple[str, StoredPosition]]:
    """The entries that are positions on a canvas: a damaged one takes no other with it."""
    for key, raw in stored.items():
        try:
            position = _decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if abs(position.x) <= FARTHEST and abs(position.y) <= FARTHEST:
            yield key, position


_decoder = msgspec.json.Decoder(StoredPosition)


class PositionWriter(StoreWriter):
    """Writes moved cards to the store in jobs."""

    def __init__(self, store: PositionStore, jobs: Jobs, notices: Notices) -> None:
        super().__init__(
            lambda direction, moved: store.remember(direction, moved),  # the store's method as it is then
            jobs,
            notices,
            key="positions",
            what="The card positions",
        )

    def remember(self, before: DocumentState, after: DocumentState) -> None:
        """Queue the cards that moved from one state of a document to the next."""
        for direction in Direction:
            for folded in (False, True):
                old, new = before.placed(direction, folded), after.placed(direction, folded)
                if old is not new:
                    moved = {key: new.get(key) for key in {*old, *new} if old.get(key) != new.get(key)}
                    self.queue(pins_section(direction, folded), moved)
        self.write_next()
