"""The list of a folder's runs: rows that follow its files. All disk access is in jobs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from opentine_gui.app.folder.folder_index import IndexEntry, read_index
from opentine_gui.app.folder.folder_scan import (
    MOST_BELOW,
    OpenFiles,
    OpenRun,
    ScanResult,
    is_of_tools,
    read_files,
    scan_files,
    whole_folder,
    with_rows,
    without_open,
    without_resting,
)
from opentine_gui.app.folder.run_order import in_order
from opentine_gui.app.folder.run_query import LISTED_FIELDS, matches, unknown_to_rows
from opentine_gui.app.folder.run_rows import RunSummary, family_order, summarise, summary_of
from opentine_gui.app.search.query import Query, not_a_field, parse_query
from opentine_gui.app.system.job import IsCancelled
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import Fingerprint
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.system.jobs import Jobs

__all__ = ["RunSummary", "RunsFolder", "family_order", "runs_folder", "summarise", "summary_of"]

_JOB = "runs"
DEFAULT_FOLDER = ".tine_runs"
FILES_READ_FIRST = 16
"""Up to so many files are read before the list is shown, even if some rows are known already."""

REST_SECONDS, REST_OF_A_MEGABYTE = 1.0, 2.0
"""Seconds for which a log that was read is not read again, and how many more for each megabyte: it is read whole, and
an agent may write to it all the time."""

_PRIORITY, _PRIORITY_OF_LARGE = 2, 6


def runs_folder(working_folder: Path, environment: Mapping[str, str]) -> Path | None:
    """The folder to list at the start: OPENTINE_RUNS_DIR, TINE_RUNS_DIR, ./.tine_runs, or None."""
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR"):
        if environment.get(name):
            return working_folder / Path(environment[name]).expanduser()
    default = working_folder / DEFAULT_FOLDER
    return default if os.path.isdir(default) else None


class Host(Protocol):
    """What the list uses of the session."""

    @property
    def jobs(self) -> Jobs:
        """The job queue."""

    @property
    def documents(self) -> Sequence[OpenRun]:
        """The open documents: their rows need no reading."""

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds, for how often a log is read again."""

    def touch(self) -> None:
        """Note that something visible changed."""

    def watch_files(self) -> None:
        """Watch the open files and the listed folder."""


