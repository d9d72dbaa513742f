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
