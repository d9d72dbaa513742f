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
from tests.importers.codex.written_rollout import HEADER, event, item, said, write


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


LONG = "no " * 3_000


@pytest.mark.parametrize(
    ("answer", "outputs", "was"),
    [
        ({"structuredContent": {"rows": [1, 2, 3]}}, {"result": '{"rows": [1, 2, 3]}'}, ""),
        ({"Ok": {"content": [], "structuredContent": {"ö": None}}}, {"result": '{"ö": null}'}, ""),
        ({"content": [{"type": "text", "text": "one"}], "structuredContent": {"rows": [1]}}, {"result": "one"}, None),
        (
            {"content": [{"type": "image", "mimeType": "image/webp", "data": "QUJD"}]},
            {"result": "", "images": ["data:image/webp;base64,QUJD"]},
            "",
        ),
        (
            {"content": [{"type": "text", "text": "see"}, {"type": "resource_link", "uri": "file:///a"}]},
            {"result": 'see\n{"type": "resource_link", "uri": "file:///a"}'},
            "see\n",
        ),
        ({"Err": LONG}, {"result": LONG}, LONG[:4_000]),
        ({"Err": {"code": 7}}, {"result": '{"code": 7}'}, "{'code': 7}"),
        ([1, 2], {"result": "[1, 2]"}, ""),
    ],
)
@pytest.mark.parametrize("status", ["completed", "failed"])
@pytest.mark.parametrize("returned", [True, False])
def test_the_answer_of_a_server_is_kept_whole_and_its_former_ids_are_known(
    tmp_path: Path, answer: Any, outputs: dict[str, Any], was: str | None, status: str, returned: bool
) -> None:
    made = {"type": "McpToolCall", "id": "x", "server": "s", "tool": "list", "arguments": {"a": 1}, "status": status}
    records = [HEADER, said("user", "go"), item("custom_tool_call", call_id="p", name="exec", input="await list()")]
    records.append(event("item_completed", item={**made, "result": answer}))
    if returned:
        records.append(item("custom_tool_call_output", call_id="p", output="done"))
    reading = reader.read(write(tmp_path / "r.jsonl", *records))
    tool = next(step for step in reading.record.graph if step.inputs.get("name") == "list")
    back = {"returned": "done"} if returned else {}
    assert tool.outputs == outputs | back
    if was is not None:
        error = {"type": "failed", "message": was[:2_000] or status} if status == "failed" else {}
        assert reading.former[id_with(tool, outputs={"result": was, **back}, error=error)] == tool.id
