"""Calls of tools in Codex's items and events: their names, arguments, and what their steps hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opentine_gui.importers.codex.content import Outcome, duration_in, failure_of
from opentine_gui.importers.run_draft import StepDraft
from opentine_gui.importers.sources.fields import as_json, object_of, parsed, text_of

ANSWERED_BY_THE_SERVER = ("web_search_call", "image_generation_call")
MESSAGE = 2_000
"""Most characters of a result that are taken as an error's message."""
_FORMER_LIMIT = 4_000
PATCH_REFUSED = "apply_patch verification failed"
PROGRAM = "exec"
"""The tool whose input is a program that makes the real calls."""
_ITEM_NAMES = {
    "CommandExecution": "exec_command",
    "FileChange": "apply_patch",
    "ImageView": "view_image",
    "WebSearch": "web_search",
    "McpToolCall": "",
    "DynamicToolCall": "",
    "CollabAgentToolCall": "",
}


@dataclass(slots=True)
class Call:
    """A call: the steps it became (one, or one for each call of a program), and whether it was answered."""

    draft: StepDraft
    name: str
    arguments: Any
    time: float | None
    answered: bool = False
    ended: str = ""
    """How Codex's own item says it ended: completed, failed or declined."""
    made: list[StepDraft] = field(default_factory=list)
    former: dict[str, Any] = field(default_factory=dict)
    """What the newest of `made` held by an earlier rule, where that was something else."""

    @property
    def steps(self) -> list[StepDraft]:
        """The steps of the call, in order."""
        return self.made or [self.draft]


def call_in(payload: dict[str, Any]) -> tuple[str, Any]:
    """(name, arguments) of an item whose type ends in `_call`."""
    kind = text_of(payload.get("type"))
    if kind == "function_call":
        name, space = text_of(payload.get("name")), text_of(payload.get("namespace"))
        arguments = parsed(text_of(payload.get("arguments")))
        return (f"{space}.{name}" if space.startswith("mcp__") else name), arguments
    if kind == "custom_tool_call":
        return text_of(payload.get("name")), {"input": payload.get("input")}
    if kind == "tool_search_call":
        return "tool_search", object_of(payload.get("arguments"))
    if kind == "image_generation_call":
        return "image_generation", {"prompt": payload.get("revised_prompt")}
    name = kind.removesuffix("_call")
    return name, object_of(payload.get("action"))


def answer(step: StepDraft, outcome: Outcome, called: float | None, time: float | None, ended: str = "") -> None:
    """Put a result into the step of its call; the duration is the stated one, else the time between log lines.

    `ended`: how the call ended, where the result itself does not say that it failed.
    """
    step.outputs, step.error = ended_with(outcome, ended)
    if outcome.exit_code is not None:
        step.tool_info = {**step.tool_info, "exit_code": outcome.exit_code}
    if outcome.duration is not None:
        step.duration = outcome.duration
    elif not step.duration and called is not None and time is not None:
        step.duration = max(0.0, time - called)
    step.timestamp = step.timestamp if time is None else time


def ended_with(outcome: Outcome, ended: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(outputs, error) of the step of a call with this result; see `answer`."""
    outputs: dict[str, Any] = {"result": outcome.text}
    if outcome.images:
        outputs["images"] = outcome.images
    return outputs, failure_of(outcome) or failure_by(ended, outcome) or patch_failure(outcome)


def failure_by(ended: str, outcome: Outcome) -> dict[str, Any]:
    """The error of a call by how Codex says it ended; {} if it does not report a failure."""
    kind = {"failed": "failed", "declined": "rejected"}.get(ended)
    if outcome.text.startswith("unsupported custom tool call:"):
        kind = "failed"
    return {"type": kind, "message": outcome.text[:MESSAGE] or ended} if kind is not None else {}


def patch_failure(outcome: Outcome) -> dict[str, Any]:
    """The error of a patch that was not applied, which Codex reports only in the result's text; else {}."""
    refused = outcome.exit_code is None and outcome.text.startswith(PATCH_REFUSED)
    return {"type": "failed", "message": outcome.text[:MESSAGE]} if refused else {}


def is_call_item(item: dict[str, Any]) -> bool:
    """Whether a completed item is one of Codex's own tool calls."""
    return text_of(item.get("type")) in _ITEM_NAMES


def of_item(item: dict[str, Any]) -> tuple[dict[str, Any], Outcome]:
    """(inputs of a step, its result) of a call that a program made."""
    kind = text_of(item.get("type"))
    name = _ITEM_NAMES.get(kind) or text_of(item.get("tool")) or kind
    code = item.get("exit_code")
    duration = duration_in(item.get("duration"))
    if kind == "CommandExecution":
        command = item.get("command")
        shown = command[-1] if isinstance(command, list) and command else command
        arguments = {"cmd": shown, "cwd": text_of(item.get("cwd")).removeprefix("file://")}
        text = text_of(item.get("aggregated_output"))
    elif kind == "CollabAgentToolCall":  # its threads' ids belong to this file alone
        arguments = {"message": text_of(item.get("prompt"))}
        text = text_of(item.get("status"))
    elif kind == "FileChange":
        arguments = {"changes": item.get("changes")}
        text = text_of(item.get("stdout")) or text_of(item.get("stderr")) or text_of(item.get("status"))
    else:
        known = ("type", "id", "tool", "server", "status", "result", "error", "duration", "exit_code")
        arguments = object_of(item.get("arguments")) or {k: v for k, v in item.items() if k not in known}
        result = item.get("result") or item.get("error")
        text = result if isinstance(result, str) else ""
        if result and not text:
            return {"name": name, "arguments": arguments, "server": text_of(item.get("server"))}, _with(
                result, duration
            )
    exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
    return {"name": name, "arguments": arguments}, Outcome(text, [], exit_code, duration)


def _with(result: Any, duration: float | None) -> Outcome:
    """The result of a call whose answer has a structure: its texts and images, else the structure as JSON."""
    found = object_of(result)
    inner = object_of(found.get("Ok")) or found
    structure, parts = inner.get("structuredContent"), inner.get("content")
    images: list[str] = []
    if isinstance(parts, list):
        former = "\n".join(text_of(object_of(part).get("text")) for part in parts)
        images = [image for part in parts if (image := _image(part))]
        text = "\n".join(_text(part) for part in parts)
        text = as_json(structure) if structure and not text.strip() else text
    else:
        failed = found.get("Err") or found.get("message")
        former = str(failed or "")[:_FORMER_LIMIT]
        text = failed if isinstance(failed, str) and failed else as_json(failed or structure or inner or result)
    return Outcome(text, images, None, duration, former if images or former != text else None)


def _text(part: Any) -> str:
    """The text of a part of an answer; what is neither text nor an image as JSON."""
    known = isinstance(part, dict) and ("text" in part or _image(part))
    return text_of(object_of(part).get("text")) if known else as_json(part)


def _image(part: Any) -> str:
    """The data URL of an image in an answer; "" for anything else."""
    picture = object_of(part)
    data = text_of(picture.get("data")) if picture.get("type") == "image" else ""
    return f"data:{text_of(picture.get('mimeType')) or 'image/png'};base64,{data}" if data else ""
