"""The local view: only the cone of some steps, what they rest on and what rests on them, as a picture of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

NOTHING_LEFT = "Every branch that is shown rests on this step: nothing would be left."
LEFT_FOR_A_STEP = "The local view was left: this step lies outside it."
SHOWN_FOR_A_STEP = "All branches are shown again: this step is on one that was hidden."


def enter(document: Document, steps: Iterable[str]) -> None:
    """Show only the cone of these steps; a local view entered from another keeps the way back to the whole run."""
    record = document.record
    if record is None:
        return
    found = tuple(sorted((step for step in steps if step in record.graph), key=record.graph.index))
    if not found or found == document.folding.local:
        return
    document.folding.enter_local(found, document.picture.camera)
    document.picture.refit_on_layout = True


def hide_branch(document: Document, step: str) -> str | None:
    """Leave the branches that rest on a step out of the picture, beside those already hidden; says why it cannot be.

    What is left is the local view of the ends of all other branches that were shown: only steps on which nothing else
    rests go.
    """
    record = document.record
    if record is None or step not in record.graph:
        return None
    graph = record.graph
    gone = set(graph.descendants([graph.index(step)]))
    shown = [graph.ids[tip] for tip in graph.tips if tip not in gone and not lies_outside(document, graph.ids[tip])]
    if not shown:
        return NOTHING_LEFT
    document.folding.enter_local(tuple(shown), document.picture.camera, len(graph.tips) - len(shown))
    document.picture.refit_on_layout = True
    return None


def leave(document: Document) -> None:
    """Show the whole run again, with what was open and from where it was looked at."""
    if not document.folding.local:
        return
    document.folding.leave_local()
    document.picture.refit_on_layout = False


def lies_outside(document: Document, step: str) -> bool:
    """Whether a step of the run lies outside the local view that is shown."""
    fold = document.picture.fold
    return (
        bool(document.folding.local)
        and fold is not None
        and step in fold.graph
        and document.picture.index_of(step) is None
    )


def leave_for(session: Session, document: Document, step: str) -> bool:
    """Leave the local view where a step that is to be shown lies outside it, and say so; True if it was left."""
    if not lies_outside(document, step):
        return False
    words = SHOWN_FOR_A_STEP if document.folding.hidden_branches else LEFT_FOR_A_STEP
    leave(document)
    session.notices.add("info", words, key=document.key("local"))
    return True
