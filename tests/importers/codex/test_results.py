"""What a result of a call in Codex's rollouts becomes, and the ids that its step had by earlier rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.model import Step, StepKind
from opentine_gui.importers.codex import reader
from opentine_gui.importers.reading import Reading
from tests.importers.codex.written_rollout import HEADER, item, said, write


def id_with(step: Step, **changed: Any) -> str:
    """The id that a step with parents of unchanged ids had when these fields were others."""
    fields = {name: changed.get(name, getattr(step, name)) for name in ("outputs", "model_info", "tool_info", "error")}
    return step_id(step.kind, step.inputs, parent_ids=step.parent_ids, **fields)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("execution error: an old entry of app.log\nall fine\n", "failed"),
        ("patch rejected: by whom?", "rejected"),
        ("aborted at first, then fine", "interrupted"),
    ],
)
def test_a_command_that_ended_with_0_has_not_failed_whatever_it_printed(tmp_path: Path, text: str, kind: str) -> None:
    def outcome(metadata: dict[str, Any]) -> Reading:
        answer = json.dumps({"output": text, "metadata": metadata})
        call = item("function_call", name="shell", arguments='{"command": ["tail", "app.log"]}', call_id="c")
        records = HEADER, said("user", "go"), call, item("function_call_output", call_id="c", output=answer)
        return reader.read(write(tmp_path / "r.jsonl", *records, said("assistant", "end")))

    reading = outcome({"exit_code": 0, "duration_seconds": 0.1})
    (tool,) = [step for step in reading.record.graph if step.kind is StepKind.TOOL]
    assert (tool.error, tool.tool_info["exit_code"]) == ({}, 0)
    (unknown,) = [step for step in outcome({}).record.graph if step.kind is StepKind.TOOL]
    assert unknown.error["type"] == kind
    assert reading.former[id_with(tool, error=unknown.error)] == tool.id
    assert len(reading.former) == 2  # what follows it, as well
