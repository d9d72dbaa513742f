"""Fold actions: open and close the groups of a long run, or show every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import NO_SELECTION, document_of, record_of, step_of, with_picture, with_step
from opentine_gui.app.canvas import layouts
from opentine_gui.app.canvas.folded import folding, local_view
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.selection import Selection
from opentine_gui.core.structure.first_view import UNFOLDED

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NO_GROUPS = "Every step of this run has a card of its own."
NO_GROUP = "Select a group first."
ONE_BRANCH = "This run has one branch."
NOTHING_OPEN = "No group is open."
SHORT = f"Only runs of more than {UNFOLDED} steps, and those too long for the canvas, are folded."


def _folded(session: Session, **_arguments: Any) -> str | None:
    return with_picture(session) or (NO_GROUPS if document_of(session).picture.fold is None else None)


def _card(document: Document, step: str | None) -> int | None:
    """The card of the group that holds a step, by default the selected one."""
    if step is None:
        return document.selected_group
    card = document.picture.index_of(step)
    return (
        card
        if card is not None and document.picture.fold is not None and document.picture.fold.is_group(card)
        else None
    )


def _with_group(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = _folded(session)
    return reason or (None if _card(document_of(session), step) is not None else NO_GROUP)


def _with_branches(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = _folded(session)
    if reason is not None:
        return reason
    document = document_of(session)
    wanted = step if step is not None else document.selection.primary
    card = document.picture.index_of(wanted) if wanted is not None else None
    if card is None or document.picture.fold is None:
        return NO_GROUP
    return None if document.picture.fold.card(card).absorbed else "No branches are folded into this card."


def _with_open(session: Session, **_arguments: Any) -> str | None:
    reason = _folded(session)
    return reason or (None if folding.innermost(document_of(session)) is not None else NOTHING_OPEN)


@declare(
    ACTIONS,
    "fold.open",
    "Open group",
    "Open the group in place; only the cards below it move.",
    enabled=_with_group,
    menu="View/Groups",
    group=1,
    contexts=("step",),
)
def open_group(session: Session, step: str | None = None) -> None:
    """Open the group that holds a step, by default the selected one; its first card is selected."""
    document = document_of(session)
    card = _card(document, step)
    if card is None or document.picture.fold is None:
        return
    first = document.picture.fold.graph.ids[document.picture.fold.card(card).name]
    if folding.open_group(document, card) is not None:
        document.select(Selection((first,)), visit=False)
        layouts.refresh_layout(session, document)
        session.touch()


@declare(
    ACTIONS,
    "fold.branches",
    "Show branches",
    "Give the branches that a card has folded away cards of their own.",
    enabled=_with_branches,
    menu="View/Groups",
    group=1,
    contexts=("step/Branch",),
)
def show_branches(session: Session, step: str | None = None) -> None:
    """Make cards of the branches that a card absorbed."""
    document = document_of(session)
    wanted = step if step is not None else document.selection.primary
    card = document.picture.index_of(wanted) if wanted is not None else None
    if card is not None and folding.open_group(document, card, branches=True) is not None:
        layouts.refresh_layout(session, document)
        session.touch()


@declare(
    ACTIONS,
    "fold.close",
    "Close group",
    "Close the innermost open group: exactly what opening it added goes.",
    enabled=_with_open,
    menu="View/Groups",
    group=1,
    contexts=("canvas",),
)
def close_group(session: Session, name: str | None = None, steps: int | None = None) -> None:
    """Close an open group by the step it begins with, by default the innermost around the selection.

    `steps` is its size, if another open group begins with the same step.
    """
    document = document_of(session)
    if document.picture.fold is None:
        return
    openings = reversed(document.picture.fold.state.openings)
    named = (one for one in openings if one.name == name and steps in (None, one.steps))
    opening = folding.innermost(document) if name is None else next(named, None)
    if opening is None:
        return
    primary = document.selection.primary
    card = document.picture.index_of(primary) if primary is not None else None
    inside = card is not None and opening in document.picture.fold.trail(card)
    folding.close_group(document, opening)
    if inside:
        document.select(Selection((opening.name,)), visit=False)
    layouts.refresh_layout(session, document)
    session.touch()


def _local(session: Session, **_arguments: Any) -> bool | str:
    return session.active is not None and session.active.folding.is_local


def _with_seeds(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_picture(session)
    if reason is not None or document_of(session).folding.is_local:
        return reason
    return None if step is not None or document_of(session).selection else NO_SELECTION


@declare(
    ACTIONS,
    "fold.local",
    "Local view",
    "Show only what the selected steps rest on and what rests on them, or the whole run again.",
    enabled=_with_seeds,
    menu="View/Groups",
    group=1,
    keys=("K",),
    contexts=("step",),
    state=_local,
)
def local(session: Session, step: str | None = None, shown: bool | None = None) -> None:
    """Enter or leave the local view of the selected steps, or of one step."""
    document = document_of(session)
    seeds = tuple(document.selection) if step is None or step in document.selection else (step,)
    if (not document.folding.is_local) if shown is None else shown:
        local_view.enter(document, seeds)
    else:
        local_view.leave(document)
        if document.selection.primary is not None:
            document.picture.reveal_when_laid_out = document.selection.primary
    layouts.refresh_layout(session, document)
    session.touch()


def _with_branch(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_picture(session) or with_step(session, step=step)
    return reason or (None if len(record_of(session).graph.tips) > 1 else ONE_BRANCH)


@declare(
    ACTIONS,
    "fold.hide_branch",
    "Hide branch",
    "Leave the branches that rest on this step out of the picture, until Esc; the run stays as it is.",
    enabled=_with_branch,
    menu="View/Groups",
    group=1,
    contexts=("step/Branch",),
)
def hide_branch(session: Session, step: str | None = None) -> None:
    """Show a run without the branches that rest on a step; a notice says where nothing would be left."""
    document = document_of(session)
    refusal = local_view.hide_branch(document, step_of(session, step))
    if refusal is not None:
        session.notices.add("info", refusal, key=document.key("local"))
        return
    document.select(Selection(), visit=False)
    layouts.refresh_layout(session, document)
    session.touch()


def _long(session: Session, **_arguments: Any) -> str | None:
    reason = with_picture(session)
    return reason or (None if document_of(session).folds else SHORT)


def _every_step(session: Session, **_arguments: Any) -> bool | str:
    if _long(session) is not None:
        return ""
    return bool(document_of(session).folding.every_step)


@declare(
    ACTIONS,
    "fold.every_step",
    "Show all steps",
    "Give every step of a long run a card of its own, or fold it again; remembered for the run.",
    enabled=_long,
    menu="View",
    group=1,
    keys=("G",),
    contexts=("canvas",),
    state=_every_step,
)
def every_step(session: Session, shown: bool | None = None) -> None:
    """Unfold the run, or fold it again."""
    document, record = document_of(session), record_of(session)
    document.folding.every_step = not document.folding.every_step if shown is None else shown
    if document.folding.is_local:
        document.folding.state, document.picture.refit_on_layout = None, True
    session.settings.remember_every_step(record.run_id, bool(document.folding.every_step))
    layouts.refresh_layout(session, document)
    session.touch()
