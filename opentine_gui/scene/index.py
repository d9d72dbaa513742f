"""Where every card is: boxes in arrays, and the questions a pointer and a camera ask of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.camera import Bounds

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

Indices = NDArray[np.int64]


def _overlapping(boxes: NDArray[np.float32], rect: Bounds) -> Indices:
    x0, y0, x1, y1 = rect
    mask = boxes[:, 0] <= x1
    mask &= boxes[:, 2] >= x0
    mask &= boxes[:, 1] <= y1
    mask &= boxes[:, 3] >= y0
    return np.flatnonzero(mask)


class SceneIndex:
    """Boxes of all cards and links of one layout, in world units; a mask over all of them is quicker than a tree."""

    def __init__(self, layout: Layout, node_size: tuple[float, float] | None = None) -> None:
        """Take the boxes of a layout; `node_size` (width, height) is its own spacing's card when not given."""
        width, height = node_size or (layout.spacing.node_width, layout.spacing.node_height)
        self.node_size = (float(width), float(height))
        half = np.array([width / 2, height / 2])
        boxes = np.concatenate([layout.centers - half, layout.centers + half], axis=1).reshape(-1, 4)
        # Columns next to each other in memory: the mask reads one column at a time.
        self.boxes: NDArray[np.float32] = np.asfortranarray(boxes, dtype=np.float32)
        self.link_boxes: NDArray[np.float32] = np.asfortranarray(_link_boxes(layout), dtype=np.float32)

    def visible(self, rect: Bounds) -> Indices:
        """Return the indices, ascending, of the cards that touch the world rectangle."""
        return _overlapping(self.boxes, rect)

    def inside(self, rect: Bounds) -> Indices:
        """Return the cards fully or partly in a rectangle pulled open from any corner to any other."""
        x0, y0, x1, y1 = rect
        return _overlapping(self.boxes, (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))

    def edges_visible(self, rect: Bounds) -> Indices:
        """Return the indices of the links whose bounding box touches the world rectangle."""
        return _overlapping(self.link_boxes, rect)

    def hit(self, x: float, y: float) -> int | None:
        """Return the topmost card under a world point (later cards lie on top), or None."""
        found = _overlapping(self.boxes, (x, y, x, y))
        return int(found[-1]) if len(found) else None

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


def _link_boxes(layout: Layout) -> NDArray[np.float64]:
    if not len(layout.edges):
        return np.zeros((0, 4))
    starts = layout.edge_offsets[:-1]
    points = layout.edge_points
    low = np.minimum.reduceat(points, starts, axis=0)
    high = np.maximum.reduceat(points, starts, axis=0)
    return np.concatenate([low, high], axis=1)
