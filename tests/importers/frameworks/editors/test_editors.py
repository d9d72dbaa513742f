"""Copilot's command line, chats in VS Code and Cline: calls with results, sub-agents, dropped requests, dirt."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import RunRecord, TineError
from opentine_gui.importers.readers import read_run, read_source, reader_for


def lines(path: Path, records: list[Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def kinds(record: RunRecord) -> list[str]:
    return [step.shown_kind for step in record.graph]


# -- Copilot CLI ------------------------------------------------------------------------------------------------------


def event(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data, "id": "x", "parentId": None, "timestamp": "2026-01-01T10:00:00Z"}


def copilot(path: Path, *events: dict[str, Any]) -> Path:
    return lines(path, [event("session.start", sessionId="s", copilotVersion="1"), *events])


def test_a_session_of_the_command_line_pairs_calls_and_joins_sub_agents(tmp_path: Path) -> None:
    calls = [{"toolCallId": "1", "name": "view", "arguments": {"path": "a"}},
             {"toolCallId": "2", "name": "task", "arguments": {"prompt": "look", "agent_type": "explore"}}]  # fmt: skip
    path = copilot(
        tmp_path / "events.jsonl",
        event("session.model_change", newModel="m"),
        event("system.message", content="be good"),
        event("user.message", content="", transformedContent="<reminder>x</reminder>go"),
        event("assistant.message", content="two", toolRequests=calls, outputTokens=7, reasoningText="hm"),
        event("tool.execution_start", toolCallId="1", toolName="view"),
        event("tool.execution_start", toolCallId="2", toolName="task"),
        event("assistant.message", content="inside", parentToolCallId="2"),
        event("tool.execution_complete", toolCallId="2", success=True, result={"content": "seen"}),
        event("tool.execution_complete", toolCallId="1", success=False, error={"code": "denied", "message": "no"}),
        event("system.message", content="be good"),
        event("assistant.message", content="done"),
        event("session.shutdown", modelMetrics={"m": {"usage": {"inputTokens": 100}}}),
    )
    reading = read_source(path)
    record = reading.record
    by_text = {str(step.outputs.get("text", step.shown_kind)): step for step in record.graph}
    view, task = (next(step for step in record.graph if step.inputs.get("name") == name) for name in ("view", "task"))
    assert by_text["two"].usage == {"output": 7}
    assert by_text["two"].model_info == "m"
    assert view.error == {"type": "rejected", "message": "no"}
    assert task.parent_ids == (by_text["two"].id, by_text["inside"].id)
    assert by_text["subagent"].inputs == {"prompt": "look", "agent": "explore"}
    assert by_text["subagent"].parent_ids == (by_text["two"].id,)
    assert by_text["done"].parent_ids == (view.id, task.id)
    assert kinds(record).count("policy") == 1
    assert next(step for step in record.graph if step.v3_kind == "human").inputs["text"] == "go"
    assert record.metadata["usage"] == {"m": {"usage": {"inputTokens": 100}}}
    assert reading.report is not None
    assert "sum of the session" in reading.report.remarks[0]


def ended(read: int, written: int) -> dict[str, Any]:
    usage = {"inputTokens": read, "outputTokens": written, "cacheReadTokens": read // 2, "reasoningTokens": 1}
    return event("session.shutdown", modelMetrics={"m": {"usage": usage}})


@pytest.mark.parametrize(
    ("ends", "known"), [([], 70), ([ended(5_000, 70)], 5_070), ([ended(5_000, 70), ended(30, 2)], 5_070)]
)
def test_a_session_of_the_command_line_has_the_tokens_that_it_states_for_the_whole_of_it(
    tmp_path: Path, ends: list[dict[str, Any]], known: int
) -> None:
    said = event("user.message", content="go"), event("assistant.message", content="done", outputTokens=70)
    record = read_source(copilot(tmp_path / "events.jsonl", *said, *ends)).record
    assert record.totals.known_tokens == known
    assert record.totals.tokens == 70, "of no step more than it recorded"
    assert "lower bounds" in record.at_least


def test_what_the_command_line_tells_its_agent_to_go_on_with_is_no_persons_prompt(tmp_path: Path) -> None:
    path = copilot(
        tmp_path / "events.jsonl",
        event("user.message", content="look into it", transformedContent="<reminder>x</reminder>look into it"),
        event("assistant.message", content="looked"),
        event("user.message", content="", transformedContent="You have not yet marked the task as complete"),
        event("assistant.message", content="done"),
        event("user.message", content="", attachments=[{"displayName": "a.png"}]),
    )
    steps = list(read_source(path).record.graph)
    assert [step.shown_kind for step in steps] == ["human", "model", "policy", "model", "human"]
    assert steps[2].inputs["text"] == "You have not yet marked the task as complete"
    assert steps[4].inputs["files"] == ["a.png"]


# -- VS Code ----------------------------------------------------------------------------------------------------------


def request(name: str, says: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"requestId": name, "message": {"text": name}, "timestamp": 1_700_000_000_000, "modelId": "copilot/m",
            "response": [*parts, {"value": says}]}  # fmt: skip


START = {
    "kind": 0,
    "v": {"sessionId": "s", "requesterUsername": "me", "creationDate": 1_700_000_000_000, "requests": []},
}


def test_a_request_that_was_edited_is_a_branch_for_the_journal_still_has_it(tmp_path: Path) -> None:
    path = lines(tmp_path / "chat.jsonl", [
        START,
        {"kind": 2, "k": ["requests"], "v": [request("one", "1")]},
        {"kind": 2, "k": ["requests"], "v": [request("two", "2"), request("three", "3")]},
        {"kind": 2, "k": ["requests"], "i": 1, "v": [request("other", "4")]},
        {"kind": 1, "k": ["requests", 1, "response"], "v": [{"value": "four"}]},
    ])  # fmt: skip
    record = read_run(path)
    step = {str(one.inputs.get("text") or one.outputs.get("text")): one for one in record.graph}
    assert step["two"].parent_ids == step["other"].parent_ids == (step["1"].id,)
    assert step["three"].parent_ids == (step["2"].id,)
    assert record.refs["main"] == step["four"].id


def test_the_journal_and_the_document_it_adds_up_to_read_alike(tmp_path: Path) -> None:
    tool = {"kind": "toolInvocationSerialized", "toolCallId": "1", "toolId": "run_in_terminal", "isComplete": True,
            "toolSpecificData": {"commandLine": {"original": "ls"}, "terminalCommandState": {"exitCode": 2}},
            "resultDetails": {"output": [{"value": "no"}]}}  # fmt: skip
    thought = {"kind": "thinking", "value": "let me see"}
    whole = request("one", "done", thought, {"value": "I look"}, tool)
    journal = lines(tmp_path / "chat.jsonl", [START, {"kind": 1, "k": ["requests"], "v": [whole]}])
    document = tmp_path / "chat.json"
    document.write_text(json.dumps({**START["v"], "requests": [whole]}))  # type: ignore[dict-item]
    record = read_run(document)
    assert record.graph.ids == read_run(journal).graph.ids
    person, first, call, last = record.graph
    assert first.outputs == {"text": "I look", "thinking": "let me see", "tool_calls": [
        {"name": "run_in_terminal", "arguments": {"command": "ls"}}]}  # fmt: skip
    assert call.outputs == {"result": "no", "exit_code": 2}
    assert call.error["type"] == "failed"
    assert last.parent_ids == (call.id,)
    assert person.shown_kind == "human"


def test_the_rounds_that_the_extension_recorded_go_before_what_is_shown(tmp_path: Path) -> None:
    node = {"node": {"children": [{"text": "a"}, {"text": "b", "lineBreakBefore": True}]}}
    result = {"metadata": {"toolCallRounds": [{"response": "look", "toolCalls": [{"id": "1", "name": "read",
              "arguments": '{"path": "x"}'}]}, {"response": "done"}],
              "toolCallResults": {"1": {"content": [{"value": node}]}}}}  # fmt: skip
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({**START["v"], "requests": [{**request("one", "shown"), "result": result}]}))  # type: ignore[dict-item]
    _, first, call, last = read_run(path).graph
    assert call.inputs == {"name": "read", "arguments": {"path": "x"}}
    assert call.outputs == {"result": "a\nb"}
    assert (first.outputs["text"], last.outputs["text"]) == ("look", "done")


# -- Cline ------------------------------------------------------------------------------------------------------------


def test_a_task_of_cline_has_its_requests_bills_calls_and_end(tmp_path: Path) -> None:
    started = {"request": "…", "tokensIn": 10, "tokensOut": 2, "cacheReads": 5, "cost": 0.25}
    messages = [
        {"ts": 1_700_000_000_003, "say": "text", "text": "I look"},
        {"ts": 1_700_000_000_001, "say": "task", "text": "fix it", "images": ["data:image/png;base64,AAAA"]},
        {"ts": 1_700_000_000_002, "say": "api_req_started", "text": json.dumps(started)},
        {"ts": 1_700_000_000_004, "ask": "command", "text": "ls", "partial": True},
        {"ts": 1_700_000_000_005, "ask": "command", "text": "ls"},
        {"ts": 1_700_000_000_006, "say": "command", "text": "ls"},
        {"ts": 1_700_000_000_007, "say": "command_output", "text": "a"},
        {"ts": 1_700_000_000_008, "say": "api_req_started", "text": "{}"},
        {"ts": 1_700_000_000_009, "say": "tool", "text": json.dumps({"tool": "readFile", "path": "a", "content": "x"})},
        {"ts": 1_700_000_000_010, "say": "checkpoint_created"},
        {"ts": 1_700_000_000_011, "say": "completion_result", "text": "fixed"},
    ]
    path = tmp_path / "ui_messages.json"
    path.write_text(json.dumps(messages))
    record = read_run(path)
    assert kinds(record) == ["human", "model", "tool", "model", "tool", "done"]
    person, answer, command, _, edit, done = record.graph
    assert person.inputs["images"] == ["data:image/png;base64,AAAA"]
    assert answer.outputs["text"] == "I look"
    assert answer.usage == {"input": 10, "output": 2, "cache_read": 5}
    assert answer.cost == 0.25
    assert command.outputs == {"result": "a"}
    assert edit.outputs == {"result": "x"}
    assert done.outputs == {"text": "fixed"}


@pytest.mark.parametrize(("name", "head"), [
    ("copilot-cli", '{"type":"session.start","data":{},"id":"1","timestamp":"","parentId":null}'),
    ("vscode-chat", json.dumps(START)),
    ("cline", '[{"ts": 1700000000000, "say": "task", "text": "x"}]'),
])  # fmt: skip
def test_each_is_recognised_by_its_content(tmp_path: Path, name: str, head: str) -> None:
    path = tmp_path / "any.bin"
    path.write_text(head)
    assert reader_for(path).name == name


ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4),
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
                   max_leaves=5)  # fmt: skip
EVENTS = st.lists(st.builds(lambda kind, data: {**event(kind), "data": data}, st.sampled_from(
    ["user.message", "assistant.message", "tool.execution_start", "tool.execution_complete", "abort", "x"]),
    st.dictionaries(st.sampled_from(["content", "toolCallId", "parentToolCallId", "toolRequests", "result", "success"]),
                    ODD)), max_size=8)  # fmt: skip
WAYS = st.lists(st.sampled_from(["requests", "response", 0, 1, 99, -1]) | ODD, max_size=4)
VALUES = ODD | st.just([request("a", "b")])
CHANGES = st.lists(st.fixed_dictionaries({"kind": st.integers(0, 4), "k": WAYS, "v": VALUES},
                                         optional={"i": st.integers(-1, 5)}), max_size=8)  # fmt: skip
SAID = st.lists(st.fixed_dictionaries({"ts": ODD}, optional={"say": st.sampled_from(
    ["task", "text", "command", "tool", "api_req_started", "error"]), "text": ODD | st.just("{}"), "ask": ODD}),
    min_size=1, max_size=8)  # fmt: skip


@given(EVENTS, CHANGES, SAID)
@settings(max_examples=50)
def test_records_of_any_shape_make_a_graph_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, events: Any, changes: Any, said: Any
) -> None:
    folder = tmp_path_factory.mktemp("odd")
    task = folder / "ui_messages.json"
    task.write_text(json.dumps([{"ts": 1, "say": "task"}, *said]))
    for path in (copilot(folder / "a.jsonl", *events), lines(folder / "b.jsonl", [START, *changes]), task):
        with suppress(TineError):
            assert len(read_run(path).graph) > 0
