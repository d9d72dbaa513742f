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
    document.folding.enter_local(document.picture.camera, cone=found)
    document.picture.refit_on_layout = True


def hide_branch(document: Document, step: str) -> str | None:
    """Leave what rests on a step out of the picture, beside what is not in it already; says why it cannot be.

    Only steps on which nothing else rests go: what is left is the local view of all other tips.
    """
    record, folding = document.record, document.folding
    if record is None or step not in record.graph:
        return None
    graph = record.graph
    outside = (graph.ids[tip] for tip in graph.tips if lies_outside(document, graph.ids[tip]))
    hidden = (*(outside if folding.local else folding.hidden), step)
    gone = set(graph.descendants([graph.index(one) for one in hidden if one in graph]))
    if gone.issuperset(graph.tips):
        return NOTHING_LEFT
    folding.enter_local(document.picture.camera, hidden=hidden)
    document.picture.refit_on_layout = True
    return None


def hidden_branches(document: Document) -> int:
    """How many branches are left out of the picture because the user hid them."""
    record, folding = document.record, document.folding
    return len(record.graph.tips) - len(folding.seeds_in(record.graph)) if record is not None and folding.hidden else 0


def leave(document: Document) -> None:
    """Show the whole run again, with what was open and from where it was looked at."""
    if not document.folding.is_local:
        return
    document.folding.leave_local()
    document.picture.refit_on_layout = False


def lies_outside(document: Document, step: str) -> bool:
    """Whether a step of the run lies outside the local view that is shown."""
    fold = document.picture.fold
    return (
        document.folding.is_local
        and fold is not None
        and step in fold.graph
        and document.picture.index_of(step) is None
    )


def leave_for(session: Session, document: Document, step: str) -> bool:
    """Leave the local view where a step that is to be shown lies outside it, and say so; True if it was left."""
    if not lies_outside(document, step):
        return False
    words = SHOWN_FOR_A_STEP if document.folding.hidden else LEFT_FOR_A_STEP
    leave(document)
    session.notices.add("info", words, key=document.key("local"))
    return True
