"""The sessions of the agents on this machine as a list: rows at once, their contents filled in by later jobs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from opentine_gui.app.folder.folder_index import IndexEntry, read_index, write_index
from opentine_gui.app.folder.keeping.keeping import Host as KeepingHost
from opentine_gui.app.folder.keeping.keeping import Keeping
from opentine_gui.app.folder.run_rows import RunSummary, summarise
from opentine_gui.app.system.job import IsCancelled, ReportProgress, Work
from opentine_gui.core import Fingerprint
from opentine_gui.core.files import storage
from opentine_gui.importers.agents.headline import Headline
from opentine_gui.importers.agents.listing import Session as FoundSession
from opentine_gui.importers.agents.listing import found_sessions, looked_at
from opentine_gui.importers.agents.table import AGENTS, Places

if TYPE_CHECKING:
    from opentine_gui.app.system.jobs import Jobs

_JOB = "sessions"
SLICE_SECONDS = 0.15
"""Seconds for which heads are read before the list is updated."""
MOST_ROWS = 2_000
"""Sessions that are listed; the older ones are opened as files."""
SHOWN_FIRST = 6
"""Sessions of an agent that are shown before "more" is asked for."""
RUNS_SECONDS = 60.0
"""A session that was written within so many seconds counts as being written."""
LOOK_AGAIN = 10.0
"""Seconds after which the folders are looked at again while the list is shown."""
RESTED_SECONDS = 60.0
"""A session that grew is read again for the list once it was left alone for so many seconds."""
LARGEST_FILLED = 32 << 20
"""Bytes; the contents of a larger session are not read for the list."""

_FIND, _FILL = 2, 7
_FILL_JOB = "sessions:fill"


class SessionRow(msgspec.Struct, frozen=True):
    """A row: what to open, what it is called (hostile text), and what it holds once that is known."""

    agent: str
    path: Path
    title: str
    folder: str
    size: int
    changed: float
    held: RunSummary | None = None
    kept: str = ""
    """The key of its page in the archive of kept sessions, if it is only there; else ""."""


class Host(Protocol):
    """What the list uses of the session."""

    @property
    def jobs(self) -> Jobs:
        """The job queue."""

    def now(self) -> float:
        """Unix time."""

    def touch(self) -> None:
        """Note that something visible changed."""


class AgentSessions:
    """Rows of every agent, newest first. Nothing is read outside the agents' own folders, and nothing while hidden."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.keeping = Keeping(places)
        self.revision = 0
        self.rows: tuple[SessionRow, ...] = ()
        self.whole: set[str] = set()
        """Agents of which all sessions are shown."""
        self.folded: set[str] = set()
        """Agents of which only the name is shown."""
        self._found: tuple[SessionRow, ...] = ()
        self._kept_revision = 0
        self._known: dict[tuple[Path, int, float], tuple[SessionRow, ...]] = {}
        self._asked: set[tuple[Path, int, float]] = set()
        self._next_look = self._looked_at = 0.0

    @property
    def by_agent(self) -> list[tuple[str, str, tuple[SessionRow, ...]]]:
        """(name, title, rows) of each agent that has sessions here, the one used last first."""
        found: dict[str, list[SessionRow]] = {}
        for row in self.rows:
            found.setdefault(row.agent, []).append(row)
        titles = {agent.name: agent.title for agent in AGENTS}
        return [(name, titles.get(name, name), tuple(rows)) for name, rows in found.items()]

    def look_now_and_then(self, session: Host, now: float, every: float = LOOK_AGAIN) -> None:
        """Look at the folders again if the last look is a while ago; called while the list is shown."""
        if now >= min(self._next_look, self._looked_at + every) and not session.jobs.is_running(_JOB):
            self._next_look, self._looked_at = now + LOOK_AGAIN, now
            self.look(session)

    def look(self, session: Host) -> None:
        """Find the sessions, and read the heads of those that are new or changed (in jobs)."""
        known, places = self._known, self.places

        def work(progress: ReportProgress, cancelled: IsCancelled) -> _Found:
            return _look(found_sessions(places)[:MOST_ROWS], known, cancelled)

        self._submit(session, work)

    def _submit(self, session: Host, work: Work[_Found]) -> None:
        def done(found: _Found) -> None:
            self._known = found.known
            if {row.path for row in self._found} - {row.path for row in found.rows}:
                self.keeping.look_again()
            self._found = found.rows
            self._list(session)
            if found.left:
                self._submit(session, self._going_on(found))
            else:
                self._fill(session)

        session.jobs.submit(_JOB, work, done, lambda _error: None, priority=_FIND, quiet=True)

    def keep(self, session: KeepingHost) -> None:
        """Keep new sessions now and then, and update the list of those only kept. Called in every `Session.step`."""
        self.keeping.tick(session)
        if self._kept_revision != self.keeping.revision:
            self._kept_revision = self.keeping.revision
            self.revision += 1
            self._list(session)

    def _list(self, session: Host) -> None:
        """Make the rows: sessions found on disk, and archived ones whose source is gone; what they hold stays known."""
        held = {row.path: row.held for row in self.rows}  # of one that grew, until it is read again
        self._asked &= {self._key(row) for row in self._found}
        there = {row.path for row in self._found}
        kept = [
            SessionRow(page.agent, path, page.title, page.folder, page.size, page.changed, kept=page.key)
            for page in self.keeping.gone
            if (path := self.keeping.opened_path(page)) not in there
        ]
        rows = [replace(row, held=held.get(row.path)) for row in self._found]
        found = tuple(sorted([*rows, *kept], key=lambda row: -row.changed) if kept else rows)
        if found != self.rows:
            self.rows = found
            self.revision += 1
            session.touch()

    def _going_on(self, found: _Found) -> Work[_Found]:
        return lambda _progress, cancelled: _look(found.sessions, found.known, cancelled)

    def shown(self, agent: str) -> tuple[SessionRow, ...]:
        """The rows of an agent that are shown now."""
        rows = next((rows for name, _title, rows in self.by_agent if name == agent), ())
        if agent in self.folded:
            return ()
        return rows if agent in self.whole else rows[:SHOWN_FIRST]

    def fold(self, agent: str) -> None:
        """Fold an agent's sessions away, or unfold them."""
        self.folded ^= {agent}
        self.revision += 1

    def show_all(self, session: Host, agent: str) -> None:
        """Show all sessions of an agent."""
        self.whole.add(agent)
        self.revision += 1
        self._fill(session)

    def _fill(self, session: Host) -> None:
        """Read the contents of the shown sessions in a background job; the index of their folder remembers them.

        Sessions shown meanwhile wait for that job: a second one would drop what the first has not handed over yet.
        """
        if session.jobs.is_running(_FILL_JOB):
            return
        wanted = [
            row
            for agent, _title, _rows in self.by_agent
            for row in self.shown(agent)
            if not row.kept and row.size <= LARGEST_FILLED and self._key(row) not in self._asked
            if row.held is None or session.now() - row.changed >= RESTED_SECONDS
        ]
        if not wanted:
            return
        self._asked |= {self._key(row) for row in wanted}

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> dict[Path, RunSummary]:
            return _filled(wanted, cancelled)

        def done(held: dict[Path, RunSummary]) -> None:
            self.rows = tuple(replace(row, held=held[row.path]) if row.path in held else row for row in self.rows)
            self.revision += 1
            session.touch()
            self._fill(session)

        def failed(_error: Exception) -> None:
            self._fill(session)

        session.jobs.submit(_FILL_JOB, work, done, failed, priority=_FILL, quiet=True)

    @staticmethod
    def _key(row: SessionRow) -> tuple[Path, int, float]:
        return row.path, row.size, row.changed


