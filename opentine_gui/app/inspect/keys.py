"""Keys: the action that one has in the modes that hold now, and the list of all, as help and documents show it.

The list is read from the actions, so that it is correct.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.app.state.action_registry import Action, Registry

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MODES = {
    "compare": "While comparing",
    "present": "While presenting",
    "list": "In the list of runs",
    "propose": "While a fork or merge is proposed",
    "read": "While reading a step",
}
"""Headings for the modes in which actions have keys of their own."""
GESTURES = (
    ("Wheel", "Zoom about the pointer"),
    ("Shift+wheel", "Move sideways"),
    ("Drag, Space+drag", "Pan"),
    ("Click, Shift+click", "Select, add"),
    ("Shift+drag", "Select a box"),
    ("Double-click", "Read the step, open a group"),
    ("Right-click", "What can be done here"),
    ("Drag a card", "Move it"),
    ("Drag a card's edge", "Fork; onto a card, merge"),
    ("Middle-click a tab", "Close it"),
    ("Drag a panel's edge", "Resize it"),
)
"""What the pointer does; "a card's edge" is the one at which its children lie."""
VIEW_KEYS = {"present": (("Shift+Up, Shift+Down", "Scroll the slide"), ("Ctrl+C", "Copy from the slide"))}
"""Keys that a view of a mode takes itself."""
MOST_LETTERS = 16
"""A second chord is listed where both are no longer than this; further ones are spellings for other keyboards."""


class KeyRow(NamedTuple):
    """What a chord or a gesture does; an empty `keys` makes `title` a heading."""

    keys: str
    title: str


def key_list(actions: Registry) -> list[KeyRow]:
    """Return every action with a key below the name of its menu, then those of each mode, then the gestures."""
    rows: list[KeyRow] = []
    for menu in actions.menus():
        rows += _section(menu.title, list(menu.actions))
    rows += _section("Canvas", [action for action in actions if not action.menu])
    for mode, heading in MODES.items():
        of_mode = [action for action in actions if action.mode == mode and action.mode_keys]
        found = [KeyRow(_chords(action.mode_keys), action.title) for action in of_mode]
        found += [KeyRow(*row) for row in VIEW_KEYS.get(mode, ()) if found]
        rows += [KeyRow("", heading), *found] if found else []
    return [*rows, KeyRow("", "Pointer"), *(KeyRow(*gesture) for gesture in GESTURES)]


def _section(heading: str, actions: list[Action]) -> list[KeyRow]:
    found = [KeyRow(_chords(action.keys), action.title) for action in actions if action.keys]
    return [KeyRow("", heading), *found] if found else []


def _chords(keys: tuple[str, ...]) -> str:
    both = ", ".join(keys[:2])
    return both if len(both) <= MOST_LETTERS else keys[0]


def action_of(session: Session, chord: str) -> Action | None:
    """The action of a chord: that of the uppermost mode which has one, else the one that holds everywhere."""
    overlay = session.active.overlay if session.active is not None else None
    comparing = overlay is not None and overlay.comparison is not None
    presenting = session.presentation is not None
    modes = (
        ("list", lists_by_key(session)),
        ("present", presenting),
        ("propose", session.proposal is not None and not presenting),
        ("read", session.view.reading and not presenting),
        ("compare", comparing),
    )
    found = (session.actions.of_mode(chord, mode) for mode, holds in modes if holds)
    return next((action for action in found if action is not None), session.actions.by_key(chord))


def lists_by_key(session: Session) -> bool:
    """Whether the list of runs has the keyboard: it was given to it, or there is nothing else to walk through."""
    return session.view.list_keys or (session.active is None and session.view.panels and bool(session.runs.rows))
