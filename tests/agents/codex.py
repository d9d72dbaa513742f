"""Codex: kinds of points in its recordings, handed back, resumed, and compared with what it sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.agents.handed_back import Point, Program, prove
from tests.agents.model import ScriptedModel
from tests.agents.proof import Agent, Proof
from tests.importers.recordings import digest

OLD = (
    Point("0.74: after an answer", "0.74.0-d-resumed", "First done."),
    Point("0.74: after a call and its result", "0.74.0-d-resumed", "result: one"),
    Point("0.74: after a parallel batch", "0.74.0-b-parallel", "result: gamma"),
    Point("0.74: at a response with three calls", "0.74.0-b-parallel", "I read all three together."),
    Point("0.74: an edited prompt", "0.74.0-d-resumed", "Second question", replaces=True),
    Point("0.74: after a failed turn", "0.74.0-c-errors", "Ask the dead model"),
)
MIDDLE = (
    Point("0.128: in a fork that copied its beginning", "0.128.0-e-appserver", "Other way done."),
    Point("0.128: after sub-agents", "0.128.0-f-subagent", "Both helpers are back: 3 lines, one bug."),
    Point("0.128: inside a sub-agent, after a result", "0.128.0-f-subagent", "result: 3 notes.txt"),
    Point("0.128: before a compaction", "0.128.0-g-compact", "Second done."),
    Point("0.128: at the summary", "0.128.0-g-compact", "summary"),
    Point("0.128: after a compaction", "0.128.0-g-compact", "After done."),
    Point("0.128: an edited prompt", "0.128.0-e-appserver", "Second question", replaces=True),
)
POINTS = (
    Point("after an answer", "0.169.0-d-resumed", "First done."),
    Point("after a call and its result", "0.169.0-d-resumed", "result: one"),
    Point("at a response whose call has no result yet", "0.169.0-d-resumed", "First answer."),
    Point("after one result of a parallel batch: the whole batch", "0.169.0-b-parallel", "result: gamma"),
    Point("at a response with three calls", "0.169.0-b-parallel", "I read all three together."),
    Point("after an answer with thinking", "0.169.0-d-resumed", "Second done."),
    Point("at a prompt", "0.169.0-d-resumed", "Second question"),
    Point("an edited prompt", "0.169.0-d-resumed", "Second question", replaces=True),
    Point("an edited last prompt", "0.169.0-d-resumed", "Third question", replaces=True),
    Point("before a compaction", "0.169.0-g-compact", "Second done."),
    Point("at the summary", "0.169.0-g-compact", "summary"),
    Point("after a compaction", "0.169.0-g-compact", "After done."),
    Point("in a fork of the agent's own (history_base)", "0.169.0-e-fork", "Other way done."),
    Point("before the fork point, from the fork", "0.169.0-e-fork", "First done."),
    Point("in a fork of a fork", "0.169.0-e-fork", "Went on."),
    Point("what a fork left behind", "0.169.0-e-fork", "Third done."),
    Point("in a fork made through the app server", "0.169.0-e-appserver", "Other way done."),
    Point("in the file of a revert", "0.169.0-e-backtrack", "Other way done."),
    Point("what a revert left behind", "0.169.0-e-backtrack", "Second done."),
    Point("after sub-agents", "0.169.0-f-subagent", "Both helpers are back: 3 lines, one bug."),
    Point("at the calls that start sub-agents", "0.169.0-f-subagent", "I send two helpers."),
    Point("inside a sub-agent, after a result", "0.169.0-f-subagent", "result: 3 notes.txt"),
    Point("inside a sub-agent, at its report", "0.169.0-f-subagent", "REPORT-TWO: minus instead of plus."),
    Point("after an image from a tool", "0.169.0-h-image", "A red square."),
    Point("after an image in a prompt", "0.169.0-h-image", "I see a red square in your message."),
    Point("after an interrupted turn", "0.169.0-i-interrupt", "interrupted"),
    Point("after it went on from an interrupt", "0.169.0-i-interrupt", "Third done."),
    Point("in a killed session, at the batch with one result", "0.169.0-i-kill", "result: up"),
    Point("after a killed session went on", "0.169.0-i-kill", "Went on."),
    Point("after calls of a server, one failed", "0.169.0-k-mcp", "Server asked."),
    Point("an edited prompt after them", "0.169.0-k-mcp", "Go on after", replaces=True),
    Point("after a failed call", "0.169.0-c-errors", "Now it exists."),
    Point("after a turn that failed", "0.169.0-c-errors", "error"),
    Point("after a long output", "0.169.0-j-long", "A long one."),
    Point("in a session with a database", "0.169.0-l-paginated", "First done."),
)
SETTINGS = """model = "gpt-5-codex"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[analytics]
enabled = false
[projects."{project}"]
trust_level = "trusted"
[model_providers.mock]
name = "mock"
base_url = "http://127.0.0.1:{port}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
"""


def _files(home: Path) -> Iterable[Path]:
    found = (home / ".codex" / "sessions").rglob("rollout-*.jsonl")
    return [path for path in found if b"thread_spawn" not in path.read_bytes().split(b"\n", 1)[0]]


def _prepare(home: Path, project: Path, model: ScriptedModel) -> dict[str, str]:
    (home / ".codex" / "config.toml").write_text(SETTINGS.format(project=project, port=model.port))
    return {"SCRIPTED_KEY": "scripted", "CODEX_HOME": str(home / ".codex")}


def _resume(session: str, prompt: str) -> list[str]:
    return ["exec", "--skip-git-repo-check", "--json", "resume", session, prompt]


def _messages(path: str, request: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The items of a request to the Responses API."""
    if path != "/v1/responses" or not request.get("tools"):
        return None
    found: list[dict[str, Any]] = []
    for item in request["input"]:
        kind = item.get("type", "message")
        if kind == "message" and item["role"] != "developer":
            for part in item["content"]:
                if part.get("image_url"):
                    found.append({"role": item["role"], "kind": "image"})
                else:
                    text = part["text"]
                    found.append({"role": item["role"], "kind": "text", "text": text, "sha": digest(text)})
        elif kind in ("function_call", "custom_tool_call"):
            arguments = item.get("arguments", item.get("input"))
            space = item.get("namespace") or ""
            server = f"{space}." if space.startswith("mcp__") else ""
            found.append({"kind": "tool_use", "id": item["call_id"], "name": server + item["name"], "args": arguments})
        elif kind.endswith("_output"):
            output = item["output"]
            text = output if isinstance(output, str) else "".join(part.get("text", "") for part in output)
            found.append({"kind": "tool_result", "id": item["call_id"], "text": text, "sha": digest(text)})
    return [message for message in found if not message.get("text", "").startswith("<user_instructions>")]


def program(folder: Path) -> Program:
    """How a version in a folder is driven."""
    return Program("codex", [str(folder / "node_modules/.bin/codex")], _files, _prepare, _resume, _messages)


def _prove(folder: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    points = {"codex-0.74.0": OLD, "codex-0.128.0": (*MIDDLE, *OLD)}.get(folder.name, (*POINTS, *MIDDLE, *OLD))
    return prove(program(folder), points, work, model)


CODEX = Agent("codex", "@openai/codex", ("0.74.0", "0.128.0", "0.169.0", "0.171.0"), _prove)
