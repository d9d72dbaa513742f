"""The rows of the list of runs, and their order as a family tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from opentine_gui.app.system.job import IsCancelled
from opentine_gui.core import Cancelled, Overview, RunRecord, TineError, Totals, overview_of
from opentine_gui.describe.failures.run_status import listed_status
from opentine_gui.importers.readers import is_run, read_overview_of, title_of

_DIGITS = re.compile("([0-9]+)")


MOST_CALLED = 8


class RunSummary(msgspec.Struct, frozen=True, array_like=True):
    """A row of the list. `cost` is US dollars or None when nothing was priced; `cost_is_minimum` says "at least".

    `since_fork`: totals of the steps a fork added, where its metrics were reset; the others are the whole run's.
    `related`: it is below another row because of shared steps, without a record of it. `asked_last`: the first line of
    the last prompt of an agent's session, which tells it from sessions that began alike. `failures`: steps that failed;
    None for a file that cannot be read. `agent`: the program whose log it is, or was made from. `created_at` is 0 where
    no time is recorded, and so is `duration`.
    """

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
    landmarks: tuple[str, ...] = ()
    unreadable: str = ""
    depth: int = 0
    related: bool = False
    since_fork: Totals | None = None
    imported: bool = False
    has_not_run: bool = False
    asked_last: str = ""
    failures: int | None = None
    agent: str = ""

    @property
    def place(self) -> tuple[object, ...]:
        """What the row's place in the tree depends on."""
        return (self.path, self.run_id, self.created_at, self.forked_from, self.landmarks)


def summarise(path: Path, cancelled: IsCancelled | None = None) -> RunSummary:
    """The row of a file; one that cannot be read gets a row that says why. Raises Cancelled if stopped."""
    try:
        return _row(path, read_overview_of(path, cancelled=cancelled))
    except Cancelled:
        raise
    except (TineError, OSError) as error:
        reason = error.message if isinstance(error, TineError) else (error.strerror or str(error))
        return RunSummary(path, title=path.stem, unreadable=reason)


def summary_of(path: Path, record: RunRecord) -> RunSummary:
    """The row of a run; one of another program's format is known by its title, since its file's name is an id."""
    return _row(path, overview_of(record, by_title=not is_run(path.name)))


def _row(path: Path, overview: Overview) -> RunSummary:
    totals = overview.totals
    return RunSummary(
        path=path,
        run_id=overview.run_id,
        title=overview.title or path.stem,
        status=overview.status,
        steps=overview.steps,
        cost=totals.known_cost,
        cost_is_minimum=totals.cost_is_least or overview.at_least,
        duration=totals.duration,
        created_at=overview.created_at,
        tags=overview.tags,
        model=overview.model,
        harness=overview.harness,
        forked_from=overview.sources,
        landmarks=overview.landmarks,
        since_fork=overview.since_fork,
        imported=overview.imported,
        has_not_run=overview.has_not_run,
        asked_last=overview.asked_last,
        failures=overview.failures,
        agent=title_of(overview.made_from),
    )


def status_of(run: RunSummary) -> str:
    """The status word of a row. Whether an agent's log is complete, or its run succeeded, is not known."""
    imported = run.imported or not is_run(run.path.name)
    return listed_status(run.status, imported=imported, has_not_run=run.has_not_run)


def runs_called(rows: Iterable[RunSummary], words: Sequence[str], most: int = MOST_CALLED) -> list[RunSummary]:
    """The first runs with every one of `words`, in small letters, in the title or the file's name; none without words.

    Those whose title begins with the first word come first.
    """
    if not words:
        return []
    found = [row for row in rows if all(word in f"{row.title} {row.path.name}".casefold() for word in words)]
    return sorted(found, key=lambda row: not row.title.casefold().startswith(words[0]))[:most]


def arrange_rows(before: Sequence[RunSummary], rows: Iterable[RunSummary]) -> tuple[RunSummary, ...]:
    """Rows in the order of the family tree; the order of `before` is kept if none of them moves."""
    fresh = {row.path: row for row in rows}
    if len(before) == len(fresh):
        places: list[RunSummary] = []
        for old in before:
            row = fresh.get(old.path)
            if row is None or row.place != old.place:
                break
            places.append(_placed(row, old.depth, old.related))
        else:
            return tuple(places)
    return family_order(fresh.values())


def in_natural_order(name: str) -> tuple[object, ...]:
    """What names are sorted by as people count: "run 2" before "run 10", however many digits there are."""
    parts = _DIGITS.split(name.casefold())
    return tuple((len(part.lstrip("0")), part.lstrip("0")) if number % 2 else part for number, part in enumerate(parts))


def family_order(summaries: Iterable[RunSummary]) -> tuple[RunSummary, ...]:
    """Rows as a tree: a fork is below its source and one deeper; newest roots first.

    A run that records no source is below the oldest run that has the last landmark it shares with an older one. A run
    whose recorded source is not in the folder is a root, and so is the newest run of a cycle of sources.
    """
    rows = sorted(summaries, key=lambda row: (-row.created_at, in_natural_order(row.path.name), row.path.name))
    by_run_id: dict[str, RunSummary] = {}
    for row in rows:
        if row.run_id:
            by_run_id.setdefault(row.run_id, row)
    first_with: dict[str, RunSummary] = {}
    for row in sorted(rows, key=_age):
        for landmark in row.landmarks:
            first_with.setdefault(landmark, row)
    below: dict[Path, list[RunSummary]] = {}
    roots: list[RunSummary] = []
    related: set[Path] = set()
    for row in rows:
        source = next((by_run_id[run_id] for run_id in row.forked_from if run_id in by_run_id), None)
        if not row.forked_from:
            shared = (first_with[landmark] for landmark in reversed(row.landmarks))
            source = next((other for other in shared if _age(other) < _age(row)), None)
            if source is not None:
                related.add(row.path)
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
            ordered.append(_placed(row, depth, row.path in related and depth > 0))
            if row.path in below:
                children = sorted(
                    below[row.path], key=lambda child: (child.created_at, in_natural_order(child.path.name))
                )
                stack.extend((child, depth + 1) for child in reversed(children))
    return tuple(ordered)


def _age(row: RunSummary) -> tuple[float, str]:
    return (row.created_at, row.path.name)


def _placed(row: RunSummary, depth: int, related: bool) -> RunSummary:
    return row if (row.depth, row.related) == (depth, related) else replace(row, depth=depth, related=related)
