"""All keys, as the help and the documents list them: read from the actions, so that the list is correct."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.app.state.action_registry import Action, Registry

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
        rows += [KeyRow("", heading), *found] if found else []
    return [*rows, KeyRow("", "Pointer"), *(KeyRow(*gesture) for gesture in GESTURES)]


def _section(heading: str, actions: list[Action]) -> list[KeyRow]:
    found = [KeyRow(_chords(action.keys), action.title) for action in actions if action.keys]
    return [KeyRow("", heading), *found] if found else []


def _chords(keys: tuple[str, ...]) -> str:
    both = ", ".join(keys[:2])
    return both if len(both) <= MOST_LETTERS else keys[0]
