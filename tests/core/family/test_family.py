"""Several runs as one graph: the union by id, who descends from whom, and money counted once."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.generate import linear_run
from opentine_gui.core import (
    Basis,
    Cancelled,
    RunRecord,
    RunStatus,
    Step,
    StepKind,
    Totals,
    family_of,
    fork,
    fork_and_edit,
    merge,
    totals_of,
)
from opentine_gui.core.files.reader import decode, encode
from tests.core.run_shapes import a_step, altered, families
from tests.core.sample_runs import make_record
from tests.growth import control_text, excess


def steps_by_id(records: list[RunRecord]) -> dict[str, Step]:
    """The first record of every id."""
    found: dict[str, Step] = {}
    for record in records:
        for step in record.graph:
            found.setdefault(step.id, step)
    return found


def plain_sum(steps: Any) -> tuple[int, float, float, int]:
    chosen = list(steps)
    return (
        len(chosen),
        math.fsum(step.cost or 0.0 for step in chosen),
        math.fsum(step.duration for step in chosen),
        sum(step.tokens or 0 for step in chosen),
    )


def as_sum(totals: Totals) -> tuple[int, float, float, int]:
    return (totals.steps, pytest.approx(totals.cost), pytest.approx(totals.duration), totals.tokens)


# --- the union -----------------------------------------------------------------------------------------------------


@given(families())
def test_the_union_holds_every_id_once_and_knows_who_has_it(records: list[RunRecord]) -> None:
    family = family_of(records)
    sets = [set(record.graph.ids) for record in records]
    assert len(set(family.graph.ids)) == len(family.graph)
    assert set(family.graph.ids) == set().union(*sets)
    for place, name in enumerate(family.graph.ids):
        holders = tuple(run for run, ids in enumerate(sets) if name in ids)
        assert family.runs_of(place) == holders
        assert family.count(place) == len(holders)
        assert all(parent < place for parent in family.graph.parents[place])
        assert family.graph.parent_ids(place) == records[holders[0]].graph.parent_ids(name)
        assert family.graph.step(place) == records[holders[0]].graph.step(name)
    assert {family.graph.ids[place] for place in family.shared} == set.intersection(*sets)
    for run, record in enumerate(records):
        assert [family.graph.ids[place] for place in family.steps[run]] == list(record.graph.ids)
        assert {family.graph.ids[place] for place in family.only(run)} == sets[run].difference(
            *sets[:run], *sets[run + 1 :]
        )
        assert [family.graph.ids[place] for place in family.tips(run)] == record.tips
        line = [family.graph.ids[place] for place in family.path(run)]
        assert line[-1] == record.main_tip
        assert all(one in record.graph.parent_ids(two)[:1] for one, two in pairwise(line))
    assert not family.variants
    assert not family.conflicts


@given(families())
def test_the_columns_of_the_union_say_what_its_steps_say(records: list[RunRecord]) -> None:
    graph = family_of(records).graph
    for place, step in enumerate(graph):
        head = graph.head(place)
        assert (head.kind, head.cost, head.duration, head.timestamp) == (
            step.kind,
            step.counted_cost,
            step.duration,
            step.timestamp,
        )
        assert (head.tokens, head.cost_state, head.failed) == (step.tokens, step.cost_state, bool(step.error))


def test_no_runs_make_an_empty_family() -> None:
    family = family_of([])
    assert (len(family.graph), family.tree, family.islands, family.shared) == (0, (), 0, ())
    assert family.spending.once == Totals()
    assert family_of([make_record([])]).path(0) == []


def test_one_id_with_other_figures_is_kept_as_variants_and_the_priced_one_is_shown() -> None:
    step = a_step(StepKind.MODEL, "a", [], "x", usage={"input": 4})
    records = [make_record([step]) for _ in range(4)]
    for run, fields in ((1, {"cost": 2.0, "duration": 3.0}), (2, {"cost": 2.0, "duration": 3.0}), (3, {"cost": 5.0})):
        records[run] = altered(records[run], step.id, **fields)
    family = family_of(records)
    found = family.variants[step.id]
    assert [(variant.runs, variant.cost) for variant in found] == [((1, 2), 2.0), ((3,), 5.0), ((0,), 0.0)]
    assert family.graph.step(0).cost == family.graph.head(0).cost == 2.0
    assert not family.conflicts
    spending = family.spending
    assert (spending.once.cost, spending.repeated.cost, spending.saved.cost, spending.naive.cost) == (
        2.0,
        5.0,
        2.0,
        9.0,
    )
    assert (spending.once.steps, spending.repeated.steps, spending.saved.steps) == (1, 2, 1)
    assert spending.naive.unpriced == 1


def test_one_id_over_other_content_is_a_conflict_and_the_honest_run_is_named() -> None:
    first = a_step(StepKind.MODEL, "a", [], "x", cost=1.0)
    record = make_record([first, a_step(StepKind.MODEL, "b", [first.id], "x", cost=1.0)])
    name = record.graph.ids[1]
    forged = altered(record, name, outputs={"answer": "forged"})
    family = family_of([forged, record, record])
    (conflict,) = family.conflicts
    assert (conflict.id, conflict.shown, conflict.others, conflict.proven) == (name, 0, (1, 2), (1, 2))
    assert family.graph.step(name).outputs == {"answer": "forged"}
    assert (family.spending.once.cost, family.spending.repeated.cost, family.spending.saved.cost) == (2.0, 1.0, 3.0)
    assert family_of([record, record]).conflicts == ()


def test_a_forged_parent_cannot_make_a_circle() -> None:
    top = a_step(StepKind.MODEL, "top", [], "x")
    one = a_step(StepKind.MODEL, "one", [top.id], "x")
    two = a_step(StepKind.MODEL, "two", [one.id], "x")
    turned = make_record(
        [
            msgspec.structs.replace(two, parent_ids=()),
            msgspec.structs.replace(one, parent_ids=(two.id,)),
            msgspec.structs.replace(top, parent_ids=(one.id,)),
        ]
    )
    family = family_of([make_record([top, one, two]), turned])
    assert {conflict.id for conflict in family.conflicts} == {top.id, one.id, two.id}
    assert family.graph.parents == [(), (0,), (1,)]
    assert family_of([turned, make_record([top, one, two])]).graph.parents == [(), (0,), (1,)]


# --- where runs come from ------------------------------------------------------------------------------------------


def chain(*words: str, **fields: Any) -> RunRecord:
    steps: list[Step] = []
    for word in words:
        steps.append(a_step(StepKind.MODEL, word, [steps[-1].id] if steps else [], "x"))
    return make_record(steps, **fields)


def test_fork_and_merge_records_make_the_tree() -> None:
    source = chain("a", "b", "c", run_id="source")
    point = source.graph.ids[1]
    child = fork_and_edit(source, source.graph.ids[2], inputs={"text": "other"}, now=2.0, nonce="1")
    grandchild = fork(child, child.main_tip or "", now=3.0, nonce="2")
    tips = [(0, source.main_tip or ""), (1, child.main_tip or "")]
    merged = merge([source, child], tips, inputs={"text": "join"}, now=4.0, nonce="3")
    family = family_of([grandchild, merged, child, source])
    facts = {descent.run: (descent.parent, descent.basis, descent.taken) for descent in family.lineage}
    assert facts == {
        0: (2, Basis.FORK, 3),
        1: (3, Basis.MERGE, 3),
        2: (3, Basis.FORK, 2),
        3: (None, Basis.NONE, 0),
    }
    assert family.lineage[2].point == point
    assert family.lineage[1].sources == (3, 2)
    assert family.tree == ((3, 0), (1, 1), (2, 1), (0, 2))
    assert family.islands == 1


def test_without_records_shared_ids_make_the_tree() -> None:
    def bare(*words: str, at: float) -> RunRecord:
        return chain(*words, created_at=at, run_id="-".join(words))

    source, early, late, late_child, loose = (
        bare("a", "b", "c", "d", at=1.0),
        bare("a", "x", at=2.0),
        bare("a", "b", "y", "z", at=3.0),
        bare("a", "b", "y", "w", at=4.0),
        bare("q", at=0.5),
    )
    family = family_of([late_child, late, early, source, loose])
    assert [(descent.parent, descent.basis) for descent in family.lineage] == [
        (1, Basis.SHARED),
        (3, Basis.SHARED),
        (3, Basis.SHARED),
        (None, Basis.NONE),
        (None, Basis.NONE),
    ]
    assert family.lineage[0].point == late.graph.ids[2]
    assert [descent.island for descent in family.lineage] == [0, 0, 0, 0, 1]
    assert family.islands == 2


def test_a_source_that_is_not_open_is_named_and_runs_that_share_its_steps_stay_together() -> None:
    source = chain("a", "b", run_id="source")
    children = [fork(source, source.graph.ids[0], now=2.0, nonce=str(number)) for number in range(2)]
    family = family_of(children)
    assert [(descent.parent, descent.named, descent.island) for descent in family.lineage] == [
        (None, ("source",), 0),
        (None, ("source",), 0),
    ]


def test_records_that_contradict_each_other_make_no_circle() -> None:
    one = chain("a", run_id="one", metadata={"forked_from": "two", "fork_point": "nowhere"})
    two = chain("a", run_id="two", metadata={"forked_from": "one"})
    own = chain("a", run_id="own", metadata={"forked_from": "own", "merge": {"sources": [7, {"run_id": []}]}})
    family = family_of([one, two, own])
    assert sorted(run for run, _ in family.tree) == [0, 1, 2]
    assert [descent.parent for descent in family.lineage].count(None) >= 1


def test_of_two_copies_of_a_source_the_one_with_the_fork_point_counts() -> None:
    whole = chain("a", "b", run_id="source")
    cut = chain("a", run_id="source")
    child = fork(whole, whole.graph.ids[1], now=2.0, nonce="")
    assert family_of([cut, whole, child]).lineage[2].parent == 1


@given(families())
def test_every_run_has_one_place_in_the_tree(records: list[RunRecord]) -> None:
    family = family_of(records)
    assert sorted(run for run, _ in family.tree) == list(range(len(records)))
    for one in range(len(records)):
        for two in range(one):
            if set(records[one].graph.ids) & set(records[two].graph.ids):
                assert family.lineage[one].island == family.lineage[two].island


# --- money and time ------------------------------------------------------------------------------------------------


@given(families())
def test_the_family_counts_every_id_once(records: list[RunRecord]) -> None:
    spending = family_of(records).spending
    assert plain_sum(steps_by_id(records).values()) == as_sum(spending.once)
    assert plain_sum(step for record in records for step in record.graph) == as_sum(spending.naive)
    assert spending.repeated == Totals()
    reused = []
    seen: set[str] = set()
    for record in records:
        reused += [step for step in record.graph if step.id in seen]
        seen.update(record.graph.ids)
    assert plain_sum(reused) == as_sum(spending.saved)


@given(families())
def test_dead_ends_are_what_no_completed_tip_rests_on(records: list[RunRecord]) -> None:
    steps = steps_by_id(records)
    tips = {record.main_tip for record in records if record.status is RunStatus.COMPLETED}
    tips |= {name for record in records for name in record.tips if record.graph.step(name).kind is StepKind.DONE}
    alive = {name for name in tips if name}
    open_steps = {record.main_tip for record in records if record.status in (RunStatus.RUNNING, RunStatus.PAUSED)}
    for names in (alive, open_steps):
        todo = list(names)
        while todo:
            for parent in steps[todo.pop() or ""].parent_ids:
                if parent not in names:
                    names.add(parent)
                    todo.append(parent)
    spending = family_of(records).spending
    dead = [step for name, step in steps.items() if name not in alive]
    assert plain_sum(dead) == as_sum(spending.dead_ends)
    assert plain_sum(step for step in dead if step.id in open_steps) == as_sum(spending.undecided)


@given(families(), st.data())
def test_a_step_s_sums_are_those_of_plain_sets(records: list[RunRecord], data: st.DataObject) -> None:
    family = family_of(records)
    graph = family.graph
    name = data.draw(st.sampled_from(graph.ids))
    steps = {step.id: step for step in graph}

    def above(one: str) -> set[str]:
        return {one}.union(*(above(parent) for parent in steps[one].parent_ids))

    def reachable_without(removed: str) -> set[str]:
        found: set[str] = set()
        for step in graph:  # parents come first
            if step.id != removed and (not step.parent_ids or set(step.parent_ids) & found):
                found.add(step.id)
        return found

    found = family.step_spending(name)
    below = [step for step in graph if name in above(step.id)]
    lost = set(steps) - reachable_without(name)
    assert plain_sum([steps[name]]) == as_sum(found.own)
    assert plain_sum(steps[one] for one in above(name)) == as_sum(found.ancestors)
    assert plain_sum(below) == as_sum(found.descendants)
    assert plain_sum(steps[one] for one in lost) == as_sum(found.subtree)


def test_a_price_that_is_missing_makes_every_sum_it_is_in_a_lower_bound() -> None:
    one = a_step(StepKind.MODEL, "a", [], "x", cost=1.0)
    two = a_step(StepKind.MODEL, "b", [one.id], "x", cost=0.0, usage={"input": 9})
    family = family_of([make_record([one, two]), make_record([one])])
    assert (family.spending.once.unpriced, family.spending.saved.unpriced, family.spending.naive.unpriced) == (1, 0, 1)
    assert (family.step_spending(one.id).subtree.unpriced, family.step_spending(one.id).own.unpriced) == (1, 0)


# --- big and hostile -----------------------------------------------------------------------------------------------


def test_two_hundred_forks_of_one_run_hold_every_shared_step_once() -> None:
    source = linear_run(500, payload=80)
    records = [source]
    for number in range(200):
        point = source.graph.ids[2 * number + 1]
        records.append(fork_and_edit(source, point, inputs={"try": number}, now=2e9 + number, nonce=str(number)))
    records = [decode(encode(record)) for record in records]
    family = family_of(records)
    assert len(family.graph) == 700
    for place in range(0, 500, 50):
        assert family.count(place) == sum(source.graph.ids[place] in record.graph for record in records)
    assert {descent.parent for descent in family.lineage[1:]} == {0}
    assert {descent.taken for descent in family.lineage[1:]} == {2 * number + 1 for number in range(200)}
    assert family.spending.once.steps == 700
    assert family.spending.saved.steps == sum(len(record.graph) for record in records) - 700
    assert family.spending.once.cost == pytest.approx(source.totals.cost)


@pytest.mark.serial  # beside others less of the processor's caches is left to the work than to the control
def test_the_work_grows_with_the_number_of_steps_and_not_faster() -> None:
    def united(count: int) -> Callable[[], object]:
        source = linear_run(count, payload=40)
        records = [source, *(fork(source, source.graph.ids[-1 - back], now=1.0, nonce="") for back in (1, count // 2))]

        def once() -> None:
            family = family_of(records)
            assert family.spending.once.steps == count
            family.step_spending(source.graph.ids[count // 3])

        return once

    few, many = 1_000, 10_000
    assert not excess(united(few), united(many), (control_text(few), control_text(many)))


def test_a_union_tells_how_far_it_is_and_stops_when_asked() -> None:
    fractions: list[float] = []
    records = [chain("a"), chain("b"), chain("c")]
    family_of(records, progress=fractions.append)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    with pytest.raises(Cancelled):
        family_of(records, cancelled=lambda: True)


def test_the_sums_of_a_union_are_those_of_its_graph() -> None:
    family = family_of([chain("a", "b"), chain("a", "c")])
    assert family.spending.once == totals_of(family.graph)
