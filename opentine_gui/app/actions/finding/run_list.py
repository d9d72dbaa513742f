"""The list of runs by keyboard: a mark goes up and down in it, and Enter opens what is marked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.files import opening
from opentine_gui.app.inspect.listed_runs import Entry, list_entries, lists_any
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NOTHING_LISTED = "No runs are listed: open a folder of runs first."


def _rows(session: Session) -> list[int | Path]:
    """The keys of the rows that can be opened, in the order of the list."""
    return [entry.row_key for entry in list_entries(session) if entry.opens]


def _listed(session: Session, **_first: bool) -> str | None:
    document = session.active
    if document is not None and document.members is not None:
        return "The list has the runs that are shown together: press one of them."
    return None if lists_any(session) else NOTHING_LISTED


def _marked(session: Session) -> str | None:
    mark = session.view.list_mark
    return None if mark is not None and mark in _rows(session) else "Choose a run with Up and Down first."


@declare(
    ACTIONS,
    "runs.focus",
    "Choose in the list of runs",
    "Go through the list of runs with Up and Down; Enter opens one, Esc goes back.",
    enabled=_listed,
    menu="Go",
    group=4,
    keys=("F6",),
)
def focus(session: Session, first: bool = False) -> None:
    """Give the keyboard to the list of runs, or take it back; the mark begins at the run in front.

    With `first` it is given in any case, and the mark begins at the first row.
    """
    view, rows = session.view, _rows(session)
    view.list_keys = first or not view.list_keys
    if first:
        view.list_mark = rows[0]
    elif view.list_keys:
        view.panels = True
        front = session.active
        here = next((key for key in (front.number, front.path) if key in rows), None) if front is not None else None
        view.list_mark = here if here is not None else view.list_mark if view.list_mark in rows else rows[0]
    session.touch()


def _walk(session: Session, by: int) -> None:
    rows, mark = _rows(session), session.view.list_mark
    if mark not in rows:
        session.view.list_mark = rows[0] if by > 0 else rows[-1]
    else:
        session.view.list_mark = rows[min(max(rows.index(mark) + by, 0), len(rows) - 1)]
    session.touch()


@declare(
    ACTIONS,
    "runs.mark_next",
    "Next run of the list",
    "Mark the next run of the list.",
    enabled=_listed,
    palette=False,
    mode="list",
    mode_keys=("Down",),
)
def mark_next(session: Session) -> None:
    """Mark the row below; the first one if none is marked."""
    _walk(session, 1)


@declare(
    ACTIONS,
    "runs.mark_previous",
    "Previous run of the list",
    "Mark the previous run of the list.",
    enabled=_listed,
    palette=False,
    mode="list",
    mode_keys=("Up",),
)
def mark_previous(session: Session) -> None:
    """Mark the row above; the last one if none is marked."""
    _walk(session, -1)


def _first(session: Session) -> Entry | None:
    """The first run of the list; folders are listed as well."""
    return next((entry for entry in list_entries(session) if entry.opens and entry.folder is None), None)


def _has_first(session: Session) -> str | None:
    if _first(session) is not None:
        return None
    return "No run matches the filter." if session.runs.filter_text.strip() else NOTHING_LISTED


@declare(
    ACTIONS,
    "runs.open_first",
    "Open the first run of the list",
    "Open the run that stands first in the list of runs, as Enter does in its filter.",
    enabled=_has_first,
    palette=False,
)
def open_first(session: Session) -> None:
    """Open the first run that is listed; the keyboard is the canvas's."""
    entry = _first(session)
    if entry is not None:
        _open(session, entry)


@declare(
    ACTIONS,
    "runs.open_marked",
    "Open the marked run",
    "Open what is marked in the list of runs.",
    enabled=_marked,
    palette=False,
    mode="list",
    mode_keys=("Enter",),
)
def open_marked(session: Session) -> None:
    """Open the marked run, or list the marked folder; the keyboard is the canvas's again, but for a folder."""
    mark = session.view.list_mark
    entry = next(entry for entry in list_entries(session) if entry.opens and entry.row_key == mark)
    if entry.folder is not None:
        session.invoke("file.open_folder", path=entry.folder)
        return
    _open(session, entry)


def _open(session: Session, entry: Entry) -> None:
    """Open the run of a row, and give the keyboard back to the canvas."""
    session.view.list_keys, session.view.list_mark = False, None
    if entry.document is not None:
        session.activate(entry.document)
    elif entry.run is not None:
        opening.open_path(session, entry.run.path)
    session.touch()
