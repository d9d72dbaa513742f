"""The incremental layout, the default while a run is live: ranks and order stand, and only new steps are placed.

Nothing is pulled in and nothing reordered, and the main line never moves. Steps that are gone (an undone fork) leave
their place empty.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from opentine_gui.layout.batch.compact import Columns
from opentine_gui.layout.incremental.kept_layout import Standing
from opentine_gui.layout.incremental.placement import Extension
from opentine_gui.layout.incremental.removal import restrict, survivors
from opentine_gui.layout.request import Ancestry

if TYPE_CHECKING:
    import networkx as nx


def extend_standing(
    standing: Standing, graph: nx.DiGraph[Any] | Ancestry, columns: Columns, pause: Callable[[float], None]
) -> tuple[Standing, int] | None:
    """Return the standing layout with all that is new in `graph`, and its crossings; `pause` gets fractions 0 to 1.

    None if a fresh layout is the better answer: the main line's first step is gone, or more is new than stood.
    """
    if not standing.model.nodes:
        return None
    pause(0.0)
    standing.build()
    pause(0.1)
    ancestry = Ancestry.of(graph)
    nodes: list[Hashable] = list(ancestry.nodes)
    parents = list(ancestry.parents)
    old = standing.model
    count = len(old.nodes)
    dirty: list[int] = []
    number_of: dict[int, int] = {}  # place in the graph -> number in the model, where they are not the same
    if (
        columns == standing.columns
        and old.graph_order is None
        and nodes[:count] == old.nodes
        and parents[:count] == old.parents
    ):
        stood = count
        fresh = list(range(count, len(nodes)))
    else:
        stood = 0
        kept = survivors(standing, nodes, parents)
        if not kept or old.first_node[0] not in set(kept):
            return None
        standing, dirty = restrict(standing, kept, columns)
        standing.build()
        model_number = {node: number for number, node in enumerate(standing.model.nodes)}
        number_of = {place: model_number[node] for place, node in enumerate(nodes) if node in model_number}
        fresh = [place for place in range(len(nodes)) if place not in number_of]
        count = len(kept)
    if len(fresh) > max(1000, count):
        return None
    grown = standing.copy(len(fresh), sum(len(parents[place]) for place in fresh))
    model = grown.model
    extension = Extension(grown)
    extension.columned.settle(dirty)
    waiting = fresh
    while waiting:  # creation order, unless the graph's order has a child before its parent
        later: list[int] = []
        for turn, place in enumerate(waiting):
            if turn % 16 == 0:
                pause(0.2 + 0.7 * turn / len(waiting))
            above = [number_of.get(parent, parent if parent < stood else -1) for parent in parents[place]]
            if -1 in above:
                later.append(place)
                continue
            number_of[place] = len(model.nodes)
            extension.add(nodes[place], tuple(above))
        if len(later) == len(waiting):
            raise ValueError("cannot lay out this graph: it has a cycle, so some step would be its own ancestor")
        waiting = later
    crossings = extension.finish()
    model.graph_order = None
    if model.nodes != nodes:
        place_of = {node: place for place, node in enumerate(nodes)}
        model.graph_order = [place_of[node] for node in model.nodes]
    return grown, crossings
