"""Where every card is: boxes in arrays, and the questions a pointer and a camera ask of them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.camera import Bounds
from opentine_gui.scene.slabs import Boxes, BoxIndex, Indices

if TYPE_CHECKING:
    from opentine_gui.layout import Layout


class SceneIndex:
    """Boxes of all cards and links of one layout, in world units."""

    def __init__(self, layout: Layout, node_size: tuple[float, float] | None = None) -> None:
        """Take the boxes of a layout; `node_size` (width, height) is its own spacing's card when not given."""
        width, height = node_size or (layout.spacing.node_width, layout.spacing.node_height)
        self.node_size = (float(width), float(height))
        self._layout = layout
        self._cards = BoxIndex(self._card_boxes(layout.centers))
        self._links = BoxIndex(_link_boxes(layout))

    def after(self, layout: Layout) -> SceneIndex:
        """Return the index of a layout; where it is this one's with some cards elsewhere, for the cost of a copy."""
        known = self._layout
        if layout.edges is not known.edges or len(layout.centers) != len(known.centers):
            return SceneIndex(layout, self.node_size)
        # A column at a time: numpy is slow at walking across two.
        rows = np.flatnonzero(
            (layout.centers[:, 0] != known.centers[:, 0]) | (layout.centers[:, 1] != known.centers[:, 1])
        )
        elsewhere = np.zeros(len(layout.centers), dtype=bool)
        elsewhere[rows] = True
        links = np.flatnonzero(elsewhere[layout.edges[:, 0]] | elsewhere[layout.edges[:, 1]])
        found = SceneIndex.__new__(SceneIndex)
        found.node_size, found._layout = self.node_size, layout
        found._cards = self._cards.changed(rows, self._card_boxes(layout.centers[rows]))
        found._links = self._links.changed(links, _some_link_boxes(layout, links))
        return found

    @property
    def boxes(self) -> Boxes:
        """The cards' boxes (n, 4)."""
        return self._cards.boxes

    def _card_boxes(self, centers: NDArray[np.float64]) -> NDArray[np.float64]:
        boxes = np.empty((len(centers), 4), order="F")
        for axis, side in enumerate(self.node_size):
            np.subtract(centers[:, axis], side / 2, out=boxes[:, axis])
            np.add(centers[:, axis], side / 2, out=boxes[:, axis + 2])
        return boxes

    def visible(self, rect: Bounds) -> Indices:
        """Return the indices, ascending, of the cards that touch the world rectangle."""
        return self._cards.touching(rect)

    def inside(self, rect: Bounds) -> Indices:
        """Return the cards fully or partly in a rectangle pulled open from any corner to any other."""
        x0, y0, x1, y1 = rect
        return self._cards.touching((min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)))

    def edges_visible(self, rect: Bounds) -> Indices:
        """Return the indices of the links whose bounding box touches the world rectangle."""
        return self._links.touching(rect)

    def hit(self, x: float, y: float, raised: Collection[int] = (), sunk: Collection[int] = ()) -> int | None:
        """Return the topmost card under a world point, or None.

        Later cards lie on top, `raised` ones above the others, and `sunk` ones below all.
        """
        found = self._cards.touching((x, y, x, y)).tolist()
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


def _link_boxes(layout: Layout) -> NDArray[np.float64]:
    if not len(layout.edges):
        return np.zeros((0, 4))
    return _spans(layout.edge_points, layout.edge_offsets[:-1])


def _spans(points: NDArray[np.float64], starts: Indices) -> NDArray[np.float64]:
    """Boxes (k, 4) around runs of points, each from its start to the next one's; a column at a time, as numpy likes."""
    boxes = np.empty((len(starts), 4), order="F")
    for axis in (0, 1):
        column = np.ascontiguousarray(points[:, axis])
        np.minimum.reduceat(column, starts, out=boxes[:, axis])
        np.maximum.reduceat(column, starts, out=boxes[:, axis + 2])
    return boxes


def _some_link_boxes(layout: Layout, links: Indices) -> NDArray[np.float64]:
    """Boxes (k, 4) of some links; their points are gathered, so the cost follows the links asked for."""
    if not len(links):
        return np.zeros((0, 4))
    starts = layout.edge_offsets[links]
    lengths = layout.edge_offsets[links + 1] - starts
    begins = np.cumsum(lengths) - lengths
    rows = np.repeat(starts - begins, lengths) + np.arange(int(lengths.sum()))
    return _spans(layout.edge_points[rows], begins)
