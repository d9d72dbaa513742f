"""Selection actions: by pointer, along the graph, by search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import (
    document_of,
    record_of,
    step_of,
    with_parent,
    with_picture,
    with_run,
    with_step,
    with_steps,
)
from opentine_gui.app.canvas import layouts
from opentine_gui.app.canvas.folded.folding import reveal
from opentine_gui.app.canvas.folded.local_view import leave_for
from opentine_gui.app.document.camera.framing import LEAST_WHOLE
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.selection import Selection
from opentine_gui.scene.space.arrow_keys import Way, card_toward

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def show_step(session: Session, step: str, *, centered: bool = True) -> None:
    """Select a step and bring it into view, to the middle unless the user walks from step to step.

    In a folded run, which is looked at as a whole, the picture moves only as far as needed if it is large enough to be
    read; the step gets a card. A local view is left for a step outside it.
    """
    document = document_of(session)
    document.select(Selection((step,)))
    if leave_for(session, document, step):
        layouts.refresh_layout(session, document)
        document.picture.reveal_when_laid_out = step
    elif reveal(document, step):
        document.picture.reveal_when_laid_out = step
    else:
        goal = document.picture.camera_goal
        reads = document.picture.fold is not None and goal is not None and goal.zoom >= LEAST_WHOLE
        session.bring_into_view(document, step, centered=centered and not reads)
    session.touch()


def show_next(session: Session, positions: Sequence[int], way: int) -> None:
    """Go to the nearest of these steps after (1) or before (-1) the selected one, and around from the end.

    Without a selection to the first or the last; nowhere if there are none.
    """
    graph, primary = record_of(session).graph, document_of(session).selection.primary
    here = graph.index(primary) if primary is not None and primary in graph else (-1 if way > 0 else len(graph))
    ahead = [position for position in positions if (position - here) * way > 0] or positions
    if ahead:
        show_step(session, graph.ids[min(ahead) if way > 0 else max(ahead)])


def _positions(session: Session, ids: Iterable[str]) -> list[int]:
    graph = record_of(session).graph
    return [graph.index(step_id) for step_id in ids]


@declare(
    ACTIONS,
    "select.step",
    "Select step",
    "Select one step by its id or prefix.",
    enabled=with_run,
    palette=False,
)
def select_step(session: Session, step: str, reveal: bool = False) -> None:
    """Select exactly this step."""
    found = record_of(session).resolve(step)
    if reveal:
        show_step(session, found)
    else:
        document_of(session).select(Selection((found,)))


@declare(
    ACTIONS,
    "go.step",
    "Go to step",
    "Select this step and bring it to the middle.",
    enabled=with_step,
    palette=False,
    contexts=("link",),
)
def go_to_step(session: Session, step: str) -> None:
    """Select a step that a link leads to."""
    show_step(session, record_of(session).resolve(step))


@declare(
    ACTIONS,
    "select.add",
    "Add to selection",
    "Add a step to the selection, or take it out again.",
    enabled=with_run,
    palette=False,
)
def select_add(session: Session, step: str) -> None:
    """Add a step to the selection, or remove it."""
    document = document_of(session)
    document.select(document.selection.toggled(record_of(session).resolve(step)))


@declare(
    ACTIONS,
    "select.box",
    "Select in box",
    "Select every card that a rectangle of the canvas touches.",
    enabled=with_picture,
    palette=False,
)
def select_box(session: Session, rect: tuple[float, float, float, float], add: bool = False) -> None:
    """Select the cards in a world rectangle given by two opposite corners."""
    document = document_of(session)
    if document.picture.scene_index is None:
        return
    ids = [
        step for index in document.picture.scene_index.inside(rect) for step in document.picture.step_ids(int(index))
    ]
    document.select(document.selection.added(ids) if add else Selection.of(ids))


@declare(
    ACTIONS,
    "select.all",
    "Select all",
    "Select every step.",
    enabled=with_steps,
    menu="Edit",
    group=2,
    keys=("Ctrl+A",),
)
def select_all(session: Session) -> None:
    """Select every step; the primary one stays primary."""
    document = document_of(session)
    primary = document.selection.primary
    ids = record_of(session).graph.ids
    if primary is not None:
        ids = (*(step_id for step_id in ids if step_id != primary), primary)
    document.select(Selection(ids))


@declare(
    ACTIONS,
    "select.none",
    "Select nothing",
    "Clear the selection.",
    enabled=with_run,
    menu="Edit",
    group=2,
    keys=("Ctrl+Shift+A",),
)
def select_none(session: Session) -> None:
    """Clear the selection."""
    document_of(session).select(Selection())


def _with_child(session: Session, **arguments: Any) -> str | None:
    reason = with_step(session, **arguments)
    if reason is not None:
        return reason
    graph = record_of(session).graph
    position = graph.index(step_of(session, arguments.get("step")))
    return None if graph.children_of(position) else "This step is a tip: nothing follows it."


@declare(
    ACTIONS, "select.parent", "Parent", "Select the step's first parent.", enabled=with_parent, menu="Go", keys=("P",)
)
def select_parent(session: Session, step: str | None = None, number: int = 0) -> None:
    """Select a parent, the first by default."""
    parents = record_of(session).graph.parent_ids(step_of(session, step))
    show_step(session, parents[min(number, len(parents) - 1)], centered=False)


@declare(
    ACTIONS, "select.child", "Child", "Select the step's first child.", enabled=_with_child, menu="Go", keys=("C",)
)
def select_child(session: Session, step: str | None = None, number: int = 0) -> None:
    """Select a child, the first by default."""
    graph = record_of(session).graph
    children = graph.children_of(graph.index(step_of(session, step)))
    show_step(session, graph.ids[children[min(number, len(children) - 1)]], centered=False)


def _siblings(session: Session, step: str) -> list[str]:
    """The steps with the same first parent, or all roots, in order; the step itself is among them."""
    graph = record_of(session).graph
    parents = graph.parents[graph.index(step)]
    positions = graph.children_of(parents[0]) if parents else graph.roots
    return [graph.ids[position] for position in positions]


def _with_sibling(session: Session, **arguments: Any) -> str | None:
    reason = with_step(session, **arguments)
    if reason is None and len(_siblings(session, step_of(session, arguments.get("step")))) < 2:
        return "This step has no siblings."
    return reason


def _sibling(session: Session, step: str | None, way: int) -> None:
    here = step_of(session, step)
    siblings = _siblings(session, here)
    show_step(session, siblings[(siblings.index(here) + way) % len(siblings)], centered=False)


@declare(
    ACTIONS,
    "select.previous_sibling",
    "Previous sibling",
    "Select the step before this one among those with the same parent.",
    enabled=_with_sibling,
    menu="Go",
    keys=("[",),
)
def previous_sibling(session: Session, step: str | None = None) -> None:
    """Select the previous sibling; before the first one the last."""
    _sibling(session, step, -1)


@declare(
    ACTIONS,
    "select.next_sibling",
    "Next sibling",
    "Select the step after this one among those with the same parent.",
    enabled=_with_sibling,
    menu="Go",
    keys=("]",),
)
def next_sibling(session: Session, step: str | None = None) -> None:
    """Select the next sibling; after the last one the first."""
    _sibling(session, step, 1)


@declare(
    ACTIONS,
    "select.walk",
    "Walk",
    "Select the neighbouring card in a direction of the screen.",
    enabled=with_picture,
    palette=False,
)
def walk(session: Session, direction: Way) -> None:
    """Select the neighbour "up", "down", "left" or "right", of a folded run a card; without a selection the first."""
    document = document_of(session)
    layout = document.picture.layout
    if layout is None or not len(layout.nodes):
        return
    primary = document.selection.primary
    index = document.picture.index_of(primary) if primary is not None else None
    target = 0 if index is None else card_toward(layout, index, direction)
    if target is not None:
        step = document.picture.step_id(target)
        document.select(Selection((step,)))
        session.bring_into_view(document, step, centered=False)
        session.touch()


def _arrow(direction: Way) -> None:
    @declare(
        ACTIONS,
        f"select.{direction}",
        f"Walk {direction}",
        f"Select the neighbouring card on the screen, going {direction}.",
        enabled=with_picture,
        keys=(direction.capitalize(),),
    )
    def arrow(session: Session) -> None:
        walk(session, direction)


for _way in ("up", "down", "left", "right"):
    _arrow(_way)


@declare(
    ACTIONS,
    "select.ancestors",
    "Select ancestors",
    "Add everything the selected steps rest on.",
    enabled=with_step,
    menu="Edit",
    group=2,
    contexts=("step/Select",),
)
def select_ancestors(session: Session, step: str | None = None) -> None:
    """Add all ancestors; the primary step stays primary."""
    _spread(session, step, down=False)


@declare(
    ACTIONS,
    "select.descendants",
    "Select descendants",
    "Add everything that rests on the selected steps.",
    enabled=with_step,
    menu="Edit",
    group=2,
    contexts=("step/Select",),
)
def select_descendants(session: Session, step: str | None = None) -> None:
    """Add all descendants; the primary step stays primary."""
    _spread(session, step, down=True)


def _spread(session: Session, step: str | None, *, down: bool) -> None:
    document, graph = document_of(session), record_of(session).graph
    start = list(document.selection) if step is None or step in document.selection else [step]
    positions = _positions(session, start)
    found = graph.descendants(positions) if down else graph.closure(positions, causal=False)
    primary = step if step is not None else start[-1]
    ids = [graph.ids[position] for position in found]
    document.select(Selection((*(step_id for step_id in ids if step_id != primary), primary)))
