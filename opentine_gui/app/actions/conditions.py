"""Reasons why an action cannot run now, shared by the areas; None means that it can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.document.members import READ_ONLY
from opentine_gui.core import LookupFailure

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.document.overlay import Overlay
    from opentine_gui.app.session import Session
    from opentine_gui.core import RunRecord

NO_DOCUMENT = "No run is open."
STILL_LOADING = "The run is still being read."
NOT_READ = "This file could not be read."
NO_SELECTION = "Select a step first."
NO_PICTURE = "The graph is still being laid out."
NOT_TOGETHER = "Several runs are not shown together here."


def with_document(session: Session, **_arguments: Any) -> str | None:
    """None if a document is open, whatever its state."""
    return None if session.active is not None else NO_DOCUMENT


def with_run(session: Session, **_arguments: Any) -> str | None:
    """None if the active document holds a run."""
    return holds_run(session.active)


def holds_run(document: Document | None) -> str | None:
    """None if the document holds a run."""
    if document is None:
        return NO_DOCUMENT
    if document.state is None:
        return NOT_READ if document.error is not None else STILL_LOADING
    return None


def of_one_run(session: Session, doing: str) -> str | None:
    """None if the active document is a single run; `doing` completes the reason for one that shows several."""
    return holds_one_run(session.active, doing)


def holds_one_run(document: Document | None, doing: str) -> str | None:
    """None if the document is a single run; `doing` completes the reason for one that shows several."""
    return READ_ONLY.format(doing=doing) if document is not None and document.members is not None else None


def with_picture(session: Session, **_arguments: Any) -> str | None:
    """None if the active document's graph is laid out."""
    reason = with_run(session)
    if reason is None and (session.active is None or session.active.picture.layout is None):
        return NO_PICTURE
    return reason


def with_steps(session: Session, **_arguments: Any) -> str | None:
    """None if the active run has at least one step."""
    reason = with_run(session)
    if reason is None and not len(record_of(session).graph):
        return "This run has no steps."
    return reason


def with_step(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    """None if there is a step to act on: the one given, or the selected one."""
    reason = with_run(session)
    if reason is not None:
        return reason
    wanted = step if step is not None else document_of(session).selection.primary
    if wanted is None:
        return NO_SELECTION
    try:
        record_of(session).resolve(wanted)
    except LookupFailure as error:
        return f"{error.message[:1].upper()}{error.message[1:]}."
    return None


def with_parent(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    """None if there is a step to act on that has a parent."""
    reason = with_step(session, step)
    if reason is None and not record_of(session).graph.parent_ids(step_of(session, step)):
        return "This step is a root: it has no parent."
    return reason


def document_meant(session: Session, number: int | None) -> Document | None:
    """The document with this number, the active one for no number; None if there is no such document."""
    return session.active if number is None else session.document(number)


def document_of(session: Session) -> Document:
    """The active document; LookupError if no condition made sure that there is one."""
    if session.active is None:
        raise LookupError(NO_DOCUMENT)
    return session.active


def overlay_of(session: Session) -> Overlay:
    """The runs that the active document shows together; LookupError if no condition made sure that it does."""
    overlay = document_of(session).overlay
    if overlay is None:
        raise LookupError(NOT_TOGETHER)
    return overlay


def record_of(session: Session) -> RunRecord:
    """The active run; LookupError if no condition made sure that there is one."""
    record = document_of(session).record
    if record is None:
        raise LookupError(STILL_LOADING)
    return record


def step_of(session: Session, step: str | None) -> str:
    """The full id of the step to act on: the one given (by id or unique prefix), or the selected one.

    LookupError without either, LookupFailure for an id that names no step or several.
    """
    wanted = step if step is not None else document_of(session).selection.primary
    if wanted is None:
        raise LookupError(NO_SELECTION)
    return record_of(session).resolve(wanted)
