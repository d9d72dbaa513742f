"""The outer edge of what is placed so far: a height for every rank, kept as stretches of equal height.

Each strand reads a stretch of ranks and then covers it, which merges the stretches it read into one. So all reads
together cost no more than the stretches that were made, however long the strands are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Skyline:
    """A height for each rank; every one has `height` at first."""

    def __init__(self, ranks: int, height: float) -> None:
        self._starts = [0]  # the first rank of each stretch, ascending
        self._heights = [height]
        self._ranks = ranks

    def highest(self, top: int, bottom: int) -> float:
        """Return the greatest height of the ranks from `top` to `bottom`, both included."""
        starts = self._starts
        first = bisect_right(starts, top) - 1
        if first + 1 == len(starts) or starts[first + 1] > bottom:
            return self._heights[first]
        return max(self._heights[first : bisect_right(starts, bottom, first)])

    def raise_to(self, top: int, bottom: int, height: float) -> None:
        """Set the height of the ranks from `top` to `bottom`, both included; nothing if there is none between."""
        if top > bottom:
            return
        starts, heights = self._starts, self._heights
        after = bottom + 1
        last = bisect_right(starts, bottom) - 1
        first = bisect_left(starts, top, 0, last + 1)
        new_starts, new_heights = [top], [height]
        if after < self._ranks and (last + 1 == len(starts) or starts[last + 1] > after):
            new_starts.append(after)
            new_heights.append(heights[last])
        starts[first : last + 1] = new_starts
        heights[first : last + 1] = new_heights
