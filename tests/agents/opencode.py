"""OpenCode: kinds of points in its recordings, taken in by its own import, resumed, and compared with what it sends."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from opentine_gui.export.sessions import Handback
from opentine_gui.importers.readers import parts_of
from opentine_gui.importers.sources.parts import part_path
from tests.agents.handed_back import PROMPT, Point, Program, prove
from tests.agents.model import ScriptedModel
from tests.agents.pi import messages_of
from tests.agents.proof import Agent, Proof

POINTS = (
    Point("after an answer", "1.18.33-g-compact", "First done."),
    Point("after a call and its result", "1.18.33-a-plain", "Edit applied successfully."),
    Point("at a response whose call has no result yet", "1.18.33-a-plain", "Now the code."),
    Point("after one result of a parallel batch: the whole batch", "1.18.33-b-parallel", "result: gamma"),
    Point("at a response with three calls", "1.18.33-b-parallel", "I read all three together."),
    Point("after an answer that followed a batch", "1.18.33-b-parallel", "Three files read, two counts made."),
    Point("at a prompt", "1.18.33-c-errors", '"Go on after"'),
    Point("an edited prompt", "1.18.33-c-errors", '"Go on after"', replaces=True),
    Point("an edited prompt after one answer", "1.18.33-c-errors", '"Ask the dead model"', replaces=True),
    Point("after a failed call", "1.18.33-c-errors", "It is missing; I try another."),
    Point("after a turn that failed", "1.18.33-c-errors", "Went on."),
    Point("after sub-agents", "1.18.33-f-subagent", "Both helpers are back."),
    Point("at the call of two sub-agents", "1.18.33-f-subagent", "I send two helpers."),
    Point("inside a sub-agent, after its answer", "1.18.33-f-subagent", "REPORT-ONE: three lines."),
    Point("inside a sub-agent, at a call", "1.18.33-f-subagent", "Counting."),
    Point("before a compaction", "1.18.33-g-compact", "Second done."),
    Point("at the summary", "1.18.33-g-compact", "summary"),
    Point("after a compaction", "1.18.33-g-compact", "After done."),
    Point("before a summary that failed", "1.18.33-c-summary-fails", "Second done."),
    Point("at a summary that failed", "1.18.33-c-summary-fails", "APIError"),
    Point("at the prompt after it", "1.18.33-c-summary-fails", "Third question"),
    Point("at the prompt after it, edited", "1.18.33-c-summary-fails", "Third question", replaces=True),
    Point("at a summary that was interrupted", "1.18.33-c-summary-fails", "SUMMARY that is cut"),
    Point("an edited prompt after that", "1.18.33-c-summary-fails", "Go on after", replaces=True),
    Point("at the summary that answered a prompt", "1.18.33-c-summary-fails", "SUMMARY-MARK of what went before."),
    Point("after that, an edited prompt", "1.18.33-c-summary-fails", "Other way", replaces=True),
    Point("after all of that", "1.18.33-c-summary-fails", "Other way done."),
    Point("after an image from a tool", "1.18.33-h-image", "A red square."),
    Point("after an image in a prompt", "1.18.33-h-image", "I see a red square in your message."),
    Point("after an interrupted turn", "1.18.33-i-abort", "Third done."),
    Point("at an interrupted batch", "1.18.33-i-abort", "Going to sleep."),
    Point("after it went on from that", "1.18.33-i-abort", "Went on."),
)
ASKS_FOR_SUMMARY = "What did we do so far?"
OF_A_FILE = ("Called the Read tool with the following input: ", "Image read successfully")
"""What OpenCode says of a file that somebody attaches; in a step it stands as context, beside the prompt."""
MODEL = {
    "name": "Scripted",
    "reasoning": True,
    "tool_call": True,
    "attachment": True,
    "modalities": {"input": ["text", "image"], "output": ["text"]},
    "limit": {"context": 200_000, "output": 8_000},
    "cost": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
}


def _database(home: Path) -> Path:
    return home / ".local" / "share" / "opencode" / "opencode.db"


def _files(home: Path) -> Iterable[Path]:
    return [part_path(_database(home), part.id) for part in parts_of(_database(home))]


def _prepare(home: Path, _project: Path, model: ScriptedModel) -> dict[str, str]:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True)
    options = {"baseURL": f"http://127.0.0.1:{model.port}/v1", "apiKey": "scripted"}
    provider = {"npm": "@ai-sdk/anthropic", "name": "mock", "options": options, "models": {"mock-1": MODEL}}
    settings = {
        "autoupdate": False,
        "share": "disabled",
        "model": "mock/mock-1",
        "small_model": "mock/mock-1",
        "permission": {"*": "allow"},
        "enabled_providers": ["mock"],
        "provider": {"mock": provider},
    }
    (folder / "opencode.json").write_text(json.dumps(settings))
    names = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE")
    return {f"OPENCODE_DISABLE_{name}": "1" for name in names}


def _resume(session: str, prompt: str) -> list[str]:
    return [
        "run",
        "--format",
        "json",
        "--session",
        session,
        *prompt.split(),
    ]  # it puts quotes around a word with a space


def _messages(path: str, request: dict[str, Any]) -> list[dict[str, Any]] | None:
    """The messages of a request; a summary stands there as the answer to a question of OpenCode's own."""
    found = messages_of(path, request) or []
    if len(found) > 1 and found[0].get("text") == ASKS_FOR_SUMMARY:  # elsewhere it replaces nothing
        found[1]["text"] = f"compacted into the following summary: {found[1]['text']}"
    return [message for message in found if not _is_its_own(message)] or None


def _is_its_own(message: dict[str, Any]) -> bool:
    text = message.get("text", "") if message.get("role") == "user" else ""
    return bool(text == ASKS_FOR_SUMMARY or text.startswith(OF_A_FILE))


def _state(home: Path) -> dict[str, str]:
    """Every message and part in the database, by its id."""
    with closing(sqlite3.connect(_database(home))) as connection:
        return {
            str(name): f"{owner} {data}"
            for table in ("message", "part")
            for name, owner, data in connection.execute(f"SELECT id, session_id, data FROM {table}")
        }


def _went_on(home: Path, found: Handback) -> bool:
    with closing(sqlite3.connect(_database(home))) as connection:
        rows = connection.execute("SELECT data FROM part WHERE session_id = ?", (found.session,)).fetchall()
    return any(PROMPT in str(row[0]) for row in rows)


def _prove(program: Path, work: Path, model: ScriptedModel) -> Iterator[Proof]:
    words = [str(program / "node_modules" / "opencode-linux-x64" / "bin" / "opencode")]
    driven = Program("opencode", words, _files, _prepare, _resume, _messages, state=_state, went_on=_went_on)
    return prove(driven, POINTS, work, model)


OPENCODE = Agent("opencode", "opencode-ai", ("1.18.33",), _prove)
