"""The runs of a folder: which folder, a row for each file read in a job, and the tree of who was forked from whom."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.jobs import IsCancelled
from opentine_gui.core import RunRecord, TineError, storage

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

DEFAULT_FOLDER = ".tine_runs"
_SLICE = 32
"""Files read before the list is shown again."""

_Stamp = tuple[float, int]


@dataclass(frozen=True)
class RunSummary:
    """A row of the list. `cost` is US dollars or None when nothing was priced; `cost_is_minimum` says "at least"."""

    path: Path
    run_id: str = ""
    title: str = ""
    status: str = ""
    steps: int = 0
    cost: float | None = None
    cost_is_minimum: bool = False
    duration: float = 0.0
    created_at: float = 0.0
    tags: tuple[str, ...] = ()
    model: str = ""
    harness: str = ""
    forked_from: tuple[str, ...] = ()
    unreadable: str = ""
    depth: int = 0


def runs_folder(working_folder: Path, environment: Mapping[str, str]) -> Path | None:
    """The folder to list at the start: OPENTINE_RUNS_DIR, TINE_RUNS_DIR, ./.tine_runs; None when there is none."""
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR"):
        if environment.get(name):
            return working_folder / Path(environment[name]).expanduser()
    default = working_folder / DEFAULT_FOLDER
    return default if default.is_dir() else None


class RunsFolder:
    """The listed folder and its rows; a file is read again only when its time or size changed."""

    def __init__(self, working_folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = runs_folder(working_folder, environment)
        self.problem = ""
        self.filter_text = ""
        self.revision = 0
        self._known: dict[Path, tuple[_Stamp, RunSummary]] = {}
        self._rows: tuple[RunSummary, ...] = ()

    @property
    def rows(self) -> tuple[RunSummary, ...]:
        """All rows in the order of the family tree: forks below their source, newest family first."""
        return self._rows

    def shown(self) -> tuple[RunSummary, ...]:
        """The rows the filter lets through."""
        from opentine_gui.app.query import matches, parsed

        if not self.filter_text.strip():
            return self._rows
        try:
            query = parsed(self.filter_text)
        except ValueError:
            return ()
        return tuple(row for row in self._rows if matches(query, row))

    def set_filter(self, text: str) -> None:
        """Show only what fits a query."""
        self.filter_text = text
        self.revision += 1

    @property
    def filter_problem(self) -> str:
        """What is wrong with the query, or nothing."""
        from opentine_gui.app.query import parsed

        try:
            query = parsed(self.filter_text)
        except ValueError as error:
            return str(error)
        return "The list does not know who served a run's steps." if query.provider is not None else ""

    def follow(self, session: Session, folder: Path) -> None:
        """List another folder."""
        if folder == self.folder:
            return
        self.folder, self._known, self._rows = folder, {}, ()
        self.revision += 1
        session.watch_files()
        self.scan(session)

    def scan(self, session: Session) -> None:
        """Bring the rows up to date in a job, a slice of files at a time."""
        folder = self.folder
        if folder is None:
            return
        known = dict(self._known)

        def done(found: _Found) -> None:
            if self.folder != folder:
                return
            self.problem = found.problem
            if found.known != self._known:
                self._known = found.known
                self._rows = family_order(summary for _, summary in found.known.values())
                self.revision += 1
                session.touch()
            if found.more:
                self.scan(session)

        def failed(error: Exception) -> None:
            self.problem = str(error)
            session.touch()

        session.jobs.submit(
            "runs", lambda _progress, cancelled: _look(folder, known, cancelled), done, failed, priority=2
        )


@dataclass(frozen=True)
class _Found:
    known: dict[Path, tuple[_Stamp, RunSummary]]
    more: bool
    problem: str = ""


def _look(folder: Path, known: Mapping[Path, tuple[_Stamp, RunSummary]], cancelled: IsCancelled) -> _Found:
    """One pass over the folder: keeps rows that still hold, reads up to `_SLICE` new or changed files (in a job)."""
    found: dict[Path, tuple[_Stamp, RunSummary]] = {}
    read = 0
    try:
        with os.scandir(folder) as entries:
            files = sorted((entry for entry in entries if entry.name.endswith(".tine")), key=lambda entry: entry.name)
    except OSError as error:
        return _Found({}, False, f"{folder} cannot be listed: {error.strerror}")
    for entry in files:
        path = Path(entry.path)
        try:
            if not entry.is_file(follow_symlinks=False):
                continue
            status = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        stamp = (status.st_mtime, status.st_size)
        before = known.get(path)
        if before is not None and before[0] == stamp:
            found[path] = before
        elif read < _SLICE and not cancelled():
            found[path] = (stamp, summarise(path))
            read += 1
        else:
            read += 1
            if before is not None:
                found[path] = before
    return _Found(found, read > _SLICE)


def summarise(path: Path) -> RunSummary:
    """The row of one file; a file that cannot be read gets a row that says why."""
    try:
        record = storage.read(path)
    except (TineError, OSError) as error:
        reason = error.message if isinstance(error, TineError) else (error.strerror or str(error))
        return RunSummary(path, title=path.stem, unreadable=reason)
    return summary_of(path, record)


def summary_of(path: Path, record: RunRecord) -> RunSummary:
    """The row of a run."""
    totals, harness = record.totals, record.metadata.get("harness")
    return RunSummary(
        path=path,
        run_id=record.run_id,
        title=path.stem,
        status=str(record.status),
        steps=len(record.graph),
        cost=totals.cost if totals.cost_known else None,
        cost_is_minimum=totals.unpriced > 0,
        duration=totals.duration,
        created_at=float(record.created_at),
        tags=tuple(record.tags),
        model=record.model_info,
        harness=harness if isinstance(harness, str) else "",
        forked_from=source_run_ids(record),
    )


def source_run_ids(record: RunRecord) -> tuple[str, ...]:
    """The runs this one was forked from or merged of, as its metadata says."""
    lineage = record.lineage
    found = [lineage.forked_from] if lineage.forked_from else []
    sources = lineage.merge.get("sources") if lineage.merge else None
    for source in sources if isinstance(sources, list) else ():
        run_id = source.get("run_id") if isinstance(source, dict) else None
        if isinstance(run_id, str):
            found.append(run_id)
    return tuple(dict.fromkeys(found))


def family_order(summaries: Iterable[RunSummary]) -> tuple[RunSummary, ...]:
    """Rows as a tree: a fork stands below its source, one deeper; families by their newest root, newest first.

    A run whose recorded source is not in the folder is a root, and so is every run of a circle of sources.
    """
    rows = sorted(summaries, key=lambda row: (-row.created_at, row.path.name))
    by_run_id: dict[str, RunSummary] = {}
    for row in rows:
        if row.run_id:
            by_run_id.setdefault(row.run_id, row)
    below: dict[Path, list[RunSummary]] = {}
    roots: list[RunSummary] = []
    for row in rows:
        source = next((by_run_id[run_id] for run_id in row.forked_from if run_id in by_run_id), None)
        if source is None or source.path == row.path:
            roots.append(row)
        else:
            below.setdefault(source.path, []).append(row)
    ordered: list[RunSummary] = []
    placed: set[Path] = set()
    for start in [*roots, *rows]:
        stack = [(start, 0)]
        while stack:
            row, depth = stack.pop()
            if row.path in placed:
                continue
            placed.add(row.path)
            ordered.append(replace(row, depth=depth))
            children = sorted(below.get(row.path, ()), key=lambda child: (child.created_at, child.path.name))
            stack.extend((child, depth + 1) for child in reversed(children))
    return tuple(ordered)
