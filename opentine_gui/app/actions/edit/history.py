"""Undo and redo, and the positions of cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import (
    NO_DOCUMENT,
    document_of,
    of_one_run,
    with_picture,
    with_run,
)
from opentine_gui.app.canvas import layouts
from opentine_gui.app.canvas.made_documents import bring_back, can_bring_back, can_take_back, take_back
from opentine_gui.app.files.going_on import handing_back
from opentine_gui.app.files.renaming import edits_of
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.commands import MoveSteps, Pins, Point, ResetLayout

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
LOCAL = "Cards of a local view have their places: leave it to move cards."
TEXT_OWNS_IT = "The text box that is being edited has its own undo."


def _can_undo(session: Session, **_arguments: Any) -> str | None:
    if session.text_focused:
        return TEXT_OWNS_IT
    if session.file_moves.latest("undo", edits_of(session)) is not None:
        return None
    if session.active is None:
        return NO_DOCUMENT
    if session.active.members is not None:
        return of_one_run(session, "undo")
    if can_take_back(session, session.active):
        return None
    history = session.active.history
    if (history is not None and history.undo_label is not None) or handing_back.shows_written(session, session.active):
        return None
    return "There is nothing to undo."


def _can_redo(session: Session, **_arguments: Any) -> str | None:
    if session.text_focused:
        return TEXT_OWNS_IT
    if session.file_moves.latest("redo", edits_of(session)) is not None:
        return None
    if session.active is None:
        return NO_DOCUMENT
    if can_bring_back(session.active):
        return None
    if session.active.members is not None:
        return of_one_run(session, "redo")
    history = session.active.history
    return None if history is not None and history.redo_label is not None else "There is nothing to redo."


def _move_back(session: Session, way: str) -> bool:
    """Undo or redo the last move of a file, as `way` says; False if there is none, or a run was edited since."""
    if session.file_moves.latest(way, edits_of(session)) is None:
        return False
    _label, action, given = session.file_moves.take(way)
    session.invoke(action, **given)
    return True


def _travel(session: Session, forward: bool) -> None:
    document = document_of(session)
    before = document.state
    if document.history is None or before is None:
        return
    after = document.history.redo() if forward else document.history.undo()
    graph, selected = before.record.graph, document.selection
    document.set_state(after)
    if after.record.graph is not graph:
        document.select(selected.travelled(graph, after.record.graph), visit=False)
        document.picture.reveal_when_laid_out = document.selection.primary
    session.after_edit(document, before)


@declare(ACTIONS, "edit.undo", "Undo", "Take the last edit back.", enabled=_can_undo, menu="Edit", keys=("Ctrl+Z",))
def undo(session: Session) -> None:
    """Go one state back; before the first edit of a fork or a merge, back to where it was made.

    A file that was renamed, moved or sent to the trash after the last edit comes first. A session that was written for
    an agent, and was not edited here, is removed again.
    """
    if _move_back(session, "undo"):
        return
    document = document_of(session)
    history = document.history
    if can_take_back(session, document):
        take_back(session, document)
    elif (history is None or history.undo_label is None) and handing_back.shows_written(session, document):
        handing_back.undo(session)
    else:
        _travel(session, forward=False)


@declare(
    ACTIONS,
    "edit.redo",
    "Redo",
    "Do again what was undone.",
    enabled=_can_redo,
    menu="Edit",
    keys=("Ctrl+Shift+Z", "Ctrl+Y"),
)
def redo(session: Session) -> None:
    """Go one state forward, or to the fork or merge that undo closed here."""
    if _move_back(session, "redo"):
        return
    document = document_of(session)
    if can_bring_back(document):
        bring_back(session, document)
    else:
        _travel(session, forward=True)


def _moved(session: Session, **_arguments: Any) -> str | None:
    reason = with_run(session)
    if reason is not None:
        return reason
    document = document_of(session)
    return None if _placed(document) else "No card was moved."


def _placed(document: Document) -> Pins:
    """The user's positions in the picture shown; a local view has none."""
    if document.state is None or document.folding.is_local:
        return {}
    return document.state.placed(document.direction, document.is_folded)


@declare(
    ACTIONS,
    "edit.reset_layout",
    "Reset layout",
    "Put moved cards back where the layout has them: the selected ones, or all when none is selected.",
    enabled=_moved,
    menu="Edit",
    group=3,
    contexts=("canvas",),
)
def reset_layout(session: Session, everything: bool = False) -> None:
    """Reset the selected cards that were moved; without any, or with `everything`, all cards."""
    document = document_of(session)
    placed = _placed(document)
    chosen = frozenset(pin for pin in map(document.picture.pin_of, document.selected_indices) if pin in placed)
    ids = chosen if chosen and not everything else None
    session.apply(document, ResetLayout(ids, document.direction, document.is_folded))
    layouts.request_layout(session, document)


def _can_move(session: Session, **_arguments: Any) -> str | None:
    reason = with_picture(session) or of_one_run(session, "move cards")
    return reason or (LOCAL if document_of(session).folding.is_local else None)


@declare(
    ACTIONS,
    "canvas.move_steps",
    "Move cards",
    "Put cards at other places; remembered by step, never written to the file.",
    enabled=_can_move,
    palette=False,
)
def move_steps(session: Session, pins: Mapping[str, Point]) -> None:
    """Move cards to these centres, as one edit."""
    document = document_of(session)
    known = {key: point for key, point in pins.items() if document.record and key in document.record.graph}
    session.apply(document, MoveSteps(known, document.direction, document.is_folded))
