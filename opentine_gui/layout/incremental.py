"""The incremental layout, the default while a run is live: ranks and order stand, and only new steps are placed.

Nothing is pulled in and nothing reordered, and the main line never moves. Steps that are gone (an undone fork) leave
their place empty.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

from opentine_gui.layout.compact import Columns
from opentine_gui.layout.extension import Extension
from opentine_gui.layout.removal import restrict, survivors
from opentine_gui.layout.standing import Parents, Standing

if TYPE_CHECKING:
    import networkx as nx


def predecessors_of(graph: nx.DiGraph[Any]) -> Parents:
    """Return the predecessors of every node, in graph order."""
    return list(map(tuple, graph._pred.values()))


def extend_standing(standing: Standing, graph: nx.DiGraph[Any], columns: Columns) -> tuple[Standing, int] | None:
    """Return the standing layout with all that is new in `graph`, and its crossings.

    None if a fresh layout is the better answer: the main line's first step is gone, or more is new than stood.
    """
    if not standing.model.nodes:
        return None
    standing.build()
    parents = predecessors_of(graph)
    nodes: list[Hashable] = list(graph)
    old = standing.model
    count = len(old.nodes)
    if columns == standing.columns and nodes[:count] == old.nodes and parents[:count] == standing.parent_nodes:
        kept_all = True
        fresh: Iterable[int] = range(count, len(nodes))
    else:
        kept_all = False
        kept = survivors(standing, graph)
        if not kept or old.first_node[0] not in set(kept):
            return None
        standing = restrict(standing, kept, columns)
        standing.build()
        known = set(standing.model.nodes)
        fresh = [number for number, node in enumerate(nodes) if node not in known]
        count = len(kept)
    fresh = list(fresh)
    if len(fresh) > max(1000, count):
        return None
    grown = standing.copy(len(fresh), sum(len(parents[number]) for number in fresh))
    model = grown.model
    extension = Extension(grown)
    if not kept_all:
        extension.columned.settle(range(1, extension.columned.count))
    number_of = {node: place for place, node in enumerate(model.nodes)} if fresh else {}
    waiting = fresh
    while waiting:  # creation order, unless the graph's order has a child before its parent
        later: list[int] = []
        for number in waiting:
            above = parents[number]
            if all(parent in number_of for parent in above):
                number_of[nodes[number]] = len(model.nodes)
                extension.add(nodes[number], tuple(number_of[parent] for parent in above), above)
            else:
                later.append(number)
        if len(later) == len(waiting):
            raise ValueError("cannot lay out this graph: it has a cycle, so some step would be its own ancestor")
        waiting = later
    crossings = extension.finish()
    model.graph_order = None
    if model.nodes != nodes:
        place_of = {node: place for place, node in enumerate(nodes)}
        model.graph_order = [place_of[node] for node in model.nodes]
    return grown, crossings
