"""Calls side by side stand in rows where one row of them would be too small to be read; no link is lost by it."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.layout import Direction
from opentine_gui.layout.columns.call_rows import call_rows, placed_parents
from opentine_gui.layout.columns.columns import lay_out_columns
from opentine_gui.layout.columns.request import FOLDED_SPACING, LEAST_ZOOM, Columns, ColumnsRequest

SMALL, LARGE = (452.0, 900.0), (1_500.0, 900.0)


def fan(calls: int, *, before: int = 1, after: int = 2) -> nx.DiGraph[Any]:
    """A chain in which one card asks for some calls, and one rests on all of them."""
    graph: nx.DiGraph[Any] = nx.DiGraph()
    nx.add_path(graph, [f"before {number}" for number in range(before)])
    fork = f"before {before - 1}"
    for number in range(calls):
        graph.add_edge(fork, f"call {number}")
    for number in range(calls):
        graph.add_edge(f"call {number}", "after 0")
    nx.add_path(graph, [f"after {number}" for number in range(after)])
    return graph


def laid_out(graph: nx.DiGraph[Any], room: tuple[float, float], **kept: Any) -> Columns:
    return lay_out_columns(ColumnsRequest(graph, list(graph)[-1], room, **kept))


def rows_of(made: Columns, *, along: int = 1) -> list[list[str]]:
    """The calls by row, each from the near side."""
    places: dict[float, list[tuple[float, str]]] = {}
    for name in made.layout.nodes:
        if str(name).startswith("call"):
            point = made.layout.position(name)
            places.setdefault(point[along], []).append((point[1 - along], str(name)))
    return [[name for _, name in sorted(row)] for _, row in sorted(places.items())]


@pytest.mark.parametrize("direction", list(Direction))
def test_calls_that_do_not_fit_beside_each_other_stand_in_rows_in_call_order(direction: Direction) -> None:
    along = 1 if direction is Direction.TOP_TO_BOTTOM else 0
    room = SMALL if along else (SMALL[1], 195.0)
    made = laid_out(fan(5), room, direction=direction)
    assert rows_of(made, along=along) == [["call 0", "call 1", "call 2"], ["call 3", "call 4"]]
    assert made.zoom >= LEAST_ZOOM
    assert [len(row) for row in rows_of(laid_out(fan(5), LARGE))] == [5], "where there is room they stand in one"


def test_the_number_abreast_is_kept_whatever_the_room_becomes() -> None:
    made = laid_out(fan(5), SMALL)
    again = laid_out(fan(5), LARGE, heads=made.heads, extents=made.extents, abreast=made.abreast)
    assert rows_of(again) == rows_of(made)
    assert again.layout == made.layout


def test_links_run_beside_the_cards_and_through_none() -> None:
    layout = laid_out(fan(7), SMALL).layout
    half = np.array([FOLDED_SPACING.node_width, FOLDED_SPACING.node_height]) / 2
    for edge, ends in enumerate(layout.edges.tolist()):
        points = layout.polyline(edge)
        assert np.allclose(points[0], layout.centers[ends[0]] + (0, half[1]))
        assert np.allclose(points[-1], layout.centers[ends[1]] - (0, half[1]))
        for card, center in enumerate(layout.centers):
            if card not in ends:
                for start, end in pairwise(points):
                    between = start + (end - start) * np.linspace(0, 1, 9)[:, None]
                    inside = (np.abs(between - center) < half - 1).all(axis=1)
                    assert not inside.any(), (layout.nodes[card], [layout.nodes[place] for place in ends])


@given(st.lists(st.integers(1, 9), min_size=1, max_size=5), st.sampled_from([SMALL, LARGE, (700.0, 400.0)]))
def test_no_card_and_no_link_is_lost_or_made_up(sizes: list[int], room: tuple[float, float]) -> None:
    graph: nx.DiGraph[Any] = nx.DiGraph()
    last: Hashable = "start"
    graph.add_node(last)
    for number, size in enumerate(sizes):
        calls = [f"{number}.{call}" for call in range(size)]
        graph.add_edges_from((last, call) for call in calls)
        last = f"join {number}"
        graph.add_edges_from((call, last) for call in calls)
    layout = laid_out(graph, room).layout
    links = {(layout.nodes[source], layout.nodes[target]) for source, target in layout.edges.tolist()}
    assert links == set(graph.edges) and len(layout.edges) == graph.number_of_edges()
    for one, other in combinations(layout.centers, 2):
        apart = np.abs(one - other)
        assert apart[0] >= FOLDED_SPACING.node_width or apart[1] >= FOLDED_SPACING.node_height


def test_only_cards_that_lead_from_one_card_to_one_other_are_calls_in_rows() -> None:
    parents = [(), (0,), (0,), (0,), (0,), (1, 2, 3), (4,), (5, 6)]
    (rows,) = call_rows(parents, 2)
    assert (rows.fork, rows.join, rows.cards, rows.abreast) == (0, 5, (1, 2, 3), 2)
    assert rows.rows == [(1, 2), (3,)]
    placed = placed_parents(parents, [rows])
    assert placed[3] == (1,) and placed[5] == (3, 2), "the join hangs below the last call of every column"
    assert call_rows(parents, 3) == []
