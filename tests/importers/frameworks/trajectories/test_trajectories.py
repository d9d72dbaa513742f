"""mini-swe-agent, SWE-agent, ATIF and plain messages: a recording, attempts, sub-agents, order, dirt."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import Step, TineError, compare, extract, family_of, fork, overview_of
from opentine_gui.describe.comparison_words import totals_parts
from opentine_gui.importers.readers import read_run, read_source, reader_for
from tests.importers.model_side import RECORDINGS, expected, tips

MINI = RECORDINGS / "mini-swe-agent" / "2.4.6-b-tools"


def save(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def kinds(steps: Any) -> list[str]:
    return [step.shown_kind for step in steps]


def test_the_recorded_trajectory_reads_as_what_was_scripted() -> None:
    truth = expected(MINI)
    record = read_run(MINI / "run.traj.json")
    answers = [step for step in record.graph if step.shown_kind == "model"]
    tools = [step for step in record.graph if step.kind == "tool"]
    assert len(answers) == truth["model_calls"]
    assert len(tools) == len(truth["commands"])
    assert [step.inputs["arguments"]["command"] for step in tools][:2] == truth["commands"][:2]
    assert tools[1].parent_ids == tools[2].parent_ids == (answers[1].id,)
    assert answers[2].parent_ids == (tools[1].id, tools[2].id)
    assert tools[2].outputs["exit_code"] == 1
    assert tools[2].error == {"type": "failed", "message": "exit code 1"}
    assert sum(step.cost or 0 for step in answers) == 3.0
    done = tips(record)[0]
    assert done.kind == "done"
    assert done.outputs == {"text": truth["result"]["submission"]}


def test_each_step_knows_the_message_it_is_made_of() -> None:
    path = MINI / "run.traj.json"
    reading = read_source(path)
    answer = next(step for step in reading.record.graph if step.shown_kind == "model")
    place = reading.places[answer.id][0]
    assert json.loads(path.read_bytes()[place.offset :][: place.length])["content"] == "Let me look."


def test_plain_messages_of_an_api_pair_calls_with_results_by_id(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "1", "name": "sh", "input": {"command": "ls"}}
    other = {"type": "tool_use", "id": "2", "name": "sh", "input": {"command": "pwd"}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [{"type": "text", "text": "two"}, call, other]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "2", "content": "/"},
                                     {"type": "tool_result", "tool_use_id": "1", "content": "a", "is_error": True}]},
        {"role": "assistant", "content": "done"},
    ]  # fmt: skip
    path = save(tmp_path / "chat.json", messages)
    person, answer, first, second, last = read_run(path).graph
    assert (first.outputs["result"], second.outputs["result"]) == ("a", "/")
    assert first.error["type"] == "failed"
    assert last.parent_ids == (first.id, second.id)
    lines = tmp_path / "chat.jsonl"
    lines.write_text("\n".join(map(json.dumps, messages)))
    assert read_run(lines).graph.ids == read_run(path).graph.ids
    assert (person.shown_kind, answer.shown_kind) == ("human", "model")


@pytest.mark.parametrize("indent", [None, 2])
def test_messages_as_they_are_sent_to_an_api_are_read_an_unanswered_one_too(tmp_path: Path, indent: int | None) -> None:
    said = [{"role": "user", "content": "hello there"}, {"role": "assistant", "content": "hello"}]
    for count in (1, 2):
        path = tmp_path / "request.json"
        path.write_text(json.dumps({"messages": said[:count]}, indent=indent))
        record = read_run(path)
        assert kinds(record.graph) == ["human", "model"][:count]
        assert record.title == "hello there"


def test_the_attempts_of_a_retrying_agent_are_branches_and_the_chosen_one_is_the_main_line(tmp_path: Path) -> None:
    def attempt(says: str, status: str) -> dict[str, Any]:
        return {"history": [{"role": "system", "content": "be good"}, {"role": "user", "content": "x", "is_demo": True},
                            {"role": "user", "content": "fix it"}, {"role": "assistant", "content": says}],
                "trajectory": [{"thought": says, "action": "ls", "observation": "a", "execution_time": 1.5}],
                "info": {"exit_status": status, "submission": "diff" if status == "submitted" else ""}}  # fmt: skip

    path = save(tmp_path / "x.traj", {
        "trajectory": [], "attempts": [attempt("one", "submitted"), attempt("two", "exit_cost")],
        "info": {"best_attempt_idx": 0, "exit_status": "submitted"}, "action": 0, "observation": 0})  # fmt: skip
    record = read_run(path)
    assert kinds(record.graph) == ["policy", "human", "model", "tool", "done", "model", "tool", "error"]
    steps = list(record.graph)
    assert steps[2].parent_ids == steps[5].parent_ids == (steps[1].id,)
    assert record.refs["main"] == steps[4].id
    assert steps[3].duration == 1.5
    assert steps[7].error["type"] == "exit_cost"


def swe_agent(path: Path, *turns: tuple[str, str], **stats: float) -> Path:
    """A trajectory of SWE-agent: commands with what was observed, and its figures of the whole run."""
    return save(path, {
        "history": [{"role": "user", "content": "fix it"}],
        "trajectory": [{"thought": "t", "action": action, "observation": seen} for action, seen in turns],
        "info": {"exit_status": "submitted", "model_stats": stats}})  # fmt: skip


def test_what_is_stated_for_a_whole_run_is_a_figure_of_the_run_and_of_no_step(tmp_path: Path) -> None:
    stats = {"total_cost": 9.0, "instance_cost": 1.25, "tokens_sent": 1000, "tokens_received": 24}
    record = read_run(swe_agent(tmp_path / "x.traj", ("ls", "a"), ("pwd", "/"), **stats))
    assert (record.totals.stated_cost, record.totals.stated_tokens) == (1.25, 1024), "not of the whole batch"
    assert (record.totals.cost, record.totals.cost_known, record.totals.tokens_recorded) == (0.0, False, 0)
    assert all(step.known_cost is None and step.tokens is None for step in record.graph)
    assert totals_parts(record.totals)[2:] == ["$1.25 for the whole run", "1.0k tok for the whole run"]
    assert (overview_of(record).totals, record.own_totals) == (record.totals, record.totals)
    part = fork(record, record.graph.ids[2], now=1.0, nonce="n")
    assert part.totals.stated_cost is None and part.inherited_totals.stated_cost is None, (
        "what a part cost is not known"
    )
    assert extract([record], record.graph.ids[:3], now=1.0, nonce="n").totals.stated_tokens is None
    comparison = compare(record, part)
    assert (comparison.figures.cost.a, comparison.figures.cost.b) == (1.25, None)
    assert totals_parts(family_of([record, part]).spending.naive)[2] == "cost not recorded"


def test_a_figure_that_steps_record_is_not_replaced_by_that_of_the_run(tmp_path: Path) -> None:
    step = {"step_id": 2, "source": "agent", "message": "b", "metrics": {"cost_usd": 0.5}}
    path = save(tmp_path / "t.json", {
        "schema_version": "ATIF-v1.4", "session_id": "s", "agent": {"name": "a"},
        "steps": [{"step_id": 1, "source": "user", "message": "a"}, step],
        "final_metrics": {"total_cost_usd": 0.75, "total_prompt_tokens": 40,
                          "total_completion_tokens": 2}})  # fmt: skip
    totals = read_run(path).totals
    assert (totals.known_cost, totals.stated_cost) == (0.5, None)
    assert (totals.known_tokens, totals.tokens_recorded) == (42, 0)


def test_an_edit_that_the_editor_refused_failed_and_what_a_command_printed_is_only_text(tmp_path: Path) -> None:
    refusal = (
        "Your proposed edit has introduced new syntax error(s). Please understand the fixes.\n\nERRORS:\n- E999 x\n"
    )
    trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nNameError: x'
    path = swe_agent(
        tmp_path / "x.traj",
        ("edit 1:2\nfoo", f"{refusal}\nThis is how your edit would have looked if applied\n---"),
        ("cat log", refusal),
        ("python a.py", trace),
    )
    edited, printed, ran = (step for step in read_run(path).graph if step.kind == "tool")
    assert edited.error["type"] == "failed"
    assert edited.error["message"] == refusal.rstrip()
    assert not printed.error, "a file that holds these words"
    assert not ran.error, "the log records no exit code"


def test_sub_agents_of_atif_join_at_their_call_and_copied_context_is_not_billed(tmp_path: Path) -> None:
    inner = {"trajectory_id": "in", "agent": {"name": "helper"}, "steps": [
        {"source": "user", "message": "look"}, {"source": "agent", "message": "seen"}]}  # fmt: skip
    document = {
        "schema_version": "ATIF-v1.7", "agent": {"name": "boss", "model_name": "m"}, "steps": [
            {"source": "user", "message": "go"},
            {"source": "agent", "message": "old", "is_copied_context": True, "metrics": {"prompt_tokens": 5}},
            {"source": "agent", "message": "ask", "metrics": {"prompt_tokens": 9, "cached_tokens": 4, "cost_usd": 0.5},
             "tool_calls": [{"tool_call_id": "1", "function_name": "agent", "arguments": {}}],
             "observation": {"results": [{"source_call_id": "1", "content": "seen",
                                          "subagent_trajectory_ref": [{"trajectory_id": "in"}]}]}},
            {"source": "agent", "message": "", "tool_calls": [{"tool_call_id": "2", "function_name": "finish",
                                                               "arguments": {"message": "bye"}}]},
        ], "subagent_trajectories": [inner], "continued_trajectory_ref": "next.json"}  # fmt: skip
    reading = read_source(save(tmp_path / "t.json", document))
    steps: dict[str, Step] = {step.outputs.get("text", step.shown_kind): step for step in reading.record.graph}
    tool = next(step for step in reading.record.graph if step.kind == "tool")
    assert tool.parent_ids == (steps["ask"].id, steps["seen"].id)
    assert steps["subagent"].inputs == {"prompt": "look", "agent": "helper"}
    assert steps["old"].usage == {}
    assert steps["ask"].usage == {"input": 5, "cache_read": 4}
    assert steps["ask"].cost == 0.5
    assert steps["bye"].kind == "done"
    assert reading.report is not None
    assert "goes on in next.json" in reading.report.remarks[0]


@pytest.mark.parametrize(("name", "head"), [
    ("swe-agent", '{"environment": "x", "trajectory": [{"action": "ls", "observation": ""}], "history": []}'),
    ("atif", '{"schema_version": "ATIF-v1.7", "steps": []}'),
    ("mini-swe-agent", '{"info": {"model_stats": {}}, "messages": [], "trajectory_format": "mini-swe-agent-1.1"}'),
    ("messages", '[{"role": "user", "content": "hi"}]'),
])  # fmt: skip
def test_each_is_recognised_by_its_content(tmp_path: Path, name: str, head: str) -> None:
    path = tmp_path / "any.bin"
    path.write_text(head)
    assert reader_for(path).name == name


ROLES = st.sampled_from(["user", "assistant", "tool", "system", "exit", "agent", "x"])
ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4),
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
                   max_leaves=5)  # fmt: skip
KEYS = ["content", "message", "tool_calls", "extra", "observation", "metrics", "action", "thought", "response", "info",
        "tool_call_ids", "reasoning_content", "timestamp"]  # fmt: skip
RECORDS = st.lists(
    st.fixed_dictionaries({"role": ROLES, "source": ROLES}, optional=dict.fromkeys(KEYS, ODD)), max_size=6
)


@given(RECORDS, st.sampled_from(["messages", "steps", "trajectory"]))
@settings(max_examples=60)
def test_records_of_any_shape_make_a_graph_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], shape: str
) -> None:
    documents = {
        "messages": {"info": {}, "messages": records, "trajectory_format": "mini"},
        "steps": {"schema_version": "ATIF-v1", "steps": records},
        "trajectory": {"trajectory": records, "history": records, "action": 1, "observation": 1},
    }
    with suppress(TineError):
        assert len(read_run(save(tmp_path_factory.mktemp("odd") / "t.json", documents[shape])).graph) > 0
