"""The list of a folder's runs: rows that follow its files. All disk access is in jobs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from opentine_gui.app.folder.folder_index import IndexEntry, read_index, write_index
from opentine_gui.app.folder.run_query import matches, search_text, unknown_to_rows
from opentine_gui.app.folder.run_rows import (
    RunSummary,
    arrange_rows,
    family_order,
    in_natural_order,
    summarise,
    summary_of,
)
from opentine_gui.app.search.query import Query, parse_query
from opentine_gui.app.system.job import IsCancelled
from opentine_gui.core import Fingerprint, RunRecord
from opentine_gui.core.files.storage import plain_fingerprint
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.state.commands import DocumentState
    from opentine_gui.app.system.jobs import Jobs

__all__ = ["RunSummary", "RunsFolder", "family_order", "runs_folder", "summarise", "summary_of"]

_JOB = "runs"
DEFAULT_FOLDER = ".tine_runs"
SLICE_SECONDS = 0.4
"""Seconds for which files are read before the list is updated."""

FILES_READ_FIRST = 16
"""Up to so many files are read before the list is shown, even if some rows are known already."""

LARGE_FILE_BYTES = 4 * 1024 * 1024
"""Larger files are read after all others, and after everything an open document waits for."""

MOST_BELOW = 200
"""Folders in the listed one that are named."""

OF_TOOLS = frozenset({"__pycache__", "node_modules"})
"""Folders that programs make beside runs, and in which nobody looks for any."""

_PRIORITY, _PRIORITY_OF_LARGE = 2, 6


def runs_folder(working_folder: Path, environment: Mapping[str, str]) -> Path | None:
    """The folder to list at the start: OPENTINE_RUNS_DIR, TINE_RUNS_DIR, ./.tine_runs, or None."""
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR"):
        if environment.get(name):
            return working_folder / Path(environment[name]).expanduser()
    default = working_folder / DEFAULT_FOLDER
    return default if os.path.isdir(default) else None


class KnownFile(Protocol):
    """What the list needs to know of the file of an open document."""

    @property
    def fingerprint(self) -> Fingerprint | None:
        """Its fingerprint when it was last read or saved."""


class OpenRun(Protocol):
    """What the list needs to know of an open document."""

    @property
    def path(self) -> Path | None:
        """The file it was read from."""

    @property
    def saved_state(self) -> DocumentState | None:
        """The state last read or saved."""

    @property
    def on_disk(self) -> KnownFile:
        """What is known of its file."""

    @property
    def loading(self) -> object | None:
        """Not None while the file is being read."""


class Host(Protocol):
    """What the list uses of the session."""

    @property
    def jobs(self) -> Jobs:
        """The job queue."""

    @property
    def documents(self) -> Sequence[OpenRun]:
        """The open documents: their rows need no reading."""

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
        """The folder that it was reached from, above it."""
        self._roots: set[Path] = set()
        """Folders that led to one in them."""
        self.filter_text = ""
        self.revision = 0
        self._known: dict[Path, IndexEntry] = {}
        self._files: tuple[dict[Path, IndexEntry], dict[Path, Fingerprint]] = ({}, {})
        self._rows: tuple[RunSummary, ...] = ()
        self._texts: tuple[str, ...] = ()
        self._filtered: tuple[tuple[RunSummary, ...], str, tuple[RunSummary, ...]] = ((), "", ())
        self._started = False
        self._busy = False
        self._waiting: set[Path] | None = set()  # files to scan after the present job; None: the whole folder

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
        return f"The list knows nothing of {unknown}: that is a matter of steps." if unknown else ""

    def show_folder(self, session: Host, folder: Path) -> None:
        """List another folder."""
        if folder == self.folder:
            return
        session.jobs.cancel(_JOB)
        leads_back = self.folder is not None and folder.parent == self.folder
        self.above = self.folder if leads_back else folder.parent if self._is_below(folder) else None
        self._roots = {*self._roots, folder.parent} if leads_back else self._roots
        self.folder, self.below, self._known, self._started = folder, (), {}, False
        self._busy, self._waiting = False, set()
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
        """Scan only these files, as far as they are in the folder."""
        if self.folder is None:
            return
        real = os.path.realpath(self.folder)
        inside = {
            self.folder / path.name
            for path in paths
            if readers.may_be_run(path.name) and os.path.realpath(path.parent) == real
        }
        if self._waiting is not None:
            self._waiting |= inside
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

        opened = _OpenFiles.of(session)

        def look(cancelled: IsCancelled) -> _ScanResult:
            before = known if started else read_index(folder)
            found = _whole_folder(folder, before) if waiting is None else _files(before, waiting)
            found = _without_open(found, opened)
            at_once = (not found.known or len(found.unread) <= FILES_READ_FIRST) and not found.only_large
            return _read(folder, found, rows, cancelled) if at_once else _with_rows(found, rows)

        self._submit(session, look)

    def _submit(self, session: Host, look: Callable[[IsCancelled], _ScanResult], priority: int = _PRIORITY) -> None:
        folder = self.folder
        assert folder is not None
        self._busy = True

        def done(found: _ScanResult) -> None:
            self._busy, self._started = False, True
            below = self.below if found.below is None else found.below
            if (found.problem, below) != (self.problem, self.below):
                self.problem, self.below = found.problem, below
                self.revision += 1
                session.touch()
            self._known = found.known
            if found.rows != self._rows:
                self._show(found.rows, found.texts)
                session.touch()
            if found.unread:
                priority = _PRIORITY_OF_LARGE if found.only_large else _PRIORITY
                self._submit(session, lambda cancelled: _read(folder, found, found.rows, cancelled), priority)
            else:
                self._scan_waiting(session)

        def failed(error: Exception) -> None:
            self._busy = False
            self.problem = str(error)
            self.revision += 1
            session.touch()

        session.jobs.submit(_JOB, lambda _progress, cancelled: look(cancelled), done, failed, priority=priority)

    def _show(self, rows: tuple[RunSummary, ...], texts: tuple[str, ...] = ()) -> None:
        self._rows, self._texts = rows, texts
        self.revision += 1


class _ScanResult(msgspec.Struct, frozen=True):
    """The state of a scan: known files with their rows, files still to be read, rows to show."""

    known: dict[Path, IndexEntry]
    unread: tuple[tuple[Path, Fingerprint], ...] = ()
    changed: bool = False
    problem: str = ""
    below: tuple[Path, ...] | None = None
    """The folders in the folder; None where only files were looked at."""
    rows: tuple[RunSummary, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def only_large(self) -> bool:
        """True if only large files are left to read."""
        return bool(self.unread) and self.unread[0][1].size > LARGE_FILE_BYTES


class _OpenFiles(msgspec.Struct, frozen=True):
    """Files of open documents: what was read of them, and those being read now."""

    records: dict[Path, tuple[Fingerprint | None, RunRecord]]
    under_way: frozenset[Path]

    @classmethod
    def of(cls, session: Host) -> _OpenFiles:
        records: dict[Path, tuple[Fingerprint | None, RunRecord]] = {}
        for document in session.documents:
            if document.path is not None and document.saved_state is not None:
                records[document.path] = (document.on_disk.fingerprint, document.saved_state.record)
        under_way = [d.path for d in session.documents if d.path is not None and d.loading is not None]
        return cls(records, frozenset(under_way))


def _without_open(found: _ScanResult, opened: _OpenFiles) -> _ScanResult:
    """Make the rows of open documents from what was read; leave out files being read, which come later (in a job)."""
    known = dict(found.known)
    unread: list[tuple[Path, Fingerprint]] = []
    for path, fingerprint in found.unread:
        read, record = opened.records.get(path, (None, None))
        if record is not None and read == fingerprint:
            known[path] = IndexEntry(fingerprint, summary_of(path, record))
        elif path not in opened.under_way:
            unread.append((path, fingerprint))
    unread.sort(key=lambda pair: pair[1].size > LARGE_FILE_BYTES)
    return replace(found, known=known, unread=tuple(unread))


def _is_of_tools(name: str) -> bool:
    """Whether a folder of this name is hidden, or one that programs make beside runs."""
    return name.startswith(".") or name in OF_TOOLS


def _whole_folder(folder: Path, before: Mapping[Path, IndexEntry]) -> _ScanResult:
    """Scan the folder: files that are known and unchanged, and files to be read (in a job)."""
    present: list[tuple[Path, Fingerprint]] = []
    below: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if readers.may_be_run(entry.name):
                    fingerprint = plain_fingerprint(entry)
                    if fingerprint is not None:
                        present.append((folder / entry.name, fingerprint))
                elif not _is_of_tools(entry.name) and entry.is_dir(follow_symlinks=False):
                    below.append(entry.name)
    except OSError as error:
        return _ScanResult({}, problem=f"{folder} cannot be listed: {error.strerror}", below=())
    present.sort()
    folders = tuple([folder / name for name in sorted(below, key=in_natural_order)[:MOST_BELOW]])
    known = {path: before[path] for path, _ in present if path in before}
    unread = tuple([pair for pair in present if pair[0] not in known or known[pair[0]].fingerprint != pair[1]])
    return _ScanResult(known, unread, bool(unread) or len(known) != len(before), below=folders)


def _files(before: Mapping[Path, IndexEntry], paths: Iterable[Path]) -> _ScanResult:
    """Scan only these files (in a job)."""
    known = dict(before)
    unread: list[tuple[Path, Fingerprint]] = []
    for path in sorted(paths):
        fingerprint = plain_fingerprint(path)
        if fingerprint is None:
            known.pop(path, None)
        elif path not in known or known[path].fingerprint != fingerprint:
            unread.append((path, fingerprint))
    return _ScanResult(known, tuple(unread), bool(unread) or len(known) != len(before))


def _read(folder: Path, found: _ScanResult, before: Sequence[RunSummary], cancelled: IsCancelled) -> _ScanResult:
    """Read files for a while, at least one; after the last one write the index (in a job)."""
    known = dict(found.known)
    end = time.perf_counter() + SLICE_SECONDS
    done = 0
    for path, fingerprint in found.unread:
        if done and fingerprint.size > LARGE_FILE_BYTES:
            break  # each in a job of its own
        known[path] = IndexEntry(fingerprint, summarise(path, cancelled) if readers.is_recognised(path) else None)
        done += 1
        if cancelled() or time.perf_counter() >= end:
            break
    left = found.unread[done:]
    if found.changed and not left and not cancelled():
        write_index(folder, known)
    return _with_rows(replace(found, known=known, unread=left), before)


def _with_rows(found: _ScanResult, before: Sequence[RunSummary]) -> _ScanResult:
    rows = arrange_rows(before, [known.row for known in found.known.values() if known.row is not None])
    return replace(found, rows=rows, texts=tuple([search_text(row) for row in rows]))
