"""pi: kinds of points in its recordings, handed back, resumed, and compared with what it sends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.agents.handed_back import Point, Program, prove
from tests.agents.model import ScriptedModel
from tests.agents.proof import Agent, Proof
from tests.importers.recordings import digest

POINTS = (
    Point("after an answer", "0.73.1-d-resumed", "First done."),
    Point("after a call and its result", "0.73.1-d-resumed", "result: one"),
    Point("at a response whose call has no result yet", "0.73.1-d-resumed", "First answer."),
    Point("after one result of a parallel batch: the whole batch", "0.73.1-b-parallel", "result: gamma"),
    Point("at a response with three calls", "0.73.1-b-parallel", "I read all three together."),
    Point("after an answer with thinking", "0.73.1-d-resumed", "Second done."),
    Point("at a prompt", "0.73.1-d-resumed", "Second question"),
    Point("an edited prompt", "0.73.1-d-resumed", "Second question", replaces=True),
    Point("an edited last prompt", "0.73.1-d-resumed", "Third question", replaces=True),
    Point("on a branch of /tree", "0.73.1-e-tree", "Other way done."),
    Point("on the branch that was left", "0.73.1-e-tree", "Second done."),
    Point("at the summary of a branch", "0.73.1-e-tree", "summary"),
    Point("after the summary of a branch", "0.73.1-e-tree", "Third done."),
    Point("an edited prompt that replaced another", "0.73.1-e-tree", "Other way", replaces=True),
    Point("in a fork of pi's own", "0.73.1-e-fork", "Other way done."),
    Point("before a compaction", "0.73.1-g-compact", "Second done."),
    Point("at the summary", "0.73.1-g-compact", "summary"),
    Point("after a compaction", "0.73.1-g-compact", "After done."),
    Point("after the second compaction", "0.73.1-g-compact-twice", "After done."),
    Point("after one by itself, within a turn", "0.73.1-g-compact-twice", "Other way done."),
    Point("after an image from a tool", "0.73.1-h-image", "A red square."),
    Point("after an image in a prompt", "0.73.1-h-image", "I see a red square in your message."),
    Point("after an answer that was cut off", "0.73.1-i-abort", "interrupted"),
    Point("after it went on from that", "0.73.1-i-abort", "Third done."),
    Point("in a killed session, at the batch without results", "0.73.1-i-kill", "Going to sleep."),
    Point("after a killed session went on", "0.73.1-i-kill", "Went on."),
    Point("after a failed call", "0.73.1-c-errors", "Now it exists."),
    Point("after a command of the person's", "0.73.1-k-extras", "Second done."),
    Point("after a long output", "0.73.1-j-long", "A long one."),
)


def _files(home: Path) -> Iterable[Path]:
    return (home / ".pi" / "agent" / "sessions").rglob("*.jsonl")


def _prepare(home: Path, _project: Path, model: ScriptedModel) -> dict[str, str]:
    folder = home / ".pi" / "agent"
    known = {"id": "mock-1", "name": "Scripted", "reasoning": True, "input": ["text", "image"], "maxTokens": 8000}
    known |= {"contextWindow": 200_000, "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}}
    address = f"http://127.0.0.1:{model.port}"
    provider = {"baseUrl": address, "api": "anthropic-messages", "apiKey": "scripted", "models": [known]}
    (folder / "models.json").write_text(json.dumps({"providers": {"mock": provider}}))
    settings = {"defaultProvider": "mock", "defaultModel": "mock-1", "defaultProjectTrust": "always"}
    (folder / "settings.json").write_text(json.dumps(settings))
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def _resume(session: str, prompt: str) -> list[str]:
    return ["--provider", "mock", "--model", "mock-1", "--thinking", "medium", "--session", session, "-p", prompt]


def messages_of(path: str, request: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The messages of a request to the Messages API."""
    if path != "/v1/messages" or not request.get("tools"):
        return None
    found: list[dict[str, Any]] = []
    for message in request["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                text = part["text"]
                found.append({"role": message["role"], "kind": "text", "text": text, "sha": digest(text)})
            elif part["type"] == "tool_use":
                found.append({"kind": "tool_use", "id": part["id"], "name": part["name"], "args": part["input"]})
            elif part["type"] == "tool_result":
                inside = part.get("content") or ""
                texts = [inside] if isinstance(inside, str) else [piece.get("text", "") for piece in inside]
                text = "".join(texts)
                found.append({"kind": "tool_result", "id": part["tool_use_id"], "text": text, "sha": digest(text)})
            elif part["type"] == "image":
                found.append({"role": message["role"], "kind": "image"})
    return found


def _prove(program: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    driven = Program("pi", [str(program / "node_modules/.bin/pi")], _files, _prepare, _resume, messages_of)
    return prove(driven, POINTS, work, model)


PI = Agent("pi", "@mariozechner/pi-coding-agent", ("0.73.1",), _prove)
