"""The tables an incremental layout works on: straight units with their columns, strands with their diagonals.

Both are numpy arrays with room to grow. Units never move inwards and never change their order: one that would collide
is pushed outwards, and pushes what it meets.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.batch.compact import Columns, Unit
from opentine_gui.layout.batch.crossings import inversions
from opentine_gui.layout.batch.routing import diagonals
from opentine_gui.layout.batch.strands import Model
from opentine_gui.layout.result import Floats, Ints

ALL_RANKS = 1 << 39
"""The main lane's unit reaches from minus to plus this: over all ranks, but not over `NO_RANK`."""
NO_RANK = 1 << 40
"""The card range of a unit without cards is (NO_RANK, -NO_RANK), which contains no rank."""
WIDE_GAP = 512
"""Diagonals in one gap above which comparing all pairs takes longer than sorting."""
SLOTS_PER_SIDE = 4
"""How many slots of equal cost to try on each side of the wish."""
TOLERANCE = 1e-9
"""Pixels by which units may overlap before one counts as colliding."""
MOST_PAIRS, PAIRS_PER_UNIT, MOST_PAIRS_EVER = 400_000, 1_000, 1_500_000
"""Most pairs of units that one extension may compare: at first, more for each unit it may add, and in all. Thousands of
long edges beside each other would take a hundred times as many. An edit of a wide picture compares 10,000."""
MOST_MARKS, MARKS_PER_STRAND = 1_000_000, 1_000
"""Most labels that an extension may sort to find places for its lanes, and more for each strand it may add: a step with
hundreds of parents in a layer of hundreds has a label for each link of that layer and for each parent."""
Neighbours = list[tuple[int, float]]
"""Units that share a rank with one, ascending, each with the distance to keep from it."""
End = tuple[int, int, bool]
"""A strand's end of a diagonal: gap, the strand at the other end, whether the strand itself is the upper one."""


class TooDense(Exception):
    """An extension would compare more pairs of units than it may: a fresh layout is faster."""


