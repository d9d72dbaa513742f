"""Stacks: nodes that share one place, fanned out so that each can be read, with the rest of the graph around them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.layout import Direction, Layout, LayoutRequest, lay_out
from opentine_gui.layout.card_stacks import ASIDE, MOST_EDGES, MOST_STRIPS, STRIP

DIRECTIONS = (Direction.TOP_TO_BOTTOM, Direction.LEFT_TO_RIGHT)


def graph_of(parents: dict[str, str]) -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for node, above in parents.items():
        graph.add_node(node)
        graph.add_edges_from((parent, node) for parent in above.split())
    return graph


TWINS = {"r": "", "a1": "r", "a2": "r", "x": "a1", "y": "a2", "z": "x", "side": "r", "deep": "side", "m": "y z"}


def boxes(layout: Layout) -> dict[str, tuple[float, float, float, float]]:
    half = np.array([layout.spacing.node_width, layout.spacing.node_height]) / 2
    found = np.concatenate([layout.centers - half, layout.centers + half], axis=1).tolist()
    return {str(node): tuple(box) for node, box in zip(layout.nodes, found, strict=True)}


def overlap(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_cards_of_a_stack_lie_one_below_the_other_and_only_they_overlap(direction: Direction) -> None:
    layout = lay_out(LayoutRequest(graph_of(TWINS), direction=direction, stacks=[("a1", "a2")]))
    assert layout.nodes == tuple(TWINS)
    first, second = layout.position("a1"), layout.position("a2")
    assert (second[0] - first[0], second[1] - first[1]) == (ASIDE, STRIP)
    found = boxes(layout)
    clashes = {(one, two) for one in found for two in found if one < two and overlap(found[one], found[two])}
    assert clashes == {("a1", "a2")}


def test_links_leave_a_stack_at_its_foot_and_reach_it_at_its_head() -> None:
    graph = graph_of(TWINS)
    layout = lay_out(LayoutRequest(graph, stacks=[("a2", "a1")]))
    half = layout.spacing.node_height / 2
    top, foot = layout.position("a1")[1] - half, layout.position("a2")[1] + half
    ends = {
        (str(layout.nodes[a]), str(layout.nodes[b])): layout.polyline(edge)
        for edge, (a, b) in enumerate(layout.edges.tolist())
    }
    assert set(ends) == set(graph.edges)
    assert {float(ends["r", twin][-1][1]) for twin in ("a1", "a2")} == {top}
    assert {float(line[0][1]) for line in (ends["a1", "x"], ends["a2", "y"])} == {foot}
    for (parent, child), points in ends.items():
        if not {parent, child} & {"a1", "a2"}:
            assert float(points[0][1]) == layout.position(parent)[1] + half
            assert float(points[-1][1]) == layout.position(child)[1] - half


def test_what_lies_below_a_stack_makes_room_and_what_lies_above_stays() -> None:
    graph = graph_of({**TWINS})
    merged = nx.contracted_nodes(graph, "a1", "a2", copy=True)
    plain, stacked = (
        lay_out(LayoutRequest(merged, main="m")),
        lay_out(LayoutRequest(graph, main="m", stacks=[("a1", "a2")])),
    )
    for node in merged:
        below = node in ("x", "y", "z", "deep", "m")
        x, y = plain.position(node)
        if node != "a1":
            assert stacked.position(node) == (x, y + (STRIP if below else 0.0)), node


@pytest.mark.parametrize("size", [2, 5, 6, 60])
def test_a_tall_stack_has_bounds_and_every_card_of_it_shows_an_edge(size: int) -> None:
    names = [f"t{number}" for number in range(size)]
    graph = graph_of({"r": "", **dict.fromkeys(names, "r"), "end": names[0]})
    layout = lay_out(LayoutRequest(graph, stacks=[names]))
    ys = [layout.position(name)[1] for name in names]
    steps = np.diff(ys)
    assert (steps > 0).all()
    assert (steps[-1], steps[0]) == (STRIP, STRIP)
    assert ys[-1] - ys[0] <= MOST_STRIPS * STRIP + MOST_EDGES + 1e-6
    assert layout.bounds[3] == layout.position("end")[1] + layout.spacing.node_height / 2


def test_nodes_with_other_parents_are_not_drawn_into_a_stack() -> None:
    graph = graph_of({"r": "", "a": "r", "b": "a", "c": "b"})
    assert lay_out(LayoutRequest(graph, stacks=[("a", "b", "gone")])) == lay_out(LayoutRequest(graph))


@given(st.integers(2, 5), st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=25), st.data())
@settings(max_examples=60)
def test_any_graph_with_stacks_keeps_its_nodes_and_links(
    size: int, grown: list[tuple[int, bool]], data: st.DataObject
) -> None:
    parents = {"r": ""}
    stacks = []
    for number, (above, several) in enumerate(grown):
        name = list(parents)[above % len(parents)]
        twins = [f"n{number}.{place}" for place in range(size if several else 1)]
        parents.update(dict.fromkeys(twins, name))
        if several:
            stacks.append(twins)
    graph = graph_of(parents)
    direction = data.draw(st.sampled_from(DIRECTIONS))
    request = LayoutRequest(graph, direction=direction, stacks=stacks)
    layout = lay_out(request)
    assert layout == lay_out(request)
    assert layout.nodes == tuple(graph)
    assert {(layout.nodes[a], layout.nodes[b]) for a, b in layout.edges.tolist()} == set(graph.edges)
    found = boxes(layout)
    stack_of = {node: stack[0] for stack in stacks for node in stack}
    for one in found:
        for two in found:
            if one < two and stack_of.get(one, one) != stack_of.get(two, two):
                assert not overlap(found[one], found[two]), (one, two)
