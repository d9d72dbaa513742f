"""What the messages of pi say, as the inputs, outputs, errors and usage of steps."""

from __future__ import annotations

from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.sources.fields import amount, count, object_of, objects_in, text_in, text_of

_BUCKETS = {"input": "input", "output": "output", "cacheRead": "cache_read", "cacheWrite": "cache_write_5m"}
LONGEST_REASON = 2000
"""Characters of a result that say why its call failed."""


def said_in(message: JsonObject, calls: list[JsonObject]) -> JsonObject:
    """The outputs of an answer: its text, its thoughts and the calls that it made, as far as there are any."""
    outputs: JsonObject = {}
    texts, thoughts = [], []
    for part in objects_in(message.get("content")):
        if part.get("type") == "text":
            texts.append(text_of(part.get("text")))
        if "thinking" in part and (thought := text_of(part["thinking"])):
            thoughts.append(thought)
    if text := "\n".join(texts):
        outputs["text"] = text
    if thoughts:
        outputs["thinking"] = "\n\n".join(thoughts)
    if calls:
        outputs["tool_calls"] = [call_named(call) for call in calls]
    if text_of(message.get("stopReason")) == "length":
        outputs["stop"] = "length"
    return outputs


def failure_of(message: JsonObject) -> JsonObject:
    """Why an answer was not finished; empty for one that was."""
    stop = text_of(message.get("stopReason"))
    if stop not in ("error", "aborted"):
        return {}
    said = text_of(message.get("errorMessage"))
    return {"type": "interrupted" if stop == "aborted" else "error"} | ({"message": said} if said else {})


def result_of(message: JsonObject) -> tuple[JsonObject, JsonObject]:
    """(the outputs of a call, why it failed) as its result says them."""
    outputs = with_images("result", message.get("content"))
    if message.get("isError") is not True:
        return outputs, {}
    text = outputs["result"]
    stopped = text.strip().endswith("aborted")
    return outputs, {"type": "interrupted" if stopped else "failed", "message": text[:LONGEST_REASON]}


def shell_of(message: JsonObject, code: int | None) -> dict[str, JsonObject]:
    """The inputs, outputs and error of a command that the person ran; `code` is its exit code."""
    error: JsonObject = {}
    if message.get("cancelled") is True:
        error = {"type": "interrupted", "message": "cancelled"}
    elif code:
        error = {"type": "exit_code", "message": f"exit code {code}", "exit_code": code}
    arguments = {"command": text_of(message.get("command"))}
    inputs: JsonObject = {"name": "bash", "arguments": arguments, "by": "person"}
    if message.get("excludeFromContext") is True:
        inputs["sent"] = False
    return {"inputs": inputs, "outputs": {"result": text_of(message.get("output"))}, "error": error}


def call_named(call: JsonObject) -> JsonObject:
    """The name and the arguments of a call."""
    return {"name": text_of(call.get("name")), "arguments": object_of(call.get("arguments"))}


def with_images(name: str, content: Any) -> JsonObject:
    """The text of a content under this name, and its images if there are any."""
    found: JsonObject = {name: text_in(content)}
    images = [
        {"media_type": text_of(part.get("mimeType")), "data": text_of(part.get("data"))}
        for part in objects_in(content)
        if part.get("type") == "image" and part.get("data")
    ]
    if images:
        found["images"] = images
    return found


def bill_of(record: Any) -> tuple[dict[str, int | float], float, dict[str, Any]]:
    """(buckets, dollars, what the log states of each bucket); nothing where pi wrote zeros for an unknown bill."""
    stated = object_of(record)
    usage: dict[str, int | float] = {
        ours: tokens for theirs, ours in _BUCKETS.items() if (tokens := count(stated.get(theirs))) is not None
    }
    prices = object_of(stated.get("cost"))
    total = amount(prices.get("total"))
    if not any(usage.values()) and not total:
        return {}, 0.0, {}
    if total is None:
        return usage, 0.0, {}
    each = {ours: price for theirs, ours in _BUCKETS.items() if (price := amount(prices.get(theirs))) is not None}
    return usage, total, {"status": "complete", "known_subtotal_usd": total, "stated_usd": each}
