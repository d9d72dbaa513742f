"""Suspect actions: walk the suspects, go to where the same call passed last, mark where to fork."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, step_of, with_step, with_steps
from opentine_gui.app.actions.select import show_step
from opentine_gui.app.canvas.proposals.fork_proposal import propose_fork
from opentine_gui.app.inspect.analysis.findings import Findings, are_given_up, findings_of, fork_rows
from opentine_gui.app.inspect.analysis.results import GIVEN_UP
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.core.analysis.suspicion.fork_points import ForkPoint, common_point, last_pass

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
LOOKING = "The steps are still being looked through."
NO_SUSPECT = "Nothing in this run stands out."
NO_FORK_HERE = "This step does not stand out as a place to fork; Fork forks at any step."
NO_FORK = "No place to fork stands out: nothing was refused, and no streak of failures ended a branch."


def _found(session: Session) -> Findings:
    found = findings_of(session, document_of(session))
    if found is None:
        raise LookupError(LOOKING)
    return found


def _looked(session: Session) -> str | None:
    reason = with_steps(session)
    if reason is not None or findings_of(session, document_of(session)) is not None:
        return reason
    return GIVEN_UP if are_given_up(document_of(session)) else LOOKING


def _has_suspect(session: Session, **_arguments: Any) -> str | None:
    reason = _looked(session)
    return reason or (None if _found(session).suspicion.suspects else NO_SUSPECT)


def _walk(session: Session, way: int) -> None:
    """Go to the next suspect of the list, from the last one to the first; from elsewhere to the first or last."""
    found = _found(session)
    graph = record_of(session).graph
    steps = [graph.ids[suspect.position] for suspect in found.suspicion.suspects]
    primary = document_of(session).selection.primary
    place = (steps.index(primary) + way) % len(steps) if primary in steps else 0 if way > 0 else len(steps) - 1
    show_step(session, steps[place])


@declare(
    ACTIONS,
    "go.next_suspect",
    "Next suspect",
    "Go to the next step that is worth looking at, the likeliest first.",
    enabled=_has_suspect,
    menu="Go",
    group=2,
    keys=("Alt+N",),
)
def next_suspect(session: Session) -> None:
    """Select the next suspect."""
    _walk(session, 1)


@declare(
    ACTIONS,
    "go.previous_suspect",
    "Previous suspect",
    "Go back to the suspect before.",
    enabled=_has_suspect,
    menu="Go",
    group=2,
    keys=("Shift+Alt+N",),
)
def previous_suspect(session: Session) -> None:
    """Select the suspect before."""
    _walk(session, -1)


def _passed(session: Session, step: str | None) -> int | None:
    record = record_of(session)
    return last_pass(record.graph, record.graph.index(step_of(session, step)), _found(session).facts)


def _has_passed(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_step(session, step=step)
    if reason is not None:
        return reason
    graph = record_of(session).graph
    if not graph.failed[graph.index(step_of(session, step))]:
        return "This step did not fail."
    reason = _looked(session)
    if reason is not None:
        return reason
    return None if _passed(session, step) is not None else "The same call did not pass before."


@declare(
    ACTIONS,
    "go.last_pass",
    "Where it passed last",
    "From a failing call to the last one before it that asked the same and did not fail.",
    enabled=_has_passed,
    menu="Go",
    group=2,
)
def go_to_last_pass(session: Session, step: str | None = None) -> None:
    """Select the last step that made the same call and did not fail."""
    found = _passed(session, step)
    if found is not None:
        show_step(session, record_of(session).graph.ids[found])


def _point(session: Session, step: str | None = None) -> ForkPoint | None:
    """The place to fork at a step, else the common one of the selected steps, else the last one."""
    document, graph = document_of(session), record_of(session).graph
    if step is not None:
        position = graph.index(step)
        return next((point for point in _found(session).forks if point.step == position), None)
    if len(document.selection) > 1:
        return common_point(graph, [graph.index(step) for step in document.selection])
    forks = _found(session).forks
    return forks[-1] if forks else None


def _has_fork_point(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = _looked(session) if step is None else with_step(session, step) or _looked(session)
    if reason is not None:
        return reason
    if step is not None:
        return None if _point(session, step) is not None else NO_FORK_HERE
    if len(document_of(session).selection) > 1:
        return None if _point(session) is not None else "The selected steps have no common ancestor."
    return None if _found(session).forks else NO_FORK


def _fork_choices(session: Session) -> tuple[Choice, ...]:
    """The places to fork, the last one first, with what is kept and dropped."""
    if _looked(session) is not None or len(document_of(session).selection) > 1:
        return ()
    rows = fork_rows(_found(session), record_of(session).graph)
    return tuple(Choice(f"{row.title} · {row.words}", {"step": row.step}) for row in reversed(rows))


@declare(
    ACTIONS,
    "run.fork_where",
    "Fork where it went wrong",
    "Propose a fork before the last call that was refused or failed for good, or where the selected steps part.",
    enabled=_has_fork_point,
    menu="Run",
    group=1,
    choices=_fork_choices,
)
def fork_where(session: Session, step: str | None = None) -> None:
    """Propose a fork there, and show the step; `step` is one of the places to fork."""
    point = _point(session, step)
    if point is None:
        return
    document, graph = document_of(session), record_of(session).graph
    show_step(session, graph.ids[point.step])
    session.proposal = propose_fork(document, graph.ids[point.step])


def _marks(session: Session, **_arguments: Any) -> bool:
    return session.view.finding_marks


@declare(
    ACTIONS,
    "view.finding_marks",
    "Marks of suspects",
    "Mark suspects and places to fork on the cards of a failed run.",
    menu="View/Show",
    group=2,
    state=_marks,
)
def finding_marks(session: Session, shown: bool | None = None) -> None:
    """Show or hide the marks."""
    session.view.finding_marks = not session.view.finding_marks if shown is None else shown
