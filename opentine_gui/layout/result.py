"""The result of a layout: card centres, edge polylines, lanes and ranks, as numpy arrays."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.measures import Direction, Spacing

LANE_EDGE, FORK_EDGE, MERGE_EDGE, COLUMN_EDGE, STUB_EDGE = 0, 1, 2, 3, 4

Point = tuple[float, float]
Bounds = tuple[float, float, float, float]
"""(left, top, right, bottom)"""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Continuation:
    """Base of what an engine keeps with a layout so that an edit can continue it; private to the engine."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A finished layout; n nodes in graph order, m edges in child order, k polyline points; pixels, x right, y down.

    `centers` (n, 2) float64; `edges` (m, 2) int32 parent and child index; `edge_points` (k, 2) float64, all polylines
    one after the other, edge e owning rows `edge_offsets[e]:edge_offsets[e + 1]`; `edge_kinds` (m,) uint8: 0 lane edge,
    1 fork, 2 merge, and of a folded run 3 the main line from one column to the next, 4 any other link between columns,
    two stubs; `lanes` and `ranks` (n,) int32, lane 0 is main; `bounds` enclose all cards and polylines.
    """

    nodes: tuple[Hashable, ...]
    index: Mapping[Hashable, int]
    centers: Floats
    edges: NDArray[np.int32]
    edge_points: Floats
    edge_offsets: Ints
    edge_kinds: NDArray[np.uint8]
    lanes: NDArray[np.int32]
    ranks: NDArray[np.int32]
    bounds: Bounds
    direction: Direction
    spacing: Spacing
    crossings: int | None
    """None where too many long edges run beside each other to count them."""
    _continuation: Continuation | None = field(default=None, repr=False)  # not compared

    def __eq__(self, other: object) -> bool:
        """Compare by value: same nodes, same positions, same polylines."""
        if not isinstance(other, Layout):
            return NotImplemented
        return (
            self.nodes == other.nodes
            and self.direction == other.direction
            and self.spacing == other.spacing
            and self.crossings == other.crossings
            and all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in ("centers", "edges", "edge_points", "edge_offsets", "edge_kinds", "lanes", "ranks")
            )
        )

    __hash__ = None  # type: ignore[assignment]

    def polyline(self, edge: int) -> Floats:
        """Return the (points, 2) polyline of one edge, from its parent's card to its child's."""
        return self.edge_points[self.edge_offsets[edge] : self.edge_offsets[edge + 1]]

    def position(self, node: Hashable) -> Point:
        """Return the centre of one node's card; KeyError if the layout does not know the node."""
        x, y = self.centers[self.index[node]]
        return float(x), float(y)


def bounds_of(centers: Floats, edge_points: Floats, spacing: Spacing) -> Bounds:
    """Return the rectangle around all cards (n, 2) and polyline points (k, 2); zeros without cards."""
    if not len(centers):
        return (0.0, 0.0, 0.0, 0.0)
    low, high = [0.0, 0.0], [0.0, 0.0]
    for axis, half in enumerate((spacing.node_width / 2, spacing.node_height / 2)):
        card, point = centers[:, axis], edge_points[:, axis]  # by column: numpy is slow along the short side
        low[axis] = min(float(card.min()) - half, float(point.min(initial=np.inf)))
        high[axis] = max(float(card.max()) + half, float(point.max(initial=-np.inf)))
    return low[0], low[1], high[0], high[1]
