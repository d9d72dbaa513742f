"""Window actions: tabs, the filter of the run list, notices, progress bars, the list of keys and the about box."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.canvas import layouts
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _exists(session: Session, document: int = 0, number: int = 0, **_arguments: Any) -> str | None:
    return None if session.document(document or number) is not None else "That run is not open any more."


def _several(session: Session, **_arguments: Any) -> str | None:
    return None if len(session.documents) > 1 else "No other run is open."


@declare(ACTIONS, "document.activate", "Go to tab", "Bring an open run to the front.", enabled=_exists, palette=False)
def activate(session: Session, document: int = 0, number: int = 0) -> None:
    """Bring the document with this number to the front; lists pass it as `number`."""
    session.activate(session.document(document or number))


def _turn(session: Session, way: int) -> None:
    if session.active is not None:
        place = session.documents.index(session.active) + way
        session.activate(session.documents[place % len(session.documents)])


@declare(
    ACTIONS,
    "document.next",
    "Next tab",
    "Bring the next open run to the front.",
    enabled=_several,
    menu="Go",
    group=4,
    keys=("Ctrl+Tab", "Ctrl+PageDown"),
)
def next_document(session: Session) -> None:
    """Bring the next tab to the front; after the last one the first."""
    _turn(session, 1)


@declare(
    ACTIONS,
    "document.previous",
    "Previous tab",
    "Bring the previous open run to the front.",
    enabled=_several,
    menu="Go",
    group=4,
    keys=("Ctrl+Shift+Tab", "Ctrl+PageUp"),
)
def previous_document(session: Session) -> None:
    """Bring the previous tab to the front; before the first one the last."""
    _turn(session, -1)


@declare(ACTIONS, "runs.filter", "Filter runs", "Show only the runs that fit a query.", palette=False)
def filter_runs(session: Session, text: str) -> None:
    """Filter the list of runs by a query (the grammar is in `folder.run_query`)."""
    session.runs.set_filter(text)


@declare(ACTIONS, "notice.dismiss", "Dismiss notice", "Take a notice away.", palette=False)
def dismiss_notice(session: Session, key: str) -> None:
    """Remove a notice."""
    session.notices.dismiss(key)


@declare(ACTIONS, "job.cancel", "Stop", "Stop something that takes long.", palette=False)
def cancel_job(session: Session, key: str) -> None:
    """Stop a job and close the document it was opening. A save or an export reports how it ended by itself."""
    kind, _, number = key.partition(":")
    if kind in ("save", "copy", "export"):
        session.jobs.stop(key)
        return
    session.jobs.cancel(key)
    document = session.document(int(number)) if number.isdigit() else None
    if document is None:
        return
    if kind == "open":
        document.loading = None
        if document.state is None:
            session.remove_document(document)
    elif kind == "layout":
        layouts.stop_layout(session, document)


@declare(ACTIONS, "help.keys", "Keys", "Show all keys and what the pointer does.", menu="Help", keys=("F1", "Shift+/"))
def keys(session: Session, shown: bool | None = None) -> None:
    """Open or close the list of keys."""
    session.view.keys = not session.view.keys if shown is None else shown


@declare(ACTIONS, "help.about", "About", "Show the version and what this is.", menu="Help")
def about(session: Session, shown: bool | None = None) -> None:
    """Open or close the about box."""
    session.view.about = not session.view.about if shown is None else shown
