"""Comparing runs: what is shared, what answers to what, and where they diverge."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import opentine
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.generate import linear_run
from opentine_gui.core import (
    Cancelled,
    DivergenceKind,
    Figure,
    Graph,
    Mark,
    PairKind,
    RunRecord,
    StepKind,
    TineError,
    compare,
    fork,
    fork_and_edit,
)
from opentine_gui.core.comparison import content_hashes
from opentine_gui.core.comparison.content_hashes import contents, request_of
from opentine_gui.core.comparison.step_difference import CONTENT_FIELDS
from opentine_gui.core.files.reader import decode, encode
from tests.core.run_shapes import a_step, chain, rewritten, runs
from tests.core.sample_runs import DATA, corpus_files, make_record
from tests.growth import control_text, excess

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data" / "vectors.json").read_text())["diff"]

BETTER = {
    "disjoint": "runs without a common step are not paired by position: nothing says that the steps belong together",
    "two branches, siblings sorted by id": "a step both runs have is the same, whatever its siblings' ids are",
}
"""Vectors in which our pairing differs from the package's on purpose, and why."""


def own_hash(graph: Graph, position: int) -> bytes:
    return contents(graph, [position])[0].own


def request_hash(graph: Graph, position: int) -> bytes:
    return request_of(contents(graph, [position])[0].call, graph.parent_ids(position))


# --- the package's own answers ------------------------------------------------------------------------------------


def as_the_package(a: RunRecord, b: RunRecord) -> dict[str, Any]:
    """Our comparison in the shape of the package's."""
    found = compare(a, b)
    changed = []
    for pair in found.changed:
        fields = [
            {
                "name": field.name,
                "before": field.before,
                "after": field.after,
                "changed_keys": list(field.changed_keys),
            }
            for field in found.difference(pair)
        ]
        changed.append({"a": pair.a, "b": pair.b, "fields": fields})
    return {
        "common_ancestor": found.common_ancestor,
        "only_a": list(found.only_a),
        "only_b": list(found.only_b),
        "changed": changed,
    }


def sides(vector: dict[str, Any]) -> tuple[RunRecord, RunRecord]:
    return decode(json.dumps(vector["a"]).encode()), decode(json.dumps(vector["b"]).encode())


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_answer_is_the_package_s_except_where_ours_is_better(vector: dict[str, Any]) -> None:
    found = as_the_package(*sides(vector))
    wanted = {key: vector[key] for key in found}
    assert (found == wanted) == (vector["name"] not in BETTER)


def test_runs_without_a_common_step_are_different_work() -> None:
    found = compare(*sides(next(vector for vector in VECTORS if vector["name"] == "disjoint")))
    assert (len(found.only_a), len(found.only_b), found.changed, found.moved) == (2, 3, (), ())
    assert [(root.parent, root.kind) for root in found.root_divergences] == [(None, DivergenceKind.DIFFERENT)]


def test_a_shared_step_is_never_changed_by_its_siblings() -> None:
    found = compare(*sides(next(vector for vector in VECTORS if vector["name"].startswith("two branches"))))
    (pair,) = found.changed
    assert found.marks[found.a.graph.ids[2]] is Mark.SAME
    assert [(field.before, field.after) for field in found.difference(pair)] == [({"branch": "a"}, {"branch": "c"})]


def test_the_package_finds_nothing_where_numbers_change_their_type_and_ours_does(tmp_path: Path) -> None:
    runs_of_the_package = []
    for number, value in enumerate((1, 1.0, True)):
        run = opentine.Run(id="types")
        run.add_step(opentine.StepKind("think"), {"n": value})
        runs_of_the_package.append((run, Path(run.save(tmp_path / f"{number}.tine"))))
    (one, first), (two, second), (_, third) = runs_of_the_package
    assert not one.diff(two).changed
    for other in (second, third):
        found = compare(decode(first.read_bytes()), decode(other.read_bytes()))
        assert not found.same
        assert found.root_divergences


# --- properties ----------------------------------------------------------------------------------------------------


