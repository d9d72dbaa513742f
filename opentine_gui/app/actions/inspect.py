"""Inspect actions: the parts of a step, the reading view, copying and opening values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, step_of, with_run, with_step, with_steps
from opentine_gui.app.actions.picture.fold import open_group
from opentine_gui.app.actions.select import show_step
from opentine_gui.app.inspect.step.section import TABS
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.selection import Selection

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
LINE = 0.12
"""The part of a page by which an arrow key scrolls."""


# --- parts of a step -------------------------------------------------------------------------------------------------


def _tab(name: str, number: int, title: str, sentence: str) -> None:
    def current(session: Session) -> str:
        shown = session.view.tab_of(session.active.selection.primary if session.active is not None else None)
        return "shown" if shown == name else ""

    @declare(
        ACTIONS,
        f"inspect.{name.casefold()}",
        title,
        sentence,
        enabled=with_step,
        menu="Step",
        group=1,
        keys=(str(number),),
        state=current,
    )
    def choose(session: Session) -> None:
        session.view.inspector_tab, session.view.turned_to = name, ("", "")


_SENTENCES = {
    "Result": "Show what came out of the step.",
    "Call": "Show what the step was asked.",
    "Conversation": "Show what was said on the way to the step.",
    "Record": "Show the step as the file has it.",
}
for _number, _name in enumerate(TABS, 1):
    _tab(_name, _number, _name, _SENTENCES[_name])


def _is_raw(session: Session, **_arguments: Any) -> bool:
    return session.view.raw


@declare(
    ACTIONS,
    "inspect.raw",
    "Raw payload",
    "Show payloads as they were recorded, or as what they are.",
    menu="Step",
    group=1,
    keys=("R",),
    state=_is_raw,
)
def raw(session: Session, raw: bool | None = None) -> None:
    """Switch between raw and pretty payloads."""
    session.view.raw = not session.view.raw if raw is None else raw


def _is_wrapped(session: Session, **_arguments: Any) -> bool:
    return session.view.wrap


@declare(
    ACTIONS,
    "inspect.wrap",
    "Wrap lines",
    "Wrap the lines of payloads to the width, or let them run on.",
    menu="Step",
    group=1,
    keys=("W",),
    state=_is_wrapped,
)
def wrap(session: Session, wrap: bool | None = None) -> None:
    """Switch the wrapping of payloads on or off."""
    session.view.wrap = not session.view.wrap if wrap is None else wrap


def _scroll(
    id: str, title: str, sentence: str, pages: float, keys: tuple[str, ...], mode_keys: tuple[str, ...]
) -> None:
    @declare(ACTIONS, id, title, sentence, enabled=with_run, keys=keys, palette=False, mode="read", mode_keys=mode_keys)
    def scroll(session: Session) -> None:
        session.view.inspector_scroll += pages


_scroll("inspect.page_down", "Scroll on", "Scroll the payload by a page.", 1.0, ("PageDown",), ("Space",))
_scroll("inspect.page_up", "Scroll back", "Scroll the payload back by a page.", -1.0, ("PageUp",), ())
_scroll("inspect.line_down", "Scroll a little", "Scroll the payload a little.", LINE, ("Shift+Down",), ("Down",))
_scroll("inspect.line_up", "Scroll a little back", "Scroll the payload a little back.", -LINE, ("Shift+Up",), ("Up",))
_scroll("inspect.to_end", "Scroll to the end", "Go to the end of the payload.", math.inf, (), ("End",))
_scroll("inspect.to_top", "Scroll to the top", "Go to the beginning of the payload.", -math.inf, (), ("Home",))


# --- the reading view ------------------------------------------------------------------------------------------------


def _is_reading(session: Session, **_arguments: Any) -> bool:
    return session.view.reading


@declare(
    ACTIONS,
    "inspect.read",
    "Reading view",
    "Read the step over the whole canvas; Esc closes it. A group is opened.",
    enabled=with_step,
    menu="Step",
    group=1,
    keys=("Enter",),
    contexts=("step",),
    state=_is_reading,
)
def read(session: Session, step: str | None = None, reading: bool | None = None) -> None:
    """Open the reading view on a step, or close it; from a difference, go back to reading the step.

    Without a step, a selected group is opened in its place.
    """
    chosen = step_of(session, step)
    document, view = document_of(session), session.view
    if step is None and not view.reading and reading is None and document.selected_group is not None:
        open_group(session)
        return
    if step is not None and document.selection.primary != chosen:
        document.select(Selection((chosen,)))
    compares = view.reading and view.diff_with is not None
    view.reading = (not view.reading or compares or view.file_read) if reading is None else reading
    view.file_read = False
    view.diff_with = None


def _with_records(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_step(session, step)
    if reason is None and document_of(session).origin is None:
        return "This run is a .tine file: its records are the steps themselves."
    return reason


@declare(
    ACTIONS,
    "inspect.source",
    "Show record",
    "Read the lines of the agent's session that the step was made of.",
    enabled=_with_records,
    menu="Step",
    group=1,
    keys=("5",),
    contexts=("step",),
)
def show_source(session: Session, step: str | None = None) -> None:
    """Open the reading view on a step's records in the source."""
    session.view.inspector_tab, session.view.turned_to = "Record", ("", "")
    read(session, step, reading=True)


def _beside(session: Session, way: int) -> str | None:
    """The step before (-1) or after (+1) the selected one in recorded order, or None."""
    graph, primary = record_of(session).graph, document_of(session).selection.primary
    place = (graph.index(primary) if primary is not None and primary in graph else -1 if way > 0 else len(graph)) + way
    return graph.ids[place] if 0 <= place < len(graph) else None


def _has_next(session: Session, **_arguments: Any) -> str | None:
    return with_steps(session) or (None if _beside(session, 1) is not None else "This is the last step.")


def _has_previous(session: Session, **_arguments: Any) -> str | None:
    return with_steps(session) or (None if _beside(session, -1) is not None else "This is the first step.")


def _go(session: Session, way: int) -> None:
    step = _beside(session, way)
    if step is not None:
        show_step(session, step)


@declare(
    ACTIONS,
    "inspect.next_step",
    "Next step",
    "Go to the step that was recorded next.",
    enabled=_has_next,
    menu="Go",
    group=1,
    keys=(".",),
    mode="read",
    mode_keys=("Right",),
)
def next_step(session: Session) -> None:
    """Select the next step in recorded order."""
    _go(session, 1)


@declare(
    ACTIONS,
    "inspect.previous_step",
    "Previous step",
    "Go to the step that was recorded before this one.",
    enabled=_has_previous,
    menu="Go",
    group=1,
    keys=(",",),
    mode="read",
    mode_keys=("Left",),
)
def previous_step(session: Session) -> None:
    """Select the previous step in recorded order."""
    _go(session, -1)
