"""Actions of the time strip: an area of time, its steps, and the part of the time that is in view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, with_steps
from opentine_gui.app.inspect.analysis.time_area import set_area, steps_between
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.selection import Selection

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NARROWEST = 1e-4
"""The least part of the strip that can fill it."""
NO_AREA = "Drag over the time strip first."


def _has_area(session: Session, **_arguments: Any) -> str | None:
    reason = with_steps(session)
    return reason or (None if document_of(session).strip.area is not None else NO_AREA)


def _is_zoomed(session: Session, **_arguments: Any) -> str | None:
    reason = with_steps(session)
    return reason or (None if document_of(session).strip.view != (0.0, 1.0) else "The whole time is in view.")


@declare(ACTIONS, "time.area", "Time range", "Select a range of the time strip.", enabled=with_steps, palette=False)
def area(session: Session, begin: float | None = None, end: float | None = None) -> None:
    """Mark the time between two times (Unix seconds); without them clear the mark."""
    set_area(document_of(session), (begin, end) if begin is not None and end is not None else None)


@declare(
    ACTIONS,
    "time.select",
    "Select the steps of the area",
    "Select the steps that were at work in the marked area of the time strip.",
    enabled=_has_area,
    menu="Go",
    group=5,
    contexts=("timeline",),
)
def select(session: Session) -> None:
    """Select all steps of the area."""
    document, graph = document_of(session), record_of(session).graph
    marked = document.strip.area
    if marked is not None:
        document.select(Selection(tuple(graph.ids[step] for step in steps_between(graph, *marked))))


@declare(
    ACTIONS,
    "time.clear",
    "Clear the area",
    "Take the mark of an area off the time strip.",
    enabled=_has_area,
    menu="Go",
    group=5,
    contexts=("timeline",),
)
def clear(session: Session) -> None:
    """Clear the marked area."""
    set_area(document_of(session), None)


def _set_view(session: Session, begin: float, end: float) -> None:
    wide = min(max(end - begin, NARROWEST), 1.0)
    begin = min(max(begin, 0.0), 1.0 - wide)
    document_of(session).strip.view = (begin, begin + wide)
    session.touch()


@declare(ACTIONS, "time.zoom", "Zoom the time strip", "Zoom the time strip.", enabled=with_steps, palette=False)
def zoom(session: Session, factor: float = 1.0, about: float = 0.5, shift: float = 0.0) -> None:
    """Zoom about a place (0 to 1 of what is in view), and move by a share of what is in view."""
    begin, end = document_of(session).strip.view
    wide = end - begin
    middle = begin + about * wide
    new = min(wide / max(factor, 1e-6), 1.0)
    _set_view(session, middle - about * new + shift * wide, middle - about * new + shift * wide + new)


@declare(
    ACTIONS,
    "time.whole",
    "Show the whole time",
    "Show all of the time strip again.",
    enabled=_is_zoomed,
    menu="View",
    contexts=("timeline",),
)
def whole(session: Session) -> None:
    """Show the whole strip."""
    _set_view(session, 0.0, 1.0)