@given(runs())
def test_a_run_is_the_same_as_itself(record: RunRecord) -> None:
    found = compare(record, record)
    assert found.same
    assert found.shared == record.graph.ids
    assert not found.root_divergences
    assert not found.drift_twins
    assert found.figures.steps.delta == 0


@given(runs(), runs())
def test_every_step_is_in_exactly_one_place(a: RunRecord, b: RunRecord) -> None:
    found = compare(a, b)
    left, right = set(a.graph.ids), set(b.graph.ids)
    assert set(found.shared) == left & right
    across = [pair for pair in (*found.moved, *found.changed) if pair.a != pair.b]
    assert sorted([*found.only_a, *(pair.a for pair in across)]) == sorted(left - right)
    assert sorted([*found.only_b, *(pair.b for pair in across)]) == sorted(right - left)
    assert set(found.marks) == left | right
    assert found.same == (left == right and not found.changed)
    assert bool(found.root_divergences) == (left != right)


@given(runs(), runs())
def test_a_pair_is_moved_exactly_when_the_own_content_is_equal(a: RunRecord, b: RunRecord) -> None:
    found = compare(a, b)
    for pair in (*found.moved, *found.changed):
        if pair.a != pair.b:
            equal = own_hash(a.graph, a.graph.index(pair.a)) == own_hash(b.graph, b.graph.index(pair.b))
            assert equal == (pair.kind is PairKind.MOVED)
            assert equal == (not {field.name for field in found.difference(pair)} & set(CONTENT_FIELDS))


@given(runs(largest=16), runs(largest=16))
def test_no_own_content_is_left_over_on_both_sides(a: RunRecord, b: RunRecord) -> None:
    found = compare(a, b)
    left = {own_hash(a.graph, a.graph.index(identity)) for identity in found.only_a}
    right = {own_hash(b.graph, b.graph.index(identity)) for identity in found.only_b}
    assert not left & right


@given(runs(largest=16), runs(largest=16))
def test_swapping_the_runs_swaps_the_answer(a: RunRecord, b: RunRecord) -> None:
    one, two = compare(a, b), compare(b, a)
    assert set(one.shared) == set(two.shared)
    assert (one.only_a, one.only_b) == (two.only_b, two.only_a)
    for mine, yours in ((one.changed, two.changed), (one.moved, two.moved)):
        assert {(pair.a, pair.b, pair.kind) for pair in mine} == {(pair.b, pair.a, pair.kind) for pair in yours}
    assert set(one.common_ancestors) == set(two.common_ancestors)
    swapped = {DivergenceKind.ONLY_A: DivergenceKind.ONLY_B, DivergenceKind.ONLY_B: DivergenceKind.ONLY_A}
    assert {(root.a, root.b, root.kind, frozenset(root.parents)) for root in one.root_divergences} == {
        (root.b, root.a, swapped.get(root.kind, root.kind), frozenset(root.parents)) for root in two.root_divergences
    }
    assert {(frozenset(twins.a), frozenset(twins.b)) for twins in one.drift_twins} == {
        (frozenset(twins.b), frozenset(twins.a)) for twins in two.drift_twins
    }
    assert one.figures.cost.a == two.figures.cost.b


@given(runs(smallest=1, largest=16), st.data())
def test_one_edited_step_is_the_one_root_divergence_and_the_rest_follows_from_it(
    record: RunRecord, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(record.graph) - 1))
    edited = rewritten(record, place, lambda step: {"inputs": {"text": "edited"}})
    found = compare(record, edited)
    (root,) = found.root_divergences
    old = record.graph.step(place)
    assert root.a == old.id
    assert root.b is not None
    assert edited.graph.step(root.b).inputs == {"text": "edited"}
    assert set(root.parents) == set(old.parent_ids)
    after = {record.graph.ids[child] for child in record.graph.descendants([place])} - {old.id}
    assert {pair.a for pair in found.moved} >= after
    assert not after & found.causes
    assert root.b in found.causes


@given(runs(smallest=1, largest=14), st.data())
def test_an_edited_fork_of_a_chain_parts_once_at_the_edited_step(record: RunRecord, data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 12))
    source = chain(*[data.draw(st.sampled_from("abc")) for _ in range(count)])
    step = data.draw(st.sampled_from(source.graph.ids))
    child = fork_and_edit(source, step, inputs={"text": "edited"}, now=1.5, nonce="")
    (root,) = compare(source, child).root_divergences
    assert (root.a, root.b, root.kind) == (step, child.main_tip, DivergenceKind.CHANGED)


