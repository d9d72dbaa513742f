"""A session's title and working folder, from its first and last bytes: a list never reads whole sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

LONGEST = 200
MARKUP = ("<", "Caveat: The messages below were", "[Request interrupted by user", "# AGENTS.md")
"""Beginnings of text that agents add to prompts themselves."""

_decoder = msgspec.json.Decoder()


class Headline(NamedTuple):
    """A session's title, "" when it has none yet; its working folder, "" when it is not recorded. Hostile text."""

    title: str = ""
    folder: str = ""


def headline_of(head: bytes, tail: bytes = b"") -> Headline:
    """The title that the agent or its user gave, else the first typed prompt; and the working folder."""
    prompt = folder = given = ""
    for record in _records(head):
        folder = folder or _folder(record)
        prompt = prompt or _prompt(record)
        given = _given(record) or given
    for record in _records(tail[tail.find(b"\n") + 1 :] if tail else b""):
        given = _given(record) or given
        folder = folder or _folder(record)
    return Headline(_line(given or prompt), folder[:1000])


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    """The objects on complete lines; a single document (a JSON array or object) gives its items."""
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            value = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, dict))
        elif isinstance(value, dict):
            yield value


def _folder(record: dict[str, Any]) -> str:
    """The working folder a record names: Claude Code, pi, Codex, Copilot."""
    for holder in (record, _object(record.get("payload")), _object(_object(record.get("data")).get("context"))):
        cwd = holder.get("cwd")
        if isinstance(cwd, str) and cwd:
            return cwd
    return ""


def _given(record: dict[str, Any]) -> str:
    """A given title: from the user, the agent, or a summary."""
    for key in ("customTitle", "aiTitle", "title", "summary", "name"):
        value = record.get(key)
        if isinstance(value, str) and record.get("type") in (
            "custom-title",
            "ai-title",
            "summary",
            "session_info",
            "agent-name",
        ):
            return value
    return ""


def _prompt(record: dict[str, Any]) -> str:
    """The text of a typed prompt; "" for any other record."""
    kind = record.get("type")
    if record.get("isMeta") or record.get("isSidechain"):
        return ""
    payload, data = _object(record.get("payload")), _object(record.get("data"))
    message = _object(record.get("message"))
    if kind == "user" and not message:  # Gemini
        return _typed(record.get("content"))
    if kind == "user" or (kind == "message" and message.get("role") == "user"):
        return _typed(message.get("content"))
    if kind == "response_item" and payload.get("role") == "user":
        return _typed(payload.get("content"))
    if kind == "user.message":
        return _typed(data.get("content"))
    if record.get("say") in ("task", "text") and record.get("ts"):
        return _typed(record.get("text"))
    if record.get("kind") == "MessageEvent" and record.get("source") == "user":
        return _typed(_object(record.get("llm_message")).get("content"))
    return ""


def _typed(content: Any) -> str:
    """The first text of a prompt that is not the agent's own markup."""
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str) and text.strip() and not text.lstrip().startswith(MARKUP):
            return text
    return ""


def _line(text: str) -> str:
    return " ".join(text[: 4 * LONGEST].split())[:LONGEST]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