class ColumnTable:
    """All units with their x, and the rules that keep them apart. Unit 0 is the main lane."""

    def __init__(self, columns: Columns, units: Mapping[int, Sequence[Unit]], room: int) -> None:
        """Take the units of every strand; `room` is how many more may be added."""
        self.columns = columns
        self.pairs_left = MOST_PAIRS
        flat = [unit for strand in sorted(units) for unit in units[strand]]
        self.count = len(flat)
        self.strand = _with_room([unit.strand for unit in flat], room)
        self.top = _with_room([unit.top for unit in flat], room)
        self.bottom = _with_room([unit.bottom for unit in flat], room)
        cards = [
            (unit.card_top, unit.card_bottom) if unit.card_top <= unit.card_bottom else (NO_RANK, -NO_RANK)
            for unit in flat
        ]
        self.card_top = _with_room([top for top, _ in cards], room)
        self.card_bottom = _with_room([bottom for _, bottom in cards], room)
        self.x: Floats = np.concatenate((np.array([unit.x for unit in flat], dtype=np.float64), np.zeros(room)))
        self.label: Floats = np.zeros(self.count + room)
        # the main lane keeps its column from top to bottom
        self.top[0] = self.card_top[0] = -ALL_RANKS
        self.bottom[0] = self.card_bottom[0] = ALL_RANKS

    def copy(self, room: int) -> ColumnTable:
        """Return a copy with room for more units."""
        other = object.__new__(ColumnTable)
        other.columns, other.count = self.columns, self.count
        other.pairs_left = min(MOST_PAIRS + PAIRS_PER_UNIT * room, MOST_PAIRS_EVER)
        for name in ("strand", "top", "bottom", "card_top", "card_bottom", "x", "label"):
            kept = getattr(self, name)[: self.count]
            setattr(other, name, np.concatenate((kept, np.zeros(room, dtype=kept.dtype))))
        return other

    def add(self, strand: int, label: float, top: int, bottom: int, cards: tuple[int, int] | None) -> int:
        """Add a unit at x = 0 and return its number; `settle` moves it to its place. `cards` are its card ranks."""
        unit = self.count
        self.count += 1
        self.strand[unit], self.label[unit] = strand, label
        self.top[unit], self.bottom[unit] = top, bottom
        self.card_top[unit], self.card_bottom[unit] = cards or (NO_RANK, -NO_RANK)
        self.x[unit] = 0.0
        return unit

    def neighbours(self, unit: int, candidates: NDArray[np.bool_] | None = None) -> Neighbours:
        """Return the units that share a rank with `unit`, itself included, and the distance to keep from each.

        `candidates` (count,) limits the answer to some of the units.
        """
        end = self.count
        top, bottom = int(self.top[unit]), int(self.bottom[unit])
        card_top, card_bottom = int(self.card_top[unit]), int(self.card_bottom[unit])
        shares = (self.top[:end] <= bottom) & (self.bottom[:end] >= top)
        near = (shares if candidates is None else shares & candidates).nonzero()[0]
        tops, bottoms = self.top[near], self.bottom[near]
        card_tops, card_bottoms = self.card_top[near], self.card_bottom[near]
        two_cards = (card_tops <= card_bottom) & (card_bottoms >= card_top)
        one_card = (card_tops <= bottom) & (card_bottoms >= top)
        one_card |= (tops <= card_bottom) & (bottoms >= card_top)
        card, thread = self.columns.card, self.columns.thread
        distance = np.where(two_cards, 2 * card, np.where(one_card, card + thread, 2 * thread))
        return list(zip(near.tolist(), distance.tolist(), strict=True))

    def settle(
        self,
        dirty: Iterable[int],
        *,
        keep: bool = True,
        known: dict[int, Neighbours] | None = None,
        stop: Callable[[int], bool] = lambda _unit: False,
    ) -> None:
        """Push the `dirty` units, and what they meet, outwards until nothing collides; `keep=False` only tries.

        `stop` is told every unit that moves and ends a try by answering True. `known` collects neighbours from call to
        call; the caller must see to it that no unit's ranks change in between.
        """
        known = {} if known is None else known
        sides: tuple[list[int], list[int]] = ([], [])
        middle = self.label[0]
        for unit in dirty:
            if unit:
                sides[int(self.label[unit] > middle)].append(unit)
        for units, sign in zip(sides, (-1.0, 1.0), strict=True):
            if units:
                x = self._settled_side(units, sign, known, stop)
                if x is None:
                    return
                if keep:
                    self.x[: self.count] = x

    def _settled_side(
        self, dirty: Sequence[int], sign: float, known: dict[int, Neighbours], stop: Callable[[int], bool]
    ) -> Floats | None:
        """Return x of all units once one side (`sign` 1.0: the right one) is settled; None if `stop` ended it.

        Positions and labels are measured outwards from the main lane, so both sides are one problem. Units are visited
        from the inside out, each once; those on the other side do not take part. TooDense if that takes too long.
        """
        out = (self.x[: self.count] * sign).tolist()
        reaches = (self.label[: self.count] - self.label[0]) * sign
        side, reach = reaches >= 0, reaches.tolist()
        waiting = [(reach[unit], unit) for unit in dirty]
        heapq.heapify(waiting)
        seen: set[int] = set()
        while waiting:
            own, unit = heapq.heappop(waiting)
            if unit in seen:
                continue
            seen.add(unit)
            near = known.get(unit)
            if near is None:
                near = known[unit] = self.neighbours(unit, side)
            self.pairs_left -= len(near)
            if self.pairs_left < 0:
                raise TooDense
            place = out[unit]
            pushed = []
            for other, distance in near:  # the innermost loop: a change in a wide picture compares 10,000 pairs
                at = reach[other]
                if at > own:
                    pushed.append((out[other] - distance, other))
                elif 0 <= at < own and out[other] + distance > place + TOLERANCE:
                    place = out[other] + distance
            if place != out[unit]:
                out[unit] = place
                if stop(unit):
                    return None
            for limit, other in pushed:
                if limit < place - TOLERANCE:
                    heapq.heappush(waiting, (reach[other], other))
        return np.array(out) * sign

    def collides(self, unit: int) -> bool:
        """Return whether settling this unit, whose ranks have changed, would move anything."""
        if unit == 0:
            return False  # the main lane: it has all ranks already
        moved = False

        def stop(_unit: int) -> bool:
            nonlocal moved
            moved = True
            return True

        self.settle([unit], keep=False, stop=stop)
        return moved

    def least_distance(self, unit: int, near: Neighbours) -> float:
        """Return how far out from the main lane a unit must be to clear its neighbours further in, in pixels."""
        units = np.array([other for other, _ in near], dtype=np.int64)
        distance = np.array([apart for _, apart in near])
        sign = 1.0 if self.label[unit] > self.label[0] else -1.0
        reach = (self.label[units] - self.label[0]) * sign
        inner = (reach >= 0) & (reach < (self.label[unit] - self.label[0]) * sign)
        return float((self.x[units][inner] * sign + distance[inner]).max())