@given(runs(smallest=1), st.data())
def test_twins_are_siblings_asked_the_same_and_answered_differently(record: RunRecord, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(record.graph) - 1))
    other = rewritten(record, place, lambda step: {"outputs": {"answer": "another"}})
    found = compare(record, other)
    name = record.graph.ids[place]
    (group,) = [group for group in found.drift_twins if name in group.a]
    (root,) = found.root_divergences
    assert root.b in group.b
    members = [(record.graph, member) for member in (*group.a, *group.both)]
    members += [(other.graph, member) for member in group.b]
    assert len({request_hash(graph, graph.index(member)) for graph, member in members}) == 1
    assert len({own_hash(graph, graph.index(member)) for graph, member in members}) > 1


@given(runs(smallest=1), runs(smallest=1))
def test_the_common_ancestor_follows_the_package_s_rule(a: RunRecord, b: RunRecord) -> None:
    tips = [record.graph.index(record.main_tip or "") for record in (a, b)]
    above = {b.graph.ids[place] for place in b.graph.ancestors(tips[1])}
    line = [a.graph.ids[place] for place in a.graph.ancestors(tips[0])]
    found = compare(a, b)
    assert found.common_ancestor == next((name for name in reversed(line) if name in above), None)
    assert set(found.common_ancestors) <= set(line) & above
    assert bool(found.common_ancestors) == (found.common_ancestor is not None)


def test_spelling_does_not_make_a_difference_and_types_do() -> None:
    record = chain("a")
    text = encode(record).decode()
    spelled = decode(
        text.replace('"answer": "x"', '"answer": "\\u0078"').replace('"error": {}', '"error": null').encode()
    )
    assert compare(record, spelled).same
    assert own_hash(record.graph, 0) == own_hash(spelled.graph, 0)
    numbers = [decode(text.replace('"text": "a"', f'"text": {value}').encode()) for value in ("1", "1.0", "true")]
    assert len({own_hash(record.graph, 0) for record in numbers}) == 3
    assert all(len(compare(numbers[0], other).conflicts) == 1 for other in numbers[1:])


# --- sums ----------------------------------------------------------------------------------------------------------


def test_what_was_not_recorded_stays_not_recorded() -> None:
    found = compare(chain("a"), chain("a", "b"))
    assert (found.figures.cost.a, found.figures.cost.delta, found.figures.duration.delta) == (None, None, None)
    assert (found.figures.steps.delta, found.figures.tokens.delta) == (1, None)


def test_a_delta_of_incomplete_prices_is_not_exact() -> None:
    known = a_step(StepKind.MODEL, "a", [], "x", cost=1.0, usage={"input": 4}, duration=2.0)
    missing = a_step(StepKind.MODEL, "b", [known.id], "x", cost=0.0, usage={"input": 6})
    found = compare(make_record([known]), make_record([known, missing]))
    cost = found.figures.cost
    assert (cost.delta, cost.a_least, cost.b_least, cost.exact) == (0.0, False, True, False)
    assert (found.figures.tokens.delta, found.figures.duration.delta) == (6, 0.0)
    single = found.step_figures(known.id, missing.id)
    assert (single.cost.a, single.cost.b, single.tokens.delta) == (1.0, None, 2)
    assert found.step_figures(None, known.id).steps.delta == 1


def test_the_order_of_adding_up_is_no_difference() -> None:
    assert Figure(0.1 + 0.2, 0.3).delta == 0.0
    assert Figure(0.3, 0.3001).delta == pytest.approx(0.0001)


# --- hostile and big -----------------------------------------------------------------------------------------------


def readable() -> list[RunRecord]:
    found = []
    for path in [*corpus_files(), *sorted((DATA / "bad").glob("*.tine")), *sorted((DATA / "handmade").glob("*.tine"))]:
        try:
            found.append(decode(path.read_bytes()))
        except TineError:
            continue
    return found


