"""The outer edge of what is placed so far: a height for every rank, kept as stretches of equal height.

Each strand reads a stretch of ranks and then covers it, which merges the stretches it read into one. So all reads
together cost no more than the stretches that were made, however long the strands are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence


class Skyline:
    """A height for each rank; every one has `height` at first."""

    def __init__(self, ranks: int, height: float) -> None:
        self._starts = [0]  # the first rank of each stretch, ascending
        self._heights = [height] * ranks  # by rank; only those of first ranks hold
        self._ranks = ranks

    def highest(self, top: int, bottom: int) -> float:
        """Return the greatest height of the ranks from `top` to `bottom`, both included."""
        starts, heights = self._starts, self._heights
        first = bisect_right(starts, top) - 1
        if first + 1 == len(starts) or starts[first + 1] > bottom:
            return heights[starts[first]]
        return max([heights[start] for start in starts[first : bisect_right(starts, bottom, first)]])

    def set(self, stretches: Sequence[tuple[int, float]], bottom: int) -> None:
        """Set the heights of stretches that follow one another, (first rank, height), down to `bottom`, included.

        They are put in at once: what moves the rest of a long skyline aside should do so once for each strand.
        """
        starts, heights = self._starts, self._heights
        after = bottom + 1
        last = bisect_right(starts, bottom) - 1
        first = bisect_left(starts, stretches[0][0], 0, last + 1)
        new = [start for start, _ in stretches]
        if after < self._ranks and (last + 1 == len(starts) or starts[last + 1] > after):
            new.append(after)
            heights[after] = heights[starts[last]]
        starts[first : last + 1] = new
        for start, height in stretches:
            heights[start] = height
