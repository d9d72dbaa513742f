"""Asks before a session with what looks like a secret is saved, or any run exported: agents record all they see."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.prompts import CANCEL, Answer, Confirm
from opentine_gui.app.state.selection import Selection
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import Cancelled, RunRecord
from opentine_gui.core.analysis.hidden_secrets import hide_in_record
from opentine_gui.core.analysis.secret_words import MOST, Secret, secrets_in
from opentine_gui.core.progress import Pace
from opentine_gui.describe.numbers import counted

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

_looks = itertools.count(1)
"""Numbers the looks before exports, so that one does not take the place of another."""
SAVE = "Save"
SHOW, HIDE = "Show them", "Hide them"
MOST_KINDS = 4
OTHERS = " Hidden ones are replaced by their kind, in the exported file only; there may be others."


def is_imported(document: Document) -> bool:
    """Whether a run was read from an agent's session, and nobody looked through it yet."""
    record = document.record
    return document.origin is not None or (record is not None and record.is_imported and document.path is None)


def confirm(session: Session, document: Document, verb: str, go: Callable[[], None]) -> None:
    """Run `go`, after a question where an imported run holds what looks like a secret; `verb` is "Save" or "Export".

    A document that is looked through, or asked about, before a Save is being saved: closing and quitting wait. For a
    look before an export the end of the session waits.
    """
    record = document.record
    if record is None or not is_imported(document):
        go()
        return

    saves = verb == SAVE

    def looked(found: list[Secret]) -> None:
        if found and session.closed:
            _say_not_exported(session, document)
        elif found:
            _ask(session, document, record, found, verb, go)
        else:
            go()

    session.jobs.submit(
        document.key("secrets") if saves else f"{document.key('secrets')}:{next(_looks)}",
        lambda progress, cancelled: secrets_in(record.graph, Pace(progress, cancelled)),
        looked,
        None if saves else _unless_stopped,
        title="Looking for secrets",
        priority=1,
        stopped=leaves_nothing,
        must_finish=not saves,
        over=document.on_disk.being_written(session) if saves else None,
    )


def confirm_export(session: Session, document: Document, go: Callable[[bool], None]) -> None:
    """Run `go(hides)`, after a question where a run, imported or not, holds what looks like a secret.

    Of several runs all are looked through. Not for a `.tine`, in which nothing may be hidden.
    """
    record, overlay = document.record, document.overlay
    if record is None:
        go(False)
        return
    records = tuple(overlay.family.records) if overlay is not None else (record,)

    def look(progress: Callable[[float], None], cancelled: Callable[[], bool]) -> list[Secret]:
        pace = Pace(progress, cancelled)
        found: dict[Secret, None] = {}
        for number, one in enumerate(records):
            part = pace.part(number / len(records), (number + 1) / len(records))
            for step, kinds in hide_in_record(one, part).kinds.items():
                found.update(dict.fromkeys(Secret(step, kind) for kind in kinds))
        return list(found)

    def looked(found: list[Secret]) -> None:
        if found and session.closed:
            _say_not_exported(session, document)
        elif found:
            _ask(session, document, record, found, "Export", lambda: go(False), hide=lambda: go(True))
        else:
            go(False)

    # An export of its own, which the end of the session waits for as for what it writes.
    session.jobs.submit(
        f"{document.key('secrets')}:{next(_looks)}",
        look,
        looked,
        _unless_stopped,
        title="Looking for secrets",
        priority=1,
        must_finish=True,
    )


def _unless_stopped(error: Exception) -> None:
    if not isinstance(error, Cancelled):
        raise error


def _say_not_exported(session: Session, document: Document) -> None:
    """Say at the end of the session that nobody can be asked any more."""
    words = f"{document.title} was not exported: it may hold a secret, and you could not be asked."
    session.notices.add("warning", words, key=f"not exported:{document.number}")


def _ask(
    session: Session,
    document: Document,
    record: RunRecord,
    found: list[Secret],
    verb: str,
    go: Callable[[], None],
    hide: Callable[[], None] | None = None,
) -> None:
    steps = tuple(dict.fromkeys(secret.step for secret in found if secret.step))
    inside = tuple(step for step in steps if step in record.graph)
    kinds = Counter(secret.kind for secret in found).most_common()
    named = ", ".join(f"{kind} ({count})" if count > 1 else kind for kind, count in kinds[:MOST_KINDS])
    more = " and others" if len(kinds) > MOST_KINDS else ""
    least = "at least " if steps and hide is None and len(found) >= MOST else ""  # that look ends there
    anyway = f"{verb} anyway"
    what = "session" if is_imported(document) else "run"
    question = Confirm(
        f"{verb} what looks like a secret?",
        f"{least}{counted(len(steps), 'step') if steps else 'The record'} of this {what} may hold one: {named}{more}. "
        f"Whoever gets the file can read what is in it.{OTHERS if hide is not None else ''}",
        (CANCEL, *((SHOW,) if inside else ()), anyway, *((HIDE,) if hide is not None else ())),
        frozenset({anyway}),
    )

    def answered(choice: Answer) -> None:
        if choice == anyway:
            go()
        elif choice == HIDE and hide is not None:
            hide()
        elif choice == SHOW and document.record is record:
            session.activate(document)
            document.select(Selection.of(reversed(inside)))
            session.bring_into_view(document, inside[0])
            session.touch()

    session.ask(question, answered, over=document.on_disk.being_written(session) if verb == SAVE else None)
