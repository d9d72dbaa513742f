"""Small files with many long or parallel edges: the layout keeps a budget of work, and takes a simpler order beyond."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.layout_metrics import hits, overlaps, picture_of
from opentine_gui.layout import Direction, LayoutRequest, extend, lay_out
from opentine_gui.layout.batch.crossing_search import MOST_COMPARISONS, Search
from opentine_gui.layout.batch.crossings import _inversions_of_many, inversions
from opentine_gui.layout.batch.sifting import RENUMBERED, Axis
from opentine_gui.layout.batch.skyline import Skyline
from opentine_gui.layout.batch.strands import longest_paths
from opentine_gui.layout.crowd import ranks_of_crowd
from opentine_gui.layout.engine import FEW_EDGES
from opentine_gui.layout.incremental.tables import ColumnTable
from tests.growth import excess


def graph_of(nodes: int, parents: Callable[[int], list[int]]) -> nx.DiGraph[Any]:
    graph: nx.DiGraph[Any] = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from((parent, node) for node in range(nodes) for parent in parents(node))
    return graph


def layers(width: int) -> Callable[[int], nx.DiGraph[Any]]:
    """Layers in which every step has the whole layer above as its parents."""
    return lambda nodes: graph_of(
        nodes, lambda node: list(range((node // width - 1) * width, node // width * width)) if node >= width else []
    )


def halves(nodes: int) -> nx.DiGraph[Any]:
    return graph_of(nodes, lambda node: sorted({node // 2, node - 1}) if node else [])


def long_links(nodes: int) -> nx.DiGraph[Any]:
    """A chain whose second half has, step for step, a second parent in the first."""
    half = nodes // 2
    return graph_of(nodes, lambda node: [node - 1, node - half][: 1 + (node >= half)] if node else [])


def strides(nodes: int) -> nx.DiGraph[Any]:
    return graph_of(nodes, lambda node: [node - back for back in (1, 60, 500) if node >= back])


def fans(nodes: int) -> nx.DiGraph[Any]:
    """One step with all others but one as its children, and one step that joins them."""
    return graph_of(nodes, lambda node: list(range(1, nodes - 1)) if node == nodes - 1 else [0] if node else [])


@pytest.mark.serial  # beside others less of the processor's caches is left to the work than to the control
@pytest.mark.parametrize("steps", [300, 3000])
@pytest.mark.parametrize("shape", [halves, long_links, strides, fans, layers(10)])
def test_ten_times_the_steps_take_at_most_fifteen_times_the_time(
    shape: Callable[[int], nx.DiGraph[Any]], steps: int
) -> None:
    """The smallest are searched for a better order, the others are too large for that: from there on all is linear."""
    small, large = LayoutRequest(shape(steps)), LayoutRequest(shape(10 * steps))
    assert not excess(lambda: lay_out(small), lambda: lay_out(large), (text_of(small.graph), text_of(large.graph)))


def text_of(graph: nx.DiGraph[Any]) -> str:
    return json.dumps([[node, *graph.pred[node]] for node in graph])


@pytest.mark.parametrize("width", [20, 40, 120])
def test_two_layers_that_are_linked_throughout_are_searched_within_the_budget(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[Search] = []
    refine = Search.refine

    def remember(search: Search, progress: Callable[[float], None]) -> None:
        refine(search, progress)
        searches.append(search)

    monkeypatch.setattr(Search, "refine", remember)
    layout = lay_out(LayoutRequest(layers(width)(2 * width)))
    assert len(layout.nodes) == 2 * width
    (search,) = searches
    assert search.axis.comparisons <= search.comparisons


def test_a_few_nodes_that_are_all_linked_are_searched_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folded picture of a run has this many cards, and is laid out a few times before it is seen."""
    searches: list[Search] = []
    refine = Search.refine

    def remember(search: Search, progress: Callable[[float], None]) -> None:
        refine(search, progress)
        searches.append(search)

    monkeypatch.setattr(Search, "refine", remember)
    lay_out(LayoutRequest(layers(7)(21)))
    (search,) = searches
    assert 0 < search.axis.comparisons <= 20_000 * 21


