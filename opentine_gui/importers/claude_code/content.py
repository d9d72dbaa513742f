"""The content of messages as a step's inputs and outputs, the same in every copy of a session."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.claude_code.records import Block, Record
from opentine_gui.importers.json_lines import value_of
from opentine_gui.importers.sources.content import element

LONGEST_REASON = 300


def plain_text(blocks: Iterable[Block]) -> str:
    """The text of text blocks, joined by blank lines."""
    return "\n\n".join([text for block in blocks if block.type == "text" and (text := _text(block.text))])


def _text(raw: msgspec.Raw) -> str:
    value = value_of(raw)
    return value if isinstance(value, str) else ""


def prompt_of(record: Record) -> JsonObject:
    """The inputs of a prompt: its text and any images."""
    blocks = record.blocks
    inputs: JsonObject = {"text": plain_text(blocks)}
    images = [image for block in blocks if (image := _image(block.type, value_of(block.source)))]
    if images:
        inputs["images"] = images
    return inputs


def command_line(record: Record) -> str:
    """A slash command as it was typed."""
    text = plain_text(record.blocks)
    name = tag(text, "command-name") or tag(text, "command-message")
    return " ".join(part for part in (name, tag(text, "command-args")) if part)


def shell_of(record: Record, printed: Record | None) -> tuple[JsonObject, JsonObject]:
    """(inputs, outputs) of a command that the user ran; no outputs while it has none."""
    text = plain_text(record.blocks)
    arguments = {"command": tag(text, "bash-input")}
    said = plain_text(printed.blocks) if printed is not None else text
    results = [element(said, name) for name in ("bash-stdout", "bash-stderr")]
    outputs = {"result": "\n".join(filter(None, results))} if any(part is not None for part in results) else {}
    return {"name": "bash", "arguments": arguments, "by": "person"}, outputs


def tag(text: str, name: str) -> str:
    """The text of an element of a notice; "" if there is none."""
    return (element(text, name) or "").strip()


def answer_of(records: Iterable[Record]) -> JsonObject:
    """The outputs of a response: text, thinking and calls, in the order in which they came."""
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[JsonObject] = []
    others: list[Any] = []
    for record in records:
        for block in record.blocks:
            if block.type == "text":
                texts.append(_text(block.text))
            elif block.type == "thinking":
                thoughts.append(_text(block.thinking))
            elif block.type == "tool_use":
                calls.append({"name": block.name or "", "arguments": value_of(block.input)})
            else:
                others.append({"type": block.type, "content": value_of(block.content)})
    outputs: JsonObject = {"text": "\n\n".join(filter(None, texts))}
    if any(thoughts):
        outputs["thinking"] = "\n\n".join(filter(None, thoughts))
    if calls:
        outputs["tool_calls"] = calls
    if others:
        outputs["other"] = others
    return outputs


def result_of(block: Block) -> JsonObject:
    """The outputs of a call: its result, as text if it is text, and its images."""
    value = value_of(block.content)
    if not isinstance(value, list):
        return {"result": value if value is not None else ""}
    texts = [part["text"] for part in value if _is_text(part)]
    images = [
        image for part in value if isinstance(part, dict) and (image := _image(part.get("type"), part.get("source")))
    ]
    others = [
        part for part in value if not _is_text(part) and not (isinstance(part, dict) and part.get("type") == "image")
    ]
    outputs: JsonObject = {"result": "\n\n".join(texts)}
    if images:
        outputs["images"] = images
    if others:
        outputs["other"] = others
    return outputs


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _image(kind: Any, source: Any) -> JsonObject | None:
    """An image as the log has it: its type and its data, or its URL."""
    if kind != "image" or not isinstance(source, dict):
        return None
    return {name: source[name] for name in ("media_type", "data", "url") if isinstance(source.get(name), str)}


def reason_of(text: str) -> str:
    """The beginning of what went wrong."""
    text = text.strip()
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 1] + "…"


def written_characters(blocks: Iterable[Block]) -> int:
    """About how many characters of an answer the model wrote, from the length of their JSON."""
    return sum(len(block.text) + len(block.thinking) + len(block.input) for block in blocks)
