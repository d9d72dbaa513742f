"""A recorded tool call as name, arguments and answer, whatever spelling its writer used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS, NAME_KEYS
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import JsonObject

RESULT_KEYS = ("result", "output", "stdout", "stderr", "content", "text", "message", "results", "observation")
LONGEST_ARGUMENTS = 4_000_000
"""Characters of arguments stored as text that are decoded."""


class ToolCall(NamedTuple):
    """A call: `name` without a server's or namespace's prefix, `arguments` as an object ({"": text} for bare text)."""

    name: str
    arguments: JsonObject
    outputs: JsonObject
    error: JsonObject

    @property
    def failed(self) -> bool:
        """Whether an error is recorded."""
        return bool(self.error)

    def text(self, *keys: str) -> str | None:
        """The first of the arguments with these names that is text; None if there is none."""
        return next((found for key in keys if isinstance(found := self.arguments.get(key), str)), None)

    def answer(self) -> str:
        """What the tool answered, as text; "" when nothing is recorded."""
        return "\n".join(_texts(self.outputs)) or "\n".join(_texts(self.error))


class _Called(msgspec.Struct, gc=False):
    inputs: Any = None
    outputs: Any = None
    tool_info: Any = None
    error: Any = None


_called = msgspec.json.Decoder(_Called)


def tool_call(graph: Graph, position: int) -> ToolCall | None:
    """The call of a step; None for a step that names no tool or cannot be read."""
    try:
        step = _called.decode(graph.raws[position])
    except (msgspec.MsgspecError, RecursionError):
        return None
    inputs, info = _object(step.inputs), _object(step.tool_info)
    name = _name(inputs) or _name(info)
    if not name:
        return None
    return ToolCall(name, _arguments(inputs), _object(step.outputs), _object(step.error))


def _name(source: JsonObject) -> str:
    for key in NAME_KEYS:
        found = source.get(key)
        if isinstance(found, dict):
            found = found.get("name")
        if isinstance(found, str) and found.strip():
            # "functions.shell", "mcp__files__read": the prefix says where the tool lives, not what it does.
            return found.strip().rpartition("__")[2].rpartition(".")[2] or found.strip()
    return ""


def _arguments(inputs: JsonObject) -> JsonObject:
    for key in ARGUMENT_KEYS:
        found = inputs.get(key)
        if isinstance(found, str) and found:
            return _parsed(found)
        if isinstance(found, dict) and found:
            return found
    function = inputs.get("function")
    if isinstance(function, dict) and "arguments" in function:
        return _arguments(function)
    return {key: value for key, value in inputs.items() if key not in NAME_KEYS}


def _parsed(text: str) -> JsonObject:
    """Arguments stored as the JSON text the model wrote; any other text goes under the key ""."""
    if text.lstrip()[:1] == "{" and len(text) <= LONGEST_ARGUMENTS:
        try:
            found = msgspec.json.decode(text)
        except (msgspec.MsgspecError, RecursionError):
            return {"": text}
        if isinstance(found, dict):
            return found
    return {"": text}


def _object(value: Any) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    """The texts of an answer: plain, in blocks of content, or under the usual names."""
    if isinstance(value, str):
        if value:
            yield value
    elif depth > 4:
        return
    elif isinstance(value, Mapping):
        for key in RESULT_KEYS:
            if key in value:
                yield from _texts(value[key], depth + 1)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item, depth + 1)
