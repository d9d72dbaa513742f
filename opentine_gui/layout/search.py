"""The search for fewer crossings: strands are taken out of the order and put back where they cross least.

One total order of all strands is the whole state, because strands are vertical and "left of" has no cycles. The cost of
putting a strand anywhere is a step function of its label, gathered from its own gaps and swept once (global sifting,
Bachmaier, Brandenburg, Brunner, Huebner 2011). Refinement ruins and recreates small groups (Schrimpf et al. 2000).
Nothing here looks at a clock: budgets count moves, and the draw is a fixed sequence.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, insort
from collections.abc import Callable, Sequence

from opentine_gui.layout.crossings import Gaps, count
from opentine_gui.layout.model import Model

LARGEST_MOVE = 400  # strands taken out together with their lane
MOST_ROUNDS = 4
LARGE_MOVE, LARGE_ROUNDS = 50, 1  # the same for more than REFINE_UP_TO nodes
REFINE_MOVES, REFINE_WORK = 600, 25_000
REFINE_UP_TO = 10_000  # nodes; above, the first rounds must do
IMPOSSIBLE = 1 << 60
CLOSEST = 1e-9  # labels nearer than this are spread out again


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
        self.label = [0.0] * strands
        self.placed = [True] * strands
        for place, strand in enumerate(order):
            self.label[strand] = float(place)
        self.sorted = [float(place) for place in range(strands)]
        self.ends: list[list[tuple[int, int, bool]]] = [[] for _ in range(strands)]  # (gap, other strand, is upper)
        for gap, diagonals in gaps.diagonals.items():
            for upper, lower in diagonals:
                self.ends[upper].append((gap, lower, True))
                self.ends[lower].append((gap, upper, False))
        self.rows: dict[int, list[tuple[list[int], int]]] = {}  # strand -> rows of calls it stands in, and its place
        for row in model.call_rows:
            for place, strand in enumerate(row):
                self.rows.setdefault(strand, []).append((row, place))

    def order(self) -> list[int]:
        """Return all strands from left to right."""
        return sorted(range(len(self.label)), key=self.label.__getitem__)

    def take(self, strand: int) -> None:
        """Take a strand out of the order; its label is kept as the place it came from."""
        self.placed[strand] = False
        del self.sorted[bisect_left(self.sorted, self.label[strand])]

    def put(self, strand: int, label: float) -> None:
        """Put a strand back at a free label."""
        self.label[strand] = label
        self.placed[strand] = True
        insort(self.sorted, label)

    def steps(self, strand: int) -> tuple[int, dict[float, int]]:
        """Return the cost at the far left and its changes, label -> difference, for a strand that is taken out."""
        label, placed = self.label, self.placed
        diagonals_of = self.gaps.diagonals
        change: dict[float, int] = {}
        base = 0
        for gap in self.gaps.of(strand):
            for upper, lower in diagonals_of[gap]:
                if upper != strand and lower != strand and placed[upper] and placed[lower]:
                    low, high = label[upper], label[lower]
                    if low > high:
                        low, high = high, low
                    change[low] = change.get(low, 0) + 1
                    change[high] = change.get(high, 0) - 1
        ends = self.ends[strand]
        for gap, other, is_upper in ends:
            if not placed[other]:
                continue
            far = label[other]
            for upper, lower in diagonals_of[gap]:
                if upper == strand or lower == strand or not (placed[upper] and placed[lower]):
                    continue
                near_end, far_end = (label[upper], label[lower]) if is_upper else (label[lower], label[upper])
                if far > far_end:
                    base += 1
                    change[near_end] = change.get(near_end, 0) - 1
                elif far < far_end:
                    change[near_end] = change.get(near_end, 0) + 1
            for through in self.gaps.through[gap]:
                if through != strand and through != other and placed[through]:
                    near_end = label[through]
                    if far > near_end:
                        base += 1
                        change[near_end] = change.get(near_end, 0) - 1
                    else:
                        change[near_end] = change.get(near_end, 0) + 1
        if len(ends) > 1:
            base += self._own_pairs(strand, change)
        return base, change

    def _own_pairs(self, strand: int, change: dict[float, int]) -> int:
        """Add the crossings of a strand's own diagonals: one leaving and one arriving in the same gap."""
        arriving: dict[int, list[float]] = {}
        leaving: dict[int, list[float]] = {}
        for gap, other, is_upper in self.ends[strand]:
            if self.placed[other]:
                (leaving if is_upper else arriving).setdefault(gap, []).append(self.label[other])
        base = 0
        for gap, targets in leaving.items():
            for source in arriving.get(gap, ()):
                for target in targets:
                    base += 1
                    low, high = min(source, target), max(source, target)
                    if low < high:
                        change[low] = change.get(low, 0) - 1
                        change[high] = change.get(high, 0) + 1
        return base

    def cost(self, strand: int, label: float) -> int:
        """Return the crossings a strand that is taken out would have at `label`."""
        base, change = self.steps(strand)
        return base + sum([difference for at, difference in change.items() if at < label])

    def bounds(self, strand: int) -> tuple[float, float]:
        """Return the labels between which a strand keeps call order."""
        low, high = self.sorted[0] - 1.0, self.sorted[-1] + 1.0
        for row, place in self.rows.get(strand, ()):
            left = next((other for other in reversed(row[:place]) if self.placed[other]), None)
            right = next((other for other in row[place + 1 :] if self.placed[other]), None)
            low = low if left is None else max(low, self.label[left])
            high = high if right is None else min(high, self.label[right])
        return low, high

    def best(self, strand: int, wish: float) -> tuple[float, int]:
        """Return a free label of least cost, the nearest to `wish`, and that cost (IMPOSSIBLE: call order bars all)."""
        base, change = self.steps(strand)
        self.work += len(change)
        left_end, right_end = self.bounds(strand)
        if left_end >= right_end:  # the calls around it stand the wrong way round just now
            return wish, IMPOSSIBLE
        marks = sorted(change)
        cost = base
        found = (IMPOSSIBLE, 0.0, 0.0, 0.0)  # cost, distance, interval
        start = left_end
        for mark in marks:
            if mark > start:
                end = min(mark, right_end)
                distance = start - wish if wish < start else max(0.0, wish - end)
                if (cost, distance) < found[:2]:
                    found = (cost, distance, start, end)
                start = mark
                if start >= right_end:
                    break
            cost += change[mark]
        if start < right_end:
            distance = start - wish if wish < start else max(0.0, wish - right_end)
            if (cost, distance) < found[:2]:
                found = (cost, distance, start, right_end)
        least, _, start, end = found
        return self._free_label(start, end, wish), least

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
            self.label[strand] = float(place)
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
        near = sorted([axis.label[other] for _, other, _ in axis.ends[strand] if axis.placed[other]])
        return near[len(near) // 2] if near else axis.label[strand]

    def move(self, group: Sequence[int], *, equal: bool, stray: bool = False) -> bool:
        """Take a group out and put each strand back at its cheapest place; undo unless that is better (or `equal`).

        Return whether the order changed.
        """
        axis = self.axis
        old_labels = [axis.label[strand] for strand in group]
        before = 0
        for strand in reversed(group):
            axis.take(strand)
            before += axis.cost(strand, axis.label[strand])
        after = 0
        done = 0
        crowded = False
        for strand in group:
            label, cost = axis.best(strand, self._wish(strand, stray))
            after += cost
            if after > before:
                break
            axis.put(strand, label)
            done += 1
            crowded = axis.crowded(label)
            if crowded:
                break
        if done == len(group) and not crowded and (after < before or equal):
            return True
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

    def refine(self, moves: int, work: int, pause: Callable[[float], None]) -> None:
        """Ruin and recreate: take one to six strands of a crossed gap out, in any order, and put them back.

        Ends after so many moves, or when so many cost steps have been looked at.
        """
        draw = self.draw
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
