"""LangGraph: what the real library recorded against the calls of its nodes; time travel, subgraphs, old files, dirt."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import RunRecord, Step, TineError
from opentine_gui.importers.frameworks.langgraph.values import Unread, decoded, difference
from opentine_gui.importers.readers import parts_of, read_run, read_source
from opentine_gui.importers.sources.parts import part_path
from tests.importers.model_side import RECORDINGS, ancestors, expected, messages, tips

FANOUT, TIME_TRAVEL, SUBGRAPH = (RECORDINGS / "langgraph" / f"1.2.22-{name}" for name in (
    "b-fanout", "e-timetravel", "f-subgraph-interrupt"))  # fmt: skip


def run_of(folder: Path) -> RunRecord:
    return read_run(folder / "checkpoints.sqlite")


def name_of(step: Step) -> str:
    return str(step.tool_info.get("node") or step.v3_kind)


def test_the_nodes_of_one_superstep_fan_out_and_join() -> None:
    record = run_of(FANOUT)
    names = {step.id: name_of(step) for step in record.graph}
    edges = [[names[parent], names[step.id]] for step in record.graph for parent in step.parent_ids]
    wanted = expected(FANOUT)
    assert sorted(edge for edge in edges if "human" not in edge) == sorted(wanted["edges"])
    assert tips(record)[0].outputs == {"result": wanted["result"]["sum"]}
    assert next(iter(record.graph)).inputs["text"] == "go"


def test_every_state_that_the_library_reports_is_the_conversation_that_led_to_its_step() -> None:
    record = run_of(TIME_TRAVEL)
    ends = {tuple(_said(ancestors(record, step.id))): step for step in record.graph if step.kind == "model"}
    edited = 0
    for state in expected(TIME_TRAVEL)["history"]:
        wanted = tuple(state["messages"])
        if not wanted or state["next"] == ["__start__"] or wanted[-1].startswith("tool:"):
            continue
        if "tool:EDITED" in wanted:
            edited += 1
            continue
        assert wanted in ends, wanted
    assert edited == 1
    assert len(tips(record)) == len([state for state in expected(TIME_TRAVEL)["history"] if not state["next"]]) - 1


def _said(steps: list[Step]) -> list[str]:
    names = {"user": "human", "assistant": "ai", "result": "tool"}
    return [f"{names[kind]}:{value[0]}" for kind, *value in messages(steps) if kind in names]


def test_time_travel_is_a_branch_whether_the_state_was_edited_given_new_input_or_replayed() -> None:
    record = run_of(TIME_TRAVEL)
    answers = [step for step in record.graph if step.kind == "model" and step.v3_kind is None]
    assert len(answers) == len([call for call in expected(TIME_TRAVEL)["node_calls"] if call["node"] == "model"])
    done = next(step for step in answers if step.outputs["text"] == "First done.")
    prompts = [step.inputs["text"] for step in record.graph if step.parent_ids == (done.id,)]
    assert prompts == ["Second question", "Other way", "Yet another way"]
    again = [step for step in answers if step.outputs["text"] == "Second done."]
    assert len(again) == 3
    assert again[0].parent_ids == again[2].parent_ids
    edit = next(step for step in record.graph if step.id == again[1].parent_ids[0])
    assert edit.v3_kind == "human"
    assert edit.inputs["state"]["messages"]["appended"][0]["content"] == "EDITED"
    assert record.refs["main"] == again[2].id
    tools = [step for step in record.graph if step.kind == "tool"]
    assert [step.inputs["arguments"]["cmd"] for step in tools] == ["echo one", "echo two-a", "echo two-b", "echo other"]
    assert answers[0].usage == {"input": 101, "output": 10}


def test_a_subgraph_joins_at_its_node_an_interrupt_is_answered_and_a_failure_is_repaired_by_hand() -> None:
    record = run_of(SUBGRAPH)
    steps = list(record.graph)
    names = [name_of(step) for step in steps]
    assert names == ["human", "before", "subagent", "s1", "approval", "ask", "sub", "boom", "human", "boom"]
    start, join, failed, repair = steps[2], steps[6], steps[7], steps[8]
    assert start.parent_ids == (steps[1].id,)
    assert join.parent_ids == (steps[1].id, steps[5].id)
    assert steps[4].inputs["question"] == "go on?"
    assert steps[4].outputs == {"answer": "yes"}
    assert failed.error == {"type": "ValueError", "message": "'scripted'"}
    assert repair.parent_ids == (join.id,)
    assert repair.causal_ids == (failed.id,)
    assert record.refs["main"] == steps[9].id


def test_nothing_of_the_file_stands_in_a_step_so_that_equal_beginnings_have_equal_ids(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    shutil.copy(TIME_TRAVEL / "checkpoints.sqlite", path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE checkpoints SET thread_id = 'renamed'")
        connection.execute("UPDATE writes SET thread_id = 'renamed'")
    connection.close()
    assert read_run(path).graph.ids == run_of(TIME_TRAVEL).graph.ids
    assert read_run(path).run_id == "renamed"


def test_of_several_threads_the_newest_is_read_unless_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "two.sqlite"
    shutil.copy(FANOUT / "checkpoints.sqlite", path)
    with sqlite3.connect(path) as connection:
        connection.execute("ATTACH ? AS other", (str(SUBGRAPH / "checkpoints.sqlite"),))
        connection.execute("INSERT INTO checkpoints SELECT 'newer', checkpoint_ns, checkpoint_id, parent_checkpoint_id,"
                           " type, checkpoint, metadata FROM other.checkpoints")  # fmt: skip
        connection.commit()
    connection.close()
    assert [part.id for part in parts_of(path)] == ["t1", "newer"]
    assert read_run(path).run_id == "newer"
    assert read_run(part_path(path, "t1")).graph.ids == run_of(FANOUT).graph.ids


def write_legacy(path: Path, states: list[tuple[str, str, dict[str, Any]]]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE checkpoints (thread_id TEXT, thread_ts TEXT, parent_ts TEXT, checkpoint BLOB,"
                       " metadata BLOB)")  # fmt: skip
    for number, (time, parent, values) in enumerate(states):
        checkpoint = {"v": 1, "ts": time, "channel_values": values, "versions_seen": {"agent": {"x": number}}}
        source = "input" if not number else "loop"
        row = ("1", time, parent or None, json.dumps(checkpoint).encode(), json.dumps({"source": source}).encode())
        connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()


def lc(name: str, **arguments: Any) -> dict[str, Any]:
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": arguments}


def test_the_old_table_without_writes_tells_its_steps_by_what_changed(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    human, answer = lc("HumanMessage", content="hello"), lc("AIMessage", content="hi")
    write_legacy(
        path,
        [
            ("2024-06-01T10:00:00+00:00", "", {"__start__": {"messages": [human]}}),
            ("2024-06-01T10:00:01+00:00", "2024-06-01T10:00:00+00:00", {"messages": [human]}),
            ("2024-06-01T10:00:03+00:00", "2024-06-01T10:00:01+00:00", {"messages": [human, answer]}),
        ],
    )
    record = read_run(path)
    assert next(iter(record.graph)).v3_kind == "human"
    last = tips(record)[0]
    assert last.outputs["text"] == "hi"
    assert last.duration == 2.0


def test_of_a_large_state_that_grows_only_what_was_added_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "large.sqlite"
    rows = [{"text": "x" * 100, "number": number} for number in range(200)]
    states: list[tuple[str, str, dict[str, Any]]] = [("2024-06-01T10:00:00", "", {"__start__": {"q": "go"}})]
    for number in range(1, 101):
        parent = states[-1][0]
        states.append((f"2024-06-01T10:{number // 60:02}:{number % 60:02}", parent, {"rows": rows[: 100 + number]}))
    write_legacy(path, states)
    record = read_run(path)
    sizes = [len(json.dumps(step.outputs)) for step in record.graph][2:]
    assert len(sizes) >= 98
    assert max(sizes) < 400


def test_objects_of_recorded_classes_are_never_made_and_pickles_never_loaded() -> None:
    def extension(code: int, *parts: Any) -> msgspec.msgpack.Ext:
        return msgspec.msgpack.Ext(code, msgspec.msgpack.encode(parts))

    blob = msgspec.msgpack.encode(
        [extension(1, "os", "system", ["touch /tmp/never"]), extension(5, "m", "C", {"a": 1})]
    )
    assert decoded("msgpack", blob) == [{"class": "system", "arguments": ["touch /tmp/never"]}, {"class": "C", "a": 1}]
    assert isinstance(decoded("pickle", b"\x80\x04."), Unread)
    assert isinstance(decoded("msgpack+aes", b"\x80"), Unread)
    deep: Any = 1
    for _ in range(100):
        deep = extension(0, "m", "C", deep)
    assert isinstance(decoded("msgpack", msgspec.msgpack.encode(deep)), dict)


def test_a_difference_names_what_was_added_changed_and_removed() -> None:
    assert difference([1], [1, 2]) == {"appended": [2]}
    assert difference({"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 5}) == {"changed": {"b": 5}, "removed": ["c"]}
    assert difference([1, 2], [2]) == [2]
    assert difference({"a": [1]}, {"a": [1]}) == {"unchanged": True}
    assert difference(None, "x") == "x"


@given(st.integers(0, 2**32))
@settings(max_examples=20)
def test_damaged_values_cost_a_value_or_a_clear_error(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    choose = random.Random(seed)
    path = tmp_path_factory.mktemp("damaged") / "checkpoints.sqlite"
    shutil.copy(choose.choice([FANOUT, TIME_TRAVEL, SUBGRAPH]) / "checkpoints.sqlite", path)
    connection = sqlite3.connect(path)
    for table, column in (("checkpoints", "checkpoint"), ("checkpoints", "metadata"), ("writes", "value")):
        rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()
        for rowid, blob in choose.sample(rows, len(rows) // 3):
            value = bytearray(blob or b"\xc0")
            for _ in range(choose.randint(1, 4)):
                value[choose.randrange(len(value))] = choose.randrange(256)
            connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (bytes(value), rowid))
    names = ["parent_checkpoint_id", "checkpoint_ns"]
    connection.execute(f"UPDATE checkpoints SET {choose.choice(names)} = checkpoint_id WHERE rowid % 5 = 1")
    connection.commit()
    connection.close()
    with suppress(TineError):
        assert len(read_source(path).record.graph) > 0
