"""Stacks: nodes that share one place of the layout, fanned out downwards so that the upper half of each can be read.

A stack is laid out as one node. Everything below it moves down to make room; nothing moves sideways.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from opentine_gui.layout.measures import Direction
from opentine_gui.layout.request import Ancestry, LayoutRequest
from opentine_gui.layout.result import Floats, Ints, Layout, bounds_of

STRIP, ASIDE = 52.0, 10.0
"""Offset of each card of a stack, down and to the right, from the card behind it, in pixels at zoom 1."""
MOST_STRIPS = 4
"""Most strips with room for text. In a stack of more cards, those in the middle only show their edges."""
EDGE, MOST_EDGES = 8.0, 40.0
"""Pixels between two cards that only show their edges, and the most that all of these take together."""


class CollapsedGraph(NamedTuple):
    """A graph in which each stack is one node.

    `place[i]` is the number of node i of the whole graph in `graph`; it is card `depth[i]` of `size[i]` in its stack.
    """

    whole: Ancestry
    graph: Ancestry
    place: list[int]
    depth: list[int]
    size: list[int]


def collapse_stacks(request: LayoutRequest) -> CollapsedGraph:
    """Merge each stack into one node; a node whose parents differ from those of the first is left out of it."""
    whole = Ancestry.of(request.graph)
    number = {node: place for place, node in enumerate(whole.nodes)}
    first = list(range(len(whole.nodes)))
    depth, size = [0] * len(first), [1] * len(first)
    for stack in request.stacks:
        members = sorted(number[node] for node in stack if node in number)
        members = [node for node in members if set(whole.parents[node]) == set(whole.parents[members[0]])]
        for place, member in enumerate(members):
            first[member], depth[member], size[member] = members[0], place, len(members)
    kept = [node for node, leader in enumerate(first) if node == leader]
    slot = {node: place for place, node in enumerate(kept)}
    place_of = [slot[leader] for leader in first]
    parents: list[dict[int, None]] = [{} for _ in kept]
    for node, above in enumerate(whole.parents):
        parents[place_of[node]].update(dict.fromkeys(place_of[parent] for parent in above))
    graph = Ancestry([whole.nodes[node] for node in kept], [tuple(above) for above in parents])
    return CollapsedGraph(whole, graph, place_of, depth, size)


def collapsed_request(request: LayoutRequest, collapsed: CollapsedGraph) -> LayoutRequest:
    """The request for the graph in which each stack is one node."""
    main: Hashable | None = request.main
    if main is not None and main in set(collapsed.whole.nodes):
        main = collapsed.graph.nodes[collapsed.place[list(collapsed.whole.nodes).index(main)]]
    return request._replace(graph=collapsed.graph, main=main, stacks=(), previous=None)


def expand_stacks(layout: Layout, collapsed: CollapsedGraph) -> Layout:
    """Return the layout of the whole graph, every card of a stack at its own place. It cannot be continued."""
    place = np.array(collapsed.place, dtype=np.int64)
    fans = {size: _fan(size) for size in set(collapsed.size)}
    down = np.array([fans[size][depth] for depth, size in zip(collapsed.depth, collapsed.size, strict=True)])
    room = np.array([fans[size][-1] for size in collapsed.size])
    fan = np.column_stack(((down - room / 2) * (ASIDE / STRIP), down))
    centers = layout.centers[place]
    lower = _DownwardShift(centers[:, 1], room, layout.spacing.node_height)
    slots = np.column_stack((centers[:, 0], lower(centers[:, 1])))
    sideways = layout.direction is Direction.LEFT_TO_RIGHT
    leave = fan if sideways else np.column_stack((np.zeros(len(place)), room))
    arrive = fan if sideways else np.zeros_like(fan)
    pairs = [(parent, child) for child, above in enumerate(collapsed.whole.parents) for parent in dict.fromkeys(above)]
    edge_of = {(source, target): edge for edge, (source, target) in enumerate(layout.edges.tolist())}
    rows = np.array(
        [edge_of[collapsed.place[parent], collapsed.place[child]] for parent, child in pairs], dtype=np.int64
    )
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    moved = slots - centers
    points, offsets = _polylines(layout, rows, ends, lower, moved + leave, moved + arrive)
    cards = slots + fan
    return replace(
        layout,
        nodes=tuple(collapsed.whole.nodes),
        index={node: number for number, node in enumerate(collapsed.whole.nodes)},
        centers=cards,
        edges=ends.astype(np.int32),
        edge_points=points,
        edge_offsets=offsets,
        edge_kinds=layout.edge_kinds[rows],
        lanes=layout.lanes[place],
        ranks=layout.ranks[place],
        bounds=bounds_of(cards, points, layout.spacing),
        _continuation=None,
    )


def _fan(size: int) -> list[float]:
    """Return the offset down of each card of a stack: the back card and the front ones have room for their text."""
    edges = max(size - 1 - MOST_STRIPS, 0)
    pitch = min(EDGE, MOST_EDGES / edges) if edges else 0.0
    found = [0.0]
    for card in range(1, size):
        found.append(found[-1] + (pitch if 1 < card <= 1 + edges else STRIP))
    return found


class _DownwardShift:
    """Maps a y to its new place after the stacks above it have grown: a function that never decreases."""

    def __init__(self, ys: Floats, room: Floats, height: float) -> None:
        stacked = np.flatnonzero(room > 0)
        at: list[float] = []
        extra: list[float] = []
        for y, more in sorted(zip(ys[stacked].tolist(), room[stacked].tolist(), strict=True)):
            if at and y - at[-1] < height / 2:  # side by side: the tallest decides
                extra[-1] = max(extra[-1], more)
            else:
                at.append(y)
                extra.append(more)
        starts = np.array(at)
        self._at = np.column_stack((starts, starts + height / 2)).reshape(-1)
        down = np.cumsum(extra)
        self._down = np.column_stack((down - np.array(extra), down)).reshape(-1)

    def __call__(self, y: Floats) -> Floats:
        moved: Floats = y + np.interp(y, self._at, self._down) if len(self._at) else y
        return moved


def _polylines(
    layout: Layout, rows: Ints, pairs: Ints, lower: _DownwardShift, leaving: Floats, arriving: Floats
) -> tuple[Floats, Ints]:
    """Return all links' points (k, 2) and offsets (m + 1,): ends move with their cards, bends with their surroundings.

    `leaving` and `arriving` (n, 2) say how far the ends at each card moved.
    """
    starts = layout.edge_offsets[rows]
    lengths = layout.edge_offsets[rows + 1] - starts
    offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))
    old = layout.edge_points[np.repeat(starts - offsets[:-1], lengths) + np.arange(int(offsets[-1]))]
    points = np.column_stack((old[:, 0], lower(old[:, 1])))
    first, last = offsets[:-1], offsets[1:] - 1
    points[first] = old[first] + leaving[pairs[:, 0]]
    points[last] = old[last] + arriving[pairs[:, 1]]
    return points, offsets
