"""LangChain's messages, as recorded in the channels of a graph."""

from __future__ import annotations

from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.frameworks.langgraph.values import CLASS
from opentine_gui.importers.sources.content import Call, Content, arguments_of, content_of
from opentine_gui.importers.sources.fields import object_of, objects_in, text_of, usage_of

ROLES = {
    "human": "human", "user": "human", "HumanMessage": "human", "HumanMessageChunk": "human",
    "ai": "ai", "assistant": "ai", "AIMessage": "ai", "AIMessageChunk": "ai",
    "tool": "tool", "ToolMessage": "tool", "function": "tool", "FunctionMessage": "tool",
    "system": "system", "SystemMessage": "system",
    "RemoveMessage": "remove", "remove": "remove",
}  # fmt: skip


def role_of(value: Any) -> str:
    """The role of a message: human, ai, tool, system or remove; "" for anything else."""
    if not isinstance(value, dict) or "content" not in value:
        return ""
    return (
        ROLES.get(text_of(value.get("type")))
        or ROLES.get(text_of(value.get(CLASS)))
        or ROLES.get(text_of(value.get("role")), "")
    )


def messages_in(value: Any) -> list[JsonObject]:
    """The messages that a write holds: one, or a list of nothing else; none for any other value."""
    if role_of(value):
        return [value]
    if isinstance(value, list) and value and all(role_of(item) for item in value):
        return value
    return []


def said_in(message: JsonObject) -> Content:
    """The content of an answer, with each call once: some vendors repeat calls in the content."""
    content = content_of(message.get("content"))
    calls = objects_in(message.get("tool_calls")) or objects_in(
        object_of(message.get("additional_kwargs")).get("tool_calls")
    )
    if calls:
        content.calls = [_call(call) for call in calls]
    content.calls += [_call(call) for call in objects_in(message.get("invalid_tool_calls"))]
    thoughts = text_of(object_of(message.get("additional_kwargs")).get("reasoning_content"))
    if thoughts:
        content.thoughts.append(thoughts)
    return content


def model_of(message: JsonObject) -> str:
    """The model that answered, "" when not recorded."""
    said = object_of(message.get("response_metadata"))
    return text_of(said.get("model_name")) or text_of(said.get("model"))


def usage_in(message: JsonObject) -> dict[str, int | float]:
    """Tokens of an answer in disjoint buckets; LangChain's input includes cache reads, its output the reasoning."""
    usage = object_of(message.get("usage_metadata"))
    into, out = object_of(usage.get("input_token_details")), object_of(usage.get("output_token_details"))
    return usage_of(
        input=usage.get("input_tokens"),
        output=usage.get("output_tokens"),
        cache_read=into.get("cache_read"),
        cache_write=into.get("cache_creation"),
        reasoning=out.get("reasoning"),
        input_has_cache=True,
        output_has_reasoning=True,
    )


def _call(value: JsonObject) -> Call:
    inner = object_of(value.get("function")) or value
    return Call(
        text_of(inner.get("name")), arguments_of(inner.get("args", inner.get("arguments"))), text_of(value.get("id"))
    )
