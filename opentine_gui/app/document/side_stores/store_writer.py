"""Writes changes to a store beside the runs, in jobs, one at a time and in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import TineError

if TYPE_CHECKING:
    from opentine_gui.app.state.notices import Notices
    from opentine_gui.app.system.jobs import Jobs

_PRIORITY = 4


class Unwritten:
    """Changes that a store may not have when it is read: those that waited then, and all that came since.

    By section and step id. Nobody knows when exactly a job reads and another one writes; to make a change that the
    store has already once more alters nothing.
    """

    def __init__(self, changes: dict[str, dict[str, Any]]) -> None:
        self.changes = changes


class StoreWriter:
    """Queues changes by section and step id; what is left is written on closing.

    What is written may be written once more: nobody knows how far a write came that was cancelled.
    """

    def __init__(
        self, write: Callable[[str, Mapping[str, Any]], None], jobs: Jobs, notices: Notices, *, key: str, what: str
    ) -> None:
        """`write(section, changes)` stores changes; `key` names the job, `what` what could not be remembered."""
        self._write, self._jobs, self._notices = write, jobs, notices
        self._key, self._what = key, what
        self._waiting: dict[str, dict[str, Any]] = {}
        self._writing: dict[str, dict[str, Any]] = {}
        self._readers: WeakSet[Unwritten] = WeakSet()

    def unwritten(self) -> Unwritten:
        """What the store may not have when it is read from now on; it follows what is queued as long as it is held."""
        found = Unwritten({section: dict(changes) for section, changes in self._writing.items()})
        self._add(found.changes, self._waiting)
        self._readers.add(found)
        return found

    def queue(self, section: str, changes: Mapping[str, Any]) -> None:
        """Add changes to what is to be written."""
        for queued in (self._waiting, *(reader.changes for reader in self._readers)):
            self._add(queued, {section: changes})

    def write_next(self) -> None:
        """Start writing what waits, unless a job is already writing."""
        if self._jobs.is_running(self._key):
            return
        self._take_back()  # there is something only if a write was cancelled
        if not any(self._waiting.values()):
            return
        self._writing, self._waiting = self._waiting, {}
        changes = self._writing

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            self._write_all(changes)

        def done(_nothing: None) -> None:
            self._writing = {}
            self.write_next()

        def failed(error: Exception) -> None:
            self._take_back()  # tried again with the next change, and on closing
            self._report(error)

        self._jobs.submit(self._key, work, done, failed, priority=_PRIORITY, stopped=self._take_back)

    def close(self) -> None:
        """Write at once whatever still waits to be written."""
        self._take_back()
        try:
            self._write_all(self._waiting)
        except (OSError, TineError) as error:
            self._report(error)

    def _write_all(self, changes: Mapping[str, Mapping[str, Any]]) -> None:
        for section, changed in changes.items():
            self._write(section, changed)

    def _take_back(self) -> None:
        """Put what was being written before what waits."""
        taken, self._writing = self._writing, {}
        self._add(taken, self._waiting)
        self._waiting = taken

    def joined(self, earlier: Any, later: Any) -> Any:
        """Two changes of one step as one: here the later one counts."""
        return later

    def _add(self, earlier: dict[str, dict[str, Any]], later: Mapping[str, Mapping[str, Any]]) -> None:
        """Add changes to those before them."""
        for section, changes in later.items():
            known = earlier.setdefault(section, {})
            for step, change in changes.items():
                known[step] = self.joined(known[step], change) if step in known else change

    def _report(self, error: Exception) -> None:
        self._notices.add("warning", f"{self._what} could not be remembered: {error}", key=self._key)
