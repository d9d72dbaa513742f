"""Sifting: the order of all strands along one axis, and the crossings of a strand at any place in it.

One total order of the strands is the whole state, because strands are vertical and "left of" has no cycles. The cost of
a strand, its crossings, is a step function of its label, collected from its own gaps and swept once (global sifting,
Bachmaier, Brandenburg, Brunner, Huebner 2011).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import nan
from typing import NamedTuple, TypeAlias

from opentine_gui.layout.batch.crossings import Gaps
from opentine_gui.layout.batch.strands import Model

IMPOSSIBLE = 1 << 60
CLOSEST_LABELS = 1e-9  # labels closer than this are renumbered
RENUMBERED = 2
"""Comparisons of labels that take as long as renumbering one strand."""
ABSENT = nan
CostSteps: TypeAlias = tuple[int, dict[float, int]]
"""The cost of a strand at the far left, and its changes from left to right: label -> difference."""


Diagonals: TypeAlias = list[tuple[int, int]]


class Around(NamedTuple):
    """What a strand may cross. Moving strands does not change it, so it is found once and used for every move.

    All of these together have as many entries as `Gaps` has passages, which are limited.
    """

    effort: int
    passed: list[Diagonals]
    """The diagonals of each gap it runs straight through."""
    ends: list[tuple[Diagonals, list[int], int, bool]]
    """Of each diagonal of its own: the diagonals and the strands in that gap, the other strand, whether it is upper."""


def cost_at(label: float, cost_steps: CostSteps) -> int:
    """Return the cost at a label that no strand has."""
    base, change = cost_steps
    return base + sum([difference for at, difference in change.items() if at < label])


class Axis:
    """Labels of all strands along one axis, and the cost of a strand at any place between them."""

    def __init__(self, model: Model, gaps: Gaps, order: Sequence[int]) -> None:
        self.gaps = gaps
        self.work = 0  # cost steps evaluated so far, which budgets limit
        self.comparisons = 0  # of labels so far, which limit the search as a whole
        strands = len(model.top)
        self._around: list[Around | None] = [None] * strands
        self.label = [0.0] * strands  # ABSENT while a strand is removed, which is neither left nor right of any
        self.home = [0.0] * strands  # its label, or the one it had before it was removed
        for place, strand in enumerate(order):
            self.label[strand] = self.home[strand] = float(place)
        self.sorted = [float(place) for place in range(strands)]
        self.ends: list[list[tuple[int, int, bool]]] = [[] for _ in range(strands)]  # (gap, other strand, is upper)
        for gap, diagonals in gaps.diagonals.items():
            for upper, lower in diagonals:
                self.ends[upper].append((gap, lower, True))
                self.ends[lower].append((gap, upper, False))
        # strands with one diagonal arriving and one leaving in the same gap
        self.crossing_itself = {
            strand
            for strand, ends in enumerate(self.ends)
            if len({gap for gap, _, _ in ends}) < len({(gap, is_upper) for gap, _, is_upper in ends})
        }
        self.rows: dict[
            int, list[tuple[list[int], int]]
        ] = {}  # strand -> the rows of calls it is in, and its place in each
        for row in model.call_rows:
            for place, strand in enumerate(row):
                self.rows.setdefault(strand, []).append((row, place))

    def order(self) -> list[int]:
        """Return all strands from left to right."""
        return sorted(range(len(self.home)), key=self.home.__getitem__)

    def remove(self, strand: int) -> None:
        """Remove a strand from the order; `home` keeps its label."""
        self.label[strand] = ABSENT
        del self.sorted[bisect_left(self.sorted, self.home[strand])]

    def insert(self, strand: int, label: float) -> None:
        """Insert a removed strand at a free label."""
        self.label[strand] = self.home[strand] = label
        insort(self.sorted, label)

    def effort(self, strand: int) -> int:
        """Return how many labels are compared to find the cost of a strand once."""
        return (self._around[strand] or self._look_around(strand)).effort

    def _look_around(self, strand: int) -> Around:
        """Find what a strand may cross."""
        diagonals, through = self.gaps.diagonals, self.gaps.through
        passed = [diagonals[gap] for gap in self.gaps.passed_by(strand)]
        ends = [(diagonals[gap], through[gap], other, is_upper) for gap, other, is_upper in self.ends[strand]]
        effort = sum(map(len, passed)) + sum([len(beside) + len(straight) for beside, straight, _, _ in ends])
        found = self._around[strand] = Around(effort, passed, ends)
        return found

    def cost_steps(self, strand: int) -> CostSteps:
        """Return the cost of a removed strand at the far left, and its changes: label -> difference."""
        effort, passed, ends = self._around[strand] or self._look_around(strand)
        self.comparisons += effort
        label = self.label
        change: defaultdict[float, int] = defaultdict(int)
        base = 0
        for diagonals in passed:
            for upper, lower in diagonals:
                above, below = label[upper], label[lower]
                if above < below:
                    change[above] += 1
                    change[below] -= 1
                elif below < above:
                    change[below] += 1
                    change[above] -= 1
        for diagonals, straight, other, is_upper in ends:
            far = label[other]
            if far != far:
                continue
            for upper, lower in diagonals:
                near_end, far_end = (label[upper], label[lower]) if is_upper else (label[lower], label[upper])
                if near_end != near_end:
                    continue
                if far > far_end:
                    base += 1
                    change[near_end] -= 1
                elif far < far_end:
                    change[near_end] += 1
            for near_end in [label[passing] for passing in straight]:
                if far > near_end:
                    base += 1
                    change[near_end] -= 1
                elif far < near_end:
                    change[near_end] += 1
        if strand in self.crossing_itself:
            base += self._own_pairs(strand, change)
        return base, change

    def _own_pairs(self, strand: int, change: defaultdict[float, int]) -> int:
        """Add the crossings of a strand's own diagonals: one leaving and one arriving in the same gap."""
        base = 0
        for source, target in self._pairs(strand):
            base += 1
            low, high = min(source, target), max(source, target)
            if low < high:
                change[low] -= 1
                change[high] += 1
        return base

    def _pairs(self, strand: int) -> Iterator[tuple[float, float]]:
        """Yield the far labels of a strand's own diagonals, in pairs: one arrives and one leaves in the same gap."""
        arriving: dict[int, list[float]] = {}
        leaving: dict[int, list[float]] = {}
        for gap, other, is_upper in self.ends[strand]:
            far = self.label[other]
            if far == far:
                (leaving if is_upper else arriving).setdefault(gap, []).append(far)
        for gap, targets in leaving.items():
            for source in arriving.get(gap, ()):
                for target in targets:
                    yield source, target

    def cost(self, strand: int, at: float) -> int:
        """Return the crossings a strand that is taken out would have at a label no other has."""
        effort, passed, ends = self._around[strand] or self._look_around(strand)
        self.comparisons += effort
        label = self.label
        total = 0
        for diagonals in passed:
            for upper, lower in diagonals:
                above, below = label[upper], label[lower]
                if above < at < below or below < at < above:
                    total += 1
        for diagonals, straight, other, is_upper in ends:
            far = label[other]
            if far != far:
                continue
            for upper, lower in diagonals:
                near_end, far_end = (label[upper], label[lower]) if is_upper else (label[lower], label[upper])
                if (far > far_end and at < near_end) or (far < far_end and at > near_end):
                    total += 1
            low, high = (at, far) if at < far else (far, at)
            total += sum([low < label[passing] < high for passing in straight])
        if strand in self.crossing_itself:
            total += sum([not min(pair) < at < max(pair) for pair in self._pairs(strand)])
        return total

    def bounds(self, strand: int) -> tuple[float, float]:
        """Return the labels between which a strand must lie to keep call order."""
        low, high = self.sorted[0] - 1.0, self.sorted[-1] + 1.0
        for row, place in self.rows.get(strand, ()):
            left = next(
                (label for label in [self.label[other] for other in reversed(row[:place])] if label == label), low
            )
            right = next((label for label in [self.label[other] for other in row[place + 1 :]] if label == label), high)
            low, high = max(low, left), min(high, right)
        return low, high

    def best(self, strand: int, wish: float, cost_steps: CostSteps | None = None) -> tuple[float, int]:
        """Return the cheapest free label nearest to `wish`, and its cost; IMPOSSIBLE if call order allows none."""
        base, change = self.cost_steps(strand) if cost_steps is None else cost_steps
        self.work += len(change)
        left_end, right_end = self.bounds(strand)
        if left_end >= right_end:  # the calls around it are out of order at the moment
            return wish, IMPOSSIBLE
        cost, least, nearest = base, IMPOSSIBLE, 0.0
        low = high = 0.0
        start = left_end
        for mark in sorted(change):
            if mark > start:
                if cost <= least:
                    end = mark if mark < right_end else right_end
                    distance = start - wish if wish < start else wish - end if wish > end else 0.0
                    if cost < least or distance < nearest:
                        least, nearest, low, high = cost, distance, start, end
                start = mark
                if start >= right_end:
                    break
            cost += change[mark]
        if start < right_end and cost <= least:
            distance = start - wish if wish < start else wish - right_end if wish > right_end else 0.0
            if cost < least or distance < nearest:
                least, low, high = cost, start, right_end
        return self._free_label(low, high, wish), least

    def _free_label(self, start: float, end: float, wish: float) -> float:
        """Return a label strictly between `start` and `end` that no strand has, as near to `wish` as possible."""
        labels = self.sorted
        wish = min(max(wish, start), end)
        place = bisect_left(labels, wish)
        if wish == end:  # just left of the end
            low = max(start, labels[place - 1] if place else start)
            return (low + end) / 2
        if place < len(labels) and labels[place] == wish:  # just right of the strand there
            place += 1
            low = wish
        else:
            low = max(start, labels[place - 1]) if place else start
        high = min(end, labels[place]) if place < len(labels) else end
        return (low + high) / 2

    def crowded(self, label: float) -> bool:
        """Return whether a label is too close to its neighbours to put others between them."""
        place = bisect_left(self.sorted, label)
        near = self.sorted[max(0, place - 1) : place + 2]
        return any(right - left < CLOSEST_LABELS for left, right in itertools.pairwise(near))

    def renumber(self) -> None:
        """Label all strands with whole numbers again; none may be removed at the time. It counts as work."""
        self.comparisons += RENUMBERED * len(self.label)
        for place, strand in enumerate(self.order()):
            self.label[strand] = self.home[strand] = float(place)
        self.sorted = [float(place) for place in range(len(self.label))]
