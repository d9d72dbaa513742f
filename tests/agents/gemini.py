"""Gemini CLI: kinds of points in its recordings, handed back, resumed, and compared with what it sends."""

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
    Point("after an answer", "0.61.0-d-resumed", "First done."),
    Point("after a call and its result", "0.61.0-d-resumed", "result: one"),
    Point("at a response whose call has no result yet", "0.61.0-d-resumed", "First answer."),
    Point("after one result of a parallel batch: the whole batch", "0.61.0-b-parallel", "result: gamma"),
    Point("at a response with three calls", "0.61.0-b-parallel", "I read all three together."),
    Point("after an answer with thinking", "0.61.0-d-resumed", "Second done."),
    Point("after it was resumed twice", "0.61.0-d-resumed", "Third done."),
    Point("at a prompt", "0.61.0-d-resumed", "Second question"),
    Point("an edited prompt", "0.61.0-d-resumed", "Second question", replaces=True),
    Point("an edited last prompt", "0.61.0-d-resumed", "Third question", replaces=True),
    Point("after a sub-agent", "0.61.0-f-subagent", "The helper is back."),
    Point("at the call of a sub-agent", "0.61.0-f-subagent", "I send a helper."),
    Point("inside a sub-agent, after a result", "0.61.0-f-subagent", "result: 3 notes.txt"),
    Point("after an image from a tool", "0.61.0-h-image", "A red square."),
    Point("after an image in a prompt", "0.61.0-h-image", "Went on."),
    Point("on the branch of a rewind", "0.61.0-e-rewind", "Other way done."),
    Point("what a rewind left behind", "0.61.0-e-rewind", "Second done."),
    Point("at the summary", "0.61.0-e-rewind", "summary"),
    Point("after a compression", "0.61.0-e-rewind", "After done."),
    Point("after calls of a server and words of hooks", "0.61.0-k-hooks", "Written."),
    Point("an edited prompt with words of a hook", "0.61.0-k-hooks", "Write it down", replaces=True),
    Point("after an answer that was cancelled", "0.61.0-e-rewind", "Third done."),
    Point("after a failed call", "0.61.0-c-errors", "Now it exists."),
    Point("after a second compression", "0.61.0-g-compress-twice", "Third done."),
    Point("later after a second compression", "0.61.0-g-compress-twice", "Went on."),
)


def _files(home: Path) -> Iterable[Path]:
    return (home / ".gemini" / "tmp").glob("*/chats/session-*.jsonl")


def _prepare(home: Path, project: Path, model: ScriptedModel) -> dict[str, str]:
    folder = home / ".gemini"
    for path in _files(home):
        if b'"type":"gemini"' not in path.read_bytes():
            path.unlink()  # Gemini does so itself when it starts, and deletes the other files of that session with it
    (folder / "projects.json").write_text(json.dumps({"projects": {str(project): "project"}}))
    (folder / "tmp" / "project" / ".project_root").write_text(str(project))
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return {
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{model.port}",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_NO_RELAUNCH": "true",
    }


def _resume(session: str, prompt: str) -> list[str]:
    return ["-m", "gemini-2.5-pro", "--yolo", "-o", "json", "--resume", session, "-p", prompt]


def _messages(path: str, request: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The contents of a request, whose results are objects with `output` or `error`."""
    if "GenerateContent" not in path or not request.get("tools"):
        return None
    found: list[dict[str, Any]] = []
    for content in request["contents"]:
        role = "assistant" if content["role"] == "model" else "user"
        for part in content["parts"]:
            if "functionCall" in part:
                call = part["functionCall"]
                found.append({"kind": "tool_use", "id": _bare(call), "name": call["name"], "args": call["args"]})
            elif "functionResponse" in part:
                response = part["functionResponse"]
                text = json.dumps(response["response"])
                found.append({"kind": "tool_result", "id": _bare(response), "text": text, "sha": digest(text)})
            elif "inlineData" in part:
                found.append({"role": role, "kind": "image"})
            elif part.get("text") and not part.get("thought"):
                found.append({"role": role, "kind": "text", "text": part["text"], "sha": digest(part["text"])})
    return found


def _bare(call: dict[str, Any]) -> str:
    return str(call.get("id")).rpartition("__")[2]


def _prove(program: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    words = ["node", str(program / "node_modules/@google/gemini-cli/bundle/gemini.js")]
    driven = Program("gemini-cli", words, _files, _prepare, _resume, _messages, wrapped=True)
    return prove(driven, POINTS, work, model)


GEMINI = Agent("gemini", "@google/gemini-cli", ("0.61.0",), _prove)
