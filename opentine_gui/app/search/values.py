"""What of a step can be found: every text and number that was recorded in it, with the path to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from opentine_gui.core.graph.raw_search import Raw

_decode = msgspec.json.Decoder(float_hook=str).decode
"""Numbers with a fraction stay as they are spelled: what is found is what stands in the file."""
NOT_CONTENT = frozenset(
    ("id", "parent_ids", "parent_id", "causal_ids", "kind", "v3_kind", "timestamp", "duration", "cost", "usage")
)
"""Fields of a step's record that are asked for by name (`id:`, `cost:`) instead of by a text."""


_UNREAD = msgspec.Raw(b"")


class _Content(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A record without other fields than those of the format; what is not content is not decoded."""

    inputs: Any = None
    outputs: Any = None
    error: Any = None
    tool_info: Any = None
    model_info: Any = None
    provider: Any = None
    billing: Any = None
    id: msgspec.Raw = _UNREAD
    parent_ids: msgspec.Raw = _UNREAD
    parent_id: msgspec.Raw = _UNREAD
    causal_ids: msgspec.Raw = _UNREAD
    kind: msgspec.Raw = _UNREAD
    v3_kind: msgspec.Raw = _UNREAD
    timestamp: msgspec.Raw = _UNREAD
    duration: msgspec.Raw = _UNREAD
    cost: msgspec.Raw = _UNREAD
    usage: msgspec.Raw = _UNREAD


_read = msgspec.json.Decoder(_Content, float_hook=str).decode


def texts_of(raw: Raw) -> list[str]:
    """Every text in the content of an encoded step."""
    try:
        found = _read(raw)
    except (msgspec.MsgspecError, RecursionError):
        return texts_in(content_of(raw))
    return texts_in(
        [found.inputs, found.outputs, found.error, found.tool_info, found.model_info, found.provider, found.billing]
    )


def content_of(raw: Raw) -> dict[str, Any]:
    """The content of an encoded step by field; {} when it cannot be read or is no object."""
    try:
        record = _decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return {}
    if not isinstance(record, dict):
        return {}
    for name in NOT_CONTENT:
        record.pop(name, None)
    return record


_plain_names: set[str] = set()
_MOST_NAMES = 10_000


def _is_plain(name: str) -> bool:
    """Whether a member's name is only a field's name; another one, such as a path, is data and can be found."""
    if name in _plain_names:
        return True
    plain = name.isidentifier() and name.isascii()
    if plain and len(_plain_names) < _MOST_NAMES:
        _plain_names.add(name)
    return plain


def texts_in(value: Any) -> list[str]:
    """Every text in a JSON value: strings, numbers, and names of members that are data."""
    found: list[str] = []
    add, stack, known = found.append, [(value,)], _plain_names
    while stack:
        item: Any = stack.pop()
        if type(item) is dict:
            for name in item:
                if name not in known and not _is_plain(name):
                    add(name)
            item = item.values()
        for member in item:
            kind = type(member)
            if kind is str:
                add(member)
            elif kind is dict or kind is list:
                if member:
                    stack.append(member)
            elif kind is int:
                add(str(member))
    return found


def texts_with_paths(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(path, text) of the same texts in reading order. A path is "outputs.calls[0].name"."""
    stack: list[tuple[str, Any, bool]] = [(path, value, False)]
    while stack:
        here, item, is_name = stack.pop()
        kind = type(item)
        if kind is str:
            yield here, item
        elif kind is dict and not is_name:
            below: list[tuple[str, Any, bool]] = []
            for name, member in item.items():
                inside = f"{here}.{name}" if here else name
                if not _is_plain(name):
                    below.append((inside, name, True))
                below.append((inside, member, False))
            stack.extend(reversed(below))
        elif kind is list:
            stack.extend((f"{here}[{place}]", item[place], False) for place in range(len(item) - 1, -1, -1))
        elif kind is int:
            yield here, str(item)
