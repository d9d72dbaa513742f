"""The overlay of several runs: whose each step is, how many runs have it, how it differs."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import cast

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from opentine_gui.app.comparison.build_union import build_union, union_record
from opentine_gui.app.document.members import Member
from opentine_gui.app.document.overlay import LIT, OFF, PALETTE, SHARED, Overlay, ShownRun, lettered, run_role
from opentine_gui.core import Graph, Mark, RunRecord, StepKind, compare, family_of, fork_and_edit, step_id
from opentine_gui.export import request_of
from opentine_gui.export.content import Content
from opentine_gui.layout import Layout
from opentine_gui.scene.picture.links import MOST_STRANDS
from opentine_gui.scene.theme import RUNS, THEMES
from tests.conftest import named, run_of

A = {"a": "", "b": "a", "c": "b", "xd": "c"}
B = {"a": "", "b": "a", "e": "b", "f": "e"}


def overlay(*records: RunRecord, comparing: bool = False) -> Overlay:
    family = family_of(records)
    runs = tuple(
        ShownRun(f"run {number}", run_role(number), record.status.value, len(record.graph), len(family.only(number)))
        for number, record in enumerate(records)
    )
    if not comparing:
        return Overlay(family, runs)
    return Overlay(family, lettered(runs, (0, 1)), compare(records[0], records[1]))


def words(shown: Overlay, role: str) -> list[str]:
    """The steps of this colour."""
    graph, code = shown.family.graph, PALETTE.index(role)
    return [graph.step(place).inputs["text"] for place in range(len(graph)) if shown.step_roles[place] == code]


def test_a_step_of_one_run_has_its_colour_and_a_step_of_several_that_of_shared_work() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other"), comparing=True)
    assert words(shown, "shared") == ["a", "b"]
    assert words(shown, "side_a") == ["c", "xd"]
    assert words(shown, "side_b") == ["e", "f"]


def test_a_link_has_the_colour_of_its_lower_step() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other"), comparing=True)
    graph = shown.family.graph
    layout = picture(shown)
    colours = {}
    for (source, target), code in zip(layout.edges.tolist(), shown.link_roles(layout).tolist(), strict=True):
        colours[graph.step(source).inputs["text"] + graph.step(target).inputs["text"]] = PALETTE[code]
    assert colours == {"ab": "shared", "bc": "side_a", "cxd": "side_a", "be": "side_b", "ef": "side_b"}


def test_a_lit_run_is_in_the_accent_from_its_root_to_its_tip() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other")).lighting(1)
    assert words(shown, "accent") == ["a", "b", "e", "f"]
    assert words(shown, "run_1") == ["c", "xd"]
    assert shown.lighting(None).step_roles.tolist().count(LIT) == 0


def test_lighting_a_run_that_is_off_switches_it_on() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other")).toggled(1)
    assert shown.shown == (0,)
    assert shown.lighting(1).shown == (0, 1)


def test_switching_a_run_off_dims_only_what_no_other_run_has() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other")).toggled(0)
    assert words(shown, "hairline") == ["c", "xd"]
    assert shown.dimmed == frozenset({2, 3})
    assert words(shown, "run_2") == ["a", "b", "e", "f"]
    assert shown.mark(0).count == 1


def test_the_last_run_that_is_on_stays_on() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other")).toggled(0)
    assert shown.toggled(1) is shown


def test_looking_at_one_side_dims_the_other_and_leaves_shared_steps_as_they_are() -> None:
    both = overlay(run_of(A), run_of(B, run_id="other"), comparing=True)
    side = replace(both, facing=1)
    assert words(side, "hairline") == ["c", "xd"]
    assert words(side, "shared") == ["a", "b"]
    assert side.mark(0).count == 2


def test_both_steps_at_which_two_runs_part_carry_the_number_of_the_divergence() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other"), comparing=True)
    flags = {
        shown.family.graph.step(place).inputs["text"]: [flag.text for flag in shown.mark(place).flags if flag.above]
        for place in range(len(shown.family.graph))
    }
    assert flags == {"a": [], "b": [], "c": ["they part here"], "xd": [], "e": ["they part here"], "f": []}


def test_each_tip_carries_its_run_in_the_runs_colour_and_how_it_ended() -> None:
    shown = overlay(run_of(A, status="failed"), run_of(B, run_id="other"), comparing=True)
    place = shown.family.graph.index
    tips = {place(step): [(flag.text, flag.role) for flag in flags] for step, flags in shown.tip_flags.items()}
    assert tips == {3: [("A run 0", "side_a"), ("failed", "bad")], 5: [("B run 1", "side_b")]}
    assert shown.family.graph.ids[3] not in shown.toggled(0).tip_flags


def test_the_same_work_after_a_different_start_is_distinguished_from_different_work() -> None:
    left = {"start": "", "same": "start", "tail": "same"}
    right = {"other": "", "same": "other", "tail": "same"}
    shown = overlay(run_of(left), run_of(right, run_id="other"), comparing=True)
    record = run_of(left)
    identity = named(record, "tail")
    moved = shown.mark(shown.family.graph.index(identity))
    assert shown.marks.mark(identity) is Mark.MOVED
    assert moved.border == "shared"
    assert "same work" in [flag.text for flag in moved.flags]
    assert identity not in shown.divergences


def test_a_step_recorded_with_another_cost_has_variants_and_one_with_other_content_is_a_conflict() -> None:
    first, dearer = run_of(A), run_of(A, run_id="dearer", cost=0.5)
    shown = overlay(first, dearer)
    assert "other figures" in [flag.text for flag in shown.mark(0).flags]
    step = first.graph.step(1)
    forged = first.with_graph(
        Graph.of([first.graph.step(0), msgspec.structs.replace(step, inputs={"text": "forged"})]), refs={}
    )
    told = overlay(first, forged).mark(1)
    assert [flag.text for flag in told.flags if flag.role == "bad"] == ["other content in run 1"]


def test_steps_with_one_request_and_different_outcomes_are_a_stack_whose_flags_stand_clear_of_it() -> None:
    def answered(answer: str) -> RunRecord:
        asked = run_of({"a": ""})
        root = asked.graph.step(0)
        identity = step_id(StepKind.MODEL, {"text": "ask"}, outputs={"text": answer}, parent_ids=[root.id])
        step = msgspec.structs.replace(
            root, id=identity, kind=StepKind.MODEL, parent_ids=(root.id,), inputs={"text": "ask"},
            outputs={"text": answer}, model_info="",
        )  # fmt: skip
        return asked.with_graph(Graph.of([root, step]), refs={"main": identity}, run_id=answer)

    shown = overlay(answered("yes"), answered("no"), comparing=True)
    assert len(shown.family.graph) == 3
    ids = shown.family.graph.ids
    assert shown.stacks == dict.fromkeys(ids[1:], ids[1:])
    said = [[flag.text for flag in shown.mark(place).flags] for place in range(3)]
    assert said == [[], ["they part here"], ["same request, 2 outcomes", "A run 0", "B run 1"]]


def test_a_link_that_few_runs_share_shows_each_of_them_and_one_that_many_share_shows_none() -> None:
    few = [run_of({"a": "", "b": "a", f"t{n}": "b"}, run_id=str(n)) for n in range(MOST_STRANDS)]
    shown = overlay(*few)
    layout = picture(shown)
    shared = layout.edges.tolist().index([0, 1])
    assert shown.strands(layout, shared) == RUNS[:MOST_STRANDS]
    assert shown.toggled(0).strands(layout, shared) == RUNS[1:MOST_STRANDS]
    alone = layout.edges.tolist().index([1, 2])
    assert shown.strands(layout, alone) == ()
    many = overlay(*few, run_of({"a": "", "b": "a", "more": "b"}, run_id="more"))
    assert many.strands(picture(many), 0) == ()
    pair = overlay(few[0], few[1], comparing=True)
    assert pair.strands(picture(pair), 0) == ()


def test_the_run_that_stands_for_a_step_is_the_lit_one_then_one_that_is_on() -> None:
    shown = overlay(run_of(A), run_of(B, run_id="other"))
    root, alone = shown.family.graph.ids[0], shown.family.graph.ids[5]
    assert shown.holder(root) == 0
    assert shown.lighting(1).holder(root) == 1
    assert shown.toggled(0).holder(root) == 1
    assert shown.toggled(1).holder(alone) == 1
    assert shown.holder("not a step") is None


def test_colours_are_given_out_again_after_the_last() -> None:
    assert run_role(0) == run_role(len(RUNS)) == "run_1"
    assert set(RUNS) <= set(PALETTE)
    for theme in THEMES.values():
        assert len({theme.role(role) for role in PALETTE}) == len(PALETTE)


steps = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=1, max_size=12)


@settings(max_examples=60)
@given(st.lists(steps, min_size=2, max_size=5), st.data())
def test_colours_and_counts_are_those_of_plain_sets(shapes: list[list[tuple[int, int]]], data: st.DataObject) -> None:
    records = [_grown(shape, str(number)) for number, shape in enumerate(shapes)]
    shown = overlay(*records)
    for run in data.draw(st.lists(st.integers(0, len(records) - 1), max_size=4)):
        shown = shown.toggled(run)
    sets = [set(record.graph.ids) for record in records]
    on = [sets[run] for run in shown.shown]
    for place, identity in enumerate(shown.family.graph.ids):
        holders = [run for run in shown.shown if identity in sets[run]]
        assert shown.counts[place] == len(holders) == sum(identity in ids for ids in on)
        expected = OFF if not holders else SHARED if len(holders) > 1 else PALETTE.index(shown.runs[holders[0]].role)
        assert shown.step_roles[place] == expected
        assert (shown.dimmed is not None and place in shown.dimmed) is not bool(holders)


def _grown(shape: list[tuple[int, int]], run_id: str) -> RunRecord:
    """A run whose step ids depend on the parents, so that runs with the same beginning share steps."""
    names: list[str] = []
    parents: dict[str, str] = {}
    for above, word in shape:
        parent = names[above % len(names)] if names else ""
        name = f"{parent}/{word}"
        if name not in parents:
            names.append(name)
            parents[name] = parent
    return run_of(parents, run_id=run_id)


def test_two_hundred_forks_of_a_run_of_500_steps_show_every_shared_step_once() -> None:
    base = run_of({str(n): str(n - 1) if n else "" for n in range(500)}, run_id="base")
    chance = random.Random(7)
    records = [base]
    for number in range(200):
        source = chance.choice(records)
        at = source.graph.ids[chance.randrange(60, len(source.graph))]
        records.append(
            fork_and_edit(source, at, inputs={"text": f"fork {number}"}, now=1.8e9 + number, nonce=f"{number:032x}")
        )
    members = [Member(str(number), None, None, record) for number, record in enumerate(records)]
    built = build_union(members, records, {}, False, (0, 1), lambda _fraction: None, lambda: False)
    assert built.family is not None
    family = built.family
    sets = [set(record.graph.ids) for record in family.records]
    assert len(family.graph) == len(set().union(*sets))
    assert set(family.graph.ids) == set().union(*sets)
    counts = {identity: sum(identity in ids for ids in sets) for identity in family.graph.ids}
    runs = tuple(ShownRun(str(n), run_role(n), "running", 0, 0) for n in range(len(records)))
    shown = Overlay(family, runs)
    assert shown.counts.tolist() == [counts[identity] for identity in family.graph.ids]
    assert shown.mark(0).count == 201
    assert len(union_record(family, "all").graph) == len(family.graph)


def picture(shown: Overlay) -> Layout:
    """The part of a layout that colouring needs: the links as (upper step, lower step)."""
    pairs = [(above, below) for below, parents in enumerate(shown.family.graph.parents) for above in parents]
    return cast(Layout, SimpleNamespace(edges=np.array(pairs)))


def test_an_export_puts_the_same_flags_and_borders_on_the_cards_as_the_window() -> None:
    first, second = run_of(A, status="failed"), run_of(B, run_id="other", cost=0.5)
    for comparing in (True, False):
        shown = overlay(first, second, comparing=comparing)
        exported = Content(request_of((first, second), compared=comparing, names=("run 0", "run 1")))
        for place in range(len(shown.family.graph)):
            mark, face = shown.mark(place), exported.face(place)
            assert (mark.flags, mark.count, mark.border) == (face.flags, face.count, face.border)
