"""A section of a step: a part of its payload with a heading, a role and its place in the record."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from opentine_gui.describe.failures.failure import Path as Path
from opentine_gui.describe.payload_text import has_text
from opentine_gui.scene.text.clean import clean

Role = Literal["error", "turn", "thinking", "answer", "result", "change", "tried", "call", "settings"]
"""A change that was "tried" is part of the call: it did not happen, or is not known to have."""
Tab = Literal["Result", "Call", "Conversation", "Record"]
TABS: tuple[Tab, ...] = ("Result", "Call", "Conversation", "Record")

_CALL_ROLES: frozenset[Role] = frozenset({"tried", "call", "settings"})
_LARGEST_PARSED = 400_000
_MOST_PARTS, _MOST_JOINED = 10_000, 10_000_000
"""Parts of a content, and their characters, that are put together to one text; of more the list is shown."""


class Section(NamedTuple):
    """A part of a step.

    `name` is its heading; `value` the JSON value, a text above all; `role` says what it is; `opened` whether it is
    unfolded at first; `path` where the value is in the step's record, () for what was derived from it. `step` is the
    id of the step that recorded it, if that is another one: a parent that says what a model was told last.
    `hint` is a file name or a language that says what a text is.
    """

    name: str
    value: Any
    role: Role
    opened: bool = True
    path: Path = ()
    step: str = ""
    hint: str = ""


def tabs_of(sections: Sequence[Section]) -> tuple[Tab, ...]:
    """The tabs that have something to show, in order; failures are shown above all of them."""
    roles = {section.role for section in sections}
    having = {"Conversation", "Record"}
    having |= {"Call"} if roles & _CALL_ROLES else set()
    having |= {"Result"} if roles - _CALL_ROLES - {"error"} else set()
    return tuple(tab for tab in TABS if tab in having)


def in_tab(sections: Sequence[Section], tab: str) -> tuple[Section, ...]:
    """The sections in the tab "Result" or "Call"."""
    calls = tab == "Call"
    return tuple(found for found in sections if found.role != "error" and (found.role in _CALL_ROLES) is calls)


def tabs_that_show(sections: Sequence[Section], holds: Callable[[Any], bool], chosen: str) -> tuple[Tab, ...]:
    """The tabs "Result" and "Call" in which a value of the step itself `holds` something, the `chosen` one first.

    What a call wrote or changed stands in both: it counts where it is shown first.
    """
    found = [part for part in sections if part.role != "error" and not part.step and holds(part.value)]
    parts = {tab: list(in_tab(found, tab)) for tab in TABS[:2]}
    if any(part.role == "change" for part in parts["Result"]):
        parts["Call"] = [part for part in parts["Call"] if part.opened]
    having: list[Tab] = sorted((tab for tab in parts if parts[tab]), key=lambda tab: tab != chosen)
    first = {part.path for part in parts[having[0]] if part.path} if having else set()
    return tuple(tab for tab in having if tab == having[0] or any(part.path not in first for part in parts[tab]))


def is_worth(value: Any) -> bool:
    """Whether a value deserves a section: a text that says something, or an object or list with members."""
    return has_text(value) if isinstance(value, str) else isinstance(value, Mapping | list) and bool(value)


def only_text(content: Any) -> Any:
    """The text of a list of text parts; anything else as it is."""
    if not isinstance(content, list) or not 0 < len(content) <= _MOST_PARTS:
        return content
    texts: list[str] = []
    length = 0
    for part in content:
        text = part.get("text") if isinstance(part, Mapping) and part.keys() <= {"type", "text"} else None
        length += len(text) if isinstance(text, str) else 0
        if not isinstance(text, str) or length > _MOST_JOINED:
            return content
        texts.append(text)
    return "\n\n".join(texts)


def parsed(text: str) -> Any:
    """Arguments that were stored as the JSON text the model wrote."""
    if len(text) <= _LARGEST_PARSED and text.lstrip()[:1] == "{":
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def label(key: object) -> str:
    """A member's name as a heading."""
    return clean(str(key), 60) or '""'
