"""Routes edges: along a lane, as diagonals over one rank, or in thin strands over more ranks."""

from __future__ import annotations

from opentine_gui.layout.batch.strands import DIRECT_LINK, LANE_LINK, Model


def route_edges(model: Model) -> None:
    """Fill the edge lists, child by child, and give strands thin parts for edges longer than one rank.

    A long edge into the head of a lane extends that lane upwards; one from the last step of a lane extends the lane
    downwards (all such edges share the tail); any other runs in a thin strand shared by all long edges of its source.
    """
    sources, targets, via = model.edge_source, model.edge_target, model.edge_via
    if model.merges:
        for node in range(len(model.parents)):
            route_node(model, node)
        return
    for node, above in enumerate(model.parents):  # a forest: every edge spans one rank
        if above:
            sources.append(above[0])
            targets.append(node)
            via.append(LANE_LINK if model.lane_previous[node] == above[0] else DIRECT_LINK)


def route_node(model: Model, node: int) -> None:
    """Route all edges into `node`."""
    rank, lane = model.rank, model.lane
    for parent in model.parents[node]:
        model.edge_source.append(parent)
        model.edge_target.append(node)
        if model.lane_previous[node] == parent:
            model.edge_via.append(LANE_LINK)
        elif rank[node] == rank[parent] + 1:
            model.edge_via.append(DIRECT_LINK)
        else:
            model.edge_via.append(_carrier(model, parent, node, lane[parent], lane[node]))


def _carrier(model: Model, parent: int, node: int, parent_lane: int, node_lane: int) -> int:
    first, last = model.rank[parent] + 1, model.rank[node] - 1
    if model.first_node[node_lane] == node:
        model.top[node_lane] = min(model.top[node_lane], first)
        return node_lane
    if model.last_node[parent_lane] == parent:
        model.bottom[parent_lane] = max(model.bottom[parent_lane], last)
        return parent_lane
    strand = model.routing_of.get(parent)
    if strand is None:
        strand = model.add_strand(parent, parent_lane, first - 1, first, routing=True)
        model.routing_of[parent] = strand
    model.bottom[strand] = max(model.bottom[strand], last)
    return strand


def diagonals(model: Model) -> list[tuple[int, int, int]]:
    """Return every diagonal as (gap, upper strand, lower strand); gap g lies between ranks g and g + 1.

    Edges in the same routing strand share the diagonal into it, which is listed once.
    """
    rank, lane = model.rank, model.lane
    found: list[tuple[int, int, int]] = []
    entered: set[int] = set()
    for parent, node, via in zip(model.edge_source, model.edge_target, model.edge_via, strict=True):
        if via == LANE_LINK:
            continue
        upper, lower = lane[parent], lane[node]
        if via in (DIRECT_LINK, upper):
            found.append((rank[node] - 1, upper, lower))
        elif via == lower:
            found.append((rank[parent], upper, lower))
        else:
            if via not in entered:
                entered.add(via)
                found.append((rank[parent], upper, via))
            found.append((rank[node] - 1, via, lower))
    return found
