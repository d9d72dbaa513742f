"""A recorded value as a file for another program: its bytes, and a name with a suffix that says what it is.

The name consists of our own words, a short id and letters: nothing recorded is part of it.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from opentine_gui.app.inspect.step.values import value_text
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.core.model import short_id

_PLAIN = ".txt"
_UNSAFE = re.compile(r"[^a-z0-9]+")
_DIFF = re.compile(r"^(?:diff --git |--- .+\n\+\+\+ |@@ -\d)", re.MULTILINE)
_MARKDOWN = re.compile(r"^(?:#{1,6} \S|```|[-*] \S|\d+\. \S|\|.+\|\s*$)", re.MULTILINE)


class PayloadFile(NamedTuple):
    """`name` is without a suffix; `suffix` is ".json", ".md", ".diff" or ".txt"."""

    name: str
    suffix: str
    data: bytes


def payload_file(place: ValuePlace, value: Any) -> PayloadFile:
    """A value as a file."""
    text = value_text(value)
    part = _UNSAFE.sub("-", "-".join(str(piece) for piece in place.path[-2:]).casefold())[:40].strip("-")
    identity = _UNSAFE.sub("", short_id(place.step).casefold())
    name = "-".join(piece for piece in ("step", identity, part) if piece)
    return PayloadFile(name, _suffix(value, text), text.encode("utf-8", "replace"))


def _suffix(value: Any, text: str) -> str:
    if not isinstance(value, str) or _is_json(text):
        return ".json"
    head = text[:20_000]
    if _DIFF.search(head):
        return ".diff"
    return ".md" if len(_MARKDOWN.findall(head)) > 2 else _PLAIN


def _is_json(text: str) -> bool:
    if len(text) > 5_000_000 or text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
