"""pi's sessions: every recording comes to what the model was sent; versions, trees, bills."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core.model import CostState, RunStatus, StepKind
from opentine_gui.describe.step_titles import title
from opentine_gui.importers import readers
from opentine_gui.importers.growing.pi import GrowingTree
from opentine_gui.importers.pi import forks, reader
from opentine_gui.importers.reading import Reading
from tests.importers.growing_sessions import check_growth
from tests.importers.recordings import (
    RECORDINGS,
    branch_points,
    cases,
    expected_context,
    expected_of,
    steps_of,
    tips_saying,
)


def file_of(case: str) -> Path:
    (path,) = (RECORDINGS / "pi" / case / "home").rglob("*.jsonl")
    return path


def read_case(case: str) -> Reading:
    return readers.read_source(file_of(case))


def entry(identity: str, parent: str | None, **message: Any) -> dict[str, Any]:
    return {"type": "message", "id": identity, "parentId": parent, "message": message}


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


HEADER = {"type": "session", "version": 3, "id": "s", "cwd": "/p", "timestamp": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize("case", cases("pi"))
def test_every_leaf_of_a_recording_has_the_context_that_the_model_was_sent(case: str) -> None:
    files = sorted((RECORDINGS / "pi" / case / "home").rglob("*.jsonl"))
    steps = steps_of([readers.read_source(path) for path in files])
    expected = expected_of("pi", case)
    for name, messages in expected["leaves"].items():
        assert len(tips_saying(steps, expected_context(messages))) == 1, name
    calls = [step for step in steps.values() if step.kind is StepKind.TOOL and step.inputs.get("by") is None]
    assert sorted(step.inputs["name"] for step in calls) == sorted(call["name"] for call in expected["tool_calls"])
    turns = [step.inputs["text"] for step in steps.values() if step.v3_kind == "human"]
    assert turns == expected.get("user_turns", turns)


def test_a_tree_has_its_branches_and_a_summary_points_to_what_was_left() -> None:
    reading = read_case("0.73.1-e-tree")
    graph = reading.record.graph
    assert [step.outputs["text"] for step in branch_points(reading.record.graph)] == [
        "Second answer.",
        "Another way then.",
    ]
    (summary,) = [step for step in graph if step.kind is StepKind.THINK]
    assert [graph.step(cause).outputs["text"] for cause in summary.causal_ids] == ["Other way done."]
    assert graph.step(reading.record.refs["main"]).outputs["text"] == "Third done."


def test_costs_are_those_that_the_log_states_for_each_bucket() -> None:
    reading = read_case("0.73.1-b-parallel")
    billed = [step for step in reading.record.graph if step.usage]
    lines = [json.loads(line) for line in file_of("0.73.1-b-parallel").read_text().splitlines()]
    stated = [line["message"]["usage"]["cost"]["total"] for line in lines if line.get("message", {}).get("usage")]
    assert [step.counted_cost for step in billed] == pytest.approx(stated)
    assert all(step.cost_state is CostState.KNOWN for step in billed)
    assert set(billed[0].billing["stated_usd"]) == {"input", "output", "cache_read", "cache_write_5m"}


def test_a_bill_of_zeros_is_not_recorded() -> None:
    last = list(read_case("0.73.1-k-extras").record.graph)[-1]
    assert last.error == {"type": "interrupted", "message": "Request was aborted."}
    assert last.cost_state is CostState.NOT_RECORDED


def test_a_session_of_version_1_is_a_row(tmp_path: Path) -> None:
    header = {"type": "session", "id": "s", "cwd": "/p", "branchedFrom": "/old/x.jsonl"}
    path = write(
        tmp_path / "a.jsonl", header,
        {"type": "message", "message": {"role": "user", "content": "a"}},
        {"type": "message", "message": {"role": "assistant", "content": [{"type": "text", "text": "A"}]}},
        {"type": "message", "message": {"role": "user", "content": "b"}},
    )  # fmt: skip
    reading = reader.read(path)
    assert [len(step.parent_ids) for step in reading.record.graph] == [0, 1, 1]
    assert reading.report is not None
    assert "forked" in reading.report.remarks[0]


def test_a_command_that_the_person_ran_after_an_answer_leaves_the_turn_ended(tmp_path: Path) -> None:
    answer = entry("b", "a", role="assistant", content=[{"type": "text", "text": "Done."}], stopReason="stop")
    own = [
        entry("c", "b", role="bashExecution", command="find .", output="a.py", exitCode=0),
        entry("d", "c", role="bashExecution", command="false", output="", exitCode=1),
    ]
    asked = entry("a", None, role="user", content="Make it")
    record = reader.read(write(tmp_path / "a.jsonl", HEADER, asked, answer, *own)).record
    last = record.graph.step(record.refs["main"])
    assert record.status is RunStatus.COMPLETED
    assert title(last) == "Ran by the user: false"
    again = entry("e", "d", role="user", content="Why?")
    assert (
        reader.read(write(tmp_path / "b.jsonl", HEADER, asked, answer, *own, again)).record.status is RunStatus.RUNNING
    )


@pytest.mark.parametrize(
    ("ended", "took"),
    [
        ([12.0, 22.0, 32.0], [10.0, 10.0, 10.0]),
        ([12.0, 12.003, 22.0], [10.0, 0.003, 9.997]),
        ([12.0, 12.003, 12.005], [10.0, 10.003, 10.005]),  # side by side: written when the longest had ended
    ],
)
def test_calls_that_ran_in_turn_took_the_time_since_the_one_before(
    tmp_path: Path, ended: list[float], took: list[float]
) -> None:
    calls = [
        {"type": "toolCall", "id": f"t{number}", "name": "bash", "arguments": {"command": f"sleep {number}"}}
        for number in range(len(ended))
    ]
    records = [entry("a", None, role="user", content="go"), entry("b", "a", role="assistant", content=calls)]
    for number in range(len(ended)):
        above = f"r{number - 1}" if number else "b"
        records.append(entry(f"r{number}", above, role="toolResult", toolCallId=f"t{number}", content="x"))
    for record, second in zip(records, [1.0, 2.0, *ended], strict=True):
        record["timestamp"] = f"2026-01-01T00:00:{second:06.3f}Z"
    path = write(tmp_path / "s.jsonl", HEADER, *records)
    steps = list(reader.read(path).record.graph)
    assert [step.duration for step in steps if step.kind is StepKind.TOOL] == pytest.approx(took, abs=1e-5)
    check_growth(path, GrowingTree(path), lambda: reader.read(path))


def test_a_fork_keeps_the_ids_of_its_copied_entries_and_belongs_to_the_family(tmp_path: Path) -> None:
    source = file_of("0.73.1-b-parallel")
    first = Path(shutil.copy(source, tmp_path / source.name))
    lines = [json.loads(line) for line in source.read_text().splitlines()]
    lines[0] |= {"id": "other", "parentSession": f"/home/x/{source.name}"}
    fork = write(tmp_path / "fork.jsonl", *lines[:8], entry("new", lines[7]["id"], role="user", content="else"))
    shared = set(reader.read(first).record.graph.ids) & set(reader.read(fork).record.graph.ids)
    assert len(shared) == len(reader.read(fork).record.graph) - 1
    assert forks.family_of(first) == (fork,)
    assert forks.family_of(fork) == (first,)


def test_labels_are_bookmarks_and_a_name_is_the_title(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", HEADER, entry("1", None, role="user", content="hello"),
        {"type": "label", "id": "2", "parentId": "1", "targetId": "1", "label": "start"},
        {"type": "session_info", "id": "3", "parentId": "2", "name": "my work"},
    )  # fmt: skip
    record = reader.read(path).record
    assert record.refs["start"] == record.graph.ids[0]
    assert record.title == "my work"


def test_entries_in_a_cycle_and_under_missing_ones_lose_no_step(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.jsonl", HEADER,
        entry("1", "2", role="user", content="a"), entry("2", "1", role="user", content="b"),
        entry("3", "gone", role="user", content="c"),
    )  # fmt: skip
    reading = reader.read(path)
    assert len(reading.record.graph) == 3
    assert reading.report is not None
    assert len(reading.report.remarks) == 2


def test_a_results_that_was_recorded_on_another_branch_is_no_parent(tmp_path: Path) -> None:
    call = {"type": "toolCall", "id": "c", "name": "bash", "arguments": {}}
    path = write(
        tmp_path / "a.jsonl", HEADER, entry("1", None, role="user", content="a"),
        entry("2", "1", role="assistant", content=[call], stopReason="toolUse"),
        entry("3", "2", role="toolResult", toolCallId="c", content=[{"type": "text", "text": "r"}]),
        entry("4", "2", role="user", content="b"),
    )  # fmt: skip
    steps = list(reader.read(path).record.graph)
    assert steps[3].parent_ids == (steps[1].id,)


@pytest.mark.parametrize("size", [1, 100, 3000])
def test_a_session_that_is_read_in_pieces_is_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: int
) -> None:
    source = max((RECORDINGS / "pi").rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    content = b"\xef\xbb\xbf" + source.read_bytes() + b'{"type":"message","id":"cut'
    file = tmp_path / "session.jsonl"
    file.write_bytes(content)
    whole = reader.read(file)
    monkeypatch.setattr("opentine_gui.importers.sources.packed.PIECE", size)
    told: list[float] = []
    pieces = reader.read(file, progress=told.append)
    assert pieces.record.graph.ids == whole.record.graph.ids
    assert pieces.record.metadata == whole.record.metadata
    assert pieces.record.metadata["capture"]["source_sha256"] == hashlib.sha256(content).hexdigest()
    assert pieces.places == whole.places
    assert pieces.report == whole.report
    assert told == sorted(told)
