"""The search for fewer crossings: strands are taken out of the order and put back where they cross least.

One total order of all strands is the whole state, because strands are vertical and "left of" has no cycles. The cost of
putting a strand anywhere is a step function of its label, gathered from its own gaps and swept once (global sifting,
Bachmaier, Brandenburg, Brunner, Huebner 2011). Refinement ruins and recreates small groups (Schrimpf et al. 2000).
Nothing here looks at a clock: budgets count moves, and the draw is a fixed sequence.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from math import nan
from typing import TypeAlias

from opentine_gui.layout.crossings import Gaps, count
from opentine_gui.layout.model import Model

LARGEST_MOVE = 400  # strands taken out together with their lane
MOST_ROUNDS = 4
LARGE_MOVE, LARGE_ROUNDS = 50, 1  # the same for more than REFINE_UP_TO nodes
REFINE_MOVES, REFINE_WORK = 600, 25_000
# where fewer links cross than there are strands, what is left is worth more work, while the whole takes half a second
STRAND_MOVES, STRAND_WORK, MOST_WORK, MOST_NODES = 8, 700, 170_000, 2_000
REFINE_UP_TO = 10_000  # nodes; above, the first rounds must do
IMPOSSIBLE = 1 << 60
CLOSEST = 1e-9  # labels nearer than this are spread out again
ABSENT = nan


Steps: TypeAlias = tuple[int, dict[float, int]]
"""What a strand costs at the far left, and the changes of that from left to right: label -> difference."""


def cost_at(label: float, steps: Steps) -> int:
    """The cost at a label no strand has."""
    base, change = steps
    return base + sum([difference for at, difference in change.items() if at < label])


class Draw:
    """A fixed sequence of numbers (a linear congruence), so that ties and trials never depend on a process."""

    def __init__(self) -> None:
        self._state = 0x2545F4914F6CDD1D

    def below(self, limit: int) -> int:
        """Return the next number of the sequence, 0 <= number < limit."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        return (self._state >> 33) % limit


