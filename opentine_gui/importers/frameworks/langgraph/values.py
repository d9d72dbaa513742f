"""Values as LangGraph stores them, decoded without making a single object of a recorded class.

A checkpointer writes msgpack; values that are not plain are extensions that hold (module, class, arguments). Only the
arguments are taken, with the class's name beside them. Pickled and encrypted values are never decoded.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from opentine_gui.importers.sources.fields import storable

CLASS = "class"
DEEPEST = 40
_PLAIN = frozenset({"UUID", "Decimal", "datetime", "date", "time", "timedelta", "PosixPath", "WindowsPath", "Path"})
_LISTS = frozenset({"set", "frozenset", "tuple", "deque", "list"})


class Unread(str):
    """Stands for a value that is not decoded, such as a pickled one."""

    __slots__ = ()


def decoded(kind: object, blob: object) -> Any:
    """A stored value; an `Unread` for what is damaged, pickled or encrypted."""
    kind = str(kind or "").lower()
    if kind in ("null", "none") or blob is None:
        return None
    if not isinstance(blob, bytes | str):
        return blob
    if "pickle" in kind or "+" in kind:
        return Unread(f"({kind} value, not read)")
    try:
        if kind == "bytes" or kind == "bytearray":
            return storable(blob)
        if kind == "json" or isinstance(blob, str) or (not kind and blob[:1] in b'{["'):
            return _from_json(json.loads(blob))
        return _from_msgpack(blob, 0)
    except (ValueError, TypeError, msgspec.DecodeError, RecursionError, OverflowError):
        return Unread("(damaged value, not read)")


def _from_msgpack(blob: bytes, depth: int) -> Any:
    def extension(_code: int, data: memoryview) -> Any:
        if depth >= DEEPEST:
            return Unread("(nested too deeply, not read)")
        try:
            return _object(_from_msgpack(bytes(data), depth + 1))
        except (ValueError, TypeError, msgspec.DecodeError, OverflowError):
            return storable(bytes(data))

    return msgspec.msgpack.decode(blob, ext_hook=extension)


def _object(parts: Any) -> Any:
    """The arguments of an object of a recorded class, with the class's name where it matters."""
    if not isinstance(parts, list) or len(parts) < 3 or not isinstance(parts[1], str):
        return parts
    name, arguments = parts[1], parts[2]
    if name in _PLAIN:
        return str(arguments[0] if isinstance(arguments, list) and len(arguments) == 1 else arguments)
    if name in _LISTS and isinstance(arguments, list):
        return arguments
    if isinstance(arguments, dict):
        return {CLASS: name, **arguments}
    return {CLASS: name, "arguments": arguments}


def _from_json(value: Any, depth: int = 0) -> Any:
    """LangChain's own JSON of objects (`lc`, `id`, `kwargs`), in the form that msgpack values are decoded to."""
    if depth > 200:
        return Unread("(nested too deeply, not read)")
    if isinstance(value, list):
        return [_from_json(item, depth + 1) for item in value]
    if not isinstance(value, dict):
        return value
    named = value.get("id")
    if value.get("lc") and isinstance(named, list) and named and isinstance(named[-1], str):
        arguments = value.get("kwargs", value.get("args"))
        return _object([None, named[-1], _from_json(arguments, depth + 1)])
    return {name: _from_json(item, depth + 1) for name, item in value.items()}


def difference(before: Any, after: Any) -> Any:
    """What changed: {unchanged: True}, {appended: items}, {changed: members, removed: names}, or the new value."""
    if before == after and before:
        return {"unchanged": True}
    if isinstance(before, list) and isinstance(after, list) and len(after) > len(before) > 0:
        if after[: len(before)] == before:
            return {"appended": after[len(before) :]}
    elif isinstance(before, dict) and isinstance(after, dict) and before:
        changed = {name: item for name, item in after.items() if name not in before or before[name] != item}
        removed = [name for name in before if name not in after]
        if len(changed) < len(after):
            return {"changed": changed} | ({"removed": removed} if removed else {})
    return after