class _Found(msgspec.Struct, frozen=True):
    """The state of a look: sessions, those whose heads were read, rows so far, and whether heads are left to read."""

    sessions: Sequence[FoundSession]
    known: dict[tuple[Path, int, float], tuple[SessionRow, ...]]
    rows: tuple[SessionRow, ...]
    left: bool


def _look(
    sessions: Sequence[FoundSession],
    before: Mapping[tuple[Path, int, float], tuple[SessionRow, ...]],
    cancelled: IsCancelled,
) -> _Found:
    """Read heads for a while, newest first; what was read before is not read again (in a job)."""
    end = time.perf_counter() + SLICE_SECONDS
    known: dict[tuple[Path, int, float], tuple[SessionRow, ...]] = {}
    left = False
    for session in sessions:
        key = (session.path, session.size, session.changed)
        if key in before:
            known[key] = before[key]
        elif left or cancelled() or time.perf_counter() >= end:
            left = True
        else:
            known[key] = tuple(map(_row, looked_at(session)))
    rows = [row for found in known.values() for row in found]
    rows.sort(key=lambda row: -row.changed)
    return _Found(sessions, known, tuple(rows), left and not cancelled())


def _row(session: FoundSession) -> SessionRow:
    headline = session.headline or Headline()
    return SessionRow(session.agent, session.path, headline.title, headline.folder, session.size, session.changed)


def _filled(rows: Sequence[SessionRow], cancelled: IsCancelled) -> dict[Path, RunSummary]:
    """What sessions hold; known from the index of their folder, else read and remembered there (in a job)."""
    held: dict[Path, RunSummary] = {}
    for folder in dict.fromkeys(row.path.parent for row in rows):
        known = dict(read_index(folder))
        changed = False
        for row in rows:
            if row.path.parent != folder or cancelled():
                continue
            fingerprint = storage.fingerprint(row.path)
            entry = known.get(row.path)
            if entry is None or entry.fingerprint != fingerprint or entry.row is None:
                summary = summarise(row.path, cancelled)
                if fingerprint is not None:
                    known[row.path] = IndexEntry(Fingerprint(*fingerprint), summary)
                    changed = True
            else:
                summary = entry.row
            held[row.path] = summary
        if changed and not cancelled():
            write_index(folder, known)
    return held
