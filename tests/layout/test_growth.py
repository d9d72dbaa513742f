"""Growing graphs: what stood stays, in order and mostly in place, and the picture stays sound at every step."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.layout_families import FAMILIES, random_graph
from bench.layout_metrics import chain_straight_percent, change, crossings, hits, overlaps, picture_of
from opentine_gui.layout import Ancestry, Direction, Layout, LayoutRequest, extend, lay_out
from opentine_gui.layout.geometry import draw
from opentine_gui.layout.incremental.kept_layout import KeptLayout
from tests.layout.sketch import grow, prefix

Pick = Callable[["nx.DiGraph[Any]", random.Random], list[int]]


def is_sound(run: nx.DiGraph[Any], layout: Layout) -> None:
    picture = picture_of(run, layout)
    assert overlaps(picture) == 0
    assert hits(picture) == 0
    assert chain_straight_percent(picture) == 100.0
    assert crossings(picture) == layout.crossings
    assert (layout.centers[layout.lanes == 0, 0] == 0).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_new_moves_nothing(name: str) -> None:
    for size in (100, 1000):
        run = FAMILIES[name](size, 2)
        layout = lay_out(LayoutRequest(run, main=run.graph["main"]))
        assert extend(layout, run) == layout


def test_odd_graphs_replayed_step_by_step_stay_sound_and_never_reorder() -> None:
    for seed in range(40):
        whole = random_graph(seed)
        steps = min(20, len(whole) - 1)
        part = prefix(whole, len(whole) - steps)
        layout = lay_out(LayoutRequest(part))
        for node in list(whole)[len(part) :]:
            grow(part, whole, node)
            before, layout = layout, extend(layout, part)
            assert change(before.centers, layout.centers[: len(before.nodes)], before.ranks).flips_percent == 0
            assert np.array_equal(layout.ranks[:-1], before.ranks)
            is_sound(part, layout)


def test_many_steps_at_once_are_sound_too() -> None:
    for seed in range(20):
        whole = random_graph(seed)
        layout = lay_out(LayoutRequest(prefix(whole, len(whole) // 2 + 1)))
        is_sound(whole, extend(layout, whole))


def append(run: nx.DiGraph[Any], draw: random.Random) -> list[int]:
    return [draw.choice([node for node in run if run.out_degree(node) == 0])]


def fork(run: nx.DiGraph[Any], draw: random.Random) -> list[int]:
    return [draw.randrange(len(run))]


def merge(run: nx.DiGraph[Any], draw: random.Random) -> list[int]:
    return draw.sample([node for node in run if run.out_degree(node) == 0], 2)


@cache
def laid_out(name: str, seed: int) -> tuple[nx.DiGraph[Any], Layout]:
    """A run of 1,000 steps and its layout, which nothing changes: every sort of event begins with the same ones."""
    run = FAMILIES[name](1000, seed)
    return run, lay_out(LayoutRequest(run, main=run.graph["main"]))


@pytest.mark.parametrize(("pick", "limit"), [(append, 1.0), (fork, 5.0), (merge, 10.0)])
@pytest.mark.parametrize("name", ["family", "forktree", "mixed", "crossmerge"])
def test_one_event_moves_few_old_cards_and_flips_none(name: str, pick: Pick, limit: float) -> None:
    moved = []
    for seed in (1, 2, 3):
        run, layout = laid_out(name, seed)
        draw = random.Random(7)
        for _ in range(10):
            grown = prefix(run, len(run))
            grown.add_edges_from((parent, "new") for parent in pick(run, draw))
            after = extend(layout, grown)
            found = change(layout.centers, after.centers[:-1], layout.ranks)
            assert found.flips_percent == 0
            moved.append(found.moved_percent)
    assert sum(moved) / len(moved) <= limit


@pytest.mark.parametrize("name", ["family", "tools", "mergeback", "mixed"])
def test_a_live_run_moves_nothing_at_most_steps(name: str) -> None:
    whole = FAMILIES[name](500, 1)
    part = prefix(whole, 200)
    layout = lay_out(LayoutRequest(part))
    still = steps = 0
    for node in list(whole)[200:]:
        grow(part, whole, node)
        before, layout = layout, extend(layout, part)
        still += bool(np.array_equal(before.centers, layout.centers[:-1]))
        steps += 1
    assert still >= 0.85 * steps
    is_sound(part, layout)


def test_what_is_taken_back_leaves_the_rest_exactly_where_it_was() -> None:
    for seed in range(25):
        whole = random_graph(seed)
        part = prefix(whole, max(1, len(whole) - 10))
        grown = extend(lay_out(LayoutRequest(part)), whole)
        again = extend(grown, part)
        assert [again.position(node) for node in part] == [grown.position(node) for node in part]
        is_sound(part, again)


def test_a_removed_and_a_new_step_in_one_go() -> None:
    whole = random_graph(12)
    layout = lay_out(LayoutRequest(whole))
    part = prefix(whole, len(whole) - 5)
    part.add_edge(len(part) - 1, "new")
    after = extend(layout, part)
    is_sound(part, after)
    assert "new" in after.index
    assert len(after.nodes) == len(part)


def test_a_step_that_changed_its_parents_is_placed_anew() -> None:
    before = lay_out(LayoutRequest(nx.DiGraph([("a", "b"), ("b", "c"), ("c", "d")])))
    after = extend(before, nx.DiGraph([("a", "b"), ("b", "c"), ("b", "d")]))
    assert after.ranks[after.index["d"]] == 2
    assert after.position("c") == before.position("c")
    assert after.position("d") != after.position("c")


def test_when_the_whole_run_was_replaced_the_layout_starts_afresh() -> None:
    before = lay_out(LayoutRequest(nx.DiGraph([("a", "b")])))
    other = nx.DiGraph([("x", "y"), ("y", "z")])
    assert extend(before, other) == lay_out(LayoutRequest(other))


@st.composite
def graphs(draw: st.DrawFn) -> nx.DiGraph[int]:
    """Any graph of up to 30 nodes whose parents come first."""
    run: nx.DiGraph[int] = nx.DiGraph()
    for node in range(draw(st.integers(1, 30))):
        run.add_node(node)
        if node:
            for parent in draw(st.lists(st.integers(0, node - 1), max_size=4, unique=True)):
                run.add_edge(parent, node)
    return run


@settings(max_examples=50)
@given(graphs(), st.data())
def test_any_graph_is_drawn_soundly_at_once_and_step_by_step(run: nx.DiGraph[int], data: st.DataObject) -> None:
    layout = lay_out(LayoutRequest(run, main=data.draw(st.sampled_from(list(run)))))
    is_sound(run, layout)
    ends = layout.centers[layout.edges][:, :, 1]
    assert (ends[:, 0] < ends[:, 1]).all()
    start = data.draw(st.integers(0, len(run)))
    part = prefix(run, start)
    grown = lay_out(LayoutRequest(part))
    for node in list(run)[start:]:
        grow(part, run, node)
        grown = extend(grown, part)
    is_sound(run, grown)
    assert extend(grown, run) == grown


@settings(max_examples=40)
@given(graphs(), st.data())
def test_pins_stay_and_no_free_card_lies_over_one(run: nx.DiGraph[int], data: st.DataObject) -> None:
    spot = st.tuples(st.integers(-900, 900), st.integers(-300, 1500))
    pinned = data.draw(st.dictionaries(st.sampled_from(list(run)), spot, max_size=4))
    free = lay_out(LayoutRequest(run))
    layout = lay_out(LayoutRequest(run, pinned={node: (float(x), float(y)) for node, (x, y) in pinned.items()}))
    for node, point in pinned.items():
        assert layout.position(node) == point
    for node in run:
        if node in pinned:
            continue
        x, y = layout.position(node)
        assert y == free.position(node)[1]
        for other in run:
            u, v = layout.position(other)
            assert other == node or abs(x - u) >= 220 - 1e-6 or abs(y - v) >= 80 - 1e-6


def as_networkx(ancestry: Ancestry) -> nx.DiGraph[Any]:
    """The same graph as networkx has it."""
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(ancestry.nodes)
    for node, above in zip(ancestry.nodes, ancestry.parents, strict=True):
        graph.add_edges_from((ancestry.nodes[parent], node) for parent in above)
    return graph


@pytest.mark.parametrize("name", FAMILIES)
def test_steps_taken_out_leave_the_crossings_that_are_drawn(name: str) -> None:
    whole = FAMILIES[name](160, 3)
    ancestry = Ancestry.of(whole)
    layout = lay_out(LayoutRequest(whole, main=whole.graph["main"]))
    for left in (159, 150, 100):
        part = Ancestry(ancestry.nodes[:left], ancestry.parents[:left])
        layout = lay_out(LayoutRequest(part, previous=layout))
        picture = picture_of(as_networkx(part), layout)
        assert layout.crossings == crossings(picture)
        assert overlaps(picture) == hits(picture) == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_the_columns_of_a_graph_are_laid_out_as_the_graph_is(name: str) -> None:
    run = FAMILIES[name](120, 2)
    ancestry = Ancestry.of(run)
    layout = lay_out(LayoutRequest(ancestry, main=run.graph["main"]))
    assert layout == lay_out(LayoutRequest(run, main=run.graph["main"]))
    longer = Ancestry((*ancestry.nodes, "new"), (*ancestry.parents, (5, 60)))
    assert lay_out(LayoutRequest(longer, previous=layout)) == lay_out(
        LayoutRequest(as_networkx(longer), previous=layout)
    )


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 12), st.sampled_from(list(Direction)))
def test_a_picture_drawn_on_from_the_one_before_is_the_one_drawn_anew(
    seed: int, stride: int, direction: Direction
) -> None:
    run = random_graph(seed)
    stood = max(1, len(run) - 40)
    layout = lay_out(LayoutRequest(prefix(run, stood), direction=direction))
    for count in range(stood + stride, len(run) + 1, stride):
        layout = extend(layout, prefix(run, count))
        kept = layout._continuation
        assert isinstance(kept, KeptLayout)
        forgetful = copy.copy(kept)
        forgetful.drawing = None
        anew = draw(
            kept.model, kept.node_columns(), kept.strand_columns(), direction, layout.spacing,
            layout.crossings, forgetful,
        )  # fmt: skip
        assert layout == anew
