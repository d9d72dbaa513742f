"""OpenCode: what the real agent recorded against what the model was really sent; sub-agents, revert, forks, dirt."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import FormatError, TineError
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.opencode.sessions import Message, Session
from opentine_gui.importers.frameworks.opencode.steps import Conversation
from opentine_gui.importers.readers import parts_of, read_run, read_source, reader_for
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.parts import part_path
from tests.importers.ground_truth import RECORDINGS, expected_of, seen, sent

CASES = sorted((RECORDINGS / "opencode").iterdir())
DATABASE = Path("home/.local/share/opencode/opencode.db")


def case(name: str) -> Path:
    return next(case for case in CASES if case.name.endswith(name))


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as connection:
        yield connection
        connection.commit()


@pytest.mark.parametrize("folder", CASES, ids=lambda case: case.name)
def test_the_last_answer_rests_on_exactly_what_the_model_was_sent(folder: Path) -> None:
    path = folder / DATABASE
    leaves = expected_of(folder)["leaves"]
    assert set(leaves) >= {part.id for part in parts_of(path)}
    for session, leaf in leaves.items():
        reading = read_source(part_path(path, session))
        graph = reading.record.graph
        found, wanted = seen(reading, graph.index(reading.record.refs["main"])), sent(leaf)
        if folder.name.endswith("summary-fails"):  # asks with words of OpenCode's own, which stand in no message
            wanted = [message for message in wanted if message != ("user", "Whatdidwedosofar?")]
        if folder.name.endswith("compact"):
            assert wanted[0] == ("user", "Whatdidwedosofar?")
            assert found[0] == ("user", wanted[1][1])
            found, wanted = found[1:], wanted[2:]
        if "image" in folder.name:  # an attached file is sent as the words of a call, which stand as context
            context = next(step.inputs["context"] for step in graph if "context" in step.inputs)
            assert all(line in "".join(context.split()) for line in (wanted[4][1][:60], wanted[5][1]))
            assert sum(message == ("image",) for message in found) == 1
            found = [message for message in found if message != ("image",)]
            wanted = [message for message in wanted[:4] + wanted[6:] if message != ("image",)]
        assert found == wanted


@pytest.mark.parametrize("folder", CASES, ids=lambda case: case.name)
def test_every_answer_is_billed_once_at_what_the_log_states(folder: Path) -> None:
    path = folder / DATABASE
    with opened(path) as connection:
        stated = connection.execute("SELECT sum(cost), sum(tokens_input), sum(tokens_output) FROM session").fetchone()
    steps = [step for part in parts_of(path) for step in read_run(part_path(path, part.id)).graph]
    assert sum(step.cost or 0.0 for step in steps) == pytest.approx(stated[0])
    assert sum(step.usage.get("input", 0) for step in steps) == stated[1]
    assert sum(step.usage.get("output", 0) for step in steps) == stated[2]


@pytest.mark.parametrize("folder", CASES, ids=lambda case: case.name)
def test_every_call_has_its_result(folder: Path) -> None:
    record = read_run(folder / DATABASE)
    calls = {}
    for call in expected_of(folder)["tool_calls"]:
        if call["result"] is not None:
            calls[json.dumps([call["name"], call["args"]], sort_keys=True)] = call["result"]["text"]
    tools = [step for step in record.graph if step.kind == "tool"]
    assert {json.dumps([step.inputs["name"], step.inputs["arguments"]], sort_keys=True) for step in tools} == set(calls)
    for step in tools:
        said = calls[json.dumps([step.inputs["name"], step.inputs["arguments"]], sort_keys=True)]
        assert step.outputs["result"][:150].startswith(said[:150].rstrip("\u2026"))


def test_sub_agents_hang_under_the_answer_that_called_them_and_join_at_their_calls() -> None:
    record = read_run(case("f-subagent") / DATABASE)
    steps = list(record.graph)
    agents = [step for step in steps if step.v3_kind == "subagent"]
    joins = [step for step in steps if step.inputs.get("name") == "task"]
    assert [step.inputs["agent"] for step in agents] == ["general", "general"]
    assert len({step.parent_ids for step in agents}) == 1
    for agent, join in zip(agents, joins, strict=True):
        assert join.parent_ids[0] == agent.parent_ids[0]
        assert agent.id in _above(record, join.parent_ids[1])
    after = next(step for step in steps if step.outputs.get("text") == "Both helpers are back.")
    assert after.parent_ids == tuple(step.id for step in joins)


def _above(record: Any, identity: str) -> set[str]:
    found = {identity}
    for parent in record.graph.parent_ids(identity):
        found |= _above(record, parent)
    return found


def test_a_failed_request_an_interrupt_and_pictures_are_kept() -> None:
    errors = [step for step in read_run(case("c-errors") / DATABASE).graph if step.error]
    assert [step.kind for step in errors] == ["tool", "tool", "error"]
    assert errors[2].error == {"type": "APIError", "message": "scripted 400"}
    interrupted = [step for step in read_run(case("i-abort") / DATABASE).graph if step.error]
    assert {step.error["type"] for step in interrupted} == {"interrupted"}
    assert interrupted[-1].outputs == {"text": "I begin to talk and"}
    record = read_run(case("h-image") / DATABASE)
    pictures = [step for step in record.graph if "data:image/png;base64" in json.dumps([step.inputs, step.outputs])]
    assert [step.shown_kind for step in pictures] == ["tool", "human"]


def test_a_summary_that_failed_or_was_made_for_the_next_prompt_replaces_nothing() -> None:
    reading = read_source(case("c-summary-fails") / DATABASE)
    steps = list(reading.record.graph)
    failed = [step for step in steps if step.error]
    assert [(step.kind, step.error["type"]) for step in failed] == [
        ("error", "APIError"), ("error", "APIError"), ("model", "interrupted")
    ]  # fmt: skip
    assert failed[2].outputs == {"text": "SUMMARY that is cut"}
    assert [step.outputs["text"] for step in steps if "SUMMARY-MARK" in str(step.outputs)] == [
        "SUMMARY-MARK of what went before."
    ]
    assert not [step for step in steps if step.kind == "think"]
    assert set(reading.former.values()) == {step.id for step in steps[steps.index(failed[0]) :]}
    assert not set(reading.former) & set(reading.record.graph.ids)


def test_a_fork_has_new_ids_and_still_shares_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    shutil.copy(case("g-compact") / DATABASE, path)
    with opened(path) as connection:
        old = connection.execute("SELECT id FROM session").fetchone()[0]
        connection.execute("INSERT INTO session (id, project_id, slug, directory, title, version, time_created,"
                           " time_updated) SELECT 'ses_fork', project_id, slug, directory, title || ' (fork #1)',"
                           " version, time_created, time_updated - 1 FROM session")  # fmt: skip
        rows = connection.execute("SELECT id, time_created, data FROM message ORDER BY id LIMIT 5").fetchall()
        for number, (message, created, data) in enumerate(rows):
            key = f"msg_z{number}"
            connection.execute("INSERT INTO message VALUES (?, 'ses_fork', ?, ?, ?)", (key, created, created, data))
            connection.execute(f"INSERT INTO part SELECT id || 'f', '{key}', 'ses_fork', time_created, time_updated,"
                               " data FROM part WHERE message_id = ?", (message,))  # fmt: skip
    fork, source = read_run(part_path(path, "ses_fork")), read_run(part_path(path, old))
    assert set(fork.graph.ids) < set(source.graph.ids)
    assert len(fork.graph) == 8
    family = reader_for(path).family
    assert family is not None
    assert family(part_path(path, "ses_fork")) == [part_path(path, old)]
    assert read_run(path).run_id == old


def test_what_a_revert_hides_stays_as_a_branch_behind_the_main_tip(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    shutil.copy(case("i-abort") / DATABASE, path)
    with opened(path) as connection:
        prompts = connection.execute(
            'SELECT id FROM message WHERE data LIKE \'%"role":"user"%\' ORDER BY id'
        ).fetchall()
        connection.execute("UPDATE session SET revert = ?", (json.dumps({"messageID": prompts[1][0]}),))
    reading = read_source(path)
    main = next(step for step in reading.record.graph if step.id == reading.record.refs["main"])
    assert main.outputs["text"] == "First done."
    assert reading.record.graph.ids == read_run(case("i-abort") / DATABASE).graph.ids
    assert reading.report is not None
    assert "reverted" in reading.report.remarks[0]


def exported(path: Path, folder: Path) -> Path:
    """The session of a recording as `opencode export` writes it."""
    with opened(folder / DATABASE) as connection:
        session, version = connection.execute("SELECT id, version FROM session WHERE parent_id IS NULL").fetchone()
        messages = []
        for identity, data in connection.execute("SELECT id, data FROM message WHERE session_id = ?", (session,)):
            parts = connection.execute("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (identity,))
            own = [{"id": key, "sessionID": session, **json.loads(part)} for key, part in parts.fetchall()]
            messages.append({"info": {"id": identity, "sessionID": session, **json.loads(data)}, "parts": own})
    path.write_text(json.dumps({"info": {"id": session, "version": version}, "messages": messages}))
    return path


def test_an_export_has_the_same_steps_and_knows_where_they_stand(tmp_path: Path) -> None:
    path = exported(tmp_path / "session.json", case("b-parallel"))
    reading = read_source(path)
    assert reading.record.graph.ids == read_run(case("b-parallel") / DATABASE).graph.ids
    answer = next(step for step in reading.record.graph if step.kind == "model" and not step.v3_kind)
    place = reading.places[answer.id][0]
    record = json.loads(path.read_bytes()[place.offset :][: place.length])
    assert record["info"]["role"] == "assistant"


def test_a_sub_agent_that_is_not_in_an_export_is_reported(tmp_path: Path) -> None:
    reading = read_source(exported(tmp_path / "session.json", case("f-subagent")))
    assert reading.report is not None
    assert len(reading.report.remarks) == 2
    assert "is not in this file" in reading.report.remarks[0]
    assert not [step for step in reading.record.graph if step.v3_kind == "subagent"]


def test_lines_of_events_have_the_same_steps(tmp_path: Path) -> None:
    document = json.loads(exported(tmp_path / "session.json", case("b-parallel")).read_bytes())
    session = document["info"]["id"]
    lines = [{"aggregate_id": session, "type": "session.created.1", "data": {"info": document["info"]}}]
    for message in document["messages"]:
        early = {**message["info"], "tokens": {}, "cost": 0}
        lines += [{"aggregate_id": session, "type": "message.updated.1", "data": {"info": info}}
                  for info in (early, message["info"])]  # fmt: skip
        for part in message["parts"]:
            part = {**part, "messageID": message["info"]["id"]}
            lines.append({"aggregate_id": session, "type": "message.part.updated.1", "data": {"part": part}})
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert read_run(path).graph.ids == read_run(case("b-parallel") / DATABASE).graph.ids
    assert [part.id for part in parts_of(path)] == [session]


def test_credentials_are_never_read_and_the_database_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    shutil.copy(case("a-plain") / DATABASE, path)
    with opened(path) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        for name in set(names) - {"session", "message", "part"}:
            if not name.startswith("sqlite_"):
                connection.execute(f"DROP TABLE {name}")
    before = path.read_bytes()
    assert read_run(path).graph.ids == read_run(case("a-plain") / DATABASE).graph.ids
    assert path.read_bytes() == before
    with pytest.raises(FormatError, match="no session"):
        read_run(part_path(path, "ses_none"))


KEYS = st.sampled_from(["id", "role", "time", "tokens", "error", "type", "state", "text", "status", "metadata", "input",
                        "output", "sessionId", "created", "tool", "summary", "url", "mime", "start"])  # fmt: skip
WORDS = st.sampled_from(
    ["user", "assistant", "tool", "text", "file", "completed", "error", "ses_1", "compaction", "task"]
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)
RECORDS = st.dictionaries(KEYS, ODD, max_size=6)


@given(st.lists(st.tuples(RECORDS, st.lists(RECORDS, max_size=3)), max_size=6))
@settings(max_examples=60)
def test_messages_of_any_shape_make_a_graph_or_a_clear_error(records: list[tuple[Any, Any]]) -> None:
    session = Session("ses_1", {}, [Message(info, parts) for info, parts in records])
    draft = RunDraft()
    with suppress(TineError):
        Conversation(draft, lambda _name: session, Pace()).grow(session)
        draft.finish(run_id="x", created_at=0.0, capture={})
