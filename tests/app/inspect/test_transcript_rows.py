"""The transcript up to a step: recorded turns of its ancestors, else the texts of the steps."""

from __future__ import annotations

from typing import Any

import msgspec

from opentine_gui.app.inspect.transcript_rows import MOST_TURNS, transcript_rows, turns_to
from opentine_gui.core import RunRecord
from opentine_gui.describe.payload_text import whole_text
from tests.conftest import MakeRun, named

SHAPE = {"find": "", "plan": "find", "left": "plan", "right": "plan"}


def lines(text: str) -> list[str]:
    return text.split("\n")


def with_transcript(record: RunRecord, items: list[Any]) -> RunRecord:
    return msgspec.structs.replace(record, transcript_text=msgspec.json.encode(items))


def test_only_turns_of_the_step_and_its_ancestors_are_shown(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    turns = [{"role": "assistant", "content": name, "step_id": named(run, name)} for name in SHAPE]
    run = with_transcript(run, [{"role": "user", "content": "Go"}, *turns])
    rows = transcript_rows(run, named(run, "left"), run.transcript, lines)
    assert [row.text for row in rows if row.role == "text"] == ["Go", "find", "plan", "left"]
    assert [row.text for row in rows if row.here] == ["assistant", "left"]
    assert rows[0].text == "Recorded transcript, up to this step"


def test_without_a_transcript_the_steps_themselves_speak_and_it_is_said(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    rows = transcript_rows(run, named(run, "right"), run.transcript, lines)
    assert rows[0].text.startswith("No transcript was recorded")
    assert [row.text for row in rows if row.role == "text"] == ["Draw the graph", "find", "plan", "right"]


def test_turns_that_name_no_step_are_shown_as_the_whole_runs(make_run: MakeRun) -> None:
    run = with_transcript(
        make_run(SHAPE), [{"role": "user", "content": "Go"}, {"role": "assistant", "content": "Done"}]
    )
    *_, source = turns_to(run, named(run, "left"), run.transcript)
    assert "whole run" in source


def test_tool_calls_and_tool_results_are_readable(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    step = named(run, "find")
    items = [
        {
            "role": "assistant",
            "content": None,
            "step_id": step,
            "tool_calls": [{"name": "search", "arguments": {"q": "x"}}],
        },
        {"role": "tool", "name": "search", "content": [{"type": "text", "text": "two papers"}], "step_id": step},
    ]
    run = with_transcript(run, items)
    texts = [row.text for row in transcript_rows(run, step, run.transcript, lines)]
    assert texts[1:] == ["assistant", "calls search(q: x)", "tool · search", "two papers"]


def test_turns_of_any_shape_are_shown_and_hostile_text_is_cleaned(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    step = named(run, "find")
    items = [None, 7, "note", ["a", {"text": "b"}], {"role": {"x": 1}, "content": "\x1b[31m\u202ered", "step_id": step}]
    texts = "\n".join(row.text for row in transcript_rows(run, step, items, lines))
    assert "\x1b" not in texts
    assert "\u202e" not in texts
    assert "red" in texts


def test_a_long_conversation_shows_its_end(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    step = named(run, "find")
    items = [{"role": "user", "content": f"turn {number}", "step_id": step} for number in range(MOST_TURNS + 50)]
    texts = [row.text for row in transcript_rows(run, step, items, lines)]
    assert texts[1] == "50 earlier turns are not shown here"
    assert "turn 49" not in texts
    assert texts[-1] == f"turn {MOST_TURNS + 49}"


def test_what_a_payload_says_is_found_in_the_usual_places() -> None:
    assert whole_text({"id": 3, "content": [{"type": "text", "text": "hello"}]}) == "hello"
    assert whole_text({"a": 1, "b": "c"}) == "a: 1, b: c"
    assert whole_text(None) == ""
    deep: Any = "end"
    for _ in range(2_000):
        deep = [deep]
    assert whole_text(deep) == ""


def test_a_call_in_the_transcript_shows_all_its_arguments() -> None:
    arguments = {"limit": 5, "query": "RLHF survey", "languages": ["zh", "ru"]}
    assert whole_text(arguments) == "limit: 5, query: RLHF survey, languages: zh\nru"
