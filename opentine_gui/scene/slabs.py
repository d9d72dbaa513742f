"""Boxes sorted along one axis, so that a question about a rectangle looks at its neighbourhood and not at all boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.camera import Bounds

Boxes = NDArray[np.float32]
Indices = NDArray[np.int64]

# Fewer boxes than these are looked at one and all: a mask over them costs less than finding the neighbourhood.
FEW = 2_000
# A neighbourhood of more than this share of all boxes is no shorter way.
SHARE = 0.2


def overlapping(boxes: Boxes, rect: Bounds) -> Indices:
    """Return the rows, ascending, of the boxes (n, 4) that touch a rectangle; looks at every box."""
    x0, y0, x1, y1 = rect
    mask = boxes[:, 0] <= x1
    mask &= boxes[:, 2] >= x0
    mask &= boxes[:, 1] <= y1
    mask &= boxes[:, 3] >= y0
    return np.flatnonzero(mask)


class Slabs:
    """The order of some boxes along the axis in which they spread most, in classes of like length.

    A class holds the boxes whose length along the axis has the same power of two, so those that can reach a rectangle
    begin at most that length before it: two binary searches a class find them. There are as many classes as powers.
    """

    def __init__(self, boxes: Boxes) -> None:
        """Take (n, 4) boxes (x0, y0, x1, y1), n > 0. They are not kept."""
        spread = boxes[:, 2:].max(axis=0) - boxes[:, :2].min(axis=0)
        self.axis = int(spread[1] >= spread[0])
        low = boxes[:, self.axis]
        length = boxes[:, self.axis + 2] - low
        powers = np.frexp(length)[1]
        self.order: list[Indices] = []
        self.lows: list[Boxes] = []
        self.reach: list[float] = []
        first = int(powers.min())
        for power in np.flatnonzero(np.bincount(powers - first)) + first:
            members = np.flatnonzero(powers == power)
            # Graphs come almost in this order, and of numpy's sorts the stable one is quick with that.
            members = members[np.argsort(low[members], kind="stable")]
            self.order.append(members)
            self.lows.append(low[members])
            self.reach.append(float(length[members].max()))
        self._most = int(len(boxes) * SHARE)

    def near(self, rect: Bounds) -> Indices | None:
        """Return rows, in no order, among which are all boxes that touch a rectangle; None when they are too many."""
        start, end = rect[self.axis], rect[self.axis + 2]
        found = []
        many = 0
        for order, lows, reach in zip(self.order, self.lows, self.reach, strict=True):
            # Bounds of single precision far from the origin are off by more than the width of a pixel.
            slack = 1.0 + 2.5e-7 * (abs(start) + abs(end))
            # The same type on both sides: numpy would otherwise convert, that is copy, all of them.
            first, last = np.searchsorted(lows, np.array((start - reach - slack, end + slack), dtype=np.float32))
            many += int(last - first)
            if many > self._most:
                return None
            if last > first:
                found.append(order[first:last])
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


class BoxIndex:
    """(n, 4) boxes with their slabs; a copy in which some boxes are elsewhere shares them."""

    def __init__(self, boxes: NDArray[np.floating]) -> None:
        # Columns next to each other in memory: a mask reads one column at a time.
        self.boxes: Boxes = np.asfortranarray(boxes, dtype=np.float32)
        self._slabs: Slabs | None = None
        self._elsewhere: Indices = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.boxes)

    def touching(self, rect: Bounds) -> Indices:
        """Return the rows, ascending, of the boxes that touch a rectangle."""
        if len(self.boxes) <= FEW:
            return overlapping(self.boxes, rect)
        near = self.prepared().near(rect)
        if near is None:
            return overlapping(self.boxes, rect)
        near = np.sort(near[near < len(self.boxes)])
        if len(self._elsewhere):
            near = np.sort(np.concatenate([near[~np.isin(near, self._elsewhere)], self._elsewhere]))
        return near[overlapping(self.boxes[near], rect)]

    def prepared(self) -> Slabs:
        """Return the slabs of all boxes, made when they are asked for first: 20 ms for 100,000."""
        if self._slabs is None:
            self._slabs = Slabs(self.boxes)
        return self._slabs

    def changed(self, rows: Indices, boxes: NDArray[np.floating], count: int) -> BoxIndex:
        """Return this index with `count` boxes, of which some (k, 4) are others, in `rows` (k,), which ascend.

        All rows that are new are among those. Costs a copy.
        """
        copy = BoxIndex.__new__(BoxIndex)
        stood = min(count, len(self.boxes))
        copy.boxes = np.empty((count, 4), dtype=np.float32, order="F")
        copy.boxes[:stood] = self.boxes[:stood]
        copy.boxes[rows] = boxes
        kept = self._elsewhere[self._elsewhere < count]
        copy._elsewhere = np.sort(np.concatenate([kept[~np.isin(kept, rows)], rows]))
        # Boxes that are elsewhere are looked at each time: with too many of them a new order is cheaper.
        crowded = len(copy._elsewhere) > FEW
        copy._slabs = None if crowded else self._slabs
        if copy._slabs is None:
            copy._elsewhere = np.zeros(0, dtype=np.int64)
        return copy
