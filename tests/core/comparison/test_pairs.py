"""What answers to what in two runs, and what is said where one id has two records."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import (
    DivergenceKind,
    Mark,
    PairKind,
    RunRecord,
    StepKind,
    compare,
    fork_and_edit,
)
from tests.core.run_shapes import a_step, altered, chain, words
from tests.core.sample_runs import make_record


def test_what_comes_after_an_inserted_step_is_the_same_work_moved() -> None:
    found = compare(chain("s", "p", "q"), chain("s", "new", "p", "q"))
    assert words(found.b, found.only_b) == ["new"]
    assert words(found.a, [pair.a for pair in found.moved]) == ["p", "q"]
    (root,) = found.root_divergences
    assert root.kind is DivergenceKind.ONLY_B
    assert words(found.b, root.causes) == ["new"]
    assert found.a.graph.ids[1] not in found.causes


def test_repeated_work_is_paired_with_its_neighbours_and_not_across() -> None:
    a = chain("s", "first", "ok", "second", "ok", "third", "ok")
    b = chain("s", "1st", "ok", "second", "ok", "3rd", "ok")
    found = compare(a, b)
    assert [a.graph.index(pair.a) - b.graph.index(pair.b) for pair in (*found.moved, *found.changed)] == [0] * 6
    assert words(a, [pair.a for pair in found.changed]) == ["first", "third"]
    assert len(found.root_divergences) == 1


def test_a_changed_root_is_found_by_the_work_that_follows_it() -> None:
    found = compare(chain("a question", "p", "q"), chain("another question", "p", "q"))
    (pair,) = found.changed
    assert (pair.a, pair.b) == (found.a.graph.ids[0], found.b.graph.ids[0])
    (root,) = found.root_divergences
    assert (root.parent, root.kind) == (None, DivergenceKind.CHANGED)


def test_a_changed_root_is_found_by_the_fork_record() -> None:
    source = chain("a question", "p", "q")
    child = fork_and_edit(source, source.graph.ids[0], inputs={"text": "other"}, now=1.0, nonce="")
    (pair,) = compare(source, child).changed
    assert pair.a == source.graph.ids[0]
    unrelated = make_record(list(child.graph), run_id="other")
    assert compare(source, unrelated).changed == ()


def test_after_a_change_only_calls_of_the_same_tool_still_answer_to_each_other() -> None:
    def run(word: str) -> RunRecord:
        top = a_step(StepKind.MODEL, word, [], "x")
        steps = [a_step(StepKind.MODEL, "start", [], "x")]
        steps.append(a_step(StepKind.MODEL, word, [steps[0].id], "x"))
        for name in ("search", word):
            step = a_step(StepKind.TOOL, f"{name} {word}", [steps[1].id], word, tool_info={"name": name})
            steps.append(step)
        steps.append(a_step(StepKind.MODEL, f"think {word}", [steps[1].id], word))
        assert top.id not in {step.id for step in steps}
        return make_record(steps)

    found = compare(run("left"), run("right"))
    assert words(found.a, [pair.a for pair in found.changed]) == ["left", "search left"]
    assert words(found.a, found.only_a) == ["left left", "think left"]


def test_work_that_was_put_on_another_shared_step_is_moved_and_parts_there() -> None:
    one = a_step(StepKind.MODEL, "one", [], "x")
    two = a_step(StepKind.MODEL, "two", [one.id], "x")
    early, late = (a_step(StepKind.MODEL, "work", [parent], "x") for parent in (one.id, two.id))
    found = compare(make_record([one, two, early]), make_record([one, two, late]))
    (pair,) = found.moved
    assert (pair.a, pair.b) == (early.id, late.id)
    (root,) = found.root_divergences
    assert (root.kind, set(root.parents)) == (DivergenceKind.MOVED, {one.id, two.id})


def test_two_steps_in_another_order_still_part_somewhere() -> None:
    found = compare(chain("s", "x", "y"), chain("s", "y", "x"))
    assert len(found.moved) == 2
    assert [root.kind for root in found.root_divergences] == [DivergenceKind.MOVED]


def test_a_partner_is_the_step_itself_when_it_is_shared_and_none_when_there_is_none() -> None:
    found = compare(chain("s", "p"), chain("s", "q", "r"))
    assert found.partner(found.a.graph.ids[0]) == found.a.graph.ids[0]
    assert found.partner(found.a.graph.ids[1]) == found.b.graph.ids[1]
    assert found.partner(found.b.graph.ids[1]) == found.a.graph.ids[1]
    assert found.partner(found.b.graph.ids[2]) is None


def test_the_same_step_at_another_cost_is_a_variant_and_at_another_time_is_not() -> None:
    record = chain("a", "b")
    name = record.graph.ids[1]
    assert compare(record, altered(record, name, timestamp=9.0, duration=2.0)).same
    found = compare(record, altered(record, name, cost=2.0, usage={"input": 3}))
    (pair,) = found.changed
    assert (pair.a, pair.b, pair.kind, found.same) == (name, name, PairKind.VARIANT, False)
    assert [field.name for field in found.difference(pair)] == ["cost", "usage"]
    assert found.root_divergences == ()
    assert found.marks[name] is Mark.VARIANT


@pytest.mark.parametrize("fields", [{"outputs": {"answer": "forged"}}, {"parent_ids": ()}, {"kind": StepKind.ERROR}])
def test_other_content_under_one_id_is_a_conflict(fields: dict[str, Any]) -> None:
    record = chain("a", "b", "c")
    name = record.graph.ids[1]
    forged = altered(record, name, **fields)
    for one, two in ((record, forged), (forged, record)):
        found = compare(one, two)
        (pair,) = found.conflicts
        assert (pair.a, pair.b, found.same) == (name, name, False)
        assert found.marks[name] is Mark.CONFLICT
