"""The transcript up to a step: recorded turns of its ancestors, else the texts of the steps."""

from __future__ import annotations

from typing import Any

import msgspec

from opentine_gui.app.inspect.step.step_page import conversation_page
from opentine_gui.app.inspect.transcript_turns import MOST_TURNS, turns_to
from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind
from opentine_gui.describe.payload_text import whole_text
from tests.conftest import MakeRun, named

SHAPE = {"find": "", "plan": "find", "left": "plan", "right": "plan"}


def conversation(record: RunRecord, step: str, items: list[Any]) -> list[tuple[str, str, str]]:
    """(who speaks, what, the note beside it) of every turn; the first says where they come from."""
    page = conversation_page(record, record.graph.step(step), items)
    return [(section.heading, section.value, section.note) for section in page.sections]


def with_transcript(record: RunRecord, items: list[Any]) -> RunRecord:
    return msgspec.structs.replace(record, transcript_text=msgspec.json.encode(items))


def test_only_turns_of_the_step_and_its_ancestors_are_shown(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    turns = [{"role": "assistant", "content": name, "step_id": named(run, name)} for name in SHAPE]
    run = with_transcript(run, [{"role": "user", "content": "Go"}, *turns])
    source, *said = conversation(run, named(run, "left"), run.transcript)
    assert said == [
        ("user", "Go", ""),
        ("assistant", "find", "go there"),
        ("assistant", "plan", "go there"),
        ("assistant", "left", "this step"),
    ]
    assert source[0] == "Recorded transcript, up to this step"
    page = conversation_page(run, run.graph.step(named(run, "left")), run.transcript)
    assert page.begin == 4


def test_without_a_transcript_the_steps_themselves_are_shown_and_a_line_says_so(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    source, *said = conversation(run, named(run, "right"), run.transcript)
    assert source[0].startswith("No transcript was recorded")
    assert [text for _, text, _ in said] == ["Draw the graph", "find", "plan", "right"]


def test_without_a_transcript_a_model_says_what_it_calls_and_a_tool_how_it_was_called() -> None:
    asked = {"url": "https://lefthook.dev/usage/", "prompt": "Find how hooks are chained"}
    calls = [{"id": "1", "name": "WebFetch", "arguments": asked}, {"id": "2", "name": "Bash", "arguments": {}}]
    model = Step(id="calls", parent_ids=(), kind=StepKind.MODEL, inputs={}, outputs={"text": "", "tool_calls": calls})
    inputs = {"name": "WebFetch", "arguments": asked}
    outputs = {"result": "status code 404"}
    tool = Step(id="fetch", parent_ids=("calls",), kind=StepKind.TOOL, inputs=inputs, outputs=outputs)
    run = RunRecord(run_id="r", status=RunStatus.COMPLETED, created_at=0.0, graph=Graph.of([model, tool]))
    said = [text for _, text, _ in conversation(run, "fetch", [])[1:]]
    words = "WebFetch(prompt: Find how hooks are chained, url: https://lefthook.dev/usage/)"
    assert said[-2:] == [f"calls {words}\ncalls Bash()", f"{words}\nstatus code 404"]


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
    said = [(who, text) for who, text, _ in conversation(run, step, run.transcript)[1:]]
    assert said == [("assistant", "calls search(q: x)"), ("tool · search", "two papers")]


def test_turns_of_any_shape_are_shown_and_a_hostile_name_is_cleaned(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    step = named(run, "find")
    items = [None, 7, "note", ["a", {"text": "b"}], {"role": "\x1b[31m\u202ered", "content": "said", "step_id": step}]
    said = [(who, text) for who, text, _ in conversation(run, step, items)[1:]]
    assert said == [("note", ""), ("note", "7"), ("note", "note"), ("note", "a\nb"), ("red", "said")]


def test_a_long_conversation_shows_its_end(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    step = named(run, "find")
    items = [{"role": "user", "content": f"turn {number}", "step_id": step} for number in range(MOST_TURNS + 50)]
    source, *said = conversation(run, step, items)
    assert "50 earlier turns are not shown here" in source[0]
    assert said[0][1] == "turn 50"
    assert said[-1][1] == f"turn {MOST_TURNS + 49}"


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
