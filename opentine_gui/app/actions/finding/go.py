"""Go actions: back and forward, to failures, forks, roots and tips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, with_run, with_steps
from opentine_gui.app.actions.select import show_next, show_step
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.core.record import MAIN

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _can_travel(session: Session, way: int, reason: str) -> str | None:
    missing = with_run(session)
    if missing is not None:
        return missing
    document = document_of(session)
    return None if document.visit_history.neighbour(way, document.present_step) is not None else reason


def _can_go_back(session: Session, **_arguments: Any) -> str | None:
    return _can_travel(session, -1, "No other step was looked at before.")


def _can_go_forward(session: Session, **_arguments: Any) -> str | None:
    return _can_travel(session, 1, "This is the last step that was looked at.")


def _travel(session: Session, way: int) -> None:
    document = document_of(session)
    step = document.visit_history.go(way, document.present_step)
    if step is not None:
        show_step(session, step)


@declare(
    ACTIONS,
    "go.back",
    "Back",
    "Go back to the step looked at before.",
    enabled=_can_go_back,
    menu="Go",
    group=1,
    keys=("Alt+Left",),
)
def back(session: Session) -> None:
    """Go one step back in the visit history."""
    _travel(session, -1)


@declare(
    ACTIONS,
    "go.forward",
    "Forward",
    "Go forward again after going back.",
    enabled=_can_go_forward,
    menu="Go",
    group=1,
    keys=("Alt+Right",),
)
def forward(session: Session) -> None:
    """Go one step forward in the visit history."""
    _travel(session, 1)


NO_FORK = "No step of this run is followed by more than one."


def _has_failure(session: Session, **_arguments: Any) -> str | None:
    reason = with_steps(session)
    return reason or (None if document_of(session).notable_steps.failures else "No step of this run failed.")


def _has_fork(session: Session, **_arguments: Any) -> str | None:
    reason = with_steps(session)
    return reason or (None if document_of(session).notable_steps.forks else NO_FORK)


@declare(
    ACTIONS,
    "go.next_failure",
    "Next failure",
    "Go to the next step that failed.",
    enabled=_has_failure,
    menu="Go",
    group=2,
    keys=("N",),
    contexts=("timeline",),
)
def next_failure(session: Session) -> None:
    """Go to the next failing step in traversal order."""
    show_next(session, document_of(session).notable_steps.failures, 1)


@declare(
    ACTIONS,
    "go.previous_failure",
    "Previous failure",
    "Go to the last step before this one that failed.",
    enabled=_has_failure,
    menu="Go",
    group=2,
    keys=("Shift+N",),
    contexts=("timeline",),
)
def previous_failure(session: Session) -> None:
    """Go to the previous failing step in traversal order."""
    show_next(session, document_of(session).notable_steps.failures, -1)


@declare(
    ACTIONS,
    "go.next_fork",
    "Next fork",
    "Go to the next step with more than one successor: a fork, or calls side by side.",
    enabled=_has_fork,
    menu="Go",
    group=2,
    keys=("B",),
)
def next_fork(session: Session) -> None:
    """Go to the next step with several children."""
    show_next(session, document_of(session).notable_steps.forks, 1)


@declare(
    ACTIONS,
    "go.previous_fork",
    "Previous fork",
    "Go back to the nearest step with more than one successor: a fork, or calls side by side.",
    enabled=_has_fork,
    menu="Go",
    group=2,
    keys=("Shift+B",),
)
def previous_fork(session: Session) -> None:
    """Go to the previous step with several children."""
    show_next(session, document_of(session).notable_steps.forks, -1)


@declare(
    ACTIONS,
    "go.root",
    "Root",
    "Go to where this branch began.",
    enabled=with_steps,
    menu="Go",
    group=3,
    keys=("Ctrl+Home",),
)
def root(session: Session) -> None:
    """Go up first parents to a root; without a selection to the run's first root."""
    graph, primary = record_of(session).graph, document_of(session).selection.primary
    position = graph.index(primary) if primary is not None else graph.roots[0]
    while graph.parents[position]:
        position = graph.parents[position][0]
    show_step(session, graph.ids[position])


@declare(
    ACTIONS,
    "go.tip",
    "Tip",
    "Go to where this branch ends; without a selection to the end of the main line.",
    enabled=with_steps,
    menu="Go",
    group=3,
    keys=("End", "Ctrl+End"),
)
def tip(session: Session) -> None:
    """Go down first children to a tip; without a selection to the step of the main ref."""
    record, primary = record_of(session), document_of(session).selection.primary
    graph = record.graph
    if primary is None:
        end = record.refs.get(MAIN)
        show_step(session, end if end in graph and end else graph.ids[-1])
        return
    position = graph.index(primary)
    while graph.children[position]:
        position = graph.children[position][0]
    show_step(session, graph.ids[position])
