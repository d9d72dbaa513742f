"""Changes a finished layout without laying out again: cards at pinned positions, only some of its nodes, room for the
frames of groups.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.geometry import columns_of
from opentine_gui.layout.measures import Direction
from opentine_gui.layout.result import COLUMN_EDGE, LANE_EDGE, MERGE_EDGE, Floats, Ints, Layout, Point, bounds_of

FRAME_GAP = 14.0
"""Units between a frame and the nearest card beside it."""
MOST_PASSES = 4
"""Most passes over all frames: a card that moves away from one frame may belong to another, which becomes wider."""


def sublayout(layout: Layout, nodes: tuple[Hashable, ...], index: Mapping[Any, int]) -> Layout | None:
    """Return the layout of some of its nodes, each at its place; None if one of them is not in the layout.

    The new layout has the order of `nodes`; `index` maps them to their positions in it. It cannot be continued.
    """
    count = len(nodes)
    if layout.nodes[:count] == nodes and _children_in_order(layout):
        rows: Ints | slice = slice(count)
        kept: Ints | slice = slice(int(np.searchsorted(layout.edges[:, 1], count)))
        edges = layout.edges[kept]
        offsets = layout.edge_offsets[: len(edges) + 1]
        edge_points = layout.edge_points[: offsets[-1]]
    else:
        try:
            rows = np.fromiter(map(layout.index.__getitem__, nodes), dtype=np.int64, count=count)
        except KeyError:
            return None
        place = np.full(len(layout.nodes), -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        ends = place[layout.edges]
        kept = np.flatnonzero((ends[:, 0] >= 0) & (ends[:, 1] >= 0))
        kept = kept[np.argsort(ends[kept, 1], kind="stable")]
        edges = ends[kept].astype(layout.edges.dtype)
        lengths = np.diff(layout.edge_offsets)[kept]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(layout.edge_offsets.dtype)
        points = np.repeat(layout.edge_offsets[kept] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
        edge_points = layout.edge_points[points]
    centers = layout.centers[rows]
    return replace(
        layout,
        nodes=nodes,
        index=index,
        centers=centers,
        edges=edges,
        edge_points=edge_points,
        edge_offsets=offsets,
        edge_kinds=layout.edge_kinds[kept],
        lanes=layout.lanes[rows],
        ranks=layout.ranks[rows],
        bounds=bounds_of(centers, edge_points, layout.spacing),
        _continuation=None,
    )


def _children_in_order(layout: Layout) -> bool:
    """Return whether links are in the order of their children, each of which comes after its parent."""
    above, below = layout.edges[:, 0], layout.edges[:, 1]
    return bool((below[1:] >= below[:-1]).all() and (above < below).all())


def with_pins(layout: Layout, pins: Mapping[Any, Point], *, make_room: bool = False) -> Layout:
    """Return the layout with cards at the given centres; unknown nodes are ignored. Same object when nothing moves.

    With `make_room`, a free card under or over a pinned one moves within its rank to the nearest free place. A link at
    a moved card becomes one curve; everything else stays where it is. Costs O(moved + links).
    """
    index = layout.index
    pinned = {index[node]: point for node, point in pins.items() if node in index}
    wanted = {**_out_of_the_way(layout, pinned), **pinned} if make_room and pinned else pinned
    moved = {card: point for card, point in wanted.items() if tuple(layout.centers[card]) != tuple(point)}
    if not moved:
        return layout
    centers = layout.centers.copy()
    rows = np.fromiter(moved.keys(), dtype=np.int64, count=len(moved))
    centers[rows] = np.array(list(moved.values()), dtype=np.float64)
    is_moved = np.zeros(len(centers), dtype=bool)
    is_moved[rows] = True
    edge_points, edge_offsets, edge_kinds = layout.edge_points, layout.edge_offsets, layout.edge_kinds
    if len(layout.edges):
        at_moved = is_moved[layout.edges[:, 0]] | is_moved[layout.edges[:, 1]]
        edge_points, edge_offsets = _rerouted(layout, centers, np.flatnonzero(at_moved))
        between = at_moved & (edge_kinds >= COLUMN_EDGE)  # were corners or stubs, are curves
        if between.any():
            edge_kinds = edge_kinds.copy()
            edge_kinds[between] = np.where(layout.edge_kinds[between] == COLUMN_EDGE, LANE_EDGE, MERGE_EDGE)
    return replace(
        layout,
        centers=centers,
        edge_points=edge_points,
        edge_offsets=edge_offsets,
        edge_kinds=edge_kinds,
        bounds=bounds_of(centers, edge_points, layout.spacing),
    )


def _out_of_the_way(layout: Layout, pinned: Mapping[int, Point]) -> dict[int, Point]:
    """Return new centres for the free cards that the pinned ones would cover.

    The home of a pinned card stays reserved, so unpinning it puts it back.
    """
    sideways = layout.direction is Direction.LEFT_TO_RIGHT
    across, along = (1, 0) if sideways else (0, 1)
    size = (layout.spacing.node_width, layout.spacing.node_height)
    pitch = columns_of(layout.spacing, layout.direction).card * 2
    cards = layout.centers.copy()
    is_pinned = np.zeros(len(cards), dtype=bool)
    is_pinned[list(pinned)] = True
    pins = np.array(list(pinned.values()), dtype=np.float64)
    free = np.flatnonzero(~is_pinned)
    covered: set[int] = set()
    for pin in pins:
        covered.update(free[(np.abs(cards[free] - pin) < size).all(axis=1)].tolist())
    for card in sorted(covered):
        same_rank = (layout.ranks == layout.ranks[card]) & ~is_pinned
        same_rank[card] = False
        level = np.abs(pins[:, along] - cards[card, along]) < size[along]
        taken = np.concatenate((cards[same_rank, across], pins[level, across]))
        cards[card, across] = _nearest_free(float(cards[card, across]), taken, pitch)
    return {card: (float(cards[card, 0]), float(cards[card, 1])) for card in sorted(covered)}


def _nearest_free(wish: float, taken: Floats, pitch: float) -> float:
    """Return the place nearest to `wish` at least `pitch` from all taken ones; of two equally near, the larger."""
    places = np.concatenate((taken + pitch, taken - pitch))
    clear = (np.abs(places[:, None] - taken[None, :]) >= pitch - 1e-6).all(axis=1)
    places = places[clear]
    return float(places[np.lexsort((-places, np.abs(places - wish)))[0]])


def _rerouted(layout: Layout, centers: Floats, edges: Ints) -> tuple[Floats, Ints]:
    """Return all polylines, those of `edges` (ascending) replaced by one curve: (k, 2) points and (m + 1,) offsets.

    Two points are drawn as a single bend, which is easy to follow from a card to any place, even one above it.
    """
    old, points = layout.edge_offsets, layout.edge_points
    lengths = np.diff(old)
    lengths[edges] = 2
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(old.dtype)
    fresh = np.stack(_anchors(layout, centers, edges), axis=1)
    pieces: list[Floats] = []
    copied = 0
    for bent, edge in zip(fresh, edges.tolist(), strict=True):
        pieces += [points[copied : old[edge]], bent]
        copied = int(old[edge + 1])
    pieces.append(points[copied:])
    return np.concatenate(pieces), offsets


def _anchors(layout: Layout, centers: Floats, edges: Ints) -> tuple[Floats, Floats]:
    """Return where links leave the parent's trailing edge and reach the child's leading edge; two (e, 2) arrays."""
    pairs = layout.edges[edges]
    starts, ends = centers[pairs[:, 0]].copy(), centers[pairs[:, 1]].copy()
    if layout.direction is Direction.TOP_TO_BOTTOM:
        starts[:, 1] += layout.spacing.node_height / 2
        ends[:, 1] -= layout.spacing.node_height / 2
    else:
        starts[:, 0] += layout.spacing.node_width / 2
        ends[:, 0] -= layout.spacing.node_width / 2
    return starts, ends


def with_room_above(layout: Layout, rooms: Mapping[int, float], begins: Sequence[float], corner: float) -> Layout:
    """The layout with `rooms` more units above some cards, by position; everything below them in their column follows.

    `begins` is where each column begins across; below the first of several, `corner` units stay free. In a
    left-to-right layout a tab needs no room above its card, and nothing moves.
    """
    if not rooms or layout.direction is not Direction.TOP_TO_BOTTOM:
        return layout
    half = layout.spacing.node_height / 2
    columns = _columns(begins, layout.centers)

    def shifts(places: Floats) -> Floats:
        column, moved = _columns(begins, places), np.zeros(len(places))
        for card, room in rooms.items():
            below = places[:, 1] > layout.centers[card, 1] - half - 1.0
            moved[(column == columns[card]) & below] += room
        return moved

    centers, points = layout.centers.copy(), layout.edge_points.copy()
    centers[:, 1] += shifts(layout.centers)
    points[:, 1] += shifts(layout.edge_points)
    bounds = bounds_of(centers, points, layout.spacing)
    foot = float(centers[columns == 0, 1].max()) + half + corner if len(begins) > 1 else bounds[3]
    bounds = (*bounds[:3], max(bounds[3], foot))
    return replace(layout, centers=centers, edge_points=points, bounds=bounds, _continuation=None)


def _columns(begins: Sequence[float], places: Floats) -> Ints:
    """The column of each place; places between two columns, such as those of links, belong to the column before."""
    found: Ints = np.maximum(np.searchsorted(np.array(begins), places[:, 0], side="right") - 1, 0)
    return found


def with_room_for_frames(layout: Layout, groups: Sequence[Sequence[int]], room: float) -> Layout:
    """The layout with no other card in the frame of a group; the same object if none is.

    Cards beside a frame move across the layout's direction, away from it and together with everything further out, so
    that the order outside stays and nothing in the group moves. `groups` are the cards of each group, by position; a
    frame reaches `room` units beyond its cards. What continues a group's own line stays below its first card, even
    beside a branch that the group shows. Groups with interleaved cards cannot be separated like this, because each
    would have to be further out than the other: then room is made once for each.
    """
    once = found = _all_apart(layout, groups, room)
    for _ in range(1, MOST_PASSES):
        before, found = found, _all_apart(found, groups, room)
        if found is before:
            return found
    return once


def _all_apart(layout: Layout, groups: Sequence[Sequence[int]], room: float) -> Layout:
    for inside in groups:
        layout = _apart(layout, inside, room)
    return layout


def _apart(layout: Layout, inside: Sequence[int], room: float) -> Layout:
    along = 0 if layout.direction is Direction.LEFT_TO_RIGHT else 1
    across = 1 - along
    spacing = layout.spacing
    half = (spacing.node_width / 2, spacing.node_height / 2)
    centers = layout.centers
    own = centers[list(inside)]
    low, high = own.min(axis=0) - half - room, own.max(axis=0) + half + room
    outside = np.ones(len(centers), dtype=bool)
    outside[list(inside)] = False
    reach = FRAME_GAP - 1e-6
    near = outside & (centers[:, along] + half[along] > low[along]) & (centers[:, along] - half[along] < high[along])
    near &= (centers[:, across] + half[across] > low[across] - reach) & (
        centers[:, across] - half[across] < high[across] + reach
    )
    if not near.any():
        return layout
    places = centers[:, across]
    shifts = np.zeros(len(centers))
    edges: list[tuple[float, float]] = []  # (place from which everything outside moves, by how much)
    middle = float(own[0, across])  # a group is placed by its first card
    for side in (1.0, -1.0):
        beside = near & ((places - middle) * side > 0)
        if not beside.any():
            continue
        nearest = float((places[beside] * side).min()) * side
        border = float(high[across]) if side > 0 else float(low[across])
        moved = (border + side * FRAME_GAP) - (nearest - side * half[across])
        if moved * side <= 0:
            continue
        begin = nearest - side * half[across]
        shifts[outside & ((places - begin) * side > 0)] = moved
        edges.append((begin, moved))
    if not edges:
        return layout
    found = centers.copy()
    found[:, across] += shifts
    points = _moved_lines(layout, across, shifts, outside, edges)
    bounds = bounds_of(found, points, spacing)
    bounds = (bounds[0], bounds[1], max(bounds[2], layout.bounds[2]), max(bounds[3], layout.bounds[3]))
    return replace(layout, centers=found, edge_points=points, bounds=bounds, _continuation=None)


def _moved_lines(
    layout: Layout, across: int, shifts: Floats, outside: NDArray[np.bool_], edges: Sequence[tuple[float, float]]
) -> Floats:
    """The moved points of the links: points at a card move with the card, others with their surroundings."""
    points = layout.edge_points.copy()
    lengths = np.diff(layout.edge_offsets)
    sources, targets = (np.repeat(layout.edges[:, end], lengths) for end in (0, 1))
    places = layout.edge_points[:, across]
    moved = np.zeros(len(points))
    for begin, shift in edges:
        moved[(places - begin) * np.sign(shift) > 0] = shift
    inside = ~outside[sources] & ~outside[targets]
    moved[inside] = 0.0
    near = 1e-6
    numbers = np.arange(len(points)) - np.repeat(layout.edge_offsets[:-1], lengths)
    later = numbers * 2 >= np.repeat(lengths, lengths)  # both cards may be at one place while only one of them moves
    for ends, own_half in ((sources, ~later), (targets, later)):
        at_card = np.abs(places - layout.centers[ends, across]) < near
        other = targets if ends is sources else sources
        at_card &= own_half | (np.abs(places - layout.centers[other, across]) >= near)
        moved[at_card] = shifts[ends[at_card]]
    points[:, across] += moved
    return points
