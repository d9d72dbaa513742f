"""The columns of a run that grows while it is shown."""

from __future__ import annotations

import networkx as nx

from opentine_gui.layout.columns import LEAST_ZOOM, Columns, ColumnsRequest, lay_out_columns


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
