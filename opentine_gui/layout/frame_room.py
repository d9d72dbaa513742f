"""Makes room for the frames around open groups: a card that is not in a group does not lie in its frame.

What lies beside a frame is moved across the layout's direction, away from the frame and as one with all that lies
further out, so that nothing outside changes its order and nothing in the group moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.measures import Direction
from opentine_gui.layout.result import Floats, Layout, bounds_of

GAP = 14.0
"""Units between a frame and the nearest card beside it."""


def with_room_for_frames(layout: Layout, groups: Sequence[Sequence[int]], room: float) -> Layout:
    """The layout with no other card in the frame of a group; the same object if none is.

    `groups` are the cards of each group, by position; a frame reaches `room` units beyond its cards.
    """
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
    reach = GAP - 1e-6
    near = outside & (centers[:, along] + half[along] > low[along]) & (centers[:, along] - half[along] < high[along])
    near &= (centers[:, across] + half[across] > low[across] - reach) & (
        centers[:, across] - half[across] < high[across] + reach
    )
    if not near.any():
        return layout
    places = centers[:, across]
    shifts = np.zeros(len(centers))
    edges: list[tuple[float, float]] = []  # (place from which on outside things move, by how much)
    middle = float(own[0, across])  # a group hangs from its first card
    for side in (1.0, -1.0):
        beside = near & ((places - middle) * side > 0)
        if not beside.any():
            continue
        nearest = float((places[beside] * side).min()) * side
        border = float(high[across]) if side > 0 else float(low[across])
        moved = (border + side * GAP) - (nearest - side * half[across])
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
    """The points of the links: those at a card's place go with the card, those between with what lies around them."""
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
    for ends in (sources, targets):
        at_card = np.abs(places - layout.centers[ends, across]) < near
        moved[at_card] = shifts[ends[at_card]]
    points[:, across] += moved
    return points
