"""Positions the user chose, laid over a finished layout: only those cards and the links at them move."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout import Direction, Layout
from opentine_gui.layout.geometry import bounds_of

Point = tuple[float, float]


def cut(layout: Layout, ids: tuple[Hashable, ...], index: Mapping[Any, int]) -> Layout | None:
    """The picture of some of its steps, each where it stood; None when one of them is not in it.

    `ids` become the order of the cards, `index` says their places. The incremental layout cannot go on from it.
    """
    count = len(ids)
    if layout.nodes[:count] == ids and _children_in_order(layout):
        rows: NDArray[np.int64] | slice = slice(count)
        kept: NDArray[np.int64] | slice = slice(int(np.searchsorted(layout.edges[:, 1], count)))
        edges = layout.edges[kept]
        offsets = layout.edge_offsets[: len(edges) + 1]
        edge_points = layout.edge_points[: offsets[-1]]
    else:
        try:
            rows = np.fromiter(map(layout.index.__getitem__, ids), dtype=np.int64, count=count)
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
        nodes=ids,
        index=index,
        centers=centers,
        edges=edges,
        edge_points=edge_points,
        edge_offsets=offsets,
        edge_kinds=layout.edge_kinds[kept],
        lanes=layout.lanes[rows],
        ranks=layout.ranks[rows],
        bounds=bounds_of(centers, edge_points, layout.spacing),
        _memory=None,
    )


def _children_in_order(layout: Layout) -> bool:
    """Whether links come in the order of the steps below, each of which comes after the one above."""
    above, below = layout.edges[:, 0], layout.edges[:, 1]
    return bool((below[1:] >= below[:-1]).all() and (above < below).all())


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
    return replace(
        layout,
        centers=centers,
        edge_points=edge_points,
        edge_offsets=edge_offsets,
        bounds=bounds_of(centers, edge_points, layout.spacing),
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
