"""Rollouts of Codex that tests write, and those of the recordings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opentine_gui.core.model import Step
from opentine_gui.importers import readers
from opentine_gui.importers.codex import reader
from opentine_gui.importers.reading import Reading
from tests.importers.recordings import RECORDINGS

HEADER = {"type": "session_meta", "payload": {"id": "t", "cwd": "/p", "cli_version": "0.74.0"}}


def files_of(case: str) -> list[Path]:
    """The rollouts of a recording that are no sub-agent's."""
    files = sorted((RECORDINGS / "codex" / case / "home").rglob("rollout-*.jsonl"))
    return [path for path in files if b"thread_spawn" not in path.read_bytes().split(b"\n", 1)[0]]


def read_case(case: str) -> list[Reading]:
    return [readers.read_source(path) for path in files_of(case)]


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def said(role: str, text: str) -> dict[str, Any]:
    return item("message", role=role, content=[{"type": "input_text", "text": text}])


def usage(total: int, last: int) -> dict[str, Any]:
    counts = {"input_tokens": last, "cached_input_tokens": 1, "output_tokens": 5, "reasoning_output_tokens": 2}
    info = {"total_token_usage": {"input_tokens": total, "output_tokens": 1}, "last_token_usage": counts}
    return event("token_count", info=info)


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def steps_in(path: Path) -> list[Step]:
    return list(reader.read(path).record.graph)
