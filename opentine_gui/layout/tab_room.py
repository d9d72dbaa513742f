"""Room above open groups: the tab of a group stands there, and must not cover what the card above it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from opentine_gui.layout.columns import COLUMN_GAP, CORNER_ROOM, Columns
from opentine_gui.layout.measures import Direction
from opentine_gui.layout.result import Floats, Layout, bounds_of


def with_room_above(made: Columns, rooms: Mapping[int, float]) -> Layout:
    """The layout with `rooms` units more above some cards, by position; what stands below them in their column follows.

    In a left-to-right layout a tab is beside what is before its card, and nothing moves.
    """
    layout = made.layout
    # There is nothing above the card at which a column begins, and all columns begin at one height.
    rooms = {card: room for card, room in rooms.items() if layout.nodes[card] not in made.heads}
    if not rooms or layout.direction is not Direction.TOP_TO_BOTTOM:
        return layout
    widths = [left + right + COLUMN_GAP for left, right in made.extents]
    begins = np.concatenate(([0.0], np.cumsum(widths)))[: len(widths)]
    tops = layout.centers[:, 1] - layout.spacing.node_height / 2

    def shifts(places: Floats) -> Floats:
        column = _column(begins, places[:, 0])
        moved = np.zeros(len(places))
        for card, room in rooms.items():
            own = _column(begins, layout.centers[card : card + 1, 0])[0]
            moved[(column == own) & (places[:, 1] > tops[card] - 1.0)] += room
        return moved

    centers, points = layout.centers.copy(), layout.edge_points.copy()
    centers[:, 1] += shifts(layout.centers)
    points[:, 1] += shifts(layout.edge_points)
    bounds = bounds_of(centers, points, layout.spacing)
    foot = bounds[3]
    if len(begins) > 1:
        first = _column(begins, centers[:, 0]) == 0
        foot = max(foot, float(centers[first, 1].max()) + layout.spacing.node_height / 2 + CORNER_ROOM)
    return replace(layout, centers=centers, edge_points=points, bounds=(*bounds[:3], foot), _continuation=None)


def _column(begins: Floats, across: Floats) -> Floats:
    """The column of places; what lies between two columns, as the line that leaves one, belongs to the left one."""
    return np.maximum(np.searchsorted(begins, across, side="right") - 1, 0)
