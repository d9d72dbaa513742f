"""Records, sources and steps that a caller builds: a field of another type is refused there, in a sentence of ours."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from opentine_gui.core import (
    Graph,
    Run,
    RunRecord,
    Source,
    Step,
    TineError,
    compare,
    encode,
    family_of,
    fork,
    merge,
    overview_of,
    replay,
    step_difference,
    text_difference,
    verify,
)
from tests.conftest import run_of

ODD: tuple[Any, ...] = (
    None, 3, -1, 1.5, True, "x", b"x", b"{", b"[", [], [1], {}, {2: 1}, {"a": None}, {"a": object()}, (), (1,),
    object(), float("nan"), 10**400, {"input": "x"}, {"input": 10**400, "output": 1.5}, {"main": 3}, lambda: 1,
)  # fmt: skip
RUN = run_of({"a": "", "b": "a", "c": "a"})


def refused(use: Any) -> None:
    """Use what was built; only an error with a sentence of ours may come of it."""
    said = "a sentence"
    try:
        use()
    except TineError as error:
        said = str(error)
    assert said


def use_record(record: RunRecord) -> None:
    """Give it to whatever takes a record, and ask it everything."""
    one, two, three = RUN.graph.ids
    uses = (
        lambda: encode(record),
        lambda: verify(record),
        lambda: Run.of(record).to_dict(),
        lambda: fork(record, two, now=1.0, nonce=""),
        lambda: merge([RUN, record], [(0, two), (1, three)], inputs={}, now=1.0, nonce=""),
        lambda: compare(RUN, record),
        lambda: family_of([RUN, record]),
        lambda: overview_of(record),
        lambda: replay(record, now=1.0),
        lambda: record.resolve(one[:8]),
        lambda: record.edited(run_id="y"),
        record.read_transcript,
    )
    for use in uses:
        refused(use)
    for name, value in vars(RunRecord).items():
        if isinstance(value, property):
            refused(lambda name=name: getattr(record, name))


@pytest.mark.parametrize("field", RunRecord.__struct_fields__)
def test_a_record_with_a_field_of_another_type(field: str) -> None:
    for odd in ODD:
        refused(lambda odd=odd: use_record(msgspec.structs.replace(RUN, **{field: odd})))  # type: ignore[misc]


@pytest.mark.parametrize("field", Source.__struct_fields__)
def test_a_source_with_a_field_of_another_type(field: str) -> None:
    for odd in ODD:
        refused(
            lambda odd=odd: use_record(  # type: ignore[misc]
                msgspec.structs.replace(RUN, source=msgspec.structs.replace(Source(), **{field: odd}), untouched=True)
            )
        )


def use_step(step: Step) -> None:
    """Put it into a graph, compare it, and ask it everything."""
    root = RUN.graph.step(0)
    for use in (
        lambda: encode(RUN.edited(graph=Graph.of([root, step]), refs={})),
        lambda: step_difference(RUN.graph.step(1), step),
        lambda: step_difference(step, root),
    ):
        refused(use)
    for name, value in vars(Step).items():
        if isinstance(value, property):
            refused(lambda name=name: getattr(step, name))


@pytest.mark.parametrize("field", Step.__struct_fields__)
def test_a_step_with_a_field_of_another_type(field: str) -> None:
    for odd in ODD:
        refused(lambda odd=odd: use_step(msgspec.structs.replace(RUN.graph.step(1), **{field: odd})))  # type: ignore[misc]


def test_what_is_wrong_is_said_where_it_is_given() -> None:
    odd: Any = "x"
    with pytest.raises(TineError, match=r"'x' is not a status of a run \(at status\)"):
        RunRecord(run_id="r", graph=Graph.of([]), status=odd)
    with pytest.raises(TineError, match="'x' is not a kind of step"):
        msgspec.structs.replace(RUN.graph.step(0), kind=odd)
    with pytest.raises(TineError, match="at transcript"):
        encode(msgspec.structs.replace(RUN, transcript_text=b"{}"))


def test_other_questions_with_odd_values() -> None:
    odd: Any
    step, comparison = RUN.graph.step(0), compare(RUN, RUN)
    for odd in (None, 3, [], object(), "x"):
        for ask in (
            lambda odd=odd: Graph.of(odd),
            lambda odd=odd: comparison.difference(odd),
            lambda odd=odd: verify(RUN).of(odd),
            lambda odd=odd: step_difference(step, step, names=odd),
            lambda odd=odd: text_difference("a", "b", context=odd) if odd != 3 else None,
        ):
            refused(ask)
        assert comparison.partner(odd) is None
