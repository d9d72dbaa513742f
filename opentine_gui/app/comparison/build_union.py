"""Builds the union of several runs, in a job: reads them, unites their steps by id, and compares two."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from opentine_gui.app.document.members import Member, name_of
from opentine_gui.app.document.overlay import ShownRun, run_role
from opentine_gui.app.folder.readable import as_tine_error
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Comparison, Family, RunRecord, RunStatus, TineError, compare, family_of
from opentine_gui.core.files import reader, storage
from opentine_gui.core.record import MAIN, lower_bounds
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.numbers import counted
from opentine_gui.importers import readers
from opentine_gui.importers.sources.parts import divide
from opentine_gui.importers.sources.state import state_of
from opentine_gui.scene.text.clean import clean

_READING, _UNION = 0.35, 0.6
"""Progress when all files are read, and when the union is made."""


class UnionResult(msgspec.Struct, frozen=True):
    """The union of the runs that could be read; `members` are in its order, `pair` are the two that were compared.

    `unchanged`: these are the runs shown already, and no new union was made.
    """

    family: Family | None
    comparison: Comparison | None
    members: tuple[Member, ...]
    files: dict[Path, tuple[str, RunRecord]]
    problems: dict[Path, str]
    pair: tuple[int, int]
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
    """Read the runs that are not open, make the union, and if `comparing` compare the `pair` (in a job).

    `wanted` has for each member its record, a path to read, or None if it is missing. A file with the same digest as in
    `known` keeps its record. A family has its oldest run first, a comparison keeps the given order. If the records are
    those of the `previous` family, nothing is made.
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
            found.append((_named(member, record), record))
    if not found or (comparing and len(found) < 2):
        return UnionResult(None, None, (), files, problems, pair)
    found = _told_apart(found)
    if not comparing:
        found.sort(key=lambda pair: float(pair[1].created_at))
    records = [record for _, record in found]
    if same_runs(previous, records):
        return UnionResult(None, None, (), files, problems, pair, unchanged=True)
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
    return UnionResult(family, comparison, tuple(member for member, _ in found), files, problems, pair)


def _named(member: Member, record: RunRecord) -> Member:
    """The run, called after what it is about where its file's name is only an id."""
    foreign = member.path is not None and not readers.is_run(member.path.name)
    return replace(member, title=name_of(record.title)) if foreign else member


def _told_apart(found: list[tuple[Member, RunRecord]]) -> list[tuple[Member, RunRecord]]:
    """The runs with names of their own where sessions begin with the same words, as forks do.

    What tells them apart stands first, as names are cut at their ends: what was asked last, else how many steps there
    are, else the end of the file's name. The one that goes on with nothing else keeps its title.
    """
    alike = Counter(member.title for member, _ in found)
    goes_on = {id(record): _goes_on_with(record) for _, record in found}
    said = Counter((member.title, goes_on[id(record)]) for member, record in found)
    sizes = Counter((member.title, len(record.graph)) for member, record in found)

    def name(member: Member, record: RunRecord) -> str:
        if alike[member.title] == 1 or member.path is None or readers.is_run(member.path.name):
            return member.title
        if said[member.title, goes_on[id(record)]] == 1:
            return f"then {goes_on[id(record)]}" if goes_on[id(record)] else member.title
        if sizes[member.title, len(record.graph)] == 1:
            return f"{counted(len(record.graph), 'step')}: {member.title}"
        return f"{clean(member.path.stem[-6:])}: {member.title}"

    return [(replace(member, title=name(member, record)), record) for member, record in found]


def _goes_on_with(record: RunRecord) -> str:
    """What was asked last, if it is not what the run is called after."""
    return name_of(record.asked_last) if record.asked_last not in ("", record.title) else ""


def _prepare(family: Family, comparison: Comparison | None) -> None:
    """Compute here what the window will ask for; the values cache it."""
    _ = family.spending, family.tree, family.shared
    if comparison is not None:
        _ = comparison.marks, comparison.pairs, comparison.causes


class _Part(msgspec.Struct, frozen=True):
    """The progress of one file among several."""

    progress: ReportProgress
    number: int
    count: int

    def report(self, fraction: float) -> None:
        """Report the progress of the whole, given that of this file."""
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
        if readers.reader_for(path) is not readers.TINE:
            return _read_foreign(path, known, files, progress, cancelled)
        data = storage.read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        if path in known and known[path][0] == digest:
            files[path] = known[path]
        else:
            files[path] = (digest, reader.decode(data, path=path, progress=progress, cancelled=cancelled))
    except (TineError, OSError) as error:
        if cancelled():
            raise
        problems[path] = str(as_tine_error(error, path))
        return None
    return files[path][1]


def _read_foreign(
    path: Path,
    known: dict[Path, tuple[str, RunRecord]],
    files: dict[Path, tuple[str, RunRecord]],
    progress: ReportProgress,
    cancelled: IsCancelled,
) -> RunRecord:
    """A run of another program's format; its files are not read again while they are as they were."""
    state = state_of([divide(path)[0]])
    if path not in known or known[path][0] != state:
        files[path] = (state, readers.read_run(path, progress=progress, cancelled=cancelled))
    else:
        files[path] = known[path]
    return files[path][1]


def same_runs(one: Sequence[object], other: Sequence[object]) -> bool:
    """Whether these are the same objects in the same order; records never change, so identity is enough."""
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def union_record(family: Family, title: str) -> RunRecord:
    """The union as a run, so that it can be shown like one. It is never written to a file."""
    first = family.records[0]
    return RunRecord(
        run_id="",
        status=RunStatus.COMPLETED,
        created_at=min(record.created_at for record in family.records),
        graph=family.graph,
        refs={MAIN: first.main_tip} if first.main_tip is not None else {},
        metadata={"title": title, **lower_bounds(family.records)},
    )


def shown_runs(family: Family, members: Sequence[Member]) -> tuple[ShownRun, ...]:
    """The runs of a family as the overlay shows them, in order."""
    depths = dict(family.tree)
    return tuple(
        ShownRun(
            title=member.title,
            role=run_role(number),
            status=status_words(record).word,
            steps=len(record.graph),
            own=len(family.only(number)),
            depth=depths.get(number, 0),
            document=member.document,
            path=member.path,
            on_disk=member.on_disk,
        )
        for number, (member, record) in enumerate(zip(members, family.records, strict=True))
    )
