"""Every recording of the real program, against what its model was really sent."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from opentine_gui.core.model import StepKind
from opentine_gui.importers.claude_code import read
from opentine_gui.importers.reading import Reading
from tests.importers.ground_truth import RECORDINGS, bare, expected_of, seen, sent

CASES = sorted((RECORDINGS / "claude-code").iterdir())
COMPACTED_INTO_ANOTHER = "1.0.98-g-compact"
"""The session that was compacted was never written: its leaf is what stood before."""


@cache
def sessions(case: Path) -> tuple[Reading, ...]:
    return tuple(read(path) for path in sorted(case.glob("home/.claude/projects/*/*.jsonl")))


def answers(reading: Reading) -> list[int]:
    graph = reading.record.graph
    return [
        place
        for place in range(len(graph))
        if graph.kinds[place] in (StepKind.MODEL, StepKind.DONE) and place not in graph.v3_kinds
    ]


def records_of(reading: Reading, identity: str) -> list[dict]:
    found = []
    for place in reading.places[identity]:
        content = place.path.read_bytes()[place.offset : place.offset + place.length]
        found.append(json.loads(content))
    return found


def without_queued(reading: Reading, messages: list) -> list:
    """A prompt that was queued reaches the model inside a reminder, which the ground truth leaves out."""
    graph = reading.record.graph
    queued = {
        ("user", bare(graph.step(place).inputs["text"]))
        for place, kind in graph.v3_kinds.items()
        if kind == "human" and records_of(reading, graph.ids[place])[0]["type"] == "attachment"
    }
    return [message for message in messages if message not in queued]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_leaf_has_the_context_that_its_model_was_sent(case):
    leaves = expected_of(case)["leaves"]
    ours = [without_queued(reading, seen(reading, place)) for reading in sessions(case) for place in answers(reading)]
    for name, messages in leaves.items():
        assert sent(messages) in ours, name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_call_has_its_arguments_and_its_result(case):
    recorded = {}
    for reading in sessions(case):
        for step in reading.record.graph:
            if step.kind is StepKind.TOOL:
                blocks = [
                    block
                    for record in records_of(reading, step.id)
                    for block in record["message"]["content"]
                    if isinstance(block, dict)
                ]
                identity = next(block["id"] for block in blocks if block["type"] == "tool_use")
                recorded[identity] = step
                results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
                assert results in ([], [identity])
    calls = {call["id"]: call for call in expected_of(case)["tool_calls"]}
    answered = {call for call in calls if call in recorded}
    assert answered == set(recorded)
    for identity, step in recorded.items():
        call = calls[identity]
        assert step.inputs["name"] == call["name"]
        assert call["args"].items() <= step.inputs["arguments"].items()  # the program fills in some defaults
        result = call.get("result")
        if result is None:  # it was stopped, and no request followed that could have carried a result
            assert "result" not in step.outputs or step.error
            continue
        assert bare(step.outputs.get("result", "")) == bare(result.get("text", ""))
        assert len(step.outputs.get("images", ())) == result.get("images", 0)
        assert bool(step.error) == bool(result.get("is_error"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_request_is_lost_and_none_is_counted_twice(case):
    expected = expected_of(case)
    usage = {request["response_id"]: request["usage"] for request in expected["requests"] if "usage" in request}
    told = Counter()
    for reading in sessions(case):
        for place in answers(reading):
            step = reading.record.graph.step(place)
            if step.error:
                continue
            ids = {record["message"]["id"] for record in records_of(reading, step.id) if record["type"] == "assistant"}
            assert len(ids) == 1
            [identity] = ids
            told[identity] += 1
            counted = usage[identity]
            assert (step.usage["input"], step.usage["output"]) == (counted["in"], counted["out"])
            assert step.usage["cache_read"] == counted["cache_read"]
    if len(sessions(case)) == 1:
        assert set(told.values()) == {1}


def test_sub_agents_saw_what_was_sent_for_them_and_come_back_at_their_calls():
    case = RECORDINGS / "claude-code" / "2.1.197-f-subagent"
    [reading] = sessions(case)
    ours = [seen(reading, place) for place in answers(reading)]
    for messages in expected_of(case)["subagents"].values():
        assert sent(messages) in ours
    graph = reading.record.graph
    joins = [step for step in graph if step.kind is StepKind.TOOL and len(step.parent_ids) > 1]
    assert [step.inputs["arguments"]["description"] for step in joins] == ["count lines", "find bug"]
    for step in joins:
        caller, last = (graph.step(parent) for parent in step.parent_ids)
        assert step.inputs in [
            {"name": call["name"], "arguments": call["arguments"]} for call in caller.outputs["tool_calls"]
        ]
        assert step.outputs["result"].startswith(last.outputs["text"])


def test_a_rewind_is_a_branch_and_the_live_tip_is_where_the_agent_goes_on():
    [reading] = sessions(RECORDINGS / "claude-code" / "2.1.197-e-rewind")
    graph = reading.record.graph
    forks = [
        [graph.step(child).inputs.get("text") for child in children]
        for children in graph.children
        if len(children) > 1 and all(graph.v3_kinds.get(child) == "human" for child in children)
    ]
    assert forks == [["Second question", "Other way", "Yet another way"]]
    assert [graph.step(root).inputs["text"] for root in graph.roots] == ["First question", "Go on after"]
    assert graph.step(reading.record.refs["main"]).outputs == {"text": "Went on."}
    assert reading.record.status == "completed"


def test_copies_of_a_session_share_the_ids_of_what_they_copied():
    readings = sessions(RECORDINGS / "claude-code" / "2.1.197-e-fork")
    ids = [set(reading.record.graph.ids) for reading in readings]
    shared = set.intersection(*ids)
    texts = {reading.record.graph.step(i).inputs.get("text") for reading in readings[:1] for i in shared}
    assert {"First question", "Second question"} <= texts
    resumed = sessions(RECORDINGS / "claude-code" / "1.0.98-d-resumed")
    sizes = sorted(len(reading.record.graph) for reading in resumed)
    assert len(set.union(*(set(reading.record.graph.ids) for reading in resumed))) == sizes[-1]
