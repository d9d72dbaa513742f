"""Small graphs from text, and layouts as text, so that a test can show the picture it asserts."""

from __future__ import annotations

from typing import Any

import networkx as nx

from opentine_gui.layout import Layout


def graph(text: str) -> nx.DiGraph[Any]:
    """Read "b<a c<a d<b,c": each word a node and its parents, primary first, in creation order."""
    made: nx.DiGraph[Any] = nx.DiGraph()
    for word in text.split():
        node, _, parents = word.partition("<")
        made.add_node(node)
        made.add_edges_from((parent, node) for parent in parents.split(",") if parent)
    return made


def prefix(whole: nx.DiGraph[Any], count: int) -> nx.DiGraph[Any]:
    """Return the graph of the first `count` nodes, parents in their order."""
    part: nx.DiGraph[Any] = nx.DiGraph()
    for node in list(whole)[:count]:
        grow(part, whole, node)
    return part


def grow(part: nx.DiGraph[Any], whole: nx.DiGraph[Any], node: Any) -> None:
    """Add one node of `whole`, with the edges to its parents, to `part`."""
    part.add_node(node)
    part.add_edges_from((parent, node) for parent in whole.pred[node])


def sketch(layout: Layout) -> str:
    """Return names on a grid: a line a rank, a place for each column that a card stands in; "." where none stands."""
    columns = sorted({float(x) for x in layout.centers[:, 0]})
    rows = [["."] * len(columns) for _ in range(int(layout.ranks.max()) + 1)]
    for node, (x, _), rank in zip(layout.nodes, layout.centers.tolist(), layout.ranks.tolist(), strict=True):
        rows[rank][columns.index(x)] = str(node)
    return "\n".join(" ".join(row) for row in rows)
