"""Session logs of Claude Code that a test writes line by line."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

from opentine_gui.core.model import StepKind
from opentine_gui.importers.claude_code import read
from opentine_gui.importers.reading import Reading


class Log:
    """Lines of a session; each method adds one and returns its uuid."""

    def __init__(self, session: str = "s1") -> None:
        self.session = session
        self.lines: list[dict] = []
        self.numbers = count(1)

    def add(self, kind: str, above: str | None, **fields: object) -> str:
        number = next(self.numbers)
        uuid = str(fields.pop("uuid", f"u{number}"))
        time = f"2026-01-01T00:{number // 60:02d}:{number % 60:02d}.000Z"
        common = {"uuid": uuid, "parentUuid": above, "sessionId": self.session, "timestamp": time, "version": "2.1.0"}
        self.lines.append({"type": kind, "isSidechain": False, **common, **fields})
        return uuid

    def user(self, above: str | None, text: str, **fields: object) -> str:
        return self.add("user", above, message={"role": "user", "content": text}, **fields)

    def says(self, above: str | None, identity: str, text: str, **fields: object) -> str:
        return self._block(above, identity, {"type": "text", "text": text}, fields)

    def calls(self, above: str | None, identity: str, tool: str, name: str = "Bash", **fields: object) -> str:
        given = fields.pop("arguments", {"command": tool})
        return self._block(above, identity, {"type": "tool_use", "id": tool, "name": name, "input": given}, fields)

    def _block(self, above: str | None, identity: str, block: dict, fields: dict) -> str:
        message = {"id": identity, "role": "assistant", "model": "claude-x", "content": [block]}
        message |= {"usage": fields.pop("usage", {"input_tokens": 1, "output_tokens": 5}), "stop_reason": None}
        return self.add("assistant", above, message=message, **fields)

    def result(self, above: str, tool: str, text: object = "ok", **fields: object) -> str:
        block = {"type": "tool_result", "tool_use_id": tool, "content": text, **fields.pop("block", {})}
        return self.add("user", above, message={"role": "user", "content": [block]}, **fields)

    def note(self, **fields: object) -> None:
        self.lines.append({"sessionId": self.session, **fields})

    def read(self, folder: Path) -> Reading:
        return read(self.write(folder))

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(json.dumps(line).encode() + b"\n" for line in self.lines))
        return path


def texts(reading: Reading) -> list[str]:
    """What each step says, with what it rests on."""
    graph = reading.record.graph
    words = {}
    for step in graph:
        outputs = step.outputs
        said = outputs.get("text") or outputs.get("summary") or step.inputs.get("text") or step.inputs.get("prompt")
        if step.kind is StepKind.TOOL:
            said = str((step.inputs.get("arguments") or {}).get("command") or step.inputs["name"])
        words[step.id] = said or step.error.get("type", "") or "calls"
    return [f"{words[i]} < {', '.join(words[p] for p in graph.parent_ids(i))}" for i in graph.ids]
