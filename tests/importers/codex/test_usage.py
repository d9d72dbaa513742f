"""Each answer of Codex has the tokens that were billed for it, and all of them together what the log states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core.model import StepKind
from tests.importers.codex.written_rollout import (
    HEADER,
    event,
    files_of,
    item,
    said,
    steps_in,
    usage,
    write,
)


@pytest.mark.parametrize("place", ["before the items", "after the calls", "after the results"])
def test_usage_belongs_to_its_response_wherever_a_version_writes_it(tmp_path: Path, place: str) -> None:
    records: list[dict[str, Any]] = [HEADER, said("user", "go")]
    for number in range(3):
        count = [usage(100 * (number + 1), 10 + number)] * 2  # the second has not moved
        call = item("function_call", name="shell", arguments='{"a": 1}', call_id=f"c{number}")
        answer = item(
            "function_call_output", call_id=f"c{number}", output="Exit code: 0\nWall time: 2.5 seconds\nOutput:\n"
        )
        records += {
            "before the items": [*count, said("assistant", "t"), call, answer],
            "after the calls": [said("assistant", "t"), call, count[0], answer, count[1]],
            "after the results": [said("assistant", "t"), call, answer, *count],
        }[place]
    steps = steps_in(write(tmp_path / "r.jsonl", *records))
    answers = [step for step in steps if step.usage]
    assert [step.usage["input"] for step in answers] == [9, 10, 11]
    assert all(step.usage["output"] == 3 and step.usage["reasoning"] == 2 for step in answers)
    calls = [step for step in steps if step.kind is StepKind.TOOL]
    assert [(step.duration, step.tool_info["exit_code"]) for step in calls] == [(2.5, 0)] * 3


def test_the_bill_of_a_summary_that_was_not_written_as_an_answer_is_the_summarys(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl", HEADER, said("user", "a"), said("assistant", "A"), usage(10, 10), event("task_complete"),
        usage(20, 11), {"type": "compacted", "payload": {"message": "sum", "replacement_history": []}},
        said("user", "b"), said("assistant", "B"), usage(30, 12),
    )  # fmt: skip
    billed = [(step.shown_kind, step.usage.get("input")) for step in steps_in(path)]
    assert billed == [("policy", None), ("human", None), ("done", 9), ("think", 10), ("human", None), ("done", 11)]


@pytest.mark.parametrize("then", [[], [said("assistant", "C"), usage(1200, 8)], [said("user", "b")]])
def test_usage_beyond_that_of_an_answer_is_counted_and_moves_no_other(
    tmp_path: Path, then: list[dict[str, Any]]
) -> None:
    path = write(
        tmp_path / "r.jsonl", HEADER, said("user", "a"), said("assistant", "A"), usage(10, 11), usage(1100, 1001), *then
    )  # fmt: skip
    answers = [step for step in steps_in(path) if step.outputs.get("text")]
    assert answers[0].usage == {"input": 10 + 1000, "cache_read": 2, "output": 6, "reasoning": 4}
    assert [step.usage["input"] for step in answers[1:]] == ([7] if len(then) == 2 else [])


def test_an_answer_that_codex_warned_of_before_its_bill_has_its_own_tokens() -> None:
    (path,) = files_of("0.74.0-a-plain")
    payloads = [json.loads(line)["payload"] for line in path.read_text().splitlines()]
    counts = [payload["info"] for payload in payloads if payload.get("type") == "token_count" and payload.get("info")]
    answers = [step for step in steps_in(path) if step.model_info]
    assert len(answers) == 4
    assert all(step.usage for step in answers)
    assert sum(sum(step.usage.values()) for step in answers) == counts[-1]["total_token_usage"]["total_tokens"]


def test_a_warning_between_two_calls_does_not_divide_their_answer(tmp_path: Path) -> None:
    path = write(
        tmp_path / "r.jsonl", HEADER, said("user", "go"), item("function_call", name="shell", call_id="a"),
        said("user", "Warning: use apply_patch"), item("function_call", name="shell", call_id="b"), usage(10, 11),
        item("function_call_output", call_id="a", output="A"), item("function_call_output", call_id="b", output="B"),
        said("assistant", "done"), usage(20, 12),
    )  # fmt: skip
    steps = steps_in(path)
    answers = [step for step in steps if step.usage]
    assert [(len(step.outputs.get("tool_calls", [])), step.usage["input"]) for step in answers] == [(2, 10), (0, 11)]
    (warning,) = [step for step in steps if step.inputs.get("text", "").startswith("Warning")]
    assert len(warning.parent_ids) == 2
    assert answers[1].parent_ids == (warning.id,)
