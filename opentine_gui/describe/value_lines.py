"""Recorded values as indented lines of text: texts keep their line breaks, keys come before values.

They are complete but for pictures and other binary content: of these only type and size are said.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from opentine_gui.describe.content.media import media_of_object, media_of_text
from opentine_gui.scene.text.clean import clean_whole

INDENT = "  "
DEEPEST = 60
"""Most levels that are indented; deeper values are printed as JSON."""


def value_lines(value: Any, level: int = 0) -> Iterator[str]:
    """The lines of a value, cleaned: an object as "key: value", a list with dashes, a long text below its key."""
    if isinstance(value, Mapping):
        media = media_of_object(value)
        for key, member in value.items():
            if media is not None and member is media.text:
                yield f"{INDENT * level}{_key(key)}: ({media.words})"
            else:
                yield from _entry(f"{_key(key)}:", member, level)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for member in value:
            yield from _entry("-", member, level)
    elif isinstance(value, str) and _has_lines(value):
        yield from _text(value, level)
    else:
        yield INDENT * level + _scalar(value)


def _entry(name: str, value: Any, level: int) -> Iterator[str]:
    """A member of an object or a list: on the same line as its name, or below it."""
    lead = INDENT * level + name
    if isinstance(value, str):
        if _has_lines(value):
            yield lead
            yield from _text(value, level + 1)
        else:
            yield f"{lead} {_scalar(value)}"
    elif isinstance(value, Mapping | Sequence) and value:
        if level >= DEEPEST:
            yield f"{lead} {_json(value)}"
            return
        yield lead
        yield from value_lines(value, level + 1)
    else:
        yield f"{lead} {_json(value)}"


def _text(text: str, level: int) -> Iterator[str]:
    for line in clean_whole(text, lines=True).rstrip("\n").split("\n"):
        yield (INDENT * level + line).rstrip()


def _has_lines(text: str) -> bool:
    return any(end in text for end in "\n\r\x0b\x0c\x85\u2028\u2029")


def _key(key: str) -> str:
    return clean_whole(key) or '""'


def _scalar(value: Any) -> str:
    """A value on one line; a text that looks like another value or begins with a space is quoted."""
    if not isinstance(value, str):
        return _json(value)
    media = media_of_text(value)
    if media is not None:
        return f"({media.words})"
    shown = clean_whole(value)
    return shown if shown and shown == value.strip(" ") == value and not _is_json(value) else _json(value)


def _is_json(text: str) -> bool:
    """Whether a text looks like a number, a keyword or another JSON value."""
    if len(text) > 400:
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json(value: Any) -> str:
    return clean_whole(json.dumps(value, ensure_ascii=False))
