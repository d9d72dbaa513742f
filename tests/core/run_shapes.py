"""Random runs for the tests of several runs at once: DAGs whose steps often hold the same content."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind, step_id
from tests.core.sample_runs import make_record

KINDS = (StepKind.THINK, StepKind.MODEL, StepKind.TOOL, StepKind.DONE)


@st.composite
def runs(draw: st.DrawFn, *, smallest: int = 0, largest: int = 12, letters: str = "abc") -> RunRecord:
    """A run of a few steps; contents come from a small set, so that equal ones occur in several places."""
    steps: list[Step] = []
    for number in range(draw(st.integers(smallest, largest))):
        count = min(number, draw(st.integers(0, 2)))
        parents = (
            draw(st.lists(st.integers(0, number - 1), min_size=count, max_size=count, unique=True)) if count else []
        )
        steps.append(
            priced(
                draw,
                a_step(
                    draw(st.sampled_from(KINDS)),
                    draw(st.sampled_from(letters)),
                    [steps[parent].id for parent in parents],
                    draw(st.sampled_from("xy")),
                ),
            )
        )
    return make_record(
        steps, run_id=draw(st.sampled_from(["one", "two", "three"])), status=draw(st.sampled_from(RunStatus))
    )


def a_step(kind: StepKind, text: str, parents: Sequence[str], answer: str, **fields: Any) -> Step:
    """A step that was asked `text` and answered `answer`."""
    inputs, outputs = {"text": text}, {"answer": answer}
    identity = step_id(kind, inputs, parent_ids=parents, outputs=outputs, model_info="m")
    return Step(
        id=identity, parent_ids=tuple(parents), kind=kind, inputs=inputs, outputs=outputs, model_info="m", **fields
    )


def priced(draw: st.DrawFn, step: Step) -> Step:
    """The step with figures that follow from its id, so that one id has the same ones everywhere."""
    number = int(step.id[:4], 16)
    usage: dict[str, int | float] = {"input": number % 50} if number % 3 else {}
    return msgspec.structs.replace(
        step, cost=(number % 8) / 16, duration=(number % 5) / 4, timestamp=float(number), usage=usage
    )


@st.composite
def families(draw: st.DrawFn) -> list[RunRecord]:
    """Up to four runs, some of them cut from one another and continued."""
    found = [draw(runs(smallest=1))]
    for _ in range(draw(st.integers(0, 3))):
        source = draw(st.sampled_from(found))
        point = draw(st.integers(0, len(source.graph) - 1))
        steps = [source.graph.step(place) for place in source.graph.closure([point])]
        for _ in range(draw(st.integers(0, 3))):
            parent = draw(st.sampled_from(steps))
            steps.append(priced(draw, a_step(StepKind.MODEL, draw(st.sampled_from("abcd")), [parent.id], "x")))
        status = draw(st.sampled_from(RunStatus))
        found.append(make_record(steps, run_id=f"run {len(found)}", status=status))
    return found


def rewritten(record: RunRecord, place: int, change: Callable[[Step], dict[str, Any]]) -> RunRecord:
    """The run with one step's content changed, and every id that follows from it made anew."""
    steps: list[Step] = []
    new: dict[str, str] = {}
    for position, step in enumerate(record.graph):
        fields = change(step) if position == place else {}
        parents = tuple(new.get(parent, parent) for parent in step.parent_ids)
        if fields or parents != step.parent_ids:
            changed = msgspec.structs.replace(step, parent_ids=parents, **fields)
            identity = step_id(
                changed.kind, changed.inputs, parent_ids=parents, outputs=changed.outputs, model_info=changed.model_info
            )
            new[step.id] = identity
            step = msgspec.structs.replace(changed, id=identity)
        steps.append(step)
    return make_record(steps, run_id=record.run_id)


def chain(*words: str, **fields: Any) -> RunRecord:
    """A run of model steps in a row; `tool:x` makes a tool step."""
    steps: list[Any] = []
    for word in words:
        kind = StepKind.TOOL if word.startswith("tool:") else StepKind.MODEL
        steps.append(a_step(kind, word, [steps[-1].id] if steps else [], "x"))
    return make_record(steps, **fields)


def words(record: RunRecord, ids: Any) -> list[str]:
    return [record.graph.step(identity).inputs["text"] for identity in ids]


def altered(record: RunRecord, identity: str, **fields: Any) -> RunRecord:
    """The run with a step's record changed under its old id: what a forger, or an editor of the text, leaves."""
    return record.with_graph(Graph.of([*_with(record, identity, fields)]))


def _with(record: RunRecord, identity: str, fields: dict[str, Any]) -> list[Step]:
    return [msgspec.structs.replace(step, **fields) if step.id == identity else step for step in record.graph]
