"""Many new steps at once: the same ids and records as one by one, repeats numbered, refusals alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.edit.new_graph import NewGraph
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    # no lone surrogates: both refuse them
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), VALUES, max_size=3)
FIELDS = st.fixed_dictionaries(
    {"timestamp": st.floats(0, 2e9)},
    optional={
        "outputs": OBJECTS,
        "model_info": VALUES,
        "tool_info": OBJECTS,
        "error": OBJECTS,
        "duration": st.floats(0, 100),
        "usage": st.dictionaries(st.sampled_from(["input", "output", "other"]), st.integers(0, 1000)),
        "billing": OBJECTS,
        "causal_ids": st.lists(st.just("a" * 64), max_size=1),
        "provider": st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
        "v3_kind": st.sampled_from([None, "human"]),
    },
)


@given(st.lists(st.tuples(st.sampled_from(list(StepKind)), OBJECTS, FIELDS, st.lists(st.integers(0, 9))), max_size=6))
def test_steps_made_in_one_pass_are_those_made_one_by_one(wanted):
    made = NewGraph()
    steps = []
    for number, (kind, inputs, fields, above) in enumerate(wanted):
        inputs = {**inputs, "number": number}
        parents = list(dict.fromkeys(place for place in above if place < number))
        made.add(kind, inputs, parents, **fields)
        steps.append(new_step(kind, inputs, [steps[parent].id for parent in parents], **fields))
    ours, reference = made.graph(), Graph.of(steps)
    assert ours.ids == reference.ids
    assert ours.parents == reference.parents
    assert [bytes(raw) for raw in ours.raws] == [bytes(raw) for raw in reference.raws]
    assert [ours.head(place) for place in range(len(ours))] == [reference.head(place) for place in range(len(ours))]
    assert ours.causal == reference.causal


def test_a_step_that_happened_again_is_numbered():
    made = NewGraph()
    for _ in range(3):
        made.add(StepKind.TOOL, {"name": "ls"}, (), timestamp=1.0, tool_info={"attempts": 1})
    graph = made.graph()
    assert [step.tool_info for step in graph] == [
        {"attempts": 1},
        {"attempts": 1, "nth": 2},
        {"attempts": 1, "nth": 3},
    ]


@pytest.mark.parametrize(
    "fields",
    [
        {"inputs": {"a": float("nan")}},
        {"inputs": {1: "a"}},
        {"inputs": {"a": "\ud800"}},
        {"inputs": {"a": "\U0001f600"}, "outputs": {"a": "\udc00\ud800"}},
        {"inputs": {}, "provider": "\udfff"},
        {"inputs": {}, "cost": -1.0},
        {"inputs": {}, "timestamp": float("inf")},
        {"inputs": {}, "v3_kind": "cat"},
        {"inputs": {}, "usage": {"input": 0.5}},
    ],
)
def test_what_no_file_can_hold_is_refused(fields):
    with pytest.raises(FormatError):
        NewGraph().add(StepKind.TOOL, parents=(), **{"timestamp": 1.0} | fields)


@pytest.mark.parametrize("field", ["inputs", "outputs", "tool_info", "error", "billing", "model_info"])
@pytest.mark.parametrize("beside", [0, 100])
def test_what_nests_too_deeply_is_refused_wherever_it_stands(field, beside):
    def nested(levels):
        value = {}
        for level in range(levels):
            value = [value] if level % 2 else {"in": value}
        return {f"beside {number}": "" for number in range(beside)} | {"deep": value}

    fields = {"inputs": {}, "timestamp": 1.0}
    # a document, its graph, its steps, the step, the field and the innermost object are around them
    NewGraph(names_are_text=True).add(StepKind.TOOL, parents=(), **fields | {field: nested(512 - 6)})
    with pytest.raises(LimitError):
        NewGraph(names_are_text=True).add(StepKind.TOOL, parents=(), **fields | {field: nested(512 - 5)})
