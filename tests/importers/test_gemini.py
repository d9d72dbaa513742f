"""Gemini CLI's chats: every recording comes to what the model was sent; rewinds, rebuilt lists, older documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core.errors import FormatError
from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.model import StepKind
from opentine_gui.importers import readers
from opentine_gui.importers.gemini import reader
from opentine_gui.importers.reading import Reading
from tests.importers.recordings import (
    RECORDINGS,
    branch_points,
    cases,
    expected_context,
    expected_of,
    steps_of,
    tips_saying,
)

HEADER = {"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "kind": "main"}


def read_case(case: str) -> Reading:
    chats = (RECORDINGS / "gemini-cli" / case / "home").rglob("session-*.jsonl")
    return readers.read_source(max(chats, key=lambda path: path.stat().st_size))  # resuming leaves an empty one


def message(identity: str, kind: str, text: str, **more: Any) -> dict[str, Any]:
    content: Any = text if kind == "gemini" else [{"text": text}]
    return {"id": identity, "type": kind, "content": content, "timestamp": "2026-01-01T00:00:01Z", **more}


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


TALK = (
    message("u1", "user", "a"),
    message("g1", "gemini", "A"),
    message("u2", "user", "b"),
    message("g2", "gemini", "B"),
)


def test_what_a_person_typed_is_the_prompt_where_the_program_sent_a_text_of_its_own(tmp_path: Path) -> None:
    sent = "You are an AI agent. Analyze the folder."
    talk = (message("u1", "user", sent, displayContent=[{"text": "/init"}]), message("g1", "gemini", "Done"))
    reading = readers.read_source(write(tmp_path / "session-1.jsonl", HEADER, *talk))
    asked = reading.record.graph.step(0)
    assert asked.inputs == {"text": "/init", "expansion": sent}
    assert reading.record.title == "/init"
    plain = message("u1", "user", f"{sent} now", displayContent=[{"text": sent}])
    said = readers.read_source(write(tmp_path / "session-2.jsonl", HEADER, plain, talk[1])).record.graph.step(0)
    assert said.inputs == {"text": f"{sent} now"}, "these words were sent"
    older = readers.read_source(write(tmp_path / "session-3.jsonl", HEADER, message("u1", "user", sent), talk[1]))
    assert reading.former[older.record.graph.ids[0]] == asked.id, "notes kept under the older id are found"


@pytest.mark.parametrize("case", cases("gemini-cli"))
def test_every_leaf_of_a_recording_has_the_context_that_the_model_was_sent(case: str) -> None:
    steps = steps_of([read_case(case)])
    expected = expected_of("gemini-cli", case)
    for name, messages in expected["leaves"].items():
        assert len(tips_saying(steps, expected_context(messages), wrapped=True)) == 1, name
    calls = [step for step in steps.values() if step.kind is StepKind.TOOL]
    assert sorted(step.inputs["name"] for step in calls) == sorted(call["name"] for call in expected["tool_calls"])
    turns = [step.inputs["text"] for step in steps.values() if step.v3_kind == "human"]
    assert turns == expected.get("user_turns", turns)


def test_a_sub_agent_joins_at_the_step_of_its_call() -> None:
    reading = read_case("0.61.0-f-subagent")
    graph = reading.record.graph
    start = next(step for step in graph if step.v3_kind == "subagent")
    call = next(step for step in graph if step.inputs.get("name") == "invoke_agent")
    assert call.parent_ids[0] == start.parent_ids[0]
    assert graph.step(call.parent_ids[1]).outputs["text"] == "Nothing more to do (2)."
    assert len(reading.sources) == 2
    assert reading.record.metadata["cwd"] == "/home/dev/project"


def test_usage_is_exclusive() -> None:
    answers = [step for step in read_case("0.61.0-d-resumed").record.graph if step.usage]
    second = next(step for step in answers if step.outputs.get("text") == "Second answer.")
    assert second.usage == {"input": 46, "output": 53, "cache_read": 6253, "reasoning": 3}


def test_a_rewind_leaves_a_branch_and_one_to_an_unknown_message_a_new_root(tmp_path: Path) -> None:
    reading = reader.read(write(tmp_path / "a.jsonl", HEADER, *TALK, {"$rewindTo": "u2"}, message("u3", "user", "c")))
    (point,) = branch_points(reading.record.graph)
    assert point.outputs["text"] == "A"
    again = reader.read(write(tmp_path / "b.jsonl", HEADER, *TALK, {"$rewindTo": "gone"}, message("u3", "user", "c")))
    assert [step.inputs["text"] for step in again.record.graph if not step.parent_ids] == ["a", "c"]
    assert again.record.graph.step(again.record.refs["main"]).inputs["text"] == "c"


def test_a_list_that_is_written_again_doubles_nothing(tmp_path: Path) -> None:
    plain = reader.read(write(tmp_path / "a.jsonl", HEADER, *TALK))
    patch = {
        "$set": {"messages": [{**item, "content": [{"text": text}]} for item, text in zip(TALK, "aAbB", strict=True)]}
    }
    again = reader.read(write(tmp_path / "b.jsonl", HEADER, *TALK, HEADER, {"$set": {"messages": []}}, patch))
    assert again.record.graph.ids == plain.record.graph.ids
    assert again.record.refs == plain.record.refs


def test_a_compressed_list_is_a_summary_in_place_of_what_went_before(tmp_path: Path) -> None:
    new = [message("n1", "user", "<state_snapshot>all</state_snapshot>"), message("n2", "gemini", "Got it.")]
    records = (HEADER, *TALK, {"$set": {"messages": new}}, message("u3", "user", "c"))
    steps = list(reader.read(write(tmp_path / "a.jsonl", *records)).record.graph)
    summary, prompt = steps[-2:]
    assert (summary.kind, summary.inputs["trigger"]) == (StepKind.THINK, "compaction")
    assert "all" in summary.outputs["summary"]
    assert prompt.parent_ids == (summary.id,)


def test_the_older_document_reads_to_the_steps_of_the_lines_with_a_place_for_each(tmp_path: Path) -> None:
    call = {"id": "c", "name": "ls", "args": {}, "status": "error", "timestamp": "2026-01-01T00:00:03Z",
            "result": [{"functionResponse": {"id": "c", "name": "ls", "response": {"error": "no"}}}]}  # fmt: skip
    talk = [*TALK[:3], message("g2", "gemini", "", toolCalls=[call, {**call, "id": "d"}]), message("g3", "gemini", "C")]
    lines = reader.read(write(tmp_path / "a.jsonl", HEADER, *talk))
    path = tmp_path / "b.json"
    path.write_text(json.dumps({**HEADER, "messages": talk}, indent=2))
    with path.open("rb") as file:
        assert reader.recognise(file.read(readers.HEAD)) > 0.5
    document = reader.read(path)
    assert document.record.graph.ids == lines.record.graph.ids
    end = list(document.record.graph)[-1]
    assert len(end.parent_ids) == 2
    (place,) = document.places[end.id]
    assert json.loads(path.read_bytes()[place.offset : place.offset + place.length])["id"] == "g3"


def test_a_plain_history_pairs_results_with_their_calls(tmp_path: Path) -> None:
    history = [
        {"role": "user", "parts": [{"text": "a"}]},
        {
            "role": "model",
            "parts": [{"text": "hm", "thought": True}, {"functionCall": {"id": "1", "name": "ls", "args": {}}}],
        },
        {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "ls", "response": {"output": "x"}}}]},
        {"role": "model", "parts": [{"text": "A"}]},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(history))
    steps = list(reader.read(path).record.graph)
    assert [step.shown_kind for step in steps] == ["human", "model", "tool", "done"]
    assert steps[1].outputs["thinking"] == "hm"
    assert steps[2].outputs["result"] == "x"


def test_a_document_that_is_cut_off_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(json.dumps({**HEADER, "messages": list(TALK)}, indent=1)[:-40])
    with pytest.raises(FormatError, match=r"cut\.json"):
        reader.read(path)


def test_an_answer_that_is_written_again_with_other_calls_keeps_both(tmp_path: Path) -> None:
    first, second = ({"id": name, "name": "ls", "args": {"path": name}} for name in "ab")
    records = [message("g1", "gemini", "A", toolCalls=[call]) for call in (first, second)]
    steps = list(reader.read(write(tmp_path / "a.jsonl", HEADER, *records)).record.graph)
    assert [step.inputs["arguments"]["path"] for step in steps if step.kind is StepKind.TOOL] == ["a", "b"]


def compressed(*ids: str) -> dict[str, Any]:
    """A list in which one summary stands in the place of all, as the program writes it: with new ids each time."""
    snapshot = message(ids[0], "user", "<state_snapshot>all</state_snapshot>")
    thanks = message(ids[1], "gemini", "Got it. Thanks for the additional context!")
    return {"$set": {"messages": [snapshot, thanks]}}


def test_a_second_compression_is_one_even_where_its_summary_says_the_same(tmp_path: Path) -> None:
    first = (HEADER, *TALK, compressed("s1", "t1"), message("u3", "user", "c"), message("g3", "gemini", "C"))
    records = (*first, compressed("s2", "t2"), message("u4", "user", "d"))
    steps = list(reader.read(write(tmp_path / "a.jsonl", *records)).record.graph)
    summaries = [step for step in steps if step.inputs.get("trigger") == "compaction"]
    assert [step.outputs for step in summaries] == [{"summary": "<state_snapshot>all</state_snapshot>"}] * 2
    assert steps[-1].parent_ids == (summaries[1].id,)
    resumed = (*first, compressed("s2", "t2"), compressed("s2", "t2"), message("u4", "user", "d"))
    assert reader.read(write(tmp_path / "b.jsonl", *resumed)).record.graph.ids == tuple(step.id for step in steps)


def test_an_answer_without_text_that_a_compression_keeps_is_known_by_its_calls(tmp_path: Path) -> None:
    call = {"id": "c", "name": "ls", "args": {}, "status": "success",
            "result": [{"functionResponse": {"id": "c", "name": "ls", "response": {"output": "x"}}}]}  # fmt: skip
    parts = [{"functionCall": {"id": "c", "name": "ls", "args": {}}}]
    kept = message("k", "gemini", "") | {"content": parts}
    patch = compressed("s1", "t1")
    patch["$set"]["messages"].append(kept)
    records = (HEADER, *TALK, message("g3", "gemini", "", toolCalls=[call]), patch, message("u4", "user", "d"))
    graph = reader.read(write(tmp_path / "a.jsonl", *records)).record.graph
    *_, tool, summary, prompt = list(graph)
    assert (tool.inputs["name"], summary.outputs["kept_steps"]) == ("ls", 2)
    assert prompt.parent_ids == (tool.id, summary.id)


def test_what_a_hook_adds_to_a_prompt_is_not_what_was_typed() -> None:
    reading = read_case("0.61.0-k-hooks")
    prompts = [step for step in reading.record.graph if step.v3_kind == "human"]
    assert [step.inputs["text"] for step in prompts] == ["Use the server", "Write it down", "Look at the project"]
    assert {tuple(step.inputs["context"]) for step in prompts} == {("<hook_context>WORDS-OF-A-HOOK</hook_context>",)}
    assert reading.record.metadata["user_prompt"] == "Use the server"
    assert set(reading.former.values()) == set(reading.record.graph.ids[1:])


def test_what_the_program_says_when_the_model_broke_off_is_no_persons_prompt(tmp_path: Path) -> None:
    go_on = message("u9", "user", "System: Please continue.")
    graph = reader.read(write(tmp_path / "a.jsonl", HEADER, *TALK, go_on, message("g9", "gemini", "Done"))).record.graph
    told = next(step for step in graph if step.inputs.get("text") == "System: Please continue.")
    assert told.v3_kind == "policy"
    assert all(step.v3_kind == "human" for step in graph if "text" in step.inputs and step is not told)


def test_a_helper_that_was_told_to_end_is_one_helper_and_its_former_ids_are_known() -> None:
    reading = read_case("0.61.0-f-subagent")
    graph = reading.record.graph
    helpers = [step for step in graph if step.v3_kind == "subagent"]
    assert [step.inputs["agent"] for step in helpers] == ["generalist"]
    told = next(step for step in graph if str(step.inputs.get("text", "")).startswith("You have stopped calling"))
    assert told.v3_kind == "policy"
    was = step_id(told.kind, {"prompt": told.inputs["text"]}, parent_ids=told.parent_ids, outputs={})
    assert reading.former[was] == told.id
    assert set(reading.former.values()) == set(graph.ids[graph.index(told.id) :])


ROWS = {"rows": [{"n": number, "none": None, "ok": True} for number in range(200)]}
STRUCTURES: list[tuple[Any, Any, str]] = [
    ({"output": ROWS}, ROWS, ""),
    ({"output": [1], "more": True}, {"output": [1], "more": True}, ""),
    ({"error": {"code": 3, "message": "no"}}, {"code": 3, "message": "no"}, "no"),
    ({"error": ["a"], "output": None}, {"error": ["a"], "output": None}, '{"error": ["a"], "output": null}'),
]


@pytest.mark.parametrize(("response", "kept", "reason"), STRUCTURES)
@pytest.mark.parametrize("status", ["success", "error", None])
def test_a_result_with_a_structure_is_kept_whole_as_json(
    tmp_path: Path, response: Any, kept: Any, reason: str, status: str | None
) -> None:
    result = {"functionResponse": {"id": "c", "name": "list", "response": response}}
    call = {"id": "c", "name": "list", "args": {}}
    if status:
        talk = [message("g", "gemini", "", toolCalls=[{**call, "status": status, "result": [result]}])]
    else:
        asked = {"type": "gemini", "id": "g", "content": [{"functionCall": call}]}
        talk = [asked, {"type": "user", "id": "r", "content": [result]}]
    reading = reader.read(write(tmp_path / "session-1.jsonl", HEADER, message("u", "user", "a"), *talk))
    (tool,) = [step for step in reading.record.graph if step.kind is StepKind.TOOL]
    assert json.loads(tool.outputs["result"]) == kept
    failed = reason or (tool.outputs["result"][:2_000] if status == "error" else "")
    assert tool.error == ({"type": "failed", "message": failed} if failed else {})
    was = repr(response)[:2_000]
    before = step_id(
        tool.kind, tool.inputs, parent_ids=tool.parent_ids, outputs={"result": was}, model_info=tool.model_info,
        tool_info=tool.tool_info, error={"type": "failed", "message": was} if status == "error" else {},
    )  # fmt: skip
    assert reading.former[before] == tool.id