class RunsFolder:
    """The listed folder and its rows; a file is read again only if its size, time or inode changed."""

    def __init__(self, working_folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = runs_folder(working_folder, environment)
        self.problem = ""
        self.below: tuple[Path, ...] = ()
        """The folders in it, which are not looked into."""
        self.above: Path | None = None
        """The folder that it was reached from, above it or, from the demo, elsewhere."""
        self._roots: set[Path] = set()
        """Folders that led to one in them."""
        self.filter_text = ""
        self.revision = 0
        self._known: dict[Path, IndexEntry] = {}
        self._files: tuple[dict[Path, IndexEntry], dict[Path, Fingerprint]] = ({}, {})
        self._none: tuple[dict[Path, IndexEntry], tuple[tuple[Path, Fingerprint], ...]] = ({}, ())
        self._rows: tuple[RunSummary, ...] = ()
        self._texts: tuple[str, ...] = ()
        self._filtered: tuple[tuple[RunSummary, ...], str, tuple[RunSummary, ...]] = ((), "", ())
        self._ordered: tuple[Sequence[RunSummary], Mapping[Path, Fingerprint], str, Sequence[RunSummary]] | None = None
        self._started = False
        self._busy = False
        self._waiting: set[Path] | None = set()  # files to scan after the present job; None: the whole folder
        self._rests: dict[Path, float] = {}
        """Until when logs that were read are left alone."""
        self._later: set[Path] = set()
        """Those of them that changed meanwhile."""

    @property
    def rows(self) -> tuple[RunSummary, ...]:
        """All rows in the order of the family tree: forks below their source, newest family first."""
        return self._rows

    @property
    def files(self) -> dict[Path, Fingerprint]:
        """The files of the rows, as they were when they were read; the same object until that changes."""
        if self._files[0] is not self._known:
            found = {path: entry.fingerprint for path, entry in self._known.items() if entry.row is not None}
            self._files = (self._known, found)
        return self._files[1]

    @property
    def left_out(self) -> tuple[tuple[Path, Fingerprint], ...]:
        """The files of the folder that end as a run may and are none; the same object until that changes."""
        if self._none[0] is not self._known:
            found = [(path, entry.fingerprint) for path, entry in self._known.items() if entry.row is None]
            self._none = (self._known, tuple(sorted(found)))
        return self._none[1]

    def shown(self) -> tuple[RunSummary, ...]:
        """The rows that match the filter."""
        if not self.filter_text.strip():
            return self._rows
        rows, text, _ = self._filtered
        if rows is not self._rows or text != self.filter_text:
            try:
                query = parse_query(self.filter_text)
            except ValueError:
                return ()
            self._filtered = (self._rows, self.filter_text, self._matching(query))
        return self._filtered[2]

    def ordered(self, order: str) -> Sequence[RunSummary]:
        """The rows that match the filter in one of the orders; sorted once, until there are others."""
        shown, files, known = self.shown(), self.files, self._ordered
        if known is None or known[0] is not shown or known[1] is not files or known[2] != order:
            self._ordered = known = (shown, files, order, in_order(shown, order, files))
        return known[3]

    def matches(self, row: RunSummary) -> bool:
        """Whether a row that is not one of the folder matches the filter, as all do while that cannot be read."""
        try:
            return not self.filter_text.strip() or matches(parse_query(self.filter_text), row)
        except ValueError:
            return True

    def _matching(self, query: Query) -> tuple[RunSummary, ...]:
        pairs = zip(self._rows, self._texts, strict=True)
        return tuple([row for row, text in pairs if matches(query, row, text)])

    def set_filter(self, text: str) -> None:
        """Show only the rows that match a query."""
        self.filter_text = text
        self.revision += 1

    @property
    def filter_problem(self) -> str:
        """Why the query can match no run, in a sentence; "" when nothing is wrong with it."""
        try:
            query = parse_query(self.filter_text)
        except ValueError as error:
            return f"This filter cannot be read: {error}."
        unknown = unknown_to_rows(query)
        if unknown:
            known = ", ".join(name for name in LISTED_FIELDS if name != "text")
            return f"The list knows nothing of {unknown}: that is a matter of steps. There are {known}."
        return "" if self.shown() else not_a_field(self.filter_text, LISTED_FIELDS)

    @property
    def filter_is_about_failures(self) -> bool:
        """Whether a word of the filter may mean runs with failed steps."""
        return any(word.lower().startswith(("fail", "err")) for word in self.filter_text.split())

    def show_folder(self, session: Host, folder: Path, *, leads_back: bool = False) -> None:
        """List another folder; `leads_back`: it leads to the present one again, wherever that is."""
        if folder == self.folder:
            return
        session.jobs.cancel(_JOB)
        is_inside = self.folder is not None and folder.parent == self.folder
        above = folder.parent if self._is_below(folder) else None
        self.above = self.folder if is_inside or (leads_back and self.folder is not None) else above
        self._roots = {*self._roots, folder.parent} if is_inside else self._roots
        self.folder, self.below, self._known, self._started = folder, (), {}, False
        self._busy, self._waiting = False, set()
        self._rests, self._later = {}, set()
        self._show(())
        session.watch_files()
        self.scan(session)

    @property
    def around(self) -> tuple[Path, ...]:
        """The folder it was reached from, if it was, and the folders in it."""
        return self.below if self.above is None else (self.above, *self.below)

    def _is_below(self, folder: Path) -> bool:
        return folder.parent in self._roots

    def scan(self, session: Host) -> None:
        """Scan the whole folder, and read files that are new or changed."""
        self._waiting = None
        self._scan_waiting(session)

    def rescan_files(self, session: Host, paths: Iterable[Path]) -> None:
        """Scan only these files, as far as they are in the folder; all of it where a folder in it came or went."""
        if self.folder is None:
            return
        real = os.path.realpath(self.folder)
        inside = {self.folder / path.name for path in paths if os.path.realpath(path.parent) == real}
        if any(self._is_another_below(path) for path in inside):
            self._waiting = None
        if self._waiting is not None:
            self._waiting |= {path for path in inside if readers.may_be_run(path.name)}
        self._scan_waiting(session)

    def _is_another_below(self, path: Path) -> bool:
        """Whether a folder in this one came or went."""
        if readers.may_be_run(path.name) or is_of_tools(path.name):
            return False
        return os.path.isdir(path) is not (path in self.below) and len(self.below) < MOST_BELOW

    def follow(self, session: Host) -> None:
        """Read the logs again that changed while they were left alone; done in every step of the session."""
        if not self._later:
            return
        now = session.clock()
        due = {path for path in self._later if self._rests.get(path, 0.0) <= now}
        if due and not self._busy and self._waiting is not None:
            self._later -= due
            self._rests = {path: until for path, until in self._rests.items() if until > now}
            self._waiting |= due
            self._scan_waiting(session)

    def _scan_waiting(self, session: Host) -> None:
        """Scan what waits, unless a job is running: starting again at every change might never end."""
        folder = self.folder
        if self._busy and not session.jobs.is_running(_JOB):
            self._busy, self._waiting = False, None  # it was cancelled, and what it would have scanned is not known
        waiting = self._waiting
        if folder is None or self._busy or waiting == set():
            return
        known, rows, started = self._known, self._rows, self._started
        self._waiting = set()

        opened, now = OpenFiles.of(session.documents), session.clock()
        resting = frozenset([path for path, until in self._rests.items() if until > now])

        def look(cancelled: IsCancelled) -> ScanResult:
            before = known if started else read_index(folder)
            found = whole_folder(folder, before) if waiting is None else scan_files(before, waiting)
            found = without_open(without_resting(found, resting), opened)
            at_once = (not found.known or len(found.unread) <= FILES_READ_FIRST) and not found.only_large
            return read_files(folder, found, rows, cancelled) if at_once else with_rows(found, rows)

        self._submit(session, look)

    def _submit(self, session: Host, look: Callable[[IsCancelled], ScanResult], priority: int = _PRIORITY) -> None:
        folder = self.folder
        assert folder is not None
        self._busy = True

        def done(found: ScanResult) -> None:
            self._busy, self._started = False, True
            below = self.below if found.below is None else found.below
            if (found.problem, below) != (self.problem, self.below):
                self.problem, self.below = found.problem, below
                self.revision += 1
                session.touch()
            left_out, self._known = self.left_out, found.known
            if left_out != self.left_out:
                self.revision += 1
                session.touch()
            self._later |= found.later
            for path, fingerprint in found.read:
                if not readers.is_run(path.name):
                    rest = REST_SECONDS + REST_OF_A_MEGABYTE * fingerprint.size / 1e6
                    self._rests[path] = session.clock() + rest
            if found.rows != self._rows:
                self._show(found.rows, found.texts)
                session.touch()
            if found.unread:
                priority = _PRIORITY_OF_LARGE if found.only_large else _PRIORITY
                self._submit(session, lambda cancelled: read_files(folder, found, found.rows, cancelled), priority)
            else:
                self._scan_waiting(session)

        def failed(error: Exception) -> None:
            self._busy = False
            self.problem = str(error)
            self.revision += 1
            session.touch()

        # After a stop the next change has the whole folder looked at: what would have been is not known.
        session.jobs.submit(
            _JOB, lambda _progress, cancelled: look(cancelled), done, failed, priority=priority, stopped=leaves_nothing
        )

    def _show(self, rows: tuple[RunSummary, ...], texts: tuple[str, ...] = ()) -> None:
        self._rows, self._texts = rows, texts
        self.revision += 1
