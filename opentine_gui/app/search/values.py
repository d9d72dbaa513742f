"""What can be found in a step: every text, number and name of a member recorded in it, with the path to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

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
        return texts_in_record(content_of(raw))
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


def _is_plain(name: str) -> bool:
    """Whether the name of a record's own member is only a field's name; another one, such as a path, is data."""
    return name.isidentifier() and name.isascii()


def texts_in_record(record: Mapping[str, Any]) -> list[str]:
    """Every text in what a record says: its own fields have the format's names, which say nothing."""
    return [name for name in record if not _is_plain(name)] + texts_in(list(record.values()))


def texts_in(value: Any, *, names: bool = True) -> list[str]:
    """Every text in a JSON value: strings, numbers, and names of members unless they are not wanted."""
    found: list[str] = []
    add, stack = found.append, [(value,)]
    while stack:
        item: Any = stack.pop()
        if type(item) is dict:
            if names:
                found += item
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


class Text(NamedTuple):
    """A text that can be found, and where: "outputs.calls[0].name". It may be the name of a member."""

    where: str
    text: str
    is_name: bool = False


def texts_with_paths(record: Mapping[str, Any], path: str = "") -> Iterator[Text]:
    """The texts of `texts_in_record` in reading order; `path` is where the record is."""
    stack: list[tuple[str, Any]] = []
    for name, member in reversed(list(record.items())):
        inside = f"{path}.{name}" if path else name
        stack.append((inside, member))
        if not _is_plain(name):
            stack.append((inside, Text(inside, name, True)))
    while stack:
        here, item = stack.pop()
        kind = type(item)
        if kind is Text:
            yield item
        elif kind is str:
            yield Text(here, item)
        elif kind is dict:
            below: list[tuple[str, Any]] = []
            for name, member in item.items():
                inside = f"{here}.{name}" if here else name
                below += ((inside, Text(inside, name, True)), (inside, member))
            stack.extend(reversed(below))
        elif kind is list:
            stack.extend((f"{here}[{place}]", item[place]) for place in range(len(item) - 1, -1, -1))
        elif kind is int:
            yield Text(here, str(item))
