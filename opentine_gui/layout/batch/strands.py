"""The graph as flat lists: parents by number, ranks, lanes and routing strands.

A *strand* is anything that occupies a column for some ranks: a lane (a path of nodes) or a thin routing strand, which
carries the long edges of one node. Nodes are numbered in topological order; `graph_order` maps the numbers back where
that differs from the order of the graph.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from opentine_gui.layout.request import Ancestry

if TYPE_CHECKING:
    import networkx as nx

LANE_LINK, DIRECT_LINK = -2, -1


class Model:
    """Flat lists that the stages of one layout fill, one after the other."""

    __slots__ = (
        "bottom",
        "call_rows",
        "child_count",
        "edge_source",
        "edge_target",
        "edge_via",
        "first_node",
        "fork_rank",
        "graph_order",
        "lane",
        "lane_previous",
        "last_node",
        "merges",
        "nodes",
        "parents",
        "rank",
        "rank_count",
        "routing_of",
        "side",
        "source",
        "top",
        "tree_parent",
    )

    def __init__(self, nodes: list[Hashable], parents: list[tuple[int, ...]], graph_order: list[int] | None) -> None:
        self.nodes = nodes
        self.parents = parents
        self.graph_order = graph_order  # topological number -> number in the graph; None when they agree
        self.merges = False
        self.child_count: list[int] = []
        self.rank: list[int] = []
        self.rank_count = 0
        # per node
        self.lane: list[int] = []  # strand of every node
        self.lane_previous: list[int] = []  # the node above in the same lane, or -1
        # per strand; a routing strand has no nodes: its first_node and last_node are -1, its source is where it starts
        self.first_node: list[int] = []
        self.last_node: list[int] = []
        self.source: list[int] = []
        self.top: list[int] = []  # first and last rank it occupies, thin parts included
        self.bottom: list[int] = []
        self.tree_parent: list[int] = []  # strand it forks from, or -1 for the lane of a root
        self.fork_rank: list[int] = []
        self.side: list[int] = []  # -1 left, 1 right, 0 free to choose
        self.routing_of: dict[int, int] = {}  # source node -> its routing strand
        self.call_rows: list[list[int]] = []  # strands of parallel calls, in call order from left to right
        # per edge
        self.edge_source: list[int] = []
        self.edge_target: list[int] = []
        self.edge_via: list[int] = []  # LANE_LINK, DIRECT_LINK or the strand that carries it

    def add_strand(self, node: int, tree_parent: int, fork_rank: int, top: int, *, routing: bool = False) -> int:
        """Add a lane headed by `node`, or a routing strand from `node`; return its number."""
        strand = len(self.top)
        self.first_node.append(-1 if routing else node)
        self.last_node.append(-1 if routing else node)
        self.source.append(node if routing else -1)
        self.top.append(top)
        self.bottom.append(top)
        self.tree_parent.append(tree_parent)
        self.fork_rank.append(fork_rank)
        self.side.append(0)
        return strand


def extract(graph: nx.DiGraph[Any] | Ancestry) -> Model:
    """Return the model of a graph, with nodes and parents only; ValueError if the graph has a cycle."""
    ancestry = Ancestry.of(graph)
    nodes, parents = list(ancestry.nodes), ancestry.distinct_parents()
    graph_order: list[int] | None = None
    if any(max(above) >= number for number, above in enumerate(parents) if above):
        graph_order = _topological(parents)
        number_in_order = [0] * len(nodes)
        for place, number in enumerate(graph_order):
            number_in_order[number] = place
        parents = [tuple([number_in_order[parent] for parent in parents[number]]) for number in graph_order]
        nodes = [nodes[number] for number in graph_order]
    return Model(nodes, parents, graph_order)


def _topological(parents: Sequence[tuple[int, ...]]) -> list[int]:
    import networkx as nx

    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(parents)))
    graph.add_edges_from((parent, node) for node, above in enumerate(parents) for parent in above)
    try:
        return list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        raise ValueError("cannot lay out this graph: it has a cycle, so some step would be its own ancestor") from None


def longest_paths(parents: Sequence[tuple[int, ...]]) -> list[int]:
    """Return the number of links on the longest path from a root to each node; parents come before their children."""
    rank: list[int] = []
    of, add = rank.__getitem__, rank.append
    for above in parents:
        if len(above) == 1:
            add(rank[above[0]] + 1)
        elif above:
            add(max(map(of, above)) + 1)
        else:
            add(0)
    return rank


def assign_ranks(model: Model) -> None:
    """Rank every node by its longest path from a root (Sugiyama, Tagawa, Toda 1981), then shorten edges in one pass.

    In that pass, nodes with at least as many children as parents sink as far as they can, and the others rise again: a
    linear substitute for network simplex (Gansner et al. 1993; node promotion, Nikolov and Tarassov 2006).
    """
    parents = model.parents
    count = len(parents)
    rank = longest_paths(parents)
    child_count = [0] * count
    merges = False
    for above in parents:
        if len(above) > 1:
            merges = True
        for parent in above:
            child_count[parent] += 1
    if merges:
        room = [1 << 60] * count
        for node in range(count - 1, -1, -1):
            above = parents[node]
            if child_count[node] and child_count[node] >= len(above):
                rank[node] = room[node] - 1
            limit = rank[node]
            for parent in above:
                if limit < room[parent]:
                    room[parent] = limit
        for node, above in enumerate(parents):
            if above and len(above) >= child_count[node]:
                rank[node] = 1 + max([rank[parent] for parent in above])
    model.rank, model.child_count, model.merges = rank, child_count, merges
    model.rank_count = 1 + max(rank, default=-1)


def assign_lanes(model: Model, main: int) -> None:
    """Split the graph into lanes: the first-parent path of `main`; others continue the lane of their primary parent.

    Where that lane already continues, a merge takes the first of its parents' lanes that is free; otherwise a new lane
    starts. The oldest child continues the lane, so a later fork never displaces older steps.
    """
    parents = model.parents
    lane = [-1] * len(parents)
    lane_previous = [-1] * len(parents)
    model.lane, model.lane_previous = lane, lane_previous
    path = [main]
    while parents[path[-1]]:
        path.append(parents[path[-1]][0])
    path.reverse()
    top = model.rank[path[0]]
    model.add_strand(path[0], -1, top - 1, top)
    for parent, node in itertools.pairwise(path):
        lane_previous[node] = parent
    for node in path:
        lane[node] = 0
    last_node = model.last_node
    last_node[0] = main
    rank = model.rank
    for node, above in enumerate(parents):
        if lane[node] >= 0:
            continue
        for parent in above:
            strand = lane[parent]
            if last_node[strand] == parent:
                lane[node] = strand
                lane_previous[node] = parent
                last_node[strand] = node
                break
        else:
            primary = above[0] if above else -1
            fork_rank = rank[primary] if above else rank[node] - 1
            lane[node] = model.add_strand(node, lane[primary] if above else -1, fork_rank, rank[node])
    for strand, node in enumerate(last_node):
        model.bottom[strand] = rank[node]
