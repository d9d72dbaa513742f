"""Positions the user chose, laid over a finished layout: only those cards and the links at them move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout import Direction, Layout

Point = tuple[float, float]


def with_pins(layout: Layout, pins: Mapping[str, Point]) -> Layout:
    """The layout with those cards at those centres; ids it does not know are ignored. Same object when nothing moves.

    A link at a moved card is drawn anew as one curve; all others stay. Costs O(moved + links), no search.
    """
    index = layout.index
    moved = {index[key]: point for key, point in pins.items() if key in index}
    moved = {i: point for i, point in moved.items() if tuple(layout.centers[i]) != tuple(point)}
    if not moved:
        return layout
    centers = layout.centers.copy()
    rows = np.fromiter(moved.keys(), dtype=np.int64, count=len(moved))
    centers[rows] = np.array(list(moved.values()), dtype=np.float64)
    touched = np.zeros(len(centers), dtype=bool)
    touched[rows] = True
    edge_points, edge_offsets = layout.edge_points, layout.edge_offsets
    if len(layout.edges):
        at_moved = touched[layout.edges[:, 0]] | touched[layout.edges[:, 1]]
        edge_points, edge_offsets = _rerouted(layout, centers, np.flatnonzero(at_moved))
    half = (layout.spacing.node_width / 2, layout.spacing.node_height / 2)
    low, high = [0.0, 0.0], [0.0, 0.0]
    for axis in (0, 1):
        column = centers[:, axis]
        low[axis], high[axis] = float(column.min()) - half[axis], float(column.max()) + half[axis]
        if len(edge_points):
            column = edge_points[:, axis]
            low[axis], high[axis] = min(low[axis], float(column.min())), max(high[axis], float(column.max()))
    return replace(
        layout,
        centers=centers,
        edge_points=edge_points,
        edge_offsets=edge_offsets,
        bounds=(low[0], low[1], high[0], high[1]),
    )


def _rerouted(
    layout: Layout, centers: NDArray[np.float64], edges: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """All polylines with those edges (ascending) replaced by one curve each; (k, 2) points and (m + 1,) offsets.

    Two points are drawn as a single bend, which reads well from a card to any place, also to one above it.
    """
    old, points = layout.edge_offsets, layout.edge_points
    lengths = np.diff(old)
    lengths[edges] = 2
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(old.dtype)
    fresh = np.stack(_anchors(layout, centers, edges), axis=1)
    pieces: list[NDArray[np.float64]] = []
    copied = 0
    for bent, edge in zip(fresh, edges.tolist(), strict=True):
        pieces += [points[copied : old[edge]], bent]
        copied = int(old[edge + 1])
    pieces.append(points[copied:])
    return np.concatenate(pieces), offsets


def _anchors(
    layout: Layout, centers: NDArray[np.float64], edges: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where links leave the parent's trailing edge and reach the child's leading edge; two (e, 2) arrays."""
    pairs = layout.edges[edges]
    starts, ends = centers[pairs[:, 0]].copy(), centers[pairs[:, 1]].copy()
    if layout.direction is Direction.TOP_TO_BOTTOM:
        starts[:, 1] += layout.spacing.node_height / 2
        ends[:, 1] -= layout.spacing.node_height / 2
    else:
        starts[:, 0] += layout.spacing.node_width / 2
        ends[:, 0] -= layout.spacing.node_width / 2
    return starts, ends
