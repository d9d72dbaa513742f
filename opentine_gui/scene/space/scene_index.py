"""The spatial index: boxes of all cards and links, and what lies at a point or in a rectangle."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.space.camera import Bounds

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

# In Fortran order: masks read one column at a time.
Boxes = NDArray[np.float32]
Indices = NDArray[np.int64]

LINKS_AT_ONCE = 100_000
"""Links whose boxes are made at a time."""


def overlapping(boxes: Boxes, rect: Bounds) -> Indices:
    """Return the rows, ascending, of the boxes (n, 4) that touch a rectangle; a mask over all: 0.3 ms for 100,000."""
    x0, y0, x1, y1 = rect
    mask = boxes[:, 0] <= x1
    mask &= boxes[:, 2] >= x0
    mask &= boxes[:, 1] <= y1
    mask &= boxes[:, 3] >= y0
    return np.flatnonzero(mask)


class SceneIndex:
    """Boxes of all cards and links of one layout, in world units."""

    def __init__(self, layout: Layout, node_size: tuple[float, float] | None = None) -> None:
        """Take the boxes of a layout; `node_size` (width, height) is the card of its own spacing if not given."""
        width, height = node_size or (layout.spacing.node_width, layout.spacing.node_height)
        self.node_size = (float(width), float(height))
        self._layout = layout
        self.boxes: Boxes = np.asfortranarray(self._card_boxes(layout.centers), dtype=np.float32)
        """The cards' boxes (n, 4)."""
        self._links: Boxes = _link_boxes(layout)

    def updated(self, layout: Layout) -> SceneIndex:
        """Return the index of a layout; costs a copy if the layout is this one's with some cards moved.

        Cards and links may also have been added or removed at the end of the order.
        """
        known = self._layout
        if known is layout:
            return self
        links = _changed_links(known, layout)
        if links is None:
            return SceneIndex(layout, self.node_size)
        cards = _changed_rows(known.centers, layout.centers)
        found = SceneIndex.__new__(SceneIndex)
        found.node_size, found._layout = self.node_size, layout
        found.boxes = _updated_boxes(self.boxes, cards, self._card_boxes(layout.centers[cards]), len(layout.centers))
        found._links = _updated_boxes(self._links, links, _some_link_boxes(layout, links), len(layout.edges))
        return found

    def _card_boxes(self, centers: NDArray[np.float64]) -> NDArray[np.float64]:
        boxes = np.empty((len(centers), 4), order="F")
        for axis, side in enumerate(self.node_size):
            np.subtract(centers[:, axis], side / 2, out=boxes[:, axis])
            np.add(centers[:, axis], side / 2, out=boxes[:, axis + 2])
        return boxes

    def visible(self, rect: Bounds) -> Indices:
        """Return the indices, ascending, of the cards that touch the world rectangle."""
        return overlapping(self.boxes, rect)

    def inside(self, rect: Bounds) -> Indices:
        """Return the cards fully or partly in a rectangle given by any two opposite corners."""
        x0, y0, x1, y1 = rect
        return overlapping(self.boxes, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))

    def edges_visible(self, rect: Bounds) -> Indices:
        """Return the indices of the links whose bounding box touches the world rectangle."""
        return overlapping(self._links, rect)

    def hit(self, x: float, y: float, raised: Collection[int] = (), sunk: Collection[int] = ()) -> int | None:
        """Return the topmost card under a world point, or None.

        Later cards are on top, `raised` ones above the others, and `sunk` ones below all.
        """
        found = overlapping(self.boxes, (x, y, x, y)).tolist()
        return max(found, key=lambda card: (card not in sunk, card in raised, card), default=None)

    def box(self, index: int) -> Bounds:
        """Return the world rectangle of one card."""
        x0, y0, x1, y1 = self.boxes[index].tolist()
        return (x0, y0, x1, y1)

    def bounds(self, indices: Indices | list[int]) -> Bounds | None:
        """Return the world rectangle around some cards, or None for none."""
        if not len(indices):
            return None
        chosen = self.boxes[np.asarray(indices)]
        x0, y0 = chosen[:, :2].min(axis=0).tolist()
        x1, y1 = chosen[:, 2:].max(axis=0).tolist()
        return (x0, y0, x1, y1)


