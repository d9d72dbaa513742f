"""Whatever is open: every step is on one card, and cards never form a cycle."""

from __future__ import annotations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core.structure.cards import Cards, enclosed
from opentine_gui.core.structure.dominators import DominatorTree
from opentine_gui.core.structure.lanes import Lanes
from tests.core.structure.shapes import Table, tables


def edges_between(table: Table, cards: Cards) -> set[tuple[int, int]]:
    of = cards.card_of()
    return {
        (of[parent], of[step]) for step, parents in enumerate(table) for parent in parents if of[parent] != of[step]
    }


@given(tables())
def test_dominators_are_those_of_networkx(table: Table) -> None:
    tree = DominatorTree(table)
    graph = nx.DiGraph([(tree.root, tree.root + 1)])  # a node beside, so that a root alone is a graph too
    for step, parents in enumerate(table):
        graph.add_edges_from((parent, step) for parent in parents or (tree.root,)) if step != tree.root else None
    graph.remove_node(tree.root + 1)
    found = nx.immediate_dominators(graph, tree.root)
    assert [tree.above[step] for step in range(tree.root)] == [found[step] for step in range(tree.root)]


@given(tables(), st.data())
def test_the_order_puts_every_step_after_its_parents_and_every_region_in_one_piece(
    table: Table, data: st.DataObject
) -> None:
    lanes = Lanes(table, data.draw(st.integers(0, len(table) - 1)))
    assert sorted(lanes.order) == list(range(len(table)))
    assert all(lanes.place[parent] < lanes.place[step] for step, parents in enumerate(table) for parent in parents)
    for lane in lanes.lanes:
        assert lane.end - lane.start >= len(lane.elements)
        inside = set(lanes.order[lane.start : lane.end])
        assert set(lane.elements) <= inside


@settings(max_examples=150)
@given(tables(), st.data())
def test_any_borders_put_every_step_on_one_card_and_cards_form_no_cycle(table: Table, data: st.DataObject) -> None:
    lanes = Lanes(table, data.draw(st.integers(0, len(table) - 1)))
    borders = data.draw(st.sets(st.integers(0, len(table) - 1)))
    cards = Cards(lanes, borders)
    held = sorted(step for card in cards.cards for step in cards.steps(card))
    assert held == list(range(len(table)))
    graph = nx.DiGraph(edges_between(table, cards))
    assert nx.is_directed_acyclic_graph(graph)
    of = cards.card_of()
    assert all(cards.cards[of[step]].name == step for step in cards.borders), "a card begins at every border"


@given(tables(), st.data())
def test_closing_a_group_again_gives_the_cards_from_before_it_was_opened(table: Table, data: st.DataObject) -> None:
    lanes = Lanes(table)
    before = enclosed(lanes, data.draw(st.sets(st.integers(0, len(table) - 1), max_size=6)))
    after = enclosed(lanes, before | data.draw(st.sets(st.integers(0, len(table) - 1), max_size=6)))
    assert Cards(lanes, after - (after - before)).cards == Cards(lanes, before).cards


@settings(max_examples=40)
@given(tables(largest=25), st.data())
def test_links_between_cards_are_those_of_the_quotient_graph(table: Table, data: st.DataObject) -> None:
    lanes = Lanes(table)
    cards = Cards(lanes, data.draw(st.sets(st.integers(0, len(table) - 1))))
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(table)))
    graph.add_edges_from((parent, step) for step, parents in enumerate(table) for parent in parents)
    blocks = [set(cards.steps(card)) for card in cards.cards]
    quotient = nx.quotient_graph(graph, blocks)
    number = {frozenset(block): place for place, block in enumerate(blocks)}
    assert edges_between(table, cards) == {(number[one], number[other]) for one, other in quotient.edges}
