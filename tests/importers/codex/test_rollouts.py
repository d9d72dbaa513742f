"""Codex's rollouts: every recording comes to what the model was sent, and old and broken files to what they say."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.graph.typed_prompt import typed
from opentine_gui.core.model import RunStatus, StepKind
from opentine_gui.importers import readers
from opentine_gui.importers.codex import headers, reader
from opentine_gui.importers.reading import Reading
from tests.importers.codex.written_rollout import (
    HEADER,
    event,
    files_of,
    item,
    read_case,
    said,
    steps_in,
    write,
)
from tests.importers.recordings import (
    answers_in,
    branch_points,
    cases,
    expected_context,
    expected_of,
    lanes,
    steps_of,
    tips_saying,
)


@pytest.mark.parametrize("case", cases("codex"))
def test_every_leaf_of_a_recording_has_the_context_that_the_model_was_sent(case: str) -> None:
    steps = steps_of(read_case(case))
    for name, messages in expected_of("codex", case)["leaves"].items():
        assert len(tips_saying(steps, expected_context(messages))) == 1, name


@pytest.mark.parametrize("case", cases("codex"))
def test_every_answer_call_and_turn_of_a_recording_is_one_step(case: str) -> None:
    expected = expected_of("codex", case)
    steps = steps_of(read_case(case))
    interrupted = [request for request in expected["requests"] if not request.get("response_id")]
    partly = sum(step.error.get("type") == "interrupted" for step in steps.values() if step.kind is StepKind.ERROR)
    answers = [request for request in expected["requests"] if request["status"] == 200]
    assert len(answers) - partly <= len(answers_in(steps)) <= len(answers), interrupted
    calls = [step for step in steps.values() if step.kind is StepKind.TOOL]
    assert sorted(step.inputs["name"] for step in calls) == sorted(call["name"] for call in expected["tool_calls"])
    if "user_turns" in expected:
        lane = lanes(steps)
        turns = [step.inputs["text"] for step in steps.values() if step.v3_kind == "human" and not lane[step.id]]
        assert turns == expected["user_turns"]


def test_forks_and_reverts_share_their_beginning_and_the_abandoned_end_is_drawn() -> None:
    readings = read_case("0.169.0-e-fork")
    ids = [set(reading.record.graph.ids) for reading in readings]
    assert len(set.intersection(*ids)) == 10 + 4  # policy and two turns; the turn that the forks left behind
    base, *_forks, again = readings
    assert [len(branch_points(reading.record.graph)) for reading in readings] == [0, 1, 1, 1]
    assert {step.inputs["text"] for step in again.record.graph if step.v3_kind == "human"} == {
        "First question", "Second question", "Third question", "Other way", "Go on after",
    }  # fmt: skip
    assert again.record.graph.step(again.record.refs["main"]).outputs["text"] == "Went on."
    family = {path.name for path in headers.family_of(files_of("0.169.0-e-fork")[1])}
    assert len(family) == 3
    assert len(again.sources) == 3
    assert base.report is not None
    assert not base.report.remarks


def test_a_sub_agent_hangs_on_its_call_and_joins_where_its_work_was_received() -> None:
    (reading,) = read_case("0.169.0-f-subagent")
    graph = reading.record.graph
    starts = [step for step in graph if step.v3_kind == "subagent"]
    assert [step.inputs["prompt"][:10] for step in starts] == ["HELPER-ONE", "HELPER-TWO"]
    caller = starts[0].parent_ids[0]
    assert starts[1].parent_ids == (caller,)
    wait = next(step for step in graph if step.inputs.get("name") == "wait_agent")
    assert [graph.step(parent).outputs["text"] for parent in wait.parent_ids] == [
        "Waiting.",
        "REPORT-ONE: three lines.",
    ]
    second = next(step for step in graph if "REPORT-TWO" in str(step.inputs.get("notices")))
    assert graph.step(second.parent_ids[1]).outputs["text"] == "REPORT-TWO: minus instead of plus."


def test_without_the_file_of_a_sub_agent_its_start_stays_and_it_is_reported(tmp_path: Path) -> None:
    source = files_of("0.169.0-f-subagent")[0]
    alone = tmp_path / source.name
    shutil.copy(source, alone)
    reading = reader.read(alone)
    assert [step.inputs["agent"] for step in reading.record.graph if step.v3_kind == "subagent"] == ["Bacon", "Bohr"]
    assert reading.report is not None
    assert len(reading.report.remarks) == 1


def test_a_fork_without_its_base_says_so_and_shows_its_own_part(tmp_path: Path) -> None:
    source = files_of("0.169.0-e-fork")[1]
    alone = tmp_path / "sessions" / source.name
    alone.parent.mkdir()
    shutil.copy(source, alone)
    reading = reader.read(alone)
    assert reading.report is not None
    assert "in another file" in reading.report.remarks[0]
    assert [step.inputs["text"] for step in reading.record.graph if step.v3_kind == "human"] == ["Other way"]


def test_bases_are_looked_for_in_the_archive_too_but_in_no_other_home(tmp_path: Path) -> None:
    base, fork = files_of("0.169.0-e-fork")[:2]
    for folder in ("sessions/2026", "archived_sessions"):
        (tmp_path / "a" / folder).mkdir(parents=True)
    shutil.copy(base, tmp_path / "a" / "archived_sessions" / base.name)
    here = shutil.copy(fork, tmp_path / "a" / "sessions" / "2026" / fork.name)
    assert len(reader.read(here).sources) == 2
    (tmp_path / "b" / "sessions").mkdir(parents=True)
    there = shutil.copy(fork, tmp_path / "b" / "sessions" / fork.name)
    assert len(reader.read(there).sources) == 1


def test_a_packed_rollout_has_the_steps_of_the_plain_one(tmp_path: Path) -> None:
    zstd = pytest.importorskip("backports.zstd")
    source = files_of("0.169.0-b-parallel")[0]
    packed = tmp_path / f"{source.name}.zst"
    packed.write_bytes(zstd.compress(source.read_bytes()))
    with packed.open("rb") as file:
        assert headers.recognise(file.read(readers.HEAD)) > 0.5
    assert reader.read(packed).record.graph.ids == reader.read(source).record.graph.ids


def test_a_rollback_leaves_the_newest_turns_as_a_branch_and_two_add_up(tmp_path: Path) -> None:
    turns = [record for name in "abc" for record in (said("user", name), said("assistant", name.upper()))]
    path = write(tmp_path / "r.jsonl", HEADER, *turns, event("thread_rolled_back", num_turns=1),
                 event("thread_rolled_back", num_turns=1), said("user", "d"), said("assistant", "D"))  # fmt: skip
    reading = reader.read(path)
    graph = reading.record.graph
    new = next(step for step in graph if step.inputs.get("text") == "d")
    assert graph.step(new.parent_ids[0]).outputs["text"] == "A"
    (point,) = branch_points(reading.record.graph)
    assert point.id == new.parent_ids[0]


def test_a_rollback_of_the_first_turn_hangs_the_next_on_the_root(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", HEADER, said("user", "a"), said("assistant", "A"),
                 event("thread_rolled_back", num_turns=5), said("user", "b"))  # fmt: skip
    steps = steps_in(path)
    humans = [step for step in steps if step.v3_kind == "human"]
    assert humans[0].parent_ids == humans[1].parent_ids == (steps[0].id,)
    assert steps[0].v3_kind == "policy"


def test_results_join_in_the_order_of_the_calls_whatever_the_order_they_came_in(tmp_path: Path) -> None:
    calls = [item("function_call", name=name, arguments="{}", call_id=name) for name in "abc"]
    outputs = [item("function_call_output", call_id=name, output=name) for name in "cab"]
    path = write(tmp_path / "r.jsonl", HEADER, said("user", "go"), *calls, *outputs, said("assistant", "end"))
    steps = steps_in(path)
    by_id = {step.id: step for step in steps}
    end = next(step for step in steps if step.kind is StepKind.DONE)
    assert [by_id[parent].outputs["result"] for parent in end.parent_ids] == ["a", "b", "c"]


def test_the_calls_that_a_program_made_are_steps_of_their_own(tmp_path: Path) -> None:
    ran = {"type": "CommandExecution", "id": "exec-1", "command": ["bash", "-lc", "ls"], "cwd": "file:///p",
           "aggregated_output": "x", "exit_code": 2, "duration": {"secs": 1, "nanos": 500_000_000}}  # fmt: skip
    path = write(
        tmp_path / "r.jsonl", HEADER, said("user", "go"),
        item("custom_tool_call", name="exec", call_id="c", input="await tools.exec_command()"),
        event("item_completed", item=ran),
        event("item_completed", item={"type": "FileChange", "id": "exec-2", "changes": {}}),
        item("custom_tool_call_output", call_id="c", output=[{"type": "input_text", "text": "Script completed"}]),
        said("assistant", "end"),
    )  # fmt: skip
    steps = steps_in(path)
    shell, patch = [step for step in steps if step.kind is StepKind.TOOL]
    assert (shell.inputs["name"], shell.duration, shell.error["exit_code"]) == ("exec_command", 1.5, 2)
    assert patch.outputs["returned"] == "Script completed"
    assert steps[-1].parent_ids == (shell.id, patch.id)


def test_an_interrupt_that_is_written_twice_is_one_step_and_an_open_call_says_that_it_has_no_result(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path / "r.jsonl", HEADER, said("user", "go"),
        item("function_call", name="shell", arguments="{}", call_id="c"),
        said("user", "<turn_aborted>\nThe user interrupted"),
        event("turn_aborted", reason="interrupted", duration_ms=1500),
    )  # fmt: skip
    reading = reader.read(path)
    call, stop = list(reading.record.graph)[-2:]
    assert call.error["type"] == "no_result"
    assert call.outputs == {}
    assert (stop.kind, stop.error["type"], stop.duration) == (StepKind.ERROR, "interrupted", 1.5)
    assert reading.record.status is RunStatus.PAUSED


def test_a_copied_fork_of_older_versions_has_the_ids_of_its_source(tmp_path: Path) -> None:
    turn = [said("user", "a"), said("assistant", "A"), event("task_complete", last_agent_message="A")]
    first = write(tmp_path / "one.jsonl", HEADER, *turn, said("user", "b"), said("assistant", "B"))
    own = {"type": "session_meta", "payload": {"id": "u", "cwd": "/p", "cli_version": "0.128.0", "forked_from_id": "t"}}
    second = write(tmp_path / "two.jsonl", own, HEADER, *turn, said("user", "c"), said("assistant", "C"))
    shared = set(reader.read(first).record.graph.ids) & set(reader.read(second).record.graph.ids)
    assert len(shared) == 3  # policy, prompt, answer
    assert reader.read(second).record.run_id == "u"


def test_unknown_records_are_counted_by_type(tmp_path: Path) -> None:
    path = write(tmp_path / "r.jsonl", HEADER, said("user", "a"), {"type": "brand_new", "payload": {}}, event("newer"))
    report = reader.read(path).report
    assert report is not None
    assert report.skipped == {"brand_new": 1, "event newer": 1}


def test_an_image_in_a_prompt_and_one_in_a_result_are_kept_as_images() -> None:
    (reading,) = read_case("0.169.0-h-image")
    pictures = [step for step in reading.record.graph if step.inputs.get("images") or step.outputs.get("images")]
    assert [step.shown_kind for step in pictures] == ["tool", "human"]


def test_a_compaction_is_one_step_with_its_bill_and_the_prompts_that_were_kept() -> None:
    (reading,) = read_case("0.169.0-g-compact")
    (summary,) = [step for step in reading.record.graph if step.kind is StepKind.THINK]
    assert summary.outputs["kept"] == ["First question", "Second question"]
    assert summary.usage["output"] == 28
    after = [step for step in reading.record.graph if summary.id in step.parent_ids]
    assert [step.inputs["text"] for step in after] == ["After the summary"]


def test_instructions_that_change_later_are_steps_in_the_chain_and_the_same_again_are_not(tmp_path: Path) -> None:
    parts = [{"type": "input_text", "text": text} for text in ("<permissions a", "<permissions b")]
    rules = item("message", role="developer", content=parts)
    path = write(
        tmp_path / "r.jsonl", HEADER, said("user", "a"), said("assistant", "A"), rules, rules, said("user", "b")
    )
    steps = steps_in(path)
    assert [step.shown_kind for step in steps] == ["policy", "human", "done", "policy", "policy", "human"]
    assert steps[5].parent_ids == (steps[4].id,)


def test_a_revert_is_one_run_of_two_files_and_no_family() -> None:
    first, second = files_of("0.169.0-e-backtrack")
    graphs = [reader.read(path).record.graph for path in (first, second)]
    assert graphs[0].ids == graphs[1].ids
    assert [step.outputs["text"] for step in branch_points(graphs[0])] == ["First done."]
    assert headers.family_of(first) == headers.family_of(second) == ()


EDITOR, REQUEST = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n", "## My request for Codex:\n"


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (f"{EDITOR}{REQUEST}Mend a.py\nplease", "Mend a.py\nplease"),
        (f"{EDITOR}{REQUEST}", f"{EDITOR}{REQUEST}"),
        (f"Say what {REQUEST} means", f"Say what {REQUEST} means"),
    ],
)
def test_the_task_is_what_a_person_typed_and_not_what_their_editor_put_before_it(prompt: str, said: str) -> None:
    assert typed(prompt) == said


def test_a_call_has_failed_where_codex_says_so_and_its_text_does_not(tmp_path: Path) -> None:
    (reading,) = read_case("0.169.0-k-mcp")
    steps = [step for step in reading.record.graph if step.kind is StepKind.TOOL]
    assert [step.error.get("type") for step in steps] == [None, "failed", None, None]
    assert steps[1].error["message"].endswith("it failed")
    at = reading.record.graph.index(steps[1].id)
    assert set(reading.former.values()) == set(reading.record.graph.ids[at:]) - {steps[2].id}
    program = item("custom_tool_call", call_id="p", name="exec", input="await both()")
    items = [{"type": "McpToolCall", "id": f"x{status}", "tool": "add", "status": status, "error": {"message": "no"}}
             for status in ("failed", "declined", "completed")]  # fmt: skip
    path = write(
        tmp_path / "rollout.jsonl", HEADER, said("user", "go"), program,
        *(event("item_completed", item=one) for one in items),
        item("custom_tool_call_output", call_id="p", output="done"),
        item("custom_tool_call", call_id="q", name="apply_patch", input="x"),
        item("custom_tool_call_output", call_id="q", output="unsupported custom tool call: apply_patch"),
    )  # fmt: skip
    errors = [step.error.get("type") for step in steps_in(path) if step.kind is StepKind.TOOL]
    assert errors == ["failed", "rejected", None, "failed"]


def test_a_patch_that_did_not_fit_has_failed_and_its_former_ids_are_known(tmp_path: Path) -> None:
    refused = "apply_patch verification failed: Failed to find expected lines in /p/a.py:\ndef a():\n"

    def outcomes(*said_of_it: str) -> Reading:
        items = [{"type": "McpToolCall", "id": "m", "tool": "add", "status": "failed", "error": {"message": "no"}}]
        records = [
            HEADER, said("user", "go"), item("custom_tool_call", call_id="p", name="exec", input="await add()"),
            *(event("item_completed", item=one) for one in items),
            item("custom_tool_call_output", call_id="p", output="done"),
        ]  # fmt: skip
        for number, text in enumerate(said_of_it):
            arguments = json.dumps({"command": "applypatch << 'PATCH'"})
            records += [
                item("function_call", call_id=f"c{number}", name="shell_command", arguments=arguments),
                item("function_call_output", call_id=f"c{number}", output=text),
            ]
        return reader.read(write(tmp_path / f"{len(said_of_it)}.jsonl", *records, said("assistant", "end")))

    logged = f"Exit code: 0\nWall time: 0.1 seconds\nOutput:\n{refused}"
    reading = outcomes(refused, logged, json.dumps({"output": refused, "metadata": {"exit_code": 0}}))
    graph = reading.record.graph
    tools = [step for step in graph if step.kind is StepKind.TOOL]
    assert [step.error.get("type") for step in tools] == ["failed", "failed", None, None]
    assert tools[1].error["message"] == refused
    # The failed item was a rule of its own: below the patch there are ids from before both, and from between them.
    below = len(graph) - graph.index(tools[1].id)
    former = Counter(reading.former.values())
    assert former[tools[0].id] == 1
    assert {former[step.id] for step in tools[1:]} == {2}
    assert sum(former.values()) == 1 + 1 + 2 * below
    between = step_id(
        tools[1].kind, tools[1].inputs, parent_ids=graph.parent_ids(tools[1].id), outputs=tools[1].outputs,
        model_info=tools[1].model_info, tool_info=tools[1].tool_info, error={},
    )  # fmt: skip
    assert reading.former[between] == tools[1].id
