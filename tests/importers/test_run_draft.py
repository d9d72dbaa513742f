"""A run in the making: order, equal steps, missing parents, cycles; and lines of JSON as agents write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.model import StepKind
from opentine_gui.importers.growing.growing_draft import GrowingDraft
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Place, Reading, Report
from opentine_gui.importers.run_draft import RunDraft, capture_of

CAPTURE = capture_of("test", "1", "~/a.jsonl", "test", b"bytes")


def finish(draft: RunDraft):
    return draft.finish(run_id="run", created_at=1.0, capture=CAPTURE)


def test_equal_steps_under_equal_parents_are_numbered_and_keep_their_own_children():
    draft = RunDraft()
    draft.add("root", StepKind.MODEL, inputs={"text": "hello"})
    for name in ("a", "b"):
        draft.add(name, StepKind.MODEL, ["root"], outputs={"text": "same"}, places=[Place(Path("x"), 0, 1)])
        draft.add(f"{name}2", StepKind.DONE, [name], outputs={"text": name})
    graph = finish(draft).record.graph
    steps = list(graph)
    same = [step for step in steps if step.outputs == {"text": "same"}]
    assert [step.tool_info for step in same] == [{}, {"nth": 2}]
    assert {graph.parent_ids(step.id) for step in steps if step.kind is StepKind.DONE} == {(step.id,) for step in same}


def test_a_copied_beginning_has_the_same_ids_whatever_the_keys_and_times_are():
    def run(prefix: str, time: float) -> list[str]:
        draft = RunDraft()
        draft.add(prefix + "1", StepKind.MODEL, inputs={"text": "a"}, timestamp=time)
        draft.add(prefix + "2", StepKind.TOOL, [prefix + "1"], inputs={"name": "bash"}, timestamp=time + 1)
        return list(finish(draft).record.graph.ids)

    assert run("x", 5.0) == run("y", 900.0)


def test_content_that_no_file_can_hold_costs_its_step_only_that_content():
    draft = RunDraft()
    deep: list = []
    for _ in range(2000):
        deep = [deep]
    draft.add("a", StepKind.TOOL, inputs={"arguments": deep}, timestamp=3.0)
    draft.add("b", StepKind.TOOL, ["a"], inputs={"name": "ls"}, fill=lambda step: step.outputs.update(result="x"))
    reading = finish(draft)
    first, second = reading.record.graph
    assert (first.inputs, first.error["type"]) == ({}, "not_kept")
    assert second.outputs == {"result": "x"}
    assert len(reading.report.remarks) == 1


def test_the_run_names_the_models_that_its_steps_used_the_one_used_most_first():
    draft = RunDraft()
    for number, model in enumerate(["b", "a", "a", ""]):
        draft.add(str(number), StepKind.MODEL, inputs={"number": number}, model_info=model)
    assert finish(draft).record.model_info == "a, b"


def test_a_missing_parent_and_a_cycle_are_reported_and_lose_no_step():
    draft = RunDraft()
    draft.add("a", StepKind.MODEL, ["b", "gone"], inputs={"text": "a"})
    draft.add("b", StepKind.MODEL, ["a"], inputs={"text": "b"})
    reading = finish(draft)
    assert len(reading.record.graph) == 2
    assert len(reading.report.remarks) == 2


@given(st.lists(st.lists(st.integers(0, 30), max_size=4), max_size=30))
def test_any_web_of_keys_becomes_a_graph_with_every_step(web):
    draft = RunDraft()
    for number, parents in enumerate(web):
        draft.add(str(number), StepKind.THINK, map(str, parents), inputs={"number": number})
    graph = finish(draft).record.graph
    assert sorted(step.inputs["number"] for step in graph) == list(range(len(web)))
    assert all(parent < child for child, parents in enumerate(graph.parents) for parent in parents)


def test_lines_are_read_with_their_places_and_dirt_is_counted():
    content = b'\xef\xbb\xbf{"a":1}\n{"b":"\xc3\xa9"}{"c":3}\nnot json\n[1]\n\n{"cut": '
    report = Report()
    lines = list(read_lines(Path("f"), content, report))
    assert [line.value for line in lines] == [{"a": 1}, {"b": "é"}, {"c": 3}]
    cut = [content[line.place.offset : line.place.offset + line.place.length] for line in lines]
    assert cut == [b'{"a":1}', b'{"b":"\xc3\xa9"}', b'{"c":3}']
    assert (report.records, report.bad_lines) == (5, 2)


@pytest.mark.parametrize("make", [RunDraft, GrowingDraft])
def test_the_ids_that_a_changed_rule_gave_are_known_of_a_step_and_of_all_below_it(make: type[RunDraft]) -> None:
    def reading(draft: RunDraft, error: dict[str, str]) -> Reading:
        draft.add("a", StepKind.MODEL, inputs={"text": "a"}, v3_kind="human")
        draft.add("b", StepKind.TOOL, ["a"], inputs={"name": "x"}, outputs={"result": "no"}, error=error)
        draft.add("c", StepKind.TOOL, ["a"], inputs={"name": "y"})
        draft.add("d", StepKind.MODEL, ["b", "c"], outputs={"text": "d"}, model_info="m")
        return draft.finish(run_id="r", created_at=0.0, capture={})

    before = reading(RunDraft(), {})
    draft = make()
    draft.once("b", {"error": {}})
    now = reading(draft, {"type": "failed"})
    ids, old = now.record.graph.ids, before.record.graph.ids
    assert now.former == {old[1]: ids[1], old[3]: ids[3]}
    assert before.former == {}