def test_no_document_that_can_be_read_breaks_a_comparison() -> None:
    records = readable()
    assert len(records) > 50
    control = decode((DATA / "bad" / "00_control_good.tine").read_bytes())
    for record in records:
        assert compare(record, record).same
        found = compare(control, record)
        for pair in found.changed:
            found.difference(pair)
        assert found.same == compare(record, control).same


def test_deep_content_is_compared(tmp_path: Path) -> None:
    def nested(end: str) -> RunRecord:
        text = encode(chain("a")).decode()
        return decode(text.replace('"text": "a"', '"text": ' + '{"a":' * 480 + f'"{end}"' + "}" * 480).encode())

    found = compare(nested("left"), nested("right"))
    (pair,) = found.changed
    (field,) = found.difference(pair)
    assert (field.paths[0].before, len(field.paths[0].path)) == ("left", 481)


def test_a_comparison_tells_how_far_it_is_and_stops_when_asked() -> None:
    record = linear_run(3000)
    other = rewritten(record, 10, lambda step: {"inputs": {"text": "edited"}})
    fractions: list[float] = []
    compare(record, other, progress=fractions.append)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert len(fractions) > 8
    asked = iter([False] * 3 + [True] * 100)
    with pytest.raises(Cancelled):
        compare(linear_run(3000), other, cancelled=lambda: next(asked))


def test_hashes_are_worked_out_once_for_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = chain("a", "b").graph
    before = contents(graph, [0, 1])
    monkeypatch.setattr(content_hashes, "_contents", lambda *_: pytest.fail("worked out again"))
    assert contents(graph, [1, 0]) == before[::-1]


def wide(count: int, name: str) -> RunRecord:
    """Hubs with many children that rest on a step of their own too: what invites quadratic work."""
    hub = a_step(StepKind.MODEL, "hub", [], "x")
    steps = [hub]
    for number in range(count // 2):
        steps.append(a_step(StepKind.TOOL, f"{name} {number}", [hub.id], "x"))
        steps.append(
            a_step(StepKind.MODEL, "same" if number % 2 else f"{name} join {number}", [hub.id, steps[-1].id], "x")
        )
    return make_record(steps)


SHAPES: list[Callable[[int, str], RunRecord]] = [
    lambda count, name: rewritten(linear_run(count, payload=60), 5, lambda step: {"inputs": {"text": name}}),
    wide,
    lambda count, name: chain("start", name, *["same"] * (count if name == "left" else count // 2)),
    lambda count, name: chain("start", *[f"tool:{name} {number}" for number in range(count)]),
]


@pytest.mark.serial  # beside others less of the processor's caches is left to the work than to the control
@pytest.mark.parametrize("shape", SHAPES, ids=["chain", "wide", "repeats", "all changed"])
def test_the_work_grows_with_the_number_of_steps_and_not_faster(shape: Callable[[int, str], RunRecord]) -> None:
    def compared(count: int) -> Callable[[], object]:
        one, other = shape(count, "left"), shape(count, "right")

        def once() -> object:
            content_hashes._known.clear()  # else only the first comparison works them out
            return compare(one, other)

        return once

    few, many = 600, 6000
    assert not excess(compared(few), compared(many), (control_text(few), control_text(many)))


def test_a_fork_shares_all_it_keeps() -> None:
    record = linear_run(40)
    child = fork(record, record.graph.ids[20], now=1.0, nonce="")
    found = compare(record, child)
    assert len(found.shared) == 21
    assert found.common_ancestor == found.common_ancestors[0] == record.graph.ids[20]
    assert found.only_a == record.graph.ids[21:]


def test_a_record_whose_text_has_no_canonical_form_is_still_told_apart() -> None:
    record = chain("a")
    raw = bytes(record.graph.raws[0]).replace(b'"text":"a"', b'"text":1e999')
    broken = make_record(list(record.graph))
    broken.graph.raws[0] = msgspec.Raw(raw)
    broken.graph.proved[0] = 0
    assert len(own_hash(broken.graph, 0)) == 32
    assert own_hash(broken.graph, 0) != own_hash(record.graph, 0)
