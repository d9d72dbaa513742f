"""The columns of a run that grows while it is shown."""

from __future__ import annotations

import networkx as nx
import pytest

from opentine_gui.layout.batch.crossing_search import MAX_WORK, MOVES_PER_STRAND, REFINE_MOVES, Search
from opentine_gui.layout.columns.columns import lay_out_columns
from opentine_gui.layout.columns.request import LEAST_ZOOM, Columns, ColumnsRequest


def columns_of(count: int, heads: list[int], *, wraps: bool = True) -> Columns:
    graph = nx.path_graph(count, create_using=nx.DiGraph)
    return lay_out_columns(ColumnsRequest(graph, count - 1, (760.0, 640.0), heads, wraps=wraps))


def test_columns_that_came_to_hold_a_card_each_are_made_anew_where_the_run_grows() -> None:
    made = columns_of(40, list(range(40)))
    assert made.zoom >= 0.9 * LEAST_ZOOM
    assert len(made.heads) < 8
    assert len(columns_of(40, list(range(40)), wraps=False).heads) == 40, "opening a group moves no other column"


def test_columns_that_are_shown_large_enough_stay_and_the_last_one_is_divided() -> None:
    heads = list(columns_of(40, list(range(40))).heads)
    grown = columns_of(44, heads)
    assert list(grown.heads)[: len(heads)] == heads


def test_what_no_link_joins_to_the_main_line_stands_behind_all_its_columns() -> None:
    graph = nx.path_graph(40, create_using=nx.DiGraph)
    nx.add_path(graph, range(100, 106))
    graph.add_edge(102, 110)
    graph.add_edge(200, 20)  # a root that leads to the main line stays beside it
    graph.add_edge(200, 201)
    order = nx.DiGraph()
    order.add_nodes_from([200, *sorted(set(graph) - {200})])  # parents before children
    order.add_edges_from(sorted(graph.edges, key=lambda link: link[0] == 200))
    made = lay_out_columns(ColumnsRequest(order, 39, (760.0, 640.0)))
    layout = made.layout
    across = {node: float(x) for node, x in zip(layout.nodes, layout.centers[:, 0], strict=True)}
    apart = {100, 101, 102, 103, 104, 105, 110}
    assert len(made.heads) > 1
    assert min(across[card] for card in apart) > max(across[card] for card in {*across} - apart)
    assert across[201] < max(across[card] for card in range(40))
    lines = [
        layout.polyline(edge) for edge, (_, target) in enumerate(layout.edges.tolist()) if layout.nodes[target] < 40
    ]
    assert max(float(line[:, 0].max()) for line in lines) < min(across[card] for card in apart), (
        "nor do links go around it"
    )
    again = lay_out_columns(ColumnsRequest(order, 39, (760.0, 640.0), made.heads, extents=made.extents))
    assert (again.layout.centers == layout.centers).all(), "it keeps its place"


def test_columns_full_of_crossings_take_the_work_of_one_search_together(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.DiGraph()
    for card in range(110):  # rows of five cards, each resting on three of the row above
        graph.add_node(card)
        above = (card // 5 - 1) * 5
        graph.add_edges_from((above + (card + beside) % 5, card) for beside in range(3) if above >= 0)
    budgets: list[tuple[int, int]] = []
    whole = Search.budget

    def noted(search: Search) -> tuple[int, int]:
        budgets.append(whole(search))
        return budgets[-1]

    monkeypatch.setattr(Search, "budget", noted)
    made = lay_out_columns(ColumnsRequest(graph, 109, (1000.0, 640.0)))
    assert len(made.heads) > 1
    assert budgets, "the columns have crossings"
    assert sum(moves for moves, _ in budgets) <= max(REFINE_MOVES, MOVES_PER_STRAND * 110)
    assert sum(work for _, work in budgets) <= MAX_WORK
