"""Actions of a link of the canvas, from a parent to a child: what its context menu offers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import record_of, with_step
from opentine_gui.app.actions.select import show_step
from opentine_gui.app.inspect import clipboard_text
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _with_ends(session: Session, parent: str = "", child: str = "", **_arguments: Any) -> str | None:
    return with_step(session, step=parent) or with_step(session, step=child)


_of_link = partial(declare, ACTIONS, enabled=_with_ends, palette=False, contexts=("edge",))


@_of_link("link.parent", "Go to the parent", "Select the step at the link's beginning.")
def go_to_parent(session: Session, parent: str, child: str = "") -> None:
    """Select the step a link comes from and bring it into view."""
    show_step(session, record_of(session).resolve(parent))


@_of_link("link.child", "Go to the child", "Select the step at the link's end.")
def go_to_child(session: Session, child: str, parent: str = "") -> None:
    """Select the step a link leads to and bring it into view."""
    show_step(session, record_of(session).resolve(child))


@_of_link("link.diff", "Diff of the two", "Show how the child differs from the parent.", group=1)
def diff_ends(session: Session, parent: str, child: str) -> None:
    """Compare the two steps of a link in the reading view."""
    show_step(session, record_of(session).resolve(child))
    session.view.reading, session.view.file_read = True, False
    session.view.diff_with = record_of(session).resolve(parent)


@_of_link(
    "link.fork",
    "Fork at the parent",
    "Make a new run of the parent and all it rests on, without what follows.",
    group=1,
)
def fork_at_parent(session: Session, parent: str, child: str = "") -> None:
    """Propose a fork that ends with the step a link comes from."""
    session.invoke("run.fork", step=parent)


@_of_link("link.copy_ids", "Copy both ids", "Copy the ids of the parent and the child, one a line.", group=2)
def copy_ids(session: Session, parent: str, child: str) -> None:
    """Copy full ids."""
    clipboard_text.copy_ids(session, (parent, child))
