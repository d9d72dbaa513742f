"""Help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


@declare(ACTIONS, "help.keys", "Keys", "Show all keys and what the pointer does.", menu="Help", keys=("F1", "Shift+/"))
def keys(session: Session, shown: bool | None = None) -> None:
    """Open or close the list of keys."""
    session.view.keys = not session.view.keys if shown is None else shown


@declare(ACTIONS, "help.about", "About", "Show the version and what this is.", menu="Help")
def about(session: Session, shown: bool | None = None) -> None:
    """Open or close the about box."""
    session.view.about = not session.view.about if shown is None else shown
