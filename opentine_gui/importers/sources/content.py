"""The content of messages in every vendor's shape: text, thoughts, images, tool calls and their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.sources.fields import object_of, objects_in, parsed, storable, text_of

_TEXTS = ("text", "input_text", "output_text", "refusal")
_THOUGHTS = ("thinking", "reasoning", "redacted_thinking", "thought", "reasoning_content", "summary_text")
_CALLS = ("tool_use", "tool_call", "function_call", "tool-call", "server_tool_use")
_RESULTS = ("tool_result", "tool_call_response", "function_response", "tool-result", "function_call_output")
DEEPEST = 12


@dataclass(slots=True)
class Call:
    """A tool call as a model asked for it. `id` pairs it with its result and is never written."""

    name: str
    arguments: Any
    id: str = ""

    def recorded(self) -> JsonObject:
        """The call as a step's `tool_calls` holds it."""
        return {"name": self.name, "arguments": self.arguments}


@dataclass(slots=True)
class Result:
    """What a tool answered."""

    id: str
    content: Content
    failed: bool = False


@dataclass(slots=True)
class Content:
    """The parts of a message by kind; `other` are parts of unknown kinds, as recorded."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    images: list[Any] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    other: list[Any] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts, one after the other."""
        return "\n".join(self.texts)

    @property
    def thinking(self) -> str:
        """All thoughts, one after the other."""
        return "\n".join(self.thoughts)

    def said(self) -> JsonObject:
        """`{text, thinking?, images?, parts?, tool_calls?}`: the outputs of a response."""
        found: JsonObject = {"text": self.text} if self.texts or not self.calls else {}
        if self.thoughts:
            found["thinking"] = self.thinking
        if self.images:
            found["images"] = self.images
        if self.other:
            found["parts"] = self.other
        if self.calls:
            found["tool_calls"] = [call.recorded() for call in self.calls]
        return found

    def outcome(self) -> JsonObject:
        """`{result, images?, parts?}`: the outputs of a tool."""
        found: JsonObject = {"result": self.text}
        if self.images:
            found["images"] = self.images
        if self.other:
            found["parts"] = self.other
        return found


def content_of(value: Any, depth: int = 0) -> Content:
    """The parts of a message's content: text, a part, or a list of parts."""
    found = Content()
    _collect(value, found, depth)
    return found


def arguments_of(value: Any) -> Any:
    """A call's arguments; those that were recorded as JSON text are decoded."""
    return storable(parsed(value)) if value is not None else {}


def call_of(value: JsonObject) -> Call:
    """A call in any vendor's shape: `{name, arguments|args|input}`, or these under `function`."""
    inner = (
        object_of(value.get("function"))
        or object_of(value.get("functionCall"))
        or object_of(value.get("function_call"))
    )
    inner = inner or value
    name = next(
        (text_of(inner.get(key)) for key in ("name", "tool_name", "toolName", "tool", "function") if inner.get(key)), ""
    )
    given = next(
        (inner[key] for key in ("arguments", "args", "input", "parameters") if inner.get(key) is not None), None
    )
    identity = next(
        (
            text_of(value.get(key))
            for key in ("call_id", "id", "tool_call_id", "toolCallId", "callID")
            if value.get(key)
        ),
        "",
    )
    return Call(name, arguments_of(given), identity)


def image_of(kind: str, data: str) -> JsonObject:
    """Base64 of an image as steps hold it."""
    return {"media_type": kind or "image/png", "data": data}


def _collect(value: Any, found: Content, depth: int) -> None:
    if value is None or depth > DEEPEST:
        return
    if isinstance(value, str):
        if value:
            found.texts.append(value)
    elif isinstance(value, list):
        for item in value:
            _collect(item, found, depth + 1)
    elif isinstance(value, dict):
        _collect_part(value, found, depth)
    else:
        found.texts.append(str(value))


def _collect_part(part: JsonObject, found: Content, depth: int) -> None:
    kind = text_of(part.get("type")).lower()
    if kind in _CALLS or "functionCall" in part or isinstance(part.get("function_call"), dict):
        found.calls.append(call_of(part))
    elif kind in _RESULTS or "functionResponse" in part or isinstance(part.get("function_response"), dict):
        found.results.append(_result(part, depth))
    elif kind in _THOUGHTS or part.get("thought") is True:
        said = next(
            (part[key] for key in ("thinking", "reasoning", "text", "content", "summary") if part.get(key)), None
        )
        found.thoughts.extend(content_of(said, depth + 1).texts)
    elif (image := _image(part, kind)) is not None:
        found.images.append(image)
    elif kind in _TEXTS or (not kind and "text" in part):
        _collect(part.get("text", part.get("content", part.get("refusal"))), found, depth + 1)
    elif (kind in ("message", "") or "role" in part) and ("content" in part or "parts" in part):
        _collect(part.get("content", part.get("parts")), found, depth + 1)
        found.calls += map(call_of, objects_in(part.get("tool_calls")))
    else:
        found.other.append(storable(part))


def _result(part: JsonObject, depth: int) -> Result:
    inner = object_of(part.get("functionResponse")) or object_of(part.get("function_response")) or part
    said = next((inner[key] for key in ("content", "response", "result", "output") if inner.get(key) is not None), None)
    identity = next(
        (text_of(inner.get(key)) for key in ("tool_use_id", "tool_call_id", "call_id", "id") if inner.get(key)), ""
    )
    return Result(identity, content_of(parsed(said), depth + 1), bool(inner.get("is_error")))


def _image(part: JsonObject, kind: str) -> Any:
    """An image as it was recorded: a URL (also `data:`), or base64 with its media type; None for another part."""
    address = part.get("image_url", part.get("imageUrl"))
    address = object_of(address).get("url", address) if address else None
    nested = object_of(part.get("image"))
    address = address or object_of(nested.get("image")).get("url") or nested.get("url")
    if isinstance(address, str):
        return address
    inline = (
        object_of(part.get("inline_data")) or object_of(part.get("inlineData")) or object_of(part.get("source")) or part
    )
    named = text_of(inner_kind(inline))
    data = inline.get("data", inline.get("content") if kind == "blob" else inline.get("image"))
    if isinstance(data, str) and data and (named.startswith("image/") or kind in ("image", "input_image")):
        return data if data.startswith(("data:", "http")) else image_of(named, data)
    place = inline.get("url", inline.get("uri", inline.get("file_uri")))
    if (
        kind in ("image", "input_image", "uri", "file")
        and isinstance(place, str)
        and (kind in ("image", "input_image") or named.startswith("image/"))
    ):
        return place
    return None


def inner_kind(value: JsonObject) -> Any:
    """The media type of a part under any of its usual names."""
    return next(
        (value[key] for key in ("media_type", "mime_type", "mimeType", "mime", "mediaType") if value.get(key)), ""
    )


def element(text: str, name: str) -> str | None:
    """The text between the first `<name>` and the first `</name>` after it; None if there is no such pair.

    A plain search takes linear time; a pattern would read to the end of the text from every tag that is never closed.
    """
    begin = text.find(f"<{name}>")
    end = text.find(f"</{name}>", begin) if begin >= 0 else -1
    return text[begin + len(name) + 2 : end] if end >= 0 else None


def without_elements(text: str, name: str) -> str:
    """The text without the elements of a name and their content, in linear time."""
    parts = []
    at = 0
    while (begin := text.find(f"<{name}>", at)) >= 0 and (end := text.find(f"</{name}>", begin)) >= 0:
        parts.append(text[at:begin])
        at = end + len(name) + 3
    return "".join((*parts, text[at:]))
