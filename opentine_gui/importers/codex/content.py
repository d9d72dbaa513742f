"""The content of Codex's items: prompts and what precedes them, results with exit codes, usage, images."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from opentine_gui.importers.sources.fields import amount, count, object_of, objects_in, parsed, text_of

CONTEXT = (
    "<environment_context", "<user_instructions", "# AGENTS.md", "<permissions", "<skill", "<INSTRUCTIONS",
    "<apps_instructions", "<collaboration_mode", "<user_shell_command", "<model_switch", "<plugins_instructions",
)  # fmt: skip
"""Beginnings of texts that Codex itself puts among a person's messages."""
ABORTED = "<turn_aborted"
NOTICE = "<subagent_notification"
_IMAGE_TAG = re.compile(r"\s*(?:<image\b[^>]{0,4096}>|</image>)\s*")
_HEAD = 400
"""Characters of an output that are searched for exit code and time."""
_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,9})\s*$", re.MULTILINE)
_WALL = re.compile(r"^Wall time:? ([\d.]{1,20}) seconds", re.MULTILINE)
_AFTER_HEAD = re.compile(r"^Output:\n", re.MULTILINE)


class Said(NamedTuple):
    """The parts of a user's message: the prompt, its images, what Codex put there, and notices of sub-agents."""

    prompt: str
    images: list[str]
    context: list[str]
    notices: list[str]
    aborted: str


class Outcome(NamedTuple):
    """A call's result: its text as sent, images, and the exit code and duration in seconds if it states them.

    `former` is the text that an earlier rule of the reader took, where it is another.
    """

    text: str
    images: list[str]
    exit_code: int | None
    duration: float | None
    former: str | None = None


def said_in(payload: dict[str, Any]) -> Said:
    """The parts of a `message` item by a user."""
    passed = object_of(payload.get("internal_chat_message_metadata_passthrough"))
    kinds = passed.get("content_item_kinds")
    prompt: list[str] = []
    context: list[str] = []
    notices: list[str] = []
    aborted = ""
    parts = objects_in(payload.get("content"))
    if isinstance(payload.get("content"), str):
        parts = [{"text": payload["content"]}]
    for number, part in enumerate(parts):
        text = text_of(part.get("text"))
        kind = text_of(kinds[number]) if isinstance(kinds, list) and number < len(kinds) else ""
        if not text or _IMAGE_TAG.fullmatch(text):
            continue
        if text.startswith(ABORTED):
            aborted = text
        elif text.startswith(NOTICE):
            notices.append(text)
        elif not kind.startswith("user.") and text.startswith(CONTEXT):
            context.append(text)
        else:
            prompt.append(text)
    return Said("\n".join(prompt), images_in(payload.get("content")), context, notices, aborted)


def images_in(content: Any) -> list[str]:
    """Data URLs and addresses of the images in a message or a result."""
    parts = objects_in(content) if isinstance(content, list) else [object_of(content)]
    return [url for part in parts if (url := text_of(part.get("image_url")))]


def outcome_of(output: Any) -> Outcome:
    """The result in a `…_output` item: text, parts, or (up to 0.4x) JSON with the text and its exit code."""
    images = images_in(output)
    if isinstance(output, str):
        text = output
    elif isinstance(output, list):
        text = "".join(text_of(part.get("text")) for part in objects_in(output))
    else:
        inner = object_of(output)
        text = text_of(inner.get("text")) or text_of(inner.get("content"))
    exit_code = duration = None
    if text.startswith('{"output"'):
        inner = object_of(parsed(text))
        about = object_of(inner.get("metadata"))
        if isinstance(inner.get("output"), str):
            text = inner["output"]
            code = about.get("exit_code")
            exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
            return Outcome(text, images, exit_code, amount(about.get("duration_seconds")))
    head = text[:_HEAD]
    end = _AFTER_HEAD.search(head)
    head = head[: end.start()] if end else head
    if (found := _EXIT.search(head)) is not None:
        exit_code = int(found[1])
    if (found := _WALL.search(head)) is not None:
        duration = amount(_number(found[1]))
    return Outcome(text, images, exit_code, duration)


def failure_of(outcome: Outcome) -> dict[str, Any]:
    """The error of a step with this result; empty when it does not say that it failed.

    What a command printed says nothing where its exit code is known: it may well print of errors, as `tail` does.
    """
    code = outcome.exit_code
    if code is None:
        return failure_in(outcome.text)
    return {"type": "exit_code", "message": f"exit code {code}", "exit_code": code} if code else {}


def failure_in(text: str) -> dict[str, Any]:
    """The error that the beginning of a result without an exit code tells of, in Codex's own words; else {}."""
    text = text[:_HEAD]
    if text.endswith("aborted by user") or text.startswith("aborted"):
        return {"type": "interrupted", "message": "aborted by user"}
    if text.startswith("unsupported call:"):
        return {"type": "failed", "message": text}
    if text.startswith(
        ("exec_command failed", "patch rejected", "execution error", "failed to parse function arguments")
    ):
        rejected = "rejected" in text[:160]
        return {"type": "rejected" if rejected else "failed", "message": text}
    return {}


def usage_of(record: Any) -> dict[str, int | float]:
    """Exclusive buckets of a usage record: its input includes what was cached, its output the reasoning."""
    stated = object_of(record)
    counts = {
        name: count(stated.get(f"{name}_tokens"))
        for name in ("input", "cached_input", "cache_write_input", "output", "reasoning_output")
    }
    if counts["input"] is None and counts["output"] is None:
        return {}
    cached = counts["cached_input"] or 0
    written = counts["cache_write_input"] or 0
    reasoning = counts["reasoning_output"] or 0
    buckets: dict[str, int | float] = {
        "input": max(0, (counts["input"] or 0) - cached - written),
        "output": max(0, (counts["output"] or 0) - reasoning),
    }
    for name, counted, stated_as in (
        ("cache_read", cached, "cached_input"),
        ("cache_write_5m", written, "cache_write_input"),
        ("reasoning", reasoning, "reasoning_output"),
    ):
        if counted or (counts[stated_as] is not None and name != "cache_write_5m"):
            buckets[name] = counted
    return buckets


def duration_in(value: Any) -> float | None:
    """Seconds of `{secs, nanos}`, or of a number of seconds."""
    if isinstance(value, dict):
        secs, nanos = amount(value.get("secs")), amount(value.get("nanos"))
        return None if secs is None else secs + (nanos or 0) / 1e9
    return amount(value)


def thinking_in(payload: dict[str, Any]) -> str:
    """The readable text of a `reasoning` item; "" when only its encrypted form was written."""
    parts = [*objects_in(payload.get("summary")), *objects_in(payload.get("content"))]
    return "\n\n".join(text for part in parts if (text := text_of(part.get("text"))))


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
