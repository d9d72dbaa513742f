"""The family tree of runs: from fork and merge records, and where these are missing from shared step ids."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from opentine_gui.core.record import RunRecord


class Basis(StrEnum):
    """Why a run is placed below another one."""

    FORK = "fork record"
    MERGE = "merge record"
    SHARED = "shared steps"
    NONE = "none"


class Descent(msgspec.Struct, frozen=True, kw_only=True):
    """The origin of one run in a family; runs are given by number.

    `parent` is the run it is placed below, `sources` are all runs it was made from. `point` is the id of the last step
    it inherited. `named` are the run ids its metadata names, whether or not they are in the family. `taken` is the
    number of steps shared with the parent. Runs of one `island` (numbered from 0) are connected by shared steps or
    metadata.
    """

    run: int
    parent: int | None
    basis: Basis
    sources: tuple[int, ...]
    named: tuple[str, ...]
    point: str | None
    taken: int
    island: int


def descents(
    records: Sequence[RunRecord], ids: Sequence[str], holders: Sequence[int], steps: Sequence[Sequence[int]]
) -> tuple[Descent, ...]:
    """The descent of every run; cycles in the metadata are broken.

    `ids` and `holders` are the union's, `steps[r]` are the positions of run r's steps in it. A run without a fork or
    merge record is placed below an earlier run (by `created_at`, then number): the oldest that has the last step shared
    with any.
    """
    by_id: dict[str, list[int]] = {}
    for run, record in enumerate(records):
        by_id.setdefault(record.run_id, []).append(run)
    age = sorted(range(len(records)), key=lambda run: (records[run].created_at, run))
    earlier = [0] * len(records)
    before = 0
    for run in age:
        earlier[run] = before
        before |= 1 << run
    parents: list[int | None] = [None] * len(records)
    found: list[tuple[Basis, tuple[int, ...], tuple[str, ...], str | None]] = []
    for run, record in enumerate(records):
        named = _named(record)
        sources = _sources(run, record, named, by_id, holders, steps)
        parents[run] = next((source for source in sources if not _is_below(parents, source, run)), None)
        basis = Basis.MERGE if record.lineage.merge else Basis.FORK
        found.append((Basis.NONE if parents[run] is None else basis, sources, named, record.lineage.fork_point))
    for run, (_, _, named, _) in enumerate(found):
        if not named:
            allowed = earlier[run] & ~_below(parents, run)
            parent, point = _by_shared(allowed, ids, holders, steps[run], age)
            if parent is not None:
                parents[run] = parent
                found[run] = (Basis.SHARED, (parent,), named, point)
    islands = _islands(len(records), holders, [sources for _, sources, _, _ in found])
    return tuple(
        [
            Descent(
                run=run,
                parent=parents[run],
                basis=basis,
                sources=sources,
                named=named,
                point=point,
                taken=_shared_count(run, parents[run], holders, steps),
                island=islands[run],
            )
            for run, (basis, sources, named, point) in enumerate(found)
        ]
    )


def _named(record: RunRecord) -> tuple[str, ...]:
    """The run ids that a run's fork or merge record names as sources."""
    lineage = record.lineage
    sources: Any = (lineage.merge or {}).get("sources")
    if isinstance(sources, list):
        names = [source.get("run_id") for source in sources if isinstance(source, dict)]
        return tuple(dict.fromkeys([name for name in names if isinstance(name, str)]))
    return (lineage.forked_from,) if lineage.forked_from else ()


def _sources(
    run: int,
    record: RunRecord,
    named: Sequence[str],
    by_id: dict[str, list[int]],
    holders: Sequence[int],
    steps: Sequence[Sequence[int]],
) -> tuple[int, ...]:
    """The runs a record names. Of several runs with one id: the first that has the fork point, else the first."""
    point = record.lineage.fork_point
    mask = 0
    if point is not None and point in record.graph:
        mask = holders[steps[run][record.graph.index(point)]]
    chosen = []
    for name in named:
        others = [other for other in by_id.get(name, []) if other != run]
        if others:
            chosen.append(min(others, key=lambda other: not mask >> other & 1))
    return tuple(chosen)


def _by_shared(
    allowed: int, ids: Sequence[str], holders: Sequence[int], steps: Sequence[int], age: Sequence[int]
) -> tuple[int | None, str | None]:
    """(the oldest allowed run that has the last step shared with any allowed run, that step's id), or (None, None)."""
    for place in reversed(steps):
        mask = holders[place] & allowed
        if mask:
            return next(other for other in age if mask >> other & 1), ids[place]
    return None, None


def _below(parents: Sequence[int | None], top: int) -> int:
    """The run `top` and all its descendants, as a bit mask."""
    children: dict[int, list[int]] = {}
    for run, parent in enumerate(parents):
        if parent is not None:
            children.setdefault(parent, []).append(run)
    found = 0
    stack = [top]
    while stack:
        run = stack.pop()
        found |= 1 << run
        stack += children.get(run, [])
    return found


def _is_below(parents: Sequence[int | None], run: int, top: int) -> bool:
    """Whether `run` is `top` or one of its descendants."""
    current: int | None = run
    while current is not None:
        if current == top:
            return True
        current = parents[current]
    return False


def _shared_count(run: int, parent: int | None, holders: Sequence[int], steps: Sequence[Sequence[int]]) -> int:
    if parent is None:
        return 0
    return sum([holders[place] >> parent & 1 for place in steps[run]])


def _islands(count: int, holders: Sequence[int], sources: Sequence[Sequence[int]]) -> list[int]:
    """The island of each run; islands are numbered in the order of the runs (union-find)."""
    top = list(range(count))

    def find(run: int) -> int:
        while top[run] != run:
            top[run] = top[top[run]]
            run = top[run]
        return run

    groups = [[run for run in range(count) if mask >> run & 1] for mask in set(holders)]
    groups += [[run, *others] for run, others in enumerate(sources)]
    for first, *others in groups:
        for other in others:
            low, high = sorted((find(first), find(other)))
            top[high] = low
    numbers: dict[int, int] = {}
    return [numbers.setdefault(find(run), len(numbers)) for run in range(count)]
