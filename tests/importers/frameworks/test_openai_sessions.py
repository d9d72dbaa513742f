"""Sessions of OpenAI Agents: what the database holds against what the model was last sent."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import TineError
from opentine_gui.importers.readers import parts_of, read_run, read_source
from opentine_gui.importers.sources.fields import parsed
from opentine_gui.importers.sources.parts import part_path
from tests.importers.ground_truth import RECORDINGS, expected_of, seen, sent

CASES = sorted((RECORDINGS / "openai-agents").iterdir())


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_conversation_is_what_the_model_was_last_sent(folder: Path) -> None:
    reading = read_source(folder / "session.db")
    graph = reading.record.graph
    found = [message for message in seen(reading, graph.index(reading.record.refs["main"])) if message[0] != "thinking"]
    truth = [
        {**message, "args": parsed(message["args"])} if "args" in message else message
        for message in expected_of(folder)["last_context"]
    ]
    assert found == [message for message in sent(truth) if message[0] != "thinking"]


def test_parallel_calls_join_and_thoughts_stay() -> None:
    record = read_run(CASES[0] / "session.db")
    answer = next(step for step in record.graph if len(step.parent_ids) == 2)
    assert [step.inputs["arguments"]["cmd"] for step in record.graph if step.id in answer.parent_ids] == [
        "echo two-a",
        "echo two-b",
    ]
    assert [step.outputs["thinking"] for step in record.graph if "thinking" in step.outputs] == ["Second thought."]


def test_of_several_sessions_the_newest_is_read_unless_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "session.db"
    shutil.copy(CASES[0] / "session.db", path)
    with closing(sqlite3.connect(path)) as connection:
        item = json.dumps({"role": "user", "content": "newer"})
        connection.execute("INSERT INTO agent_messages VALUES (999, 's2', ?, '2036-01-01 00:00:00')", (item,))
        connection.commit()
    assert [part.id for part in parts_of(path)] == ["s1", "s2"]
    assert len(read_run(path).graph) == 1
    assert read_run(part_path(path, "s1")).graph.ids == read_run(CASES[0] / "session.db").graph.ids


def written(path: Path, items: list[Any]) -> Path:
    """A database with these items as one session."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE agent_sessions (session_id TEXT)")
        connection.execute(
            "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id TEXT, message_data TEXT, created_at TEXT)"
        )
        for item in items:
            connection.execute("INSERT INTO agent_messages VALUES (NULL, 's', ?, '')", (json.dumps(item),))
        connection.commit()
    return path


def test_calls_of_one_answer_stand_beside_each_other_whatever_their_sort(tmp_path: Path) -> None:
    calls = [
        {"type": "function_call", "call_id": "a", "name": "sh", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "b", "name": "patch", "input": "first"},
        {"type": "custom_tool_call", "call_id": "c", "name": "patch", "input": "second"},
    ]
    results = [{"type": "custom_tool_call_output", "call_id": name, "output": f"{name} done"} for name in "cab"]
    items = [{"role": "user", "content": "go"}, *calls, *results, {"role": "assistant", "content": "Done."}]
    reading = read_source(written(tmp_path / "session.db", items))
    asked, answer, *tools, end = reading.record.graph
    assert [call["name"] for call in answer.outputs["tool_calls"]] == ["sh", "patch", "patch"]
    assert answer.parent_ids == (asked.id,)
    assert all(tool.parent_ids == (answer.id,) for tool in tools)
    assert [tool.outputs["result"] for tool in tools] == ["a done", "b done", "c done"]
    assert end.parent_ids == tuple(tool.id for tool in tools)


def test_steps_whose_ids_a_rule_changed_are_found_by_their_former_ids(tmp_path: Path) -> None:
    calls = [{"type": "custom_tool_call", "call_id": name, "name": "patch", "input": name} for name in "ab"]
    results = [{"type": "custom_tool_call_output", "call_id": name, "output": name} for name in "ab"]
    items = [{"role": "user", "content": "go"}, *calls, *results, {"role": "assistant", "content": "Done."}]
    path = written(tmp_path / "session.db", items)
    reading, former = read_source(path), read_source(path).former
    _, answer, first, second, end = reading.record.graph.ids
    assert list(former.values()) == [answer, first, answer, second, end]
    assert not former.keys() & set(reading.record.graph.ids)
    alone = read_source(written(tmp_path / "alone.db", [items[0], calls[0], results[0]]))
    assert alone.former == {}


KINDS = st.sampled_from(
    ["message", "function_call", "custom_tool_call", "function_call_output", "reasoning", "x", "user", "assistant"]
)
ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4),
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
                   max_leaves=5)  # fmt: skip
NAMES = st.sampled_from(["type", "role", "content", "output", "summary", "arguments", "call_id"])
ITEMS = st.lists(st.dictionaries(NAMES, KINDS | ODD, max_size=5), max_size=6)


@given(ITEMS)
@settings(max_examples=40)
def test_items_of_any_shape_make_a_graph_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, items: list[Any]
) -> None:
    path = written(tmp_path_factory.mktemp("odd") / "session.db", items)
    with suppress(TineError):
        assert len(read_run(path).graph) > 0