class Axis:
    """Labels of all strands along one axis, and what a strand would cost at any of them."""

    def __init__(self, model: Model, gaps: Gaps, order: Sequence[int]) -> None:
        self.gaps = gaps
        self.work = 0  # cost steps looked at so far: what a budget counts
        strands = len(model.top)
        self.label = [0.0] * strands  # ABSENT while a strand is taken out, which compares as neither left nor right
        self.home = [0.0] * strands  # where it stands, or stood before it was taken out
        for place, strand in enumerate(order):
            self.label[strand] = self.home[strand] = float(place)
        self.sorted = [float(place) for place in range(strands)]
        self.ends: list[list[tuple[int, int, bool]]] = [[] for _ in range(strands)]  # (gap, other strand, is upper)
        for gap, diagonals in gaps.diagonals.items():
            for upper, lower in diagonals:
                self.ends[upper].append((gap, lower, True))
                self.ends[lower].append((gap, upper, False))
        # strands of which one diagonal arrives and one leaves in the same gap
        self.crossing_itself = {
            strand
            for strand, ends in enumerate(self.ends)
            if len({gap for gap, _, _ in ends}) < len({(gap, is_upper) for gap, _, is_upper in ends})
        }
        self.rows: dict[int, list[tuple[list[int], int]]] = {}  # strand -> rows of calls it stands in, and its place
        for row in model.call_rows:
            for place, strand in enumerate(row):
                self.rows.setdefault(strand, []).append((row, place))

    def order(self) -> list[int]:
        """Return all strands from left to right."""
        return sorted(range(len(self.home)), key=self.home.__getitem__)

    def take(self, strand: int) -> None:
        """Take a strand out of the order; the place it came from is kept."""
        self.label[strand] = ABSENT
        del self.sorted[bisect_left(self.sorted, self.home[strand])]

    def put(self, strand: int, label: float) -> None:
        """Put a strand back at a free label."""
        self.label[strand] = self.home[strand] = label
        insort(self.sorted, label)

    def steps(self, strand: int) -> Steps:
        """Return the cost at the far left and its changes, label -> difference, for a strand that is taken out."""
        label = self.label
        diagonals_of, through = self.gaps.diagonals, self.gaps.through
        change: defaultdict[float, int] = defaultdict(int)
        base = 0
        for gap in self.gaps.of(strand):
            for upper, lower in diagonals_of[gap]:
                above, below = label[upper], label[lower]
                if above < below:
                    change[above] += 1
                    change[below] -= 1
                elif below < above:
                    change[below] += 1
                    change[above] -= 1
        for gap, other, is_upper in self.ends[strand]:
            far = label[other]
            if far != far:
                continue
            for upper, lower in diagonals_of[gap]:
                near_end, far_end = (label[upper], label[lower]) if is_upper else (label[lower], label[upper])
                if near_end != near_end:
                    continue
                if far > far_end:
                    base += 1
                    change[near_end] -= 1
                elif far < far_end:
                    change[near_end] += 1
            for near_end in [label[passing] for passing in through[gap]]:
                if far > near_end:
                    base += 1
                    change[near_end] -= 1
                elif far < near_end:
                    change[near_end] += 1
        if strand in self.crossing_itself:
            base += self._own_pairs(strand, change)
        return base, change

    def _own_pairs(self, strand: int, change: dict[float, int]) -> int:
        """Add the crossings of a strand's own diagonals: one leaving and one arriving in the same gap."""
        base = 0
        for source, target in self._pairs(strand):
            base += 1
            low, high = min(source, target), max(source, target)
            if low < high:
                change[low] = change.get(low, 0) - 1
                change[high] = change.get(high, 0) + 1
        return base

    def _pairs(self, strand: int) -> Iterator[tuple[float, float]]:
        """The far labels of each two of a strand's own diagonals of which one arrives and one leaves in a gap."""
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
        label = self.label
        diagonals_of, through = self.gaps.diagonals, self.gaps.through
        total = 0
        for gap in self.gaps.of(strand):
            for upper, lower in diagonals_of[gap]:
                above, below = label[upper], label[lower]
                if above < at < below or below < at < above:
                    total += 1
        for gap, other, is_upper in self.ends[strand]:
            far = label[other]
            if far != far:
                continue
            for upper, lower in diagonals_of[gap]:
                near_end, far_end = (label[upper], label[lower]) if is_upper else (label[lower], label[upper])
                if (far > far_end and at < near_end) or (far < far_end and at > near_end):
                    total += 1
            low, high = (at, far) if at < far else (far, at)
            total += sum([low < label[passing] < high for passing in through[gap]])
        if strand in self.crossing_itself:
            total += sum([not min(pair) < at < max(pair) for pair in self._pairs(strand)])
        return total

    def bounds(self, strand: int) -> tuple[float, float]:
        """Return the labels between which a strand keeps call order."""
        low, high = self.sorted[0] - 1.0, self.sorted[-1] + 1.0
        for row, place in self.rows.get(strand, ()):
            left = next(
                (label for label in [self.label[other] for other in reversed(row[:place])] if label == label), low
            )
            right = next((label for label in [self.label[other] for other in row[place + 1 :]] if label == label), high)
            low, high = max(low, left), min(high, right)
        return low, high

    def best(self, strand: int, wish: float, steps: Steps | None = None) -> tuple[float, int]:
        """Return a free label of least cost, the nearest to `wish`, and that cost (IMPOSSIBLE: call order bars all)."""
        base, change = self.steps(strand) if steps is None else steps
        self.work += len(change)
        left_end, right_end = self.bounds(strand)
        if left_end >= right_end:  # the calls around it stand the wrong way round just now
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
        """Return a label strictly between `start` and `end` that no strand has, as near to `wish` as can be."""
        labels = self.sorted
        wish = min(max(wish, start), end)
        place = bisect_left(labels, wish)
        if wish == end:  # just left of the end
            low = max(start, labels[place - 1] if place else start)
            return (low + end) / 2
        if place < len(labels) and labels[place] == wish:  # just right of what stands there
            place += 1
            low = wish
        else:
            low = max(start, labels[place - 1]) if place else start
        high = min(end, labels[place]) if place < len(labels) else end
        return (low + high) / 2

    def crowded(self, label: float) -> bool:
        """Tell whether a label has come too near to a neighbour to put others between."""
        place = bisect_left(self.sorted, label)
        near = self.sorted[max(0, place - 1) : place + 2]
        return any(right - left < CLOSEST for left, right in itertools.pairwise(near))

    def spread(self) -> None:
        """Give all strands whole numbers again; none may be taken out."""
        for place, strand in enumerate(self.order()):
            self.label[strand] = self.home[strand] = float(place)
        self.sorted = [float(place) for place in range(len(self.label))]


