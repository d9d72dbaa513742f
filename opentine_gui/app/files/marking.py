"""Asks before saving a run that was made from one that did not verify: the file gets a permanent mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.prompts import CANCEL, Confirm
from opentine_gui.core import RunRecord
from opentine_gui.core.files.origin import contradicts, mark_sentence, marks_of
from opentine_gui.core.format.metadata import marks_in
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

SAVE_MARKED = "Save with the mark"
MOST_SENTENCES = 3


def confirm_marks(
    session: Session,
    document: Document,
    go: Callable[[], None],
    *,
    failed: Callable[[Exception], None],
    stopped: Callable[[], None],
) -> None:
    """Do `go`, once the user agrees to the marks that saving adds; at once where there are none.

    What the run was made from is checked in a job where nobody has done it yet; `failed` and `stopped` are those of
    that job. During check and question the document is being saved: closing and quitting wait.
    """
    record = document.record
    if record is None or "integrity" in record.metadata:
        go()
        return
    if all(origin.source is not None and origin.source.check.done for origin in record.origins):
        _ask(session, document, marks_of(record), go)
        return
    session.jobs.submit(
        document.key("marks"),
        lambda progress, cancelled: marks_of(record, pace=Pace(progress, cancelled)),
        lambda marks: _ask(session, document, marks, go),
        failed,
        title="Checking what this run was made from",
        stopped=stopped,
        over=document.on_disk.being_written(session),
    )


def _ask(session: Session, document: Document, marks: Sequence[JsonObject], go: Callable[[], None]) -> None:
    """Do `go` if the user agrees to the marks; at once where none is new."""
    saved: RunRecord | None = document.saved_state.record if document.saved_state is not None else None
    known = [*document.on_disk.accepted_marks, *(marks_in(saved.metadata) if saved is not None else ())]
    new = [mark for mark in marks if mark not in known]
    if not new:
        go()
        return
    bad = any(map(contradicts, new))
    what = "did not verify" if bad else "could not be verified"
    said = "; ".join(mark_sentence(mark) for mark in new[:MOST_SENTENCES])
    more = f"; and {len(new) - MOST_SENTENCES:,} more" if len(new) > MOST_SENTENCES else ""
    question = Confirm(
        f"Save a run made from one that {what}?",
        f"{document.title} was made from {said}{more}. The file will say so, and will not be called verified.",
        (CANCEL, SAVE_MARKED),
    )

    def answered(choice: object) -> None:
        if choice == SAVE_MARKED:
            document.on_disk.accepted_marks += new
            go()

    session.ask(question, answered, over=document.on_disk.being_written(session))
