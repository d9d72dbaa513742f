"""OpenHands: what the real SDK recorded against what the model was really sent; forks, branches, archives, dirt."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.core import Step, StepKind, TineError
from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.openhands.event_list import EventList
from opentine_gui.importers.frameworks.openhands.source import Conversation, Event
from opentine_gui.importers.frameworks.openhands.tree import Tree
from opentine_gui.importers.readers import parts_of, read_run, read_source, reader_for
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.parts import part_path
from tests.importers.model_side import RECORDINGS, ancestors, check_context, expected, tips

CASES = sorted((RECORDINGS / "openhands").iterdir())


def conversations(case: Path) -> list[Path]:
    return sorted((case / "conversations").iterdir())


def _arguments(step: Step) -> Any:
    calls = step.outputs.get("tool_calls") or [{}]
    return calls[-1].get("arguments")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_leaf_rests_on_exactly_what_the_model_was_sent(case: Path) -> None:
    truth = expected(case)
    records = [read_run(folder) for folder in conversations(case)]
    for wanted in truth["last_contexts"].values():
        last = wanted[-1].get("text") or wanted[-1]["args"]
        matching = [
            (record, step)
            for record in records
            for step in record.graph
            if step.kind == "model" and not step.v3_kind and last in (step.outputs.get("text"), _arguments(step))
        ]
        assert matching, last
        for record, step in matching:
            check_context(record, step.id, wanted)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_call_has_its_result_and_every_response_its_bill(case: Path) -> None:
    truth = expected(case)
    steps = {step.id: step for folder in conversations(case) for step in read_run(folder).graph}
    tools = [step for step in steps.values() if step.kind in ("tool", "done")]
    assert len(tools) == len(truth["tool_calls"])
    for call in truth["tool_calls"]:
        mine = next(step for step in tools if step.inputs == {"name": call["name"], "arguments": call["args"]})
        assert (mine.kind is StepKind.DONE) == (call["result"] is None)
        assert mine.kind is StepKind.DONE or call["result"]["text"].startswith(mine.outputs["result"].split("\n")[0])
    answered = [request for request in truth["requests"] if request["status"] == 200]
    responses = [step for step in steps.values() if step.kind == "model" and not step.v3_kind]
    assert len(responses) == len(answered)
    billed = sorted((step.usage["input"], step.usage["cache_read"]) for step in responses if step.usage)
    stated = sorted((request["usage"]["in"], request["usage"]["cache_read"]) for request in answered)
    assert billed == [pair for pair in stated if pair in billed]
    assert all(step.usage["output"] + step.usage["reasoning"] > 0 for step in responses if step.usage)


def test_parallel_calls_fan_out_and_join_in_the_order_of_the_calls() -> None:
    record = read_run(conversations(CASES[0])[0])
    tools = [step for step in record.graph if step.kind == "tool"]
    answer = tips(record)[0]
    assert answer.parent_ids == tuple(step.id for step in tools)
    assert len({step.parent_ids for step in tools}) == 1
    assert record.refs["main"] == answer.id


def test_forks_share_the_ids_of_what_they_copied_though_nobody_wrote_where_they_come_from() -> None:
    case = next(case for case in CASES if case.name.endswith("e-fork"))
    info = json.loads((case / "info.json").read_bytes())
    folder = case / "conversations"
    source, half, whole = (folder / info[name].replace("-", "") for name in ("id", "fork_at_first_done", "whole_fork"))
    ids = {path: set(read_run(path).graph.ids) for path in (source, half, whole)}
    assert len(ids[source] & ids[half]) == 5
    assert len(ids[source] & ids[whole]) == 10
    assert len(ids[source] | ids[half] | ids[whole]) == 18
    assert reader_for(half).family is not None
    assert set(reader_for(half).family(half)) == {source, whole}  # type: ignore[misc]
    assert set(reader_for(folder).family(folder)) == {half, whole}  # type: ignore[misc]
    assert set(reader_for(folder).family(part_path(folder, half.name))) == {source, whole}  # type: ignore[misc]
    assert [part.id for part in parts_of(folder)][-1] == source.name
    assert set(read_run(part_path(folder, half.name)).graph.ids) == ids[half]


def test_a_fork_with_another_model_still_shares_the_beginning(tmp_path: Path) -> None:
    case = next(case for case in CASES if case.name.endswith("e-fork"))
    info = json.loads((case / "info.json").read_bytes())
    folder = tmp_path / "conversations"
    shutil.copytree(case / "conversations", folder)
    half = folder / info["fork_at_first_done"].replace("-", "")
    state = json.loads((half / "base_state.json").read_bytes())
    state["agent"]["llm"]["model"] = "another"
    (half / "base_state.json").write_text(json.dumps(state))
    shared = set(read_run(half).graph.ids) & set(read_run(folder / info["id"].replace("-", "")).graph.ids)
    assert len(shared) == 5


def test_a_branch_made_by_navigating_is_a_branch_and_the_head_is_the_main_tip() -> None:
    case = next(case for case in CASES if case.name.endswith("e-fork"))
    truth = expected(case)
    record = read_run(case / "conversations" / truth["conversations"]["id"].replace("-", ""))
    children = [step for step in record.graph if step.v3_kind == "human" and len(step.parent_ids) == 1]
    assert [step.inputs["text"] for step in children] == ["First question", "Second question", "Third question"]
    assert children[1].parent_ids == children[2].parent_ids
    main = next(step for step in record.graph if step.id == record.refs["main"])
    assert main.outputs["text"] == "Third done."


def test_each_step_knows_the_files_of_its_own_records() -> None:
    folder = conversations(CASES[0])[0]
    reading = read_source(folder)
    for step in reading.record.graph:
        places = reading.places[step.id]
        assert places
        for place in places:
            record = json.loads(place.path.read_bytes()[place.offset :][: place.length])
            assert record["kind"].endswith("Event")
    first = next(step for step in reading.record.graph if step.kind == "model" and not step.v3_kind)
    assert len(reading.places[first.id]) == 3


@pytest.mark.parametrize("kind", ["tar", "tgz", "zip"])
def test_an_archive_reads_as_the_folder_it_holds(tmp_path: Path, kind: str) -> None:
    case = next(case for case in CASES if case.name.endswith("e-fork"))
    path = tmp_path / f"all.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted((case / "conversations").rglob("*")):
                archive.write(file, file.relative_to(case))
    else:
        with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as tar:
            tar.add(case / "conversations", "conversations")
    inside = parts_of(path)
    assert [part.id for part in inside] == [part.id for part in parts_of(case / "conversations")]
    for part in inside:
        assert read_run(part_path(path, part.id)).graph.ids == read_run(case / "conversations" / part.id).graph.ids
    reading = read_source(path)
    stored = [place for places in reading.places.values() for place in places]
    assert all(json.loads(path.read_bytes()[place.offset :][: place.length])["id"] for place in stored)
    assert bool(stored) == (kind == "tar")


def event(number: int, kind: str = "MessageEvent", **fields: Any) -> dict[str, Any]:
    return {"id": f"e{number}", "kind": kind, "source": "user", "timestamp": "2026-01-01T10:00:00"} | fields


def steps_of(*events: dict[str, Any]) -> list[Step]:
    draft = RunDraft()
    Tree(Conversation("", {}, {}, [Event(value, None) for value in events]), draft, Pace()).grow()
    return list(draft.finish(run_id="x", created_at=0.0, capture={}).record.graph)


def test_events_without_a_parent_follow_each_other_and_a_deliberate_root_stands_alone() -> None:
    words = {"llm_message": {"role": "user", "content": "hi"}}
    first, second, third = steps_of(
        event(1, **words), event(2, "TokenEvent"), event(3, **words), event(4, parent_id="__root__", **words)
    )
    assert second.parent_ids == (first.id,)
    assert third.parent_ids == ()


def test_a_refused_call_a_lost_call_and_an_unknown_event_are_reported() -> None:
    act = {"source": "agent", "tool_name": "sh", "action": {"kind": "X", "command": "ls"}, "llm_response_id": "r"}
    response, refused, lost = steps_of(
        event(1, "ActionEvent", tool_call_id="a", **act),
        event(2, "ActionEvent", tool_call_id="b", **act),
        event(3, "UserRejectObservation", action_id="e1", rejection_reason="no"),
        event(4, "SomethingNewEvent"),
    )
    assert refused.error == {"type": "rejected", "message": "no"}
    assert lost.error["type"] == "no_result"
    assert len(response.outputs["tool_calls"]) == 2


def test_a_delegation_of_version_0_is_a_sub_agent_that_joins_at_its_call(tmp_path: Path) -> None:
    def action(number: int, name: str, source: str = "agent", **args: Any) -> dict[str, Any]:
        return {"id": number, "source": source, "action": name, "args": args, "timestamp": "2025-01-01T10:00:00"}

    path = tmp_path / "trajectory.json"
    path.write_text(
        json.dumps(
            [
                action(0, "system", content="be good"),
                action(1, "message", "user", content="do it"),
                action(2, "delegate", agent="Browser", inputs={"task": "look"}, thought="I ask"),
                action(3, "run", command="ls"),
                {"id": 4, "source": "agent", "observation": "run", "content": "a", "cause": 3,
                 "extras": {"metadata": {"exit_code": 1}}},
                action(5, "finish", final_thought="found"),
                {"id": 6, "source": "agent", "observation": "delegate", "content": "found", "cause": 2},
                action(7, "message", content="all done"),
            ]
        )
    )  # fmt: skip
    record = read_run(path)
    by_kind = [step.shown_kind for step in record.graph]
    assert by_kind.count("subagent") == 1
    join = next(step for step in record.graph if step.inputs.get("name") == "delegate")
    assert len(join.parent_ids) == 2
    inside = ancestors(record, join.parent_ids[1])
    assert [step.shown_kind for step in inside][-5:] == ["subagent", "model", "tool", "model", "done"]
    assert tips(record)[0].parent_ids == (join.id,)
    assert next(step for step in record.graph if step.inputs.get("name") == "run").error["type"] == "failed"


@pytest.mark.parametrize(
    ("command", "ended"), [("false", None), ("grep -q x a.txt", "found nothing"), ("cd src && rg x", "found nothing")]
)
def test_a_command_that_ends_with_1_and_prints_nothing_failed_unless_it_searches(
    tmp_path: Path, command: str, ended: str | None
) -> None:
    path = tmp_path / "trajectory.json"
    path.write_text(json.dumps([
        {"id": 0, "source": "user", "action": "message", "args": {"content": "do it"}},
        {"id": 1, "source": "agent", "action": "run", "args": {"command": command}},
        {"id": 2, "source": "agent", "observation": "run", "content": "", "cause": 1,
         "extras": {"metadata": {"exit_code": 1}}},
    ]))  # fmt: skip
    reading = read_source(path)
    graph = reading.record.graph
    place = next(position for position, step in enumerate(graph) if step.kind == "tool")
    assert graph.step(place).error == {"type": "failed", "message": "exit code 1"}
    assert bool(graph.failed[place]) is (ended is None)
    assert graph.stopped.get(place) == ended
    assert graph.ids[place] in reading.former.values(), "notes on it are found again"


NAMES = st.sampled_from(["e1", "e2", "e3", "e4", "__root__", "gone", ""])
KEYS = st.sampled_from(["text", "content", "type", "kind", "command"])
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
KINDS = st.sampled_from(
    ["MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "Condensation", "SystemPromptEvent", "New"]
)
EVENTS = st.lists(
    st.fixed_dictionaries(
        {"id": NAMES | ODD, "kind": KINDS},
        optional=dict.fromkeys(
            ("parent_id", "action_id", "tool_call_id", "llm_response_id", "tool_name"), NAMES | ODD
        ) | dict.fromkeys(("llm_message", "action", "observation", "tool_call", "thought", "timestamp", "source"), ODD),
    ),
    max_size=12,
)  # fmt: skip


@given(EVENTS)
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
def test_events_of_any_shape_make_a_graph(events: list[dict[str, Any]]) -> None:
    steps = steps_of(*events)
    assert len({step.id for step in steps}) == len(steps)


FIELDS = ["id", "action", "observation", "args", "cause", "extras", "content", "tool_call_metadata", "source"]
WORDS = st.sampled_from(["message", "run", "delegate", "finish", "user", "error", "system"])


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), ODD | WORDS, max_size=6), max_size=10))
@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=60)
def test_lists_of_any_shape_make_a_graph(events: list[dict[str, Any]]) -> None:
    draft = RunDraft()
    EventList(draft, Pace()).grow([Event(value, None) for value in events])
    draft.finish(run_id="x", created_at=0.0, capture={})


def test_damaged_and_half_written_files_are_counted_and_an_archive_of_nothing_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    shutil.copytree(conversations(CASES[0])[0], folder)
    last = sorted((folder / "events").glob("event-*"))[-1]
    last.write_bytes(last.read_bytes()[:100])
    reading = read_source(folder)
    assert reading.report is not None
    assert reading.report.bad_lines == 1
    assert len(reading.record.graph) == 6
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "base_state.json").write_text("[]")
    with pytest.raises(TineError, match="no events"):
        read_run(tmp_path / "empty")


def test_a_result_whose_call_is_not_recorded_says_what_was_run_and_is_a_tools() -> None:
    said = {"content": [{"type": "text", "text": "no"}], "is_error": True, "command": "ls && pwd"}
    call = {"source": "environment", "tool_name": "terminal", "tool_call_id": "c", "action_id": "gone"}
    draft = RunDraft()
    events = (
        event(1, llm_message={"role": "user", "content": "go"}),
        event(2, "ObservationEvent", observation=said, **call),
        event(3, "AgentErrorEvent", error="no such tool", **call),
    )
    Tree(Conversation("", {}, {}, [Event(value, None) for value in events]), draft, Pace()).grow()
    reading = draft.finish(run_id="r", created_at=0.0, capture={})
    _, result, error = reading.record.graph
    assert (result.kind, error.kind) == (StepKind.TOOL, StepKind.ERROR)
    assert result.inputs == {"name": "terminal", "arguments": {"command": "ls && pwd"}}
    assert result.error == {"type": "failed", "message": "no"}
    was = step_id(StepKind.ERROR, {"name": "terminal"}, parent_ids=result.parent_ids, outputs=result.outputs,
                  error=result.error)  # fmt: skip
    assert reading.former[was] == result.id
    assert set(reading.former.values()) == {result.id, error.id}
