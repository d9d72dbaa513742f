"""Counts crossings gap by gap: diagonals with each other, and with the strands that run straight through."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence

import numpy as np

from opentine_gui.layout.batch.routing import diagonals
from opentine_gui.layout.batch.strands import Model

Segment = tuple[int, int]  # upper strand, lower strand
MOST_PASSAGES = 1_000_000
"""Most pairs of a gap and a strand that runs straight through it. If all edges are long, their number grows with the
square of the graph's size. Recorded runs of 50,000 steps have some 60,000."""


FEW_ENDS = 2_000
"""Up to this many diagonals of a gap are counted with a list, which is faster for a few."""


class Gaps:
    """The diagonals of every gap that has any, and which strands run straight through it."""

    def __init__(self, model: Model) -> None:
        self.top, self.bottom = model.top, model.bottom
        self.diagonals: dict[int, list[Segment]] = {}
        for gap, upper, lower in diagonals(model):
            self.diagonals.setdefault(gap, []).append((upper, lower))
        self.used = sorted(self.diagonals)
        self.through: dict[int, list[int]] = {}
        self.countable = self._find_through()
        """False if there are more than MOST_PASSAGES: then `through` is empty, and crossings cannot be counted."""

    def _find_through(self) -> bool:
        starting: dict[int, list[int]] = {}
        used = self.used
        ending: dict[int, list[int]] = {}
        passages = 0
        for strand, (top, bottom) in enumerate(zip(self.top, self.bottom, strict=True)):
            first, last = bisect_left(used, top), bisect_left(used, bottom)
            if first < last:
                passages += last - first
                starting.setdefault(first, []).append(strand)
                ending.setdefault(last, []).append(strand)
        if passages > MOST_PASSAGES:
            return False
        active: dict[int, None] = {}  # a dict keeps its order whatever the hash seed
        for place, gap in enumerate(used):
            for strand in ending.get(place, ()):
                del active[strand]
            for strand in starting.get(place, ()):
                active[strand] = None
            self.through[gap] = list(active)
        return True

    def passed_by(self, strand: int) -> Sequence[int]:
        """Return the used gaps the strand runs straight through."""
        used = self.used
        return used[bisect_left(used, self.top[strand]) : bisect_left(used, self.bottom[strand])]


def count(gaps: Gaps, position: Sequence[float], only: Iterable[int] | None = None) -> dict[int, int]:
    """Return gap -> crossings, without gaps that have none (bilayer counting, Barth, Juenger, Mutzel 2004)."""
    found: dict[int, int] = {}
    for gap in gaps.used if only is None else only:
        diagonals = gaps.diagonals[gap]
        ends = sorted([(position[upper], position[lower]) for upper, lower in diagonals])
        straight = sorted([position[strand] for strand in gaps.through[gap]])
        crossings = 0
        for above, below in ends:
            if above < below:
                crossings += bisect_left(straight, below) - bisect_right(straight, above)
            else:
                crossings += bisect_left(straight, above) - bisect_right(straight, below)
        if len(ends) > 1:
            crossings += inversions(ends)
        if crossings:
            found[gap] = crossings
    return found


def inversions(ends: Sequence[tuple[float, float]]) -> int:
    """Count the pairs with a < a' and b > b' in a sorted list; diagonals that share an end do not cross."""
    if len(ends) > FEW_ENDS:
        return _inversions_of_many(ends)
    seen: list[float] = []
    total = 0
    last = ends[0][0]
    waiting: list[float] = []
    for above, below in ends:
        if above != last:
            for value in waiting:
                insort(seen, value)
            waiting.clear()
            last = above
        total += len(seen) - bisect_right(seen, below)
        waiting.append(below)
    return total


def _inversions_of_many(ends: Sequence[tuple[float, float]]) -> int:
    """`inversions` of many diagonals, by one bit of the ranks at a time (a wavelet tree): inserting into a list would
    take quadratic time."""
    belows = np.array([below for _, below in ends])
    values, ranks = np.unique(belows, return_inverse=True)
    ranks = ranks.astype(np.uint16 if len(values) < 1 << 16 else np.uint32)
    total = 0
    for bit in range(len(values).bit_length() - 1, -1, -1):
        # The ranks stand in groups that are equal in their higher bits, in each of them in their first order.
        ones = (ranks >> bit) & 1
        before = np.cumsum(ones, dtype=np.int64) - ones
        groups = ranks >> bit >> 1
        starts = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))
        begin = np.repeat(before[starts], np.diff(np.append(starts, len(ranks))))
        total += int((before - begin)[ones == 0].sum())
        ranks = ranks[np.argsort(ranks >> bit, kind="stable")]
    return total
