"""Several runs made into one graph: read, united by id and compared in a job, and the result as a run to show."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from opentine_gui.app.document.members import Member
from opentine_gui.app.document.overlay import ShownRun, run_role
from opentine_gui.app.files import opening
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.core import Comparison, Family, RunRecord, RunStatus, TineError, compare, family_of
from opentine_gui.core.files import reader, storage

_READING, _UNION = 0.35, 0.6
"""Parts of the work's time: files are read up to the first, the union is made up to the second."""


class UnionResult(msgspec.Struct, frozen=True):
    """What the job answers: the runs that could be read, in the family's order, and what is said of them.

    `unchanged`: these are the very runs that are on show already, and nothing was made of them.
    """

    family: Family | None
    comparison: Comparison | None
    members: tuple[Member, ...]
    files: dict[Path, tuple[str, RunRecord]]
    problems: dict[Path, str]
    unchanged: bool = False


def build_union(
    members: Sequence[Member],
    wanted: Sequence[object],
    known: dict[Path, tuple[str, RunRecord]],
    comparing: bool,
    pair: tuple[int, int],
    progress: ReportProgress,
    cancelled: IsCancelled,
    previous: Sequence[RunRecord] = (),
) -> UnionResult:
    """Read the runs that are not there yet, make the union, and compare two (in a job).

    `wanted` has for each member its record, a path to read, or None for one that cannot be had. A file whose content is
    the one in `known` keeps its record. The family's runs are the oldest first, those of a comparison in order; when
    they are those of the `previous` family there is nothing to do.
    """
    files: dict[Path, tuple[str, RunRecord]] = {}
    problems: dict[Path, str] = {}
    found: list[tuple[Member, RunRecord]] = []
    for number, (member, item) in enumerate(zip(members, wanted, strict=True)):
        record = item if isinstance(item, RunRecord) else None
        if isinstance(item, Path):
            part = _Part(progress, number, len(members))
            record = _read(item, known, files, problems, part.report, cancelled)
        if record is not None:
            found.append((member, record))
    if not found or (comparing and len(found) < 2):
        return UnionResult(None, None, (), files, problems)
    if not comparing:
        found.sort(key=lambda pair: float(pair[1].created_at))
    records = [record for _, record in found]
    if same_runs(previous, records):
        return UnionResult(None, None, (), files, problems, unchanged=True)
    family = family_of(
        records, progress=lambda part: progress(_READING + (_UNION - _READING) * part), cancelled=cancelled
    )
    comparison = None
    if comparing:
        comparison = compare(
            records[pair[0]], records[pair[1]], progress=lambda part: progress(_UNION + (1 - _UNION) * part),
            cancelled=cancelled,
        )  # fmt: skip
    _prepare(family, comparison)
    return UnionResult(family, comparison, tuple(member for member, _ in found), files, problems)


def _prepare(family: Family, comparison: Comparison | None) -> None:
    """Work out in the job what the window will ask for: these are kept with the values they belong to."""
    _ = family.spending, family.tree, family.shared
    if comparison is not None:
        _ = comparison.marks, comparison.pairs, comparison.causes


class _Part(msgspec.Struct, frozen=True):
    """One file among several that are read one after the other."""

    progress: ReportProgress
    number: int
    count: int

    def report(self, fraction: float) -> None:
        """Say how far the whole is when this file is so far."""
        self.progress(_READING * (self.number + fraction) / self.count)


def _read(
    path: Path,
    known: dict[Path, tuple[str, RunRecord]],
    files: dict[Path, tuple[str, RunRecord]],
    problems: dict[Path, str],
    progress: ReportProgress,
    cancelled: IsCancelled,
) -> RunRecord | None:
    try:
        data = storage.read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        if path in known and known[path][0] == digest:
            files[path] = known[path]
        else:
            files[path] = (digest, reader.decode(data, path=path, progress=progress, cancelled=cancelled))
    except (TineError, OSError) as error:
        if cancelled():
            raise
        problems[path] = str(opening.as_tine_error(error, path))
        return None
    return files[path][1]


def same_runs(one: Sequence[object], other: Sequence[object]) -> bool:
    """Whether these are the very same values in the same order; records never change, so none is looked into."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def union_record(family: Family, title: str) -> RunRecord:
    """The union as a run, so that everything that shows runs can show it. It is never written to a file."""
    first = family.records[0]
    return RunRecord(
        run_id="",
        status=RunStatus.COMPLETED,
        created_at=min(record.created_at for record in family.records),
        graph=family.graph,
        refs={"main": first.main_tip} if first.main_tip is not None else {},
        metadata={"title": title},
    )


def shown_runs(family: Family, members: Sequence[Member]) -> tuple[ShownRun, ...]:
    """What is said of each run of a family, in its order."""
    depths = dict(family.tree)
    return tuple(
        ShownRun(
            title=member.title,
            role=run_role(number),
            status=record.status.value,
            steps=len(record.graph),
            own=len(family.only(number)),
            depth=depths.get(number, 0),
            document=member.document,
            path=member.path,
        )
        for number, (member, record) in enumerate(zip(members, family.records, strict=True))
    )
