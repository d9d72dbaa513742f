"""Shapes that the recordings do not have: each written down as the log has it, in as few lines as it takes."""

from __future__ import annotations

import pytest

from opentine_gui.core.errors import Cancelled
from opentine_gui.core.model import StepKind
from opentine_gui.importers.claude_code import family, read
from tests.importers.claude_code.written_log import Log, texts


def test_a_rewind_of_the_middle_and_an_unanswered_prompt_are_branches(tmp_path):
    log = Log()
    first = log.user(None, "One")
    answer = log.says(first, "m1", "Answer.")
    log.user(answer, "Typed wrong")
    log.user(answer, "Typed right")
    log.add("progress", "u4", data={"type": "hook_progress"})
    log.says("u5", "m2", "Right.")
    assert texts(log.read(tmp_path)) == [
        "One < ",
        "Answer. < One",
        "Typed wrong < Answer.",
        "Typed right < Answer.",
        "Right. < Typed right",
    ]


def test_a_slash_command_is_a_prompt_only_with_text_that_it_stands_for(tmp_path):
    log = Log()
    local = log.user(None, "<command-name>/clear</command-name>\n<command-args></command-args>", promptId="p1")
    log.user(local, "<local-command-stdout>cleared</local-command-stdout>", promptId="p1")
    command = log.user(
        "u2",
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>x y</command-args>",
        promptId="p2",
    )
    meta = log.user(command, "Review the change x y.", promptId="p2", isMeta=True)
    log.says(meta, "m1", "Reviewed.")
    reading = log.read(tmp_path)
    assert texts(reading) == ["/review x y < ", "Reviewed. < /review x y"]
    assert reading.record.graph.step(0).inputs["expansion"] == "Review the change x y."
    assert reading.record.title == "/review x y"


