"""Finds runs to show together: one by its document or file, and those of a family that are not shown yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.comparison.build_union import same_runs
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.members import Member, Members, ReadFile, name_of
from opentine_gui.app.document.overlay import OtherRun, Overlay
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import EditError, Family, Fingerprint, TineError
from opentine_gui.core.format.metadata import source_run_ids
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

_PRIORITY = 4
MOST_OTHERS = 40
MOST_OTHER_STEPS = 20_000
"""Files with more steps than this, alone or together, are not read only to count the shared ones."""


def member_of(session: Session, run: int | Path | str) -> Member:
    """A run by its open document's number, or by file. LookupError for a closed one, EditError for several runs."""
    document = session.document(run) if isinstance(run, int) else session.document_at(Path(run).expanduser())
    if document is not None:
        if document.members is not None:
            raise EditError("that is no run: it shows several")
        return Member(name_of(document.title), document.number, document.path, document.record)
    if isinstance(run, int):
        raise LookupError("That run is not open any more.")
    path = Path(run).expanduser().absolute()
    return Member(name_of(path.name), None, path)


def present_member(session: Session, member: Member) -> Member:
    """A run that was shown, as it is now: its open document or its file, else its record as it was."""
    if member.on_disk:
        return member
    if member.document is not None and session.document(member.document) is not None:
        return member_of(session, member.document)
    return member_of(session, member.path) if member.path is not None else member


def shown_member(session: Session, overlay: Overlay, number: int) -> Member:
    """One of the runs that are shown together: its open document or its file, else its record as it is shown."""
    run, record = overlay.runs[number], overlay.family.records[number]
    return present_member(session, Member(run.title, run.document, run.path, record, run.on_disk))


def source_first(session: Session, pair: tuple[Member, Member]) -> tuple[Member, Member]:
    """Two runs, the one that the other was made from first, be it over several forks; else as they are."""
    sources: dict[str, set[str]] = {}
    by_path: dict[Path, str] = {}
    for row in session.runs.rows:
        by_path[row.path] = row.run_id
        sources.setdefault(row.run_id, set()).update(row.forked_from)
    records = [document.record for document in session.documents if document.members is None]
    for record in (*records, *(member.record for member in pair)):
        if record is not None:
            sources.setdefault(record.run_id, set()).update(source_run_ids(record.metadata))

    def run_id(member: Member) -> str:
        if member.record is not None:
            return member.record.run_id
        return by_path.get(member.path, "") if member.path is not None else ""

    def is_below(young: str, old: str) -> bool:
        seen, found = {young}, [young]
        while found:
            fresh = sources.get(found.pop(), set()) - seen
            if old in fresh:
                return True
            seen |= fresh
            found += fresh
        return False

    first, second = (run_id(member) for member in pair)
    backwards = first and second and is_below(first, second) and not is_below(second, first)
    return pair[::-1] if backwards else pair


def count_others(session: Session, document: Document, members: Members) -> None:
    """Find the runs related to the family that it does not show, and count the shared steps in a job.

    A file is read once for that, until it is another.
    """
    overlay = document.overlay
    key = (session.runs.rows, *(other.record for other in session.documents if other is not document))
    if overlay is None or (members.others_key is not None and same_runs(key, members.others_key)):
        return
    members.others_key = key
    found = _candidates(session, members, overlay.family)
    if not found and not overlay.others:
        return
    family, files, known = overlay.family, session.runs.files, members.others_read

    def work(_progress: ReportProgress, cancelled: IsCancelled) -> tuple[tuple[OtherRun, ...], dict[Path, ReadFile]]:
        shared = _hashes(family.graph.ids)
        others: list[OtherRun | None] = []
        read: dict[Path, ReadFile] = {}
        for member, steps, named in found:
            if member.record is None and member.path in files and steps <= MOST_OTHER_STEPS and not cancelled():
                read[member.path] = _read_once(member.path, files[member.path], known)
            others.append(_other(member, steps, named, shared, read))
        return tuple([other for other in others if other is not None][:MOST_OTHERS]), read

    def done(counted: tuple[tuple[OtherRun, ...], dict[Path, ReadFile]]) -> None:
        others, members.others_read = counted
        current = document.overlay
        if current is not None and current.family is family and current.others != others:
            document.show_overlay(current.with_others(others))
            session.touch()

    job, number = document.key("others"), document.number
    session.jobs.submit(
        job, work, done, lambda _error: None, priority=_PRIORITY, stopped=leaves_nothing, document=number
    )


def _candidates(session: Session, members: Members, family: Family) -> list[tuple[Member, int, bool]]:
    """(run, its steps, named by a record) for open runs and files that may be related to the family."""
    numbers = {member.document for member in members.members}
    paths = set(members.paths)
    found: list[tuple[Member, int, bool]] = []
    for document in session.documents:
        record = document.record
        if record is not None and document.members is None and document.number not in numbers:
            if document.path not in paths:
                member = Member(name_of(document.title), document.number, document.path, record)
                found.append((member, len(record.graph), False))
            if document.path is not None:
                paths.add(document.path)
    connected = {record.run_id for record in family.records}
    for record in family.records:
        connected.update(source_run_ids(record.metadata))
    rows = [row for row in session.runs.rows if not row.unreadable]
    size = 0
    while size != len(connected):
        size = len(connected)
        for row in rows:
            if row.run_id in connected or connected.intersection(row.forked_from):
                connected.update({row.run_id, *row.forked_from})
    named = [row for row in rows if row.run_id in connected and row.path not in paths][:MOST_OTHERS]
    found += [(Member(name_of(row.path.name), None, row.path), row.steps, True) for row in named]
    # A run that no record names may share steps: small files are read to find out, newest first, up to a bound.
    left = MOST_OTHER_STEPS
    for row in sorted(rows, key=lambda row: -row.created_at):
        if row.run_id not in connected and row.path not in paths and row.steps <= left:
            left -= row.steps
            found.append((Member(name_of(row.path.name), None, row.path), row.steps, False))
    return found


def _read_once(path: Path, fingerprint: Fingerprint, known: Mapping[Path, ReadFile]) -> ReadFile:
    """What is known of a file, or is read from it now; `fingerprint` is what it is listed with."""
    if path in known and known[path].fingerprint == fingerprint:
        return known[path]
    try:
        return ReadFile(fingerprint, _hashes(readers.read_run(path).graph.ids))
    except (TineError, OSError):
        return ReadFile(fingerprint, None)


def _hashes(ids: Sequence[str]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, ids), np.int64, len(ids))


def _other(
    member: Member, steps: int, named: bool, family: NDArray[np.int64], read: Mapping[Path, ReadFile]
) -> OtherRun | None:
    """A run that is not shown, or None if it is unrelated.

    A run is related if a record names it (`named`) or it shares a step.
    """
    if member.record is not None:
        hashes: NDArray[np.int64] | None = _hashes(member.record.graph.ids)
    else:
        hashes = read[member.path].hashes if member.path is not None and member.path in read else None
    if hashes is None:
        return OtherRun(member.title, steps, -1, member.document, member.path) if named else None
    shared = int(np.isin(hashes, family).sum())
    if not named and not shared:
        return None
    return OtherRun(member.title, len(hashes), shared, member.document, member.path)
