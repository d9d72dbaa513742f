"""Difference actions: two steps compared in the reading view, and what a model saw at two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, step_of, with_parent, with_step
from opentine_gui.app.inspect.step.difference import has_branch_beside, twin_of
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.selection import Selection
from opentine_gui.core.analysis.requests import request_at, request_before

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


NO_TWIN = "No other branch has a step like this one."


def _pair(session: Session, step: str) -> str | None:
    """The step of the other run, where two are compared."""
    overlay = document_of(session).overlay
    pair = overlay.comparison.pairs.get(step) if overlay is not None and overlay.comparison is not None else None
    return None if pair is None or pair.a == pair.b else pair.b if pair.a == step else pair.a


def _with_twin(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_step(session, step)
    if reason is not None:
        return reason
    chosen = step_of(session, step)  # menus ask this, so no step is read for it
    return None if _pair(session, chosen) or has_branch_beside(record_of(session).graph, chosen) else NO_TWIN


def _with_two(session: Session, **_arguments: Any) -> str | None:
    reason = with_step(session)
    return reason or (None if len(document_of(session).selection) == 2 else "Select two steps first.")


def _compare(session: Session, step: str, other: str, *, requests: bool = False) -> None:
    """Show `step` in the reading view, compared with another one, or what was sent for both."""
    document, view = document_of(session), session.view
    if document.selection.primary != step:
        document.select(Selection((step,)))
    view.reading, view.file_read, view.diff_with, view.diff_requests = True, False, other, requests


@declare(
    ACTIONS,
    "inspect.diff_parent",
    "Diff with parent",
    "Show how the step differs from its parent.",
    enabled=with_parent,
    menu="Step",
    group=2,
    keys=("Shift+D",),
    contexts=("step/Diff",),
)
def diff_parent(session: Session, step: str | None = None) -> None:
    """Compare a step with its first parent."""
    chosen = step_of(session, step)
    _compare(session, chosen, record_of(session).graph.parent_ids(chosen)[0])


@declare(
    ACTIONS,
    "inspect.diff_twin",
    "Diff with twin",
    "Show how the step differs from the one that stands for it in another branch or run.",
    enabled=_with_twin,
    menu="Step",
    group=2,
    keys=("Alt+D",),
    contexts=("step/Diff",),
)
def diff_twin(session: Session, step: str | None = None) -> None:
    """Compare a step with its twin. LookupError if it has none."""
    chosen = step_of(session, step)
    twin = _pair(session, chosen) or twin_of(record_of(session).graph, chosen)
    if twin is None:
        raise LookupError(NO_TWIN)
    _compare(session, chosen, twin)


@declare(
    ACTIONS,
    "inspect.diff_selected",
    "Diff selected steps",
    "Show how the two selected steps differ.",
    enabled=_with_two,
    menu="Step",
    group=2,
    contexts=("step/Diff",),
)
def diff_selected(session: Session, step: str | None = None) -> None:
    """Compare the two selected steps, the one selected last on the right."""
    first, last = document_of(session).selection.ids
    view = session.view
    view.reading, view.file_read, view.diff_with, view.diff_requests = True, False, first, False
    if step == first:
        document_of(session).select(Selection((last, first)))
        view.diff_with = last


NO_REQUEST = "No answer of a model stands at this step or above it."
FIRST_REQUEST = "This is the first request of its agent: there is none before it."
SAME_REQUEST = "Both steps came from one request."


def _two_requests(session: Session, step: str | None) -> tuple[str, str]:
    """The answers whose requests are compared; LookupError with the reason if there are no two.

    Those of two selected steps or of the difference in view, else those of the step and of the one before it.
    """
    document, graph, view = document_of(session), record_of(session).graph, session.view
    ids = document.selection.ids
    pair = ids if len(ids) == 2 and (step is None or step in ids) else ()
    if not pair and view.reading and view.diff_with is not None and view.diff_with in graph and step is None:
        pair = (view.diff_with, step_of(session, None))
    if not pair:
        last = request_at(graph, graph.index(step_of(session, step)))
        if last is None:
            raise LookupError(NO_REQUEST)
        before = request_before(graph, last)
        if before is None:
            raise LookupError(FIRST_REQUEST)
        return graph.ids[before], graph.ids[last]
    places = [request_at(graph, graph.index(one)) for one in pair]
    if places[0] is None or places[1] is None:
        raise LookupError(NO_REQUEST)
    if places[0] == places[1]:
        raise LookupError(SAME_REQUEST)
    return graph.ids[places[0]], graph.ids[places[1]]


def _with_requests(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_step(session, step)
    if reason is None:
        try:
            _two_requests(session, step)
        except LookupError as error:
            return str(error.args[0])
    return reason


def _compares_requests(session: Session) -> bool:
    return session.view.reading and session.view.diff_with is not None and session.view.diff_requests


@declare(
    ACTIONS,
    "inspect.diff_requests",
    "Diff requests",
    "Show how what the model saw differs: at the two selected steps, else at a step and the request before it.",
    enabled=_with_requests,
    menu="Step",
    group=2,
    keys=("Alt+R",),
    contexts=("step/Diff",),
)
def diff_requests(session: Session, step: str | None = None) -> None:
    """Compare two requests; from there, go back to comparing the steps."""
    if step is None and _compares_requests(session):
        session.view.diff_requests = False
        return
    before, last = _two_requests(session, step)
    _compare(session, last, before, requests=True)


def _is_unified(session: Session, **_arguments: Any) -> bool:
    return session.view.diff_unified


@declare(
    ACTIONS,
    "inspect.unified",
    "Unified diff",
    "Show differences in one column, or side by side.",
    menu="Step",
    group=2,
    keys=("U",),
    state=_is_unified,
)
def unified(session: Session, unified: bool | None = None) -> None:
    """Switch between one column and two."""
    session.view.diff_unified = not session.view.diff_unified if unified is None else unified
