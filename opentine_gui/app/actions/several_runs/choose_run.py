"""Asks for one of the runs that are known, by the names that the list of runs has for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.comparison import several_runs
from opentine_gui.app.comparison.related_runs import member_of
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.members import Member, name_of
from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.inspect.listed_runs import summary_of_document
from opentine_gui.app.state.prompts import Answer, Choose
from opentine_gui.core.format.metadata import source_run_ids
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MOST_CHOICES = 400


def known_runs(session: Session) -> list[Member]:
    """The runs to choose from: the open ones, then the files of the folder that are not open."""
    found = [member_of(session, document.number) for document in session.documents if is_run(document)]
    paths = {member.path for member in found}
    return found + [_listed(row) for row in session.runs.rows if row.path not in paths and not row.unreadable]


def another_is_known(session: Session, run: Member) -> bool:
    """Whether there is a run to choose beside this one; menus and the palette ask it all the time."""
    opened = [document for document in session.documents if is_run(document)]
    if any((document.number, document.path) != (run.document, run.path) for document in opened):
        return True
    paths = {run.path, *(document.path for document in opened)}
    return any(row.path not in paths and not row.unreadable for row in session.runs.rows)


def is_run(document: Document) -> bool:
    """Whether a document is one run that could be read."""
    return document.members is None and document.error is None


def ask_other_run(session: Session, run: Member, *, first: bool) -> None:
    """Ask which run to compare with one, related ones first; `first`: that one is A."""
    others = [other for other in known_runs(session) if (other.document, other.path) != (run.document, run.path)]
    related = _related(session, run)
    others.sort(key=lambda other: (other.path or other.document) not in related)
    items = _named(session, others[:MOST_CHOICES])

    def answered(answer: Answer) -> None:
        if isinstance(answer, str) and answer in items:
            pair = [run, items[answer]] if first else [items[answer], run]
            several_runs.open_together(session, pair, comparing=True)

    text = "Both in one picture: what they share once, and where they diverge."
    details = tuple(_place(label, member) for label, member in items.items())
    session.ask(Choose(f"Compare {run.title} with", text, tuple(items), details=details), answered)


def _listed(row: RunSummary) -> Member:
    """A file of the folder, by the name that its tab would have: an agent's session is known by its title."""
    return Member(row.path.stem if readers.is_run(row.path.name) else name_of(row.title), None, row.path)


def _named(session: Session, members: list[Member]) -> dict[str, Member]:
    """The runs by their titles in the list; those of one title by what was asked last in them, else counted."""
    rows = {row.path: row for row in session.runs.rows}
    known: list[tuple[Member, str, str]] = []
    for member in members:
        row = rows.get(member.path) if member.path is not None else None
        if row is None and member.document is not None and (document := session.document(member.document)) is not None:
            row = summary_of_document(document)
        known.append((member, name_of(row.title) if row is not None else member.title, row.asked_last if row else ""))
    alike = Counter(title for _, title, _ in known)
    items: dict[str, Member] = {}
    for member, title, asked in known:
        name = f"{title}, then {name_of(asked)}" if alike[title] > 1 and asked not in ("", title) else title
        label, number = name, 2
        while label in items:
            label, number = f"{name} ({number})", number + 1
        items[label] = member
    return items


def _place(label: str, member: Member) -> str:
    """The name of a run's file, where that is not what it is called already."""
    if member.path is None:
        return "not saved"
    return "" if member.path.stem == label else member.path.name


def _related(session: Session, run: Member) -> set[Path | int | None]:
    """The files and documents related to a run by fork and merge records; they are offered first."""
    record = run.record
    if record is None:
        return set()
    mine = {record.run_id, *source_run_ids(record.metadata)}
    found: set[Path | int | None] = {
        row.path for row in session.runs.rows if mine & {row.run_id, *row.forked_from} and row.path != run.path
    }
    for document in session.documents:
        other = document.record
        if is_run(document) and other is not None and mine & {other.run_id, *source_run_ids(other.metadata)}:
            found.add(document.path or document.number)
    return found