def test_a_queued_prompt_that_stands_only_in_the_queue_is_what_the_second_answer_in_a_row_answers(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    call = log.calls(ask, "m1", "t1")
    back = log.result(call, "t1")
    log.note(type="queue-operation", operation="enqueue", content="By the way", timestamp="2026-01-01T00:00:02Z")
    log.note(type="queue-operation", operation="remove", timestamp="2026-01-01T00:00:03Z")
    log.says(log.says(back, "m2", "Done."), "m3", "Noted.")
    assert texts(log.read(tmp_path / "a"))[-3:] == ["Done. < t1", "By the way < Done.", "Noted. < By the way"]
    log.add("attachment", back, attachment={"type": "queued_command", "prompt": "By the way", "commandMode": "prompt"})
    assert sum("By the way" in line for line in texts(log.read(tmp_path / "b"))) == 1


def test_lines_that_a_resume_wrote_once_more_are_the_same_steps(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    text, call = (
        {"type": "text", "text": "Both."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
    )
    answer = {"id": "m1", "role": "assistant", "model": "claude-x", "stop_reason": "tool_use"}
    once = log.add("assistant", ask, message=answer | {"content": [text, call]})
    log.result(once, "t1", "a")
    first = log.add("assistant", ask, message=answer | {"content": [text]})
    second = log.add("assistant", first, message=answer | {"content": [call]})
    again = log.result(second, "t1", "a")
    prompt = log.user(again, "Next")
    copy = log.user(again, "Next")
    log.lines[-1]["timestamp"] = log.lines[-2]["timestamp"]
    log.says(copy, "m2", "Done.")
    assert prompt != copy
    assert texts(log.read(tmp_path)) == ["Go < ", "Both. < Go", "ls < Both.", "Next < ls", "Done. < Next"]


def test_lines_that_are_months_apart_do_not_say_how_long_an_answer_took(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    said = log.says(ask, "m1", "I look", timestamp="2026-01-01T00:00:09.000Z")
    call = log.calls(said, "m1", "t1", timestamp="2026-10-01T00:00:00.000Z")
    later = log.says(log.result(call, "t1"), "m2", "Done", timestamp="2026-10-01T00:00:05.000Z")
    log.says(
        log.user(later, "More", timestamp="2026-10-02T00:00:00.000Z"), "m3", "Yes", timestamp="2026-12-24T00:00:00.000Z"
    )
    steps = {step.outputs["text"]: step for step in log.read(tmp_path).record.graph if step.outputs.get("text")}
    assert [steps[text].duration for text in ("I look", "Yes")] == [0.0, 0.0], "not recorded"
    assert steps["Yes"].timestamp > steps["Done"].timestamp + 30 * 86_400, "its own line says when it was"


def test_retries_are_attempts_of_the_answer_that_came_in_the_end(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    once = log.add("system", ask, subtype="api_error", retryAttempt=1)
    twice = log.add("system", once, subtype="api_error", retryAttempt=2)
    log.says(twice, "m1", "Here.")
    assert log.read(tmp_path).record.graph.step(1).tool_info == {"attempts": 3}


def test_calls_without_a_result_are_open_at_a_tip_and_lost_where_the_session_went_on(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    log.calls(ask, "m1", "t1")
    waiting = log.read(tmp_path / "a")
    assert [step.error for step in waiting.record.graph] == [{}, {}, {}]
    assert waiting.record.status == "running"
    log.user("u2", "Never mind")
    graph = log.read(tmp_path / "b").record.graph
    assert [step.error.get("type") for step in graph if step.kind is StepKind.TOOL] == ["no_result"]


def test_refused_failed_and_interrupted_calls_say_which(tmp_path):
    log = Log()
    above = log.user(None, "Go")
    cases = [
        ("The user doesn't want to proceed with this tool use.", {}, "rejected"),
        ("Exit code 1", {}, "failed"),
        ("stopped", {"toolUseResult": {"interrupted": True}}, "interrupted"),
    ]
    for number, (text, fields, _kind) in enumerate(cases):
        call = log.calls(above, f"m{number}", f"t{number}")
        above = log.result(call, f"t{number}", text, block={"is_error": True}, **fields)
    tools = [step for step in log.read(tmp_path).record.graph if step.kind is StepKind.TOOL]
    assert [step.error["type"] for step in tools] == [kind for _, _, kind in cases]


def test_a_cycle_and_lines_without_their_beginning_are_reported(tmp_path):
    log = Log()
    log.user("gone", "First here")
    log.user("u3", "Round")
    log.user("u2", "And round")
    reading = log.read(tmp_path)
    assert len(reading.record.graph) == 3
    assert any("not in this file" in remark for remark in reading.report.remarks)
    assert any("cycle" in remark for remark in reading.report.remarks)


def test_a_result_whose_call_is_in_another_file_is_kept(tmp_path):
    log = Log()
    result = log.result("gone", "t0", "late")
    log.says(result, "m1", "Thanks.")
    graph = log.read(tmp_path).record.graph
    assert [step.kind for step in graph] == [StepKind.TOOL, StepKind.MODEL]
    assert graph.step(0).outputs == {"result": "late"}
    assert graph.parents[1] == (0,)


def test_token_counts_that_cannot_be_right_are_lower_bounds(tmp_path):
    log = Log()
    above = log.user(None, "Go")
    for number in range(25):
        above = log.says(above, f"m{number}", "word " * 40)
    assert log.read(tmp_path / "a").report.at_least.startswith("Token counts and costs are at least")
    for line in log.lines[1:]:
        line["message"]["usage"]["output_tokens"] = 45
    assert log.read(tmp_path / "b").report.at_least == ""


def test_the_usage_of_a_response_is_that_of_its_last_line_as_a_whole_and_counted_once(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    early = {"input_tokens": 9, "output_tokens": 1, "cache_creation_input_tokens": 4}
    late = {"input_tokens": 2, "output_tokens": 8, "cache_creation": {"ephemeral_1h_input_tokens": 3}}
    one = log.says(ask, "m1", "A", usage=early)
    log.says(one, "m1", "B", usage=late)
    step = log.read(tmp_path).record.graph.step(1)
    assert step.usage == {"input": 2, "output": 8, "cache_write_1h": 3}
    assert step.outputs["text"] == "A\n\nB"


@pytest.mark.parametrize(
    ("note", "title"),
    [
        ({"type": "ai-title", "aiTitle": "Made"}, "Made"),
        ({"type": "custom-title", "customTitle": "Given"}, "Given"),
        ({"type": "summary", "summary": "Summed", "leafUuid": "u1"}, "Summed"),
        ({"type": "summary", "summary": "Of another", "leafUuid": "gone"}, "Go"),
    ],
)
def test_a_session_is_called_what_the_user_or_the_agent_called_it(tmp_path, note, title):
    log = Log()
    log.user(None, "Go")
    log.note(**note)
    assert log.read(tmp_path).record.title == title


def test_unknown_records_are_counted_by_their_type(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    odd = log.add("hologram", ask, depth=3)
    log.says(odd, "m1", "Fine.")
    log.note(type="moon-phase", phase=0.3)
    reading = log.read(tmp_path)
    assert texts(reading) == ["Go < ", "Fine. < Go"]
    assert reading.report.skipped == {"hologram": 1, "moon-phase": 1}


def test_copies_are_a_family_also_when_their_lines_were_given_new_ids(tmp_path):
    log = Log()
    ask = log.user(None, "Go", uuid="00000000-0000-4000-8000-000000000001")
    log.says(ask, "m1", "Fine.", uuid="00000000-0000-4000-8000-000000000002")
    source = log.read(tmp_path)
    fork = Log("s2")
    new = fork.user(
        None, "Go", uuid="00000000-0000-4000-8000-000000000011", forkedFrom={"sessionId": "s1", "messageUuid": ask}
    )
    fork.says(new, "m1", "Fine.")
    copy = fork.read(tmp_path)
    other = Log("s3")
    other.user(None, "Go", uuid="00000000-0000-4000-8000-000000000099")
    other.read(tmp_path)
    assert copy.record.graph.ids[0] == source.record.graph.ids[0]
    assert copy.record.metadata["capture"]["forked_from"] == "s1"
    assert family(tmp_path / "s2.jsonl") == [tmp_path / "s1.jsonl"]
    assert family(tmp_path / "s3.jsonl") == []


def test_reading_reports_progress_and_can_be_stopped(tmp_path):
    log = Log()
    above = None
    for number in range(600):
        above = log.user(above, f"prompt {number}")
    log.read(tmp_path)
    told: list[float] = []
    read(tmp_path / "s1.jsonl", progress=told.append)
    assert told == sorted(told)
    assert len(set(told)) > 3
    with pytest.raises(Cancelled):
        read(tmp_path / "s1.jsonl", cancelled=lambda: True)


def test_a_skill_and_the_feedback_of_a_hook_are_told_to_the_answer_that_follows(tmp_path):
    log = Log()
    call = log.calls(log.user(None, "Use the skill"), "m1", "t1", name="Skill", arguments={"skill": "greet"})
    result = log.result(call, "t1", "Launching skill: greet")
    body = log.user(result, "Say hello.", isMeta=True, sourceToolUseID="t1")
    hello = log.says(body, "m2", "Hello.")
    feedback = log.user(hello, "Stop hook feedback:\n[check]: not yet", isMeta=True)
    done = log.says(feedback, "m3", "Now it is done.")
    resumed = log.user(done, "Continue from where you left off.", isMeta=True)
    log.says(log.user(resumed, "Continue from where you left off."), "m4", "On.")
    reading = log.read(tmp_path)
    assert texts(reading)[-4:] == [
        "Hello. < Skill",
        "Now it is done. < Hello.",
        "Continue from where you left off. < Now it is done.",
        "On. < Continue from where you left off.",
    ]
    told = [step.inputs.get("notices") for step in reading.record.graph][-4:]
    assert told == [["Say hello."], ["Stop hook feedback:\n[check]: not yet"], None, None]