class CrossingTable:
    """Labels of all strands and the diagonals of every gap: what crosses now, and what a new strand would cross."""

    def __init__(self, model: Model, order: Sequence[int], room: int) -> None:
        """Take the strands in their `order` from left to right; `room` is how many more may be added."""
        strands = len(model.top)
        self.strands = strands
        self.marks_left = MOST_MARKS
        self.label: Floats = np.zeros(strands + room)
        self.label[np.asarray(order, dtype=np.int64)] = np.arange(strands, dtype=np.float64)
        self.top = _with_room(model.top, room)
        self.bottom = _with_room(model.bottom, room)
        found = diagonals(model)
        self.diagonals = len(found)
        self.gap = _with_room([gap for gap, _, _ in found], 8 * room)
        self.upper = _with_room([upper for _, upper, _ in found], 8 * room)
        self.lower = _with_room([lower for _, _, lower in found], 8 * room)
        self.gap_crossings: dict[int, int] = {}  # without the gaps that have none

    def copy(self, room: int, diagonals: int) -> CrossingTable:
        """Return a copy with room for more strands and diagonals."""
        other = object.__new__(CrossingTable)
        other.strands, other.diagonals, other.gap_crossings = self.strands, self.diagonals, dict(self.gap_crossings)
        other.marks_left = MOST_MARKS + MARKS_PER_STRAND * room
        for name in ("label", "top", "bottom"):
            kept = getattr(self, name)[: self.strands]
            setattr(other, name, np.concatenate((kept, np.zeros(room, dtype=kept.dtype))))
        for name in ("gap", "upper", "lower"):
            kept = getattr(self, name)[: self.diagonals]
            setattr(other, name, np.concatenate((kept, np.zeros(diagonals, dtype=kept.dtype))))
        return other

    def load(self, gaps: int) -> Ints:
        """Return how many strands (row 0) and diagonals (row 1) run through each gap, (2, gaps)."""
        ends = np.zeros(gaps + 1, dtype=np.int64)
        np.add.at(ends, np.clip(self.top[: self.strands], 0, gaps), 1)
        np.add.at(ends, np.clip(self.bottom[: self.strands], 0, gaps), -1)
        gap = self.gap[: self.diagonals]
        return np.stack((np.cumsum(ends)[:gaps], np.bincount(gap[gap >= 0], minlength=gaps)[:gaps]))

    def add_diagonal(self, gap: int, upper: int, lower: int) -> None:
        """Add the diagonal between two strands in a gap."""
        place = self.diagonals
        if place == len(self.gap):
            for name in ("gap", "upper", "lower"):
                setattr(self, name, np.concatenate((getattr(self, name), np.zeros(place + 64, dtype=np.int64))))
        self.gap[place], self.upper[place], self.lower[place] = gap, upper, lower
        self.diagonals += 1

    def count_gap(self, gap: int) -> None:
        """Count the crossings of one gap anew."""
        here = np.flatnonzero(self.gap[: self.diagonals] == gap)
        above, below = self.label[self.upper[here]], self.label[self.lower[here]]
        total = 0
        if len(here):
            through = (self.top[: self.strands] <= gap) & (self.bottom[: self.strands] > gap)
            straight = np.sort(self.label[: self.strands][through])
            low, high = np.minimum(above, below), np.maximum(above, below)
            between = np.searchsorted(straight, high, "left") - np.searchsorted(straight, low, "right")
            total = int(between.clip(0).sum())
            if len(here) > WIDE_GAP:
                total += inversions(sorted(zip(above.tolist(), below.tolist(), strict=True)))
            else:
                total += int(((above[:, None] < above[None, :]) & (below[:, None] > below[None, :])).sum())
        self.gap_crossings.pop(gap, None)
        if total:
            self.gap_crossings[gap] = total

    def slot_costs(self, top: int, bottom: int, ends: Sequence[End]) -> tuple[Floats, Ints]:
        """Return the labels (k,), ascending, where the crossings of a new strand change, and their number between them
        (k + 1,). The strand runs from rank `top` to `bottom` and has diagonals `ends`. TooDense."""
        gap = self.gap[: self.diagonals]
        above, below = self.label[self.upper[: self.diagonals]], self.label[self.lower[: self.diagonals]]
        along = (gap >= top) & (gap < bottom)
        marks = [np.minimum(above, below)[along], np.maximum(above, below)[along]]
        signs = [np.ones(len(marks[0]), dtype=np.int64), -np.ones(len(marks[1]), dtype=np.int64)]
        base = 0
        for at, other, is_upper in ends:
            far = self.label[other]
            here = gap == at
            near_ends, far_ends = (above[here], below[here]) if is_upper else (below[here], above[here])
            through = (self.top[: self.strands] <= at) & (self.bottom[: self.strands] > at)
            through[other] = False
            straight = self.label[: self.strands][through]
            near_ends, far_ends = np.concatenate((near_ends, straight)), np.concatenate((far_ends, straight))
            counts = far_ends != far
            falls = far > far_ends[counts]
            base += int(falls.sum())
            self.marks_left -= len(near_ends)
            if self.marks_left < 0:
                raise TooDense
            marks.append(near_ends[counts])
            signs.append(np.where(falls, -1, 1))
        at_labels, inverse = np.unique(np.concatenate(marks), return_inverse=True)
        change = np.bincount(inverse, weights=np.concatenate(signs), minlength=len(at_labels)).astype(np.int64)
        return at_labels, base + np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(change)))

    def slots(self, top: int, bottom: int, ends: Sequence[End], wish: float) -> list[float]:
        """Return free labels with the fewest crossings: the nearest to `wish` on its right, then on its left."""
        marks, cost = self.slot_costs(top, bottom, ends)
        labels = np.sort(self.label[: self.strands])
        starts = np.concatenate((labels[:1] - 1.0, labels))
        stops = np.concatenate((labels, labels[-1:] + 1.0))
        middles = (starts + stops) / 2
        costs = cost[np.searchsorted(marks, middles, "left")]
        cheap = middles[costs == costs.min()]
        right, left = cheap[cheap > wish], cheap[cheap <= wish]
        return [*right[:SLOTS_PER_SIDE].tolist(), *left[-SLOTS_PER_SIDE:][::-1].tolist()]

    def crowded(self) -> bool:
        """Return whether some labels are too close together to put others between them."""
        return bool((np.diff(np.sort(self.label[: self.strands])) < 1e-6).any())

    def renumber(self) -> None:
        """Label all strands with whole numbers again, in the same order."""
        order = np.argsort(self.label[: self.strands], kind="stable")
        self.label[order] = np.arange(self.strands, dtype=np.float64)


def _with_room(values: Sequence[int], room: int) -> Ints:
    return np.concatenate((np.asarray(values, dtype=np.int64), np.zeros(room, dtype=np.int64)))