def test_a_graph_that_is_searched_before_its_first_picture_is_searched_for_a_part_of_a_second(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    searches: list[Search] = []
    refine = Search.refine

    def remember(search: Search, progress: Callable[[float], None]) -> None:
        refine(search, progress)
        searches.append(search)

    monkeypatch.setattr(Search, "refine", remember)
    random = Random(1)
    lay_out(LayoutRequest(graph_of(2500, lambda node: [random.randrange(node) for _ in range(2)] if node else [])))
    (search,) = searches
    assert 0 < search.axis.comparisons <= 1_200_000


def test_a_search_that_labels_all_strands_anew_again_and_again_keeps_its_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labelled: list[int] = []
    renumber = Axis.renumber

    def counted(axis: Axis) -> None:
        labelled.append(len(axis.label))
        renumber(axis)

    monkeypatch.setattr(Axis, "renumber", counted)
    graph = graph_of(12_000, lambda node: [node - 1, node - 2] if node > 1 else [])
    assert lay_out(LayoutRequest(graph)).crossings is not None
    assert 0 < RENUMBERED * sum(labelled) <= MOST_COMPARISONS


def test_more_strands_than_anybody_looks_at_are_not_moved_together(monkeypatch: pytest.MonkeyPatch) -> None:
    covered: list[int] = []
    monkeypatch.setattr(Skyline, "set", lambda _skyline, stretches, _bottom: covered.append(stretches[0][0]))
    monkeypatch.setattr("opentine_gui.layout.batch.compact.MOST_COMPACTED", 50)
    random = Random(3)
    graph = graph_of(400, lambda node: [random.randrange(node)] if node else [])
    layout = lay_out(LayoutRequest(graph))
    picture = picture_of(graph, layout)
    assert overlaps(picture) == hits(picture) == 0
    assert not covered


@pytest.mark.parametrize("direction", Direction)
def test_columns_of_their_own_are_sound_with_merges_too_and_can_be_continued(
    monkeypatch: pytest.MonkeyPatch, direction: Direction
) -> None:
    monkeypatch.setattr("opentine_gui.layout.batch.compact.MOST_COMPACTED", 50)
    graph = halves(300)
    layout = lay_out(LayoutRequest(graph, direction=direction))
    assert len(layout.nodes) == 300
    if direction is Direction.TOP_TO_BOTTOM:
        picture = picture_of(graph, layout)
        assert overlaps(picture) == hits(picture) == 0
    graph.add_edge(7, "fork")
    grown = extend(layout, graph)
    assert (grown.centers[:300] == layout.centers).all()


@pytest.fixture
def crowds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a few links for more than anybody can tell apart."""
    monkeypatch.setattr("opentine_gui.layout.crowd.FEWEST_LINKS", 100)
    monkeypatch.setattr("opentine_gui.layout.crowd.MOST_ARRANGED", 200)
    monkeypatch.setattr("opentine_gui.layout.engine.assign_lanes", lambda *_arguments: pytest.fail("arranged"))


def pairs_of_random(nodes: int) -> nx.DiGraph[Any]:
    random = Random(5)
    return graph_of(nodes, lambda node: [random.randrange(max(0, node - 40), node) for _ in range(2)] if node else [])


@pytest.mark.usefixtures("crowds")
@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize("shape", [halves, long_links, strides, fans, layers(10), pairs_of_random])
def test_a_crowd_is_drawn_soundly_without_being_arranged(
    shape: Callable[[int], nx.DiGraph[Any]], direction: Direction
) -> None:
    graph = shape(300)
    layout = lay_out(LayoutRequest(graph, direction=direction))
    assert layout.crossings is None
    assert {tuple(link) for link in layout.edges.tolist()} == set(graph.edges)
    assert (layout.ranks[layout.edges[:, 0]] < layout.ranks[layout.edges[:, 1]]).all()
    picture = picture_of(graph, layout)
    assert overlaps(picture) == hits(picture) == 0


@pytest.mark.usefixtures("crowds")
def test_a_crowd_has_the_main_line_in_the_middle_and_its_steps_where_they_are_in_the_graph() -> None:
    graph = strides(200)
    backwards: nx.DiGraph[Any] = nx.DiGraph()
    backwards.add_nodes_from(reversed(range(200)))
    backwards.add_edges_from(graph.edges)
    layout = lay_out(LayoutRequest(backwards, main=150))
    assert layout.nodes == tuple(backwards)
    at, line = 150, []
    while True:
        line.append(at)
        if not backwards.pred[at]:
            break
        at = next(iter(backwards.pred[at]))
    assert {layout.position(node)[0] for node in line} == {0.0}
    assert all(layout.position(one)[1] < layout.position(other)[1] for one, other in graph.edges)


@pytest.mark.usefixtures("crowds")
def test_a_crowd_that_grows_is_drawn_anew_and_its_cards_stay_where_they_are() -> None:
    graph = halves(300)
    layout = lay_out(LayoutRequest(graph))
    graph.add_edges_from([(299, 300), (7, 300), (300, 301)])
    grown = extend(layout, graph)
    assert grown == lay_out(LayoutRequest(graph))
    assert (grown.centers[:300] == layout.centers).all()


@pytest.mark.usefixtures("crowds")
def test_links_of_which_there_are_millions_are_straight(monkeypatch: pytest.MonkeyPatch) -> None:
    bent = lay_out(LayoutRequest(halves(300)))
    monkeypatch.setattr("opentine_gui.layout.crowd.MOST_ROUTED", 100)
    layout = lay_out(LayoutRequest(halves(300)))
    assert np.diff(bent.edge_offsets).max() > 2
    assert set(np.diff(layout.edge_offsets).tolist()) == {2}
    assert (layout.centers == bent.centers).all()
    for link in (0, 500):
        assert (layout.polyline(link) == bent.polyline(link)[[0, -1]]).all()


def test_the_polylines_of_a_crowd_do_not_depend_on_how_many_are_worked_out_together(
    monkeypatch: pytest.MonkeyPatch, crowds: None
) -> None:
    layout = lay_out(LayoutRequest(halves(300)))
    monkeypatch.setattr("opentine_gui.layout.geometry.LINKS_AT_ONCE", 7)
    assert lay_out(LayoutRequest(halves(300))) == layout


def test_a_forest_is_no_crowd_and_keeps_its_order_without_crossings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opentine_gui.layout.crowd.FEWEST_LINKS", 100)
    monkeypatch.setattr("opentine_gui.layout.crowd.MOST_ARRANGED", 200)
    random = Random(3)
    layout = lay_out(LayoutRequest(graph_of(400, lambda node: [random.randrange(node)] if node else [])))
    assert layout.crossings == 0


def test_a_step_that_rests_on_much_of_a_wide_layer_is_not_put_in_by_sorting_all_its_links_for_each_parent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = 120
    graph = graph_of(4 * wide, lambda node: list(range(wide)) if node >= wide else [])
    layout = lay_out(LayoutRequest(graph))
    graph.add_edges_from((parent, "grown") for parent in range(wide))
    sorted_at_once: list[int] = []
    unique = np.unique

    def count(values: Any, **options: Any) -> Any:
        sorted_at_once.append(len(values))
        return unique(values, **options)

    monkeypatch.setattr("opentine_gui.layout.incremental.tables.np.unique", count)
    assert "grown" in extend(layout, graph).index
    assert max(sorted_at_once, default=0) < 1_500_000


def test_too_many_long_links_leave_the_crossings_uncounted() -> None:
    assert lay_out(LayoutRequest(long_links(2000))).crossings is not None
    assert lay_out(LayoutRequest(long_links(8000))).crossings is None


def test_a_drawing_whose_crossings_are_uncounted_can_be_continued() -> None:
    graph = long_links(4000)
    layout = lay_out(LayoutRequest(graph))
    graph.add_edge(1000, "fork")
    grown = extend(layout, graph)
    assert grown.crossings is None
    assert (grown.centers[:4000] == layout.centers).mean() > 0.5


def test_an_edit_that_would_push_too_much_aside_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[int] = []
    neighbours = ColumnTable.neighbours

    def count(table: ColumnTable, *rest: Any) -> Any:
        near = neighbours(table, *rest)
        looked_at.append(len(near))
        return near

    monkeypatch.setattr(ColumnTable, "neighbours", count)
    half = 500
    graph = long_links(2 * half)
    layout = lay_out(LayoutRequest(graph))
    swapped = graph_of(2 * half, lambda node: list(reversed(list(graph.pred[node]))))
    assert extend(layout, swapped) == lay_out(LayoutRequest(swapped))
    assert sum(looked_at) < 8_000_000


@given(st.lists(st.tuples(st.sets(st.integers(0, 30), min_size=2, max_size=5), st.integers(-5, 5)), max_size=40))
@settings(max_examples=100)
def test_a_skyline_is_an_array_of_heights(outlines: list[tuple[set[int], int]]) -> None:
    skyline, heights = Skyline(31, 1.0), [1.0] * 31
    for ranks, height in outlines:
        *starts, bottom = sorted(ranks)
        for start in starts:
            assert skyline.highest(start, bottom) == max(heights[start : bottom + 1])
        stretches = [(start, float(height + place)) for place, start in enumerate(starts)]
        skyline.set(stretches, bottom)
        for start, new in stretches:
            heights[start : bottom + 1] = [new] * (bottom + 1 - start)
    assert [skyline.highest(rank, rank) for rank in range(31)] == heights


def test_crossings_of_many_diagonals_are_counted_in_a_way_that_does_not_grow_with_the_square() -> None:
    random = Random(3)
    for most in (1, 5, 300):
        ends = sorted((float(random.randrange(most)), float(random.randrange(most))) for _ in range(400))
        pairs = sum(a < c and b > d for a, b in ends for c, d in ends)
        assert inversions(ends) == _inversions_of_many(ends) == pairs


def test_of_a_graph_in_which_everything_rests_on_everything_no_order_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Search, "reinsert", lambda *_arguments: pytest.fail("searched"))
    complete = graph_of(250, lambda node: list(range(node)))
    assert complete.number_of_edges() > FEW_EDGES
    layout = lay_out(LayoutRequest(complete))
    assert layout.crossings is not None


def test_crossings_are_not_counted_where_nobody_can_see_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opentine_gui.layout.engine.MOST_POLISHED_EDGES", 1000)
    monkeypatch.setattr("opentine_gui.layout.engine.Gaps", lambda _model: pytest.fail("counted"))
    graph = layers(20)(200)
    layout = lay_out(LayoutRequest(graph))
    assert layout.crossings is None
    graph.add_edge(0, "fork")
    assert extend(layout, graph).crossings is None


@pytest.mark.parametrize("most", [1, 8, 9, 60])
def test_ranks_of_a_crowd_are_longest_paths(most: int) -> None:
    random = Random(most)
    parents = [
        tuple(random.sample(range(node), min(node, random.randint(0, most)))) for node in range(400)
    ]  # parents before children
    source = np.array([parent for above in parents for parent in above], dtype=np.int32)
    counts = np.array([len(above) for above in parents], dtype=np.int64)
    assert ranks_of_crowd(parents, source, counts).tolist() == longest_paths(parents)
