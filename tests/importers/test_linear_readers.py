"""Sessions of shapes that are rare and long: what has sixteen times the entries takes about sixteen times the time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.core.format.text_blocks import _comma_behind
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.codex.chain import Chain
from opentine_gui.importers.codex.links import Links
from opentine_gui.importers.frameworks.spans.conversation import Conversation
from opentine_gui.importers.frameworks.spans.flow import Calls, Done, Flow
from opentine_gui.importers.frameworks.spans.forest import Forest
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.frameworks.trajectories.messages import _actions
from opentine_gui.importers.pi.entries import load
from opentine_gui.importers.pi.tree import Tree
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.content import Call, Content
from opentine_gui.importers.sources.line import Line
from tests.growth import is_squared

Entries = list[dict[str, Any]]


def said(name: object, above: object, role: str, **fields: Any) -> dict[str, Any]:
    message = {"role": role, "content": [], **fields}
    return {"type": "message", "id": str(name), "parentId": above and str(above), "message": message}


def answer(name: object, above: object, calls: list[str]) -> dict[str, Any]:
    parts = [{"type": "toolCall", "id": call, "name": "t", "arguments": {}} for call in calls]
    return said(name, above, "assistant", content=parts)


def tree_of(entries: Entries) -> Tree:
    content = "".join(json.dumps(entry) + "\n" for entry in [{"type": "session"}, *entries]).encode()
    session = load(Path("x.jsonl"), [content], Report(), Pace())
    tree = Tree(session, RunDraft())
    tree.take(list(session.entries.values()))
    return tree


# --- pi --------------------------------------------------------------------------------------------------------------


def results_in_a_row(count: int) -> Entries:
    rows = [said(f"r{n}", f"r{n - 1}" if n else "a", "toolResult", toolCallId=f"c{n}") for n in range(count)]
    return [answer("a", None, [f"c{n}" for n in range(count)]), *rows, said("end", f"r{count - 1}", "user")]


def calls_of_one_id(count: int) -> Entries:
    rows = [said(f"r{n}", f"r{n - 1}" if n else "a", "toolResult", toolCallId="c") for n in range(count)]
    return [answer("a", None, ["c"] * count), *rows]


def results_of_another_branch(count: int) -> Entries:
    entries = [answer("side", None, [f"q{n}" for n in range(count)])]
    for n in range(count):
        entries.append(answer(f"a{n}", f"r{n - 1}" if n else None, ["x"]))
        entries.append(said(f"r{n}", f"a{n}", "toolResult", toolCallId=f"q{n}"))
    return entries


def the_last_first(count: int) -> Entries:
    return [said(n, n - 1 if n else None, "user") for n in reversed(range(count))]


def compactions(count: int) -> Entries:
    entries = [said(f"u{n}", f"u{n - 1}" if n else None, "user") for n in range(count)]
    for n in range(count):
        above = f"k{n - 1}" if n else f"u{count - 1}"
        entries.append({"type": "compaction", "id": f"k{n}", "parentId": above, "firstKeptEntryId": f"u{n}"})
    return entries


def summaries_of_branches(count: int) -> Entries:
    return [{"type": "branch_summary", "id": f"b{n}", "parentId": None} for n in range(count)]


@pytest.mark.parametrize(
    "entries",
    [
        results_in_a_row,
        calls_of_one_id,
        results_of_another_branch,
        the_last_first,
        compactions,
        summaries_of_branches,
    ],
)
def test_the_time_for_a_session_of_pi_follows_its_length(entries: Callable[[int], Entries]) -> None:
    assert not is_squared(lambda count: tree_of(entries(count)), 500)


def test_what_follows_a_row_of_results_rests_on_all_of_them_whatever_marks_stand_between() -> None:
    entries = results_in_a_row(3)
    label = {"type": "label", "id": "l", "parentId": "r0", "label": "x", "targetId": "r0"}
    entries[2]["parentId"] = "l"
    tree = tree_of([*entries[:2], label, *entries[2:]])
    assert tree.draft.steps["end"].parents == ["r0", "r1", "r2"]
    assert [tree.draft.steps[f"r{n}"].parents for n in range(3)] == [["a"]] * 3
    assert tree.refs == {"x": "r0"}


def test_a_result_between_two_others_can_have_a_branch_of_its_own() -> None:
    tree = tree_of([*results_in_a_row(3), said("branch", "r1", "user")])
    assert tree.draft.steps["branch"].parents == ["r0", "r1"]


def test_a_summary_says_how_many_steps_stand_from_the_first_that_was_kept() -> None:
    entries = [said(n, n - 1 if n else None, "user") for n in range(9)]
    label = {"type": "label", "id": "l", "parentId": "8", "label": "x", "targetId": "8"}
    kept = {"type": "compaction", "id": "k", "parentId": "l", "firstKeptEntryId": "3"}
    elsewhere = [said("other", "2", "user"), {**kept, "id": "k2", "firstKeptEntryId": "other"}]
    again = {**kept, "id": "k3", "parentId": "k", "firstKeptEntryId": "l"}
    tree = tree_of([*entries, label, kept, *elsewhere, again, said("end", "k3", "user")])
    steps = tree.draft.steps
    assert (steps["k"].outputs["kept_steps"], steps["k"].causes) == (6, ["3"])
    assert "kept_steps" not in steps["k2"].outputs
    assert (steps["k3"].outputs["kept_steps"], steps["k3"].causes) == (1, ["8"])
    assert steps["end"].parents == ["8", "k3"]


# --- lines and spans -------------------------------------------------------------------------------------------------


def results_without_an_id(count: int) -> object:
    line = Line(RunDraft())
    line.answer(Content(calls=[Call("a", {}, "") for _ in range(count)]))
    for _ in range(count):
        line.result("", {})
    return line


def results_of_one_id(count: int) -> object:
    line = Line(RunDraft())
    line.answer(Content(calls=[Call("a", {}, "c")]))
    for number in range(count):
        line.result("c", {}, place=Place(Path("x"), number, 1))
    return line


def span(number: int, began: float, ended: float, kind: str = "chat", parent: str = "", **more: object) -> Span:
    said = {"gen_ai.operation.name": kind, "gen_ai.tool.name": "t", **more}
    return Span("t", str(number), parent, "s", began, ended, said)


def forest_of(spans: list[Span]) -> Conversation:
    conversation = Conversation(Forest(spans), RunDraft(), Pace())
    conversation.grow()
    return conversation


def tools_side_by_side(count: int) -> object:
    flow, forest = Flow(base=[]), Forest(tools := [span(n, 10.0, 20.0 + n) for n in range(count)])
    flow.answer(done := Done(["a"], 0.0, 1.0, calls=Calls([(f"c{n}", f"f{n}") for n in range(count)])))
    flow.add(done)
    for number, tool in enumerate(tools):
        flow.answer_that_asked(forest, tool, f"c{number}", "")
        flow.answer_that_asked(forest, tool, "", f"f{count - 1 - number}")
        flow.before(tool)
        flow.add(Done([str(number)], tool.began, tool.ended))
    return flow


def tools_that_nobody_names(count: int) -> object:
    flow, forest = Flow(base=[]), Forest(tools := [span(n, 10.0, 20.0 + n) for n in range(count)])
    flow.answer(Done(["a"], 0.0, 1.0))
    for tool in tools:
        flow.add(Done(["x"], tool.began, tool.ended))
        flow.answer_that_asked(forest, tool, "", "z")
    return flow


def answers_with_a_call_each(count: int) -> object:
    flow, forest = Flow(base=[]), Forest(tools := [span(n, 10.0 * n + 5, 10.0 * n + 6) for n in range(count)])
    for number, tool in enumerate(tools):
        flow.answer(Done([str(number)], tool.began - 4, tool.began - 3, calls=Calls([(f"c{number}", "f")])))
        flow.answer_that_asked(forest, tool, "unknown", "z")
    return flow


def chats_inside_many_spans(count: int) -> object:
    outer = [span(0, 0.0, 9e9, "execute_tool"), span(1, 1.0, 9e9, "execute_tool", "0")]
    inner = [span(n, float(n), n + 0.5, "x", "1") for n in range(2, count)]
    forest = Forest([*outer, *inner, span(count, 9e8, 9e8 + 1, "chat", "1")])
    return forest.first_chats(outer[1]), [forest.works(outer[1]) for _ in range(count)]


def attempts(count: int) -> object:
    spans = [span(n, float(n), n + 0.9999) for n in range(count)]
    for one in spans:
        one.failed = True
    return forest_of(spans)


def contexts_in_codex(count: int) -> object:
    chain = Chain(RunDraft(), Links())
    for number in range(count):
        chain.context(f"{number}", None, Place(Path("x"), number, 1))
    return chain


def notes_of_one_step(count: int) -> object:
    step = RunDraft().add("a", StepKind.THINK)
    for number in range(count):
        step.note(Place(Path("x"), number, 1))
    return step


@pytest.mark.parametrize(
    "work",
    [
        results_without_an_id,
        results_of_one_id,
        tools_side_by_side,
        tools_that_nobody_names,
        answers_with_a_call_each,
        chats_inside_many_spans,
        attempts,
        contexts_in_codex,
        notes_of_one_step,
    ],
)
def test_the_time_for_calls_and_spans_follows_their_number(work: Callable[[int], object]) -> None:
    assert not is_squared(work, 1_000)


def test_an_answer_that_is_made_again_asks_for_its_own_calls_alone() -> None:
    flow, forest = Flow(base=[]), Forest([one := span(1, 9.0, 10.0)])
    earlier = Done(["a"], 0.0, 1.0, calls=Calls([("c", "f")]))
    failed = Done(["b"], 2.0, 3.0, calls=Calls([("x", "g"), ("c", "f")]))
    for done in (earlier, failed):
        flow.answer(done)
        flow.add(done)
    assert flow.answer_that_asked(forest, one, "c", "") == (failed, 1)
    flow.answer_again(Done(["-"], 4.0, 12.0, calls=Calls([("y", "h")])))
    assert flow.answer_that_asked(forest, one, "c", "") == (earlier, 0)
    assert flow.answer_that_asked(forest, one, "y", "") == (failed, 0)
    assert flow.before(one) == [earlier]
    assert flow.tips() == ["a", "b"]


def test_calls_of_one_name_are_carried_out_in_their_order() -> None:
    calls = Calls([("", "f"), ("1", "f"), ("", "g"), ("", "f")])
    assert [calls.take("other", "f"), calls.take("", "f"), calls.take("other", "f")] == [0, 1, 3]
    assert calls.take("", "f") is None


# --- texts that begin something and never end it ---------------------------------------------------------------------


@pytest.mark.parametrize("gap", ["\n", "\n ", " ", "\t\n"])
def test_a_block_of_code_that_begins_with_much_space_and_has_no_end(gap: str) -> None:
    assert not is_squared(lambda size: _actions({}, {}, "```bash\n" + gap * size + "ls"), 500)


def test_the_command_in_a_block_of_code_is_what_stands_behind_its_empty_lines() -> None:
    said = "I look.\n```bash \n\n \t\n  ls\nls -l\n```\nand\n```bash\ncat a\n```"
    assert [call.arguments for call in _actions({}, {}, said)] == [{"command": "  ls\nls -l"}]
    assert _actions({}, {}, "```sh\n```") == _actions({}, {}, "```sh ls\n```") == []


def test_a_string_of_json_that_has_no_end() -> None:
    text = b'{"a":"' + b'\\"' * 100_000
    assert not is_squared(lambda size: _comma_behind(memoryview(text)[: 2 * size], 5, 1), 500)
