"""Positions on their way to the side store: gathered on the main thread, written in a job, never lost on closing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from opentine_gui.app.state.side_store import Point, SideStore
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.core import TineError
from opentine_gui.layout import Direction

if TYPE_CHECKING:
    from opentine_gui.app.state.commands import DocumentState
    from opentine_gui.app.state.notices import Notices
    from opentine_gui.app.system.jobs import Jobs

Changes = dict[str, dict[str, Point | None]]
"""Direction -> step id -> new centre, or None to forget it."""

_KEY = "positions"
_PRIORITY = 4


class Positions:
    """Writes the side store in the background, one write at a time, in the order of the changes."""

    def __init__(self, store: SideStore, jobs: Jobs, notices: Notices) -> None:
        self.store = store
        self._jobs, self._notices = jobs, notices
        self._waiting: Changes = {}
        self._writing: Changes = {}

    def remember(self, before: DocumentState, after: DocumentState) -> None:
        """Note what moved from one state of a document to another."""
        for direction in Direction:
            old, new = before.placed(direction), after.placed(direction)
            if old is not new:
                changes = self._waiting.setdefault(direction.value, {})
                changes.update({key: new.get(key) for key in {*old, *new} if old.get(key) != new.get(key)})
        self._write_next()

    def close(self) -> None:
        """Write at once what is not known to be written."""
        self._take_back()
        try:
            _write(self.store, self._waiting)
        except (OSError, TineError) as error:
            self._report(error)

    def _write_next(self) -> None:
        if self._jobs.is_running(_KEY):
            return
        self._take_back()  # there is something only when the write was cancelled
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
        """Put what was not written before what waits; of two places of one card the later one counts."""
        for direction, moved in self._writing.items():
            self._waiting[direction] = {**moved, **self._waiting.get(direction, {})}
        self._writing = {}

    def _report(self, error: Exception) -> None:
        text = f"The card positions could not be remembered: {error}"
        self._notices.add("warning", text, key="positions")


def _write(store: SideStore, changes: Mapping[str, Mapping[str, Point | None]]) -> None:
    for direction, moved in changes.items():
        store.remember(direction, moved)
