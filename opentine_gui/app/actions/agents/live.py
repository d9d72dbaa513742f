"""Live actions: a run that grows while it is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_meant, document_of, holds_one_run, holds_run, with_run
from opentine_gui.app.files import following
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NOTHING_NEW = "Nothing came since you looked."


def _of_a_file(session: Session, document: int | None = None, **_arguments: Any) -> str | None:
    meant = document_meant(session, document)
    reason = holds_run(meant) or holds_one_run(meant, "follow")
    if reason is None and meant is not None and meant.path is None:
        return "This run is in no file that could grow."
    return reason


def _follows(session: Session, document: int | None = None, **_arguments: Any) -> bool:
    meant = document_meant(session, document)
    return meant is not None and meant.live.follows


@declare(
    ACTIONS,
    "live.follow",
    "Follow",
    "Keep the newest step in view while the file grows.",
    enabled=_of_a_file,
    menu="View/Live run",
    group=2,
    keys=("Ctrl+L",),
    contexts=("canvas", "tab"),
    state=_follows,
)
def follow(session: Session, follow: bool | None = None, document: int | None = None) -> None:
    """Switch following on or off; when switched on, go to the newest step."""
    target = document_meant(session, document)
    if target is None:
        return
    target.live.follows = not target.live.follows if follow is None else follow
    if target.live.follows:
        following.show_newest(session, target)


def _has_news(session: Session, **_arguments: Any) -> str | None:
    return with_run(session) or (None if document_of(session).live.news else NOTHING_NEW)


@declare(
    ACTIONS,
    "live.show_new",
    "Show what is new",
    "Go to the newest step that arrived while you were looking elsewhere.",
    enabled=_has_news,
    menu="View/Live run",
    group=2,
    keys=("Shift+End",),
)
def show_new(session: Session) -> None:
    """Bring the newest step into view and count from there."""
    following.show_newest(session, document_of(session))