def _updated_boxes(boxes: Boxes, rows: Indices, others: NDArray[np.float64], count: int) -> Boxes:
    """Return `count` boxes: `others` (k, 4) in `rows` (k,), which include all added ones; the rest are the old ones."""
    copy: Boxes = np.empty((count, 4), dtype=np.float32, order="F")
    common = min(count, len(boxes))
    copy[:common] = boxes[:common]
    copy[rows] = others
    return copy


def _changed_rows(known: NDArray[np.float64], now: NDArray[np.float64]) -> Indices:
    """Return the rows of points (n, 2) that have moved or are new."""
    common = min(len(known), len(now))
    # A column at a time: numpy is slow along the short side.
    other = now[:common, 0] != known[:common, 0]
    other |= now[:common, 1] != known[:common, 1]
    return np.concatenate((np.flatnonzero(other), np.arange(common, len(now))))


def _changed_links(known: Layout, now: Layout) -> Indices | None:
    """Return the links that have moved or are new; None if the links are not in the same order."""
    common = min(len(known.edges), len(now.edges))
    if known.edges is not now.edges and not np.array_equal(known.edges[:common], now.edges[:common]):
        return None
    offsets = now.edge_offsets[: common + 1]
    if not np.array_equal(known.edge_offsets[: common + 1], offsets):
        return _links_at_moved(known, now) if known.edges is now.edges else None
    points = _changed_rows(known.edge_points[: offsets[-1]], now.edge_points[: offsets[-1]])
    others = np.searchsorted(offsets, points, side="right") - 1
    others = others[np.flatnonzero(np.diff(others, prepend=-1))]
    return np.concatenate((others, np.arange(common, len(now.edges))))


def _links_at_moved(known: Layout, now: Layout) -> Indices:
    """Return the links at cards that have moved: pins only change the bends of these."""
    moved = np.zeros(len(now.centers), dtype=bool)
    moved[_changed_rows(known.centers, now.centers)] = True
    found: Indices = np.flatnonzero(moved[now.edges[:, 0]] | moved[now.edges[:, 1]])
    return found


def _link_boxes(layout: Layout) -> Boxes:
    """Return the boxes (k, 4) of all links, made in parts: of some millions memory takes most of the time."""
    count, offsets, points = len(layout.edges), layout.edge_offsets, layout.edge_points
    boxes: Boxes = np.empty((count, 4), dtype=np.float32, order="F")
    for at in range(0, count, LINKS_AT_ONCE):
        starts = offsets[at : at + LINKS_AT_ONCE + 1]
        own = points[starts[0] : starts[-1]]
        part = boxes[at : at + LINKS_AT_ONCE]
        if len(own) == 2 * len(part):  # straight, for no link has fewer points
            for axis in (0, 1):
                one, other = own[0::2, axis], own[1::2, axis]
                part[:, axis], part[:, axis + 2] = np.minimum(one, other), np.maximum(one, other)
        else:
            part[:] = _spans(own, starts[:-1] - starts[0])
    return boxes


def _spans(points: NDArray[np.float64], starts: Indices) -> NDArray[np.float64]:
    """Return boxes (k, 4) around runs of points, each of which ends at the next one's start."""
    boxes = np.empty((len(starts), 4), order="F")
    for axis in (0, 1):
        column = np.ascontiguousarray(points[:, axis])
        np.minimum.reduceat(column, starts, out=boxes[:, axis])
        np.maximum.reduceat(column, starts, out=boxes[:, axis + 2])
    return boxes


def _some_link_boxes(layout: Layout, links: Indices) -> NDArray[np.float64]:
    """Return the boxes (k, 4) of some links; the cost depends on their number alone."""
    if not len(links):
        return np.zeros((0, 4))
    starts = layout.edge_offsets[links]
    lengths = layout.edge_offsets[links + 1] - starts
    begins = np.cumsum(lengths) - lengths
    rows = np.repeat(starts - begins, lengths) + np.arange(int(lengths.sum()))
    return _spans(layout.edge_points[rows], begins)