class Search:
    """Re-insertion rounds and refinement on one order."""

    def __init__(self, model: Model, gaps: Gaps, order: Sequence[int], crossed: dict[int, int]) -> None:
        self.model = model
        self.axis = Axis(model, gaps, order)
        self.gaps = gaps
        self.crossed = crossed
        self.draw = Draw()
        self.children: list[list[int]] = [[] for _ in model.top]
        for strand, parent in enumerate(model.tree_parent):
            if parent >= 0:
                self.children[parent].append(strand)
        self.calls: dict[int, list[int]] = {}  # lane -> the calls beside it, which have to move when it does
        for row in model.call_rows:
            for strand in row:
                spine = model.tree_parent[strand]
                if spine in row:
                    self.calls.setdefault(spine, []).append(strand)

    @property
    def crossings(self) -> int:
        """The crossings of the order as it stands."""
        return sum(self.crossed.values())

    def subtree(self, strand: int, limit: int) -> list[int]:
        """Return a strand and what hangs on it, parents first; only itself if that is more than `limit`."""
        found = [strand]
        for grown in found:
            found.extend(self.children[grown])
            if len(found) > limit:
                return [strand]
        return found

    def _wish(self, strand: int, stray: bool) -> float:
        """Return the median label of what the strand is tied to, for short edges; astray, any label."""
        axis = self.axis
        if stray:
            return axis.sorted[self.draw.below(len(axis.sorted))]
        labels = [axis.label[other] for _, other, _ in axis.ends[strand]]
        near = sorted([label for label in labels if label == label])
        return near[len(near) // 2] if near else axis.home[strand]

    def move(self, group: Sequence[int], *, equal: bool, stray: bool = False) -> bool:
        """Take a group out and put each strand back at its cheapest place; undo unless that is better (or `equal`).

        Return whether the order changed.
        """
        axis = self.axis
        old_labels = [axis.label[strand] for strand in group]
        places = [bisect_left(axis.sorted, label) for label in old_labels]
        before = 0
        for strand in reversed(group[1:]):
            axis.take(strand)
            before += axis.cost(strand, axis.home[strand])
        axis.take(group[0])
        first = axis.steps(group[0])  # for where it was, and for where it may go
        before += cost_at(axis.home[group[0]], first)
        if not before and not equal:  # nothing to gain
            for strand, label in zip(group, old_labels, strict=True):
                axis.put(strand, label)
            return False
        steps: Steps | None = first
        after = 0
        done = 0
        crowded = False
        for strand in group:
            label, cost = axis.best(strand, self._wish(strand, stray), steps)
            steps = None
            after += cost
            if after > before:
                break
            axis.put(strand, label)
            done += 1
            crowded = axis.crowded(label)
            if crowded:
                break
        if done == len(group) and not crowded and (after < before or equal):
            return any(axis.sorted[place] != axis.label[strand] for place, strand in zip(places, group, strict=True))
        for strand in group[:done]:
            axis.take(strand)
        for strand, label in zip(group, old_labels, strict=True):
            axis.put(strand, label)
        if crowded:
            axis.spread()
        return False

    def recount(self, group: Sequence[int] | None = None) -> None:
        """Count all gaps again, or only those a group touches."""
        if group is None:
            self.crossed = count(self.gaps, self.axis.label)
            return
        touched = {gap for strand in group for gap in self.gaps.of(strand)}
        touched.update(gap for strand in group for gap, _, _ in self.axis.ends[strand])
        for gap in touched:
            self.crossed.pop(gap, None)
        self.crossed.update(count(self.gaps, self.axis.label, sorted(touched)))

    def _touching(self) -> list[int]:
        """Return the strands that touch a crossed gap, and up to three of their ancestors, oldest first."""
        found: set[int] = set()
        for gap in self.crossed:
            found.update(self.gaps.through[gap])
            for upper, lower in self.gaps.diagonals[gap]:
                found.update((upper, lower))
        for strand in list(found):
            parent = strand
            for _ in range(3):
                parent = self.model.tree_parent[parent]
                if parent < 0:
                    break
                found.add(parent)
        found.discard(0)
        return sorted(found)

    def reinsert(self, rounds: int, largest: int, pause: Callable[[float], None]) -> None:
        """Move every strand near a crossing, with what hangs on it, until a round changes nothing."""
        for turn in range(rounds):
            before = self.crossings
            touching = self._touching()
            for number, strand in enumerate(touching):
                if number % 64 == 0:
                    pause((turn + number / len(touching)) / rounds)
                whole = self.subtree(strand, largest)
                bundle = [strand, *self.calls.get(strand, ())]
                if not self.move(whole, equal=False) and len(bundle) < len(whole):
                    self.move(bundle, equal=False)
            self.recount()
            if not self.crossed or self.crossings == before:
                return

    def budget(self) -> tuple[int, int]:
        """Return the moves and the cost steps that refining is worth."""
        strands = len(self.axis.home)
        if self.crossings >= strands or len(self.model.nodes) > MOST_NODES:
            return REFINE_MOVES, REFINE_WORK
        return max(REFINE_MOVES, STRAND_MOVES * strands), max(REFINE_WORK, min(STRAND_WORK * strands, MOST_WORK))

    def refine(self, pause: Callable[[float], None]) -> None:
        """Ruin and recreate: take one to six strands of a crossed gap out, in any order, and put them back.

        Ends after so many moves, or when so many cost steps have been looked at, as the budget says.
        """
        draw = self.draw
        moves, work = self.budget()
        limit = self.axis.work + work
        for turn in range(moves):
            if turn % 16 == 0:
                pause(turn / moves)
            if not self.crossed or self.axis.work > limit:
                return
            crossed = sorted(self.crossed)
            gap = crossed[draw.below(len(crossed))]
            near = sorted({*self.gaps.through[gap], *(end for ends in self.gaps.diagonals[gap] for end in ends)} - {0})
            if not near:
                continue
            chosen: list[int] = []
            for _ in range(1 + draw.below(6)):
                strand = near[draw.below(len(near))]
                for grown in self.subtree(strand, 12) if draw.below(2) else [strand, *self.calls.get(strand, ())]:
                    if grown not in chosen:
                        chosen.append(grown)
            for place in range(len(chosen) - 1, 0, -1):
                other = draw.below(place + 1)
                chosen[place], chosen[other] = chosen[other], chosen[place]
            if self.move(chosen, equal=True, stray=draw.below(2) == 0):
                self.recount(chosen)
