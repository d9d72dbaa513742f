"""Presentation actions: show steps full screen, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, with_picture, with_step, with_steps
from opentine_gui.app.canvas import presentation
from opentine_gui.app.inspect.reading.told_steps import told_steps
from opentine_gui.app.state.action_registry import Action, Run, declare
from opentine_gui.app.state.selection import Selection

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NOT_PRESENTING = "Nothing is being presented."
PRESENTING = "Slides are being shown already; Esc ends them."


def _can_present(session: Session, **_arguments: Any) -> str | None:
    if session.presentation is not None:
        return PRESENTING
    return with_steps(session) or with_picture(session)


def _presenting(session: Session, **_arguments: Any) -> str | None:
    return None if session.presentation is not None else NOT_PRESENTING


@declare(
    ACTIONS,
    "present.start",
    "Present",
    "Show slides, full screen: the selected steps, or what was asked, what failed, what was changed and how it ended.",
    enabled=_can_present,
    menu="View/Presentation",
    group=3,
    keys=("F5",),
)
def start(session: Session) -> None:
    """Start at the beginning of the story, whatever is selected."""
    document = document_of(session)
    steps, _here = told_steps(session, document)
    presentation.start(session, document, steps, 0)


def _can_begin_here(session: Session, **arguments: Any) -> str | None:
    return _can_present(session) or with_step(session, **arguments)


@declare(
    ACTIONS,
    "present.from_here",
    "Present from here",
    "Show slides, full screen, beginning with this step.",
    enabled=_can_begin_here,
    menu="View/Presentation",
    group=3,
    keys=("Shift+F5",),
    contexts=("step",),
)
def from_here(session: Session, step: str | None = None) -> None:
    """Start at a step, by default the selected one."""
    document = document_of(session)
    before = document.selection
    if step is not None and step != document.selection.primary:
        document.select(Selection((step,)))
    steps, position = told_steps(session, document)
    presentation.start(session, document, steps, position, before)


def _declare_key(id: str, title: str, description: str, *chords: str) -> Callable[[Run], Run]:
    """Declare an action of the presentation mode that has keys and no menu entry."""
    return declare(
        ACTIONS, id, title, description, enabled=_presenting, palette=False, mode="present", mode_keys=chords
    )


@_declare_key("present.next", "Next slide", "Go on.", "Right", "Down", "Space", "PageDown", "Enter")
def following(session: Session) -> None:
    """Go to the next step."""
    if session.presentation is not None:
        presentation.go(session, session.presentation.position + 1)


@_declare_key("present.previous", "Previous slide", "Go back.", "Left", "Up", "PageUp", "Backspace")
def previous(session: Session) -> None:
    """Go to the previous step."""
    if session.presentation is not None:
        presentation.go(session, session.presentation.position - 1)


@_declare_key("present.first", "First slide", "Go to the first slide.", "Home")
def first(session: Session) -> None:
    """Go to the first step."""
    presentation.go(session, 0)


@_declare_key("present.last", "Last slide", "Go to the last slide.", "End")
def last(session: Session) -> None:
    """To the last step."""
    if session.presentation is not None:
        presentation.go(session, len(session.presentation.steps) - 1)


@_declare_key("present.secrets", "Show or hide secrets", "Show what looks like a secret, or hide it again.", "S")
def secrets(session: Session) -> None:
    """Hidden when a presentation begins."""
    if session.presentation is not None:
        presentation.show_secrets(session, session.presentation.hides)


@declare(
    ACTIONS,
    "present.stop",
    "Stop presenting",
    "Bring back the panels and what was in view.",
    enabled=_presenting,
    menu="View/Presentation",
    group=3,
    mode="present",
    mode_keys=("Esc", "F5"),
)
def stop(session: Session) -> None:
    """End the presentation."""
    if session.presentation is not None:
        session.presentation.stop(session)
