"""The same session written otherwise: what does not change what happened does not change a step."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.importers.readers import read_source
from tests.importers.recordings import RECORDINGS

CASES = (
    "claude-code/2.1.197-e-rewind",
    "claude-code/2.1.197-f-subagent",
    "codex/0.128.0-f-subagent",
    "codex/0.169.0-a-plain",
    "codex/0.169.0-e-backtrack",
    "gemini-cli/0.61.0-e-rewind",
    "gemini-cli/0.61.0-f-subagent",
    "openai-agents/0.24.0-b-tools",
    "otel-genai/1.45.2-b-tools",
    "pi/0.73.1-e-tree",
)


def _lines(change: Callable[[Any], Any]) -> Callable[[str], str]:
    def changed(text: str) -> str:
        return "".join(json.dumps(change(json.loads(line)), ensure_ascii=False) + "\n" for line in text.splitlines())

    return changed


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _reversed(value[name]) for name in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


def _with_more(record: dict[str, Any]) -> dict[str, Any]:
    for name in ("message", "payload"):
        if isinstance(record.get(name), dict):
            record = {**record, name: {"new": 1, **record[name]}}
    return {"aFutureField": {"list": [1, None, "text"]}, **record, "another": False}


VARIATIONS: dict[str, Callable[[str], str]] = {
    "keys in another order": _lines(_reversed),
    "fields that are not known": _lines(_with_more),
    "plain ASCII": lambda text: "".join(json.dumps(json.loads(line)) + "\n" for line in text.splitlines()),
    "lines as Windows ends them": lambda text: text.replace("\n", "\r\n"),
    "no end of the last line": lambda text: text.removesuffix("\n"),
    "half a line more": lambda text: text + text.splitlines()[-1][:60],
    "a mark of byte order": lambda text: "\ufeff" + text,
    "empty lines": lambda text: text.replace("\n", "\n\n"),
    "two records on the first line": lambda text: text.replace("}\n{", "}{", 1) if text.count("\n") > 3 else text,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", VARIATIONS)
def test_a_session_that_is_written_otherwise_has_the_same_steps(case: str, name: str, tmp_path: Path) -> None:
    shutil.copytree(RECORDINGS / case, tmp_path, dirs_exist_ok=True)
    files = sorted(tmp_path.rglob("*.jsonl"))
    was = [read_source(path).record.graph.ids for path in files]
    for path in files:
        path.write_bytes(VARIATIONS[name](path.read_text()).encode())
    assert [read_source(path).record.graph.ids for path in files] == was
