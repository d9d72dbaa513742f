"""A layout that stands, as numpy arrays that grow: straight units with their x, labels, diagonals, and how to add.

Units never move inwards and never change order; one that would collide is pushed outwards, and pushes what it meets.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from opentine_gui.layout.batch.compact import Columns, Unit
from opentine_gui.layout.batch.routing import segments
from opentine_gui.layout.batch.strands import Model
from opentine_gui.layout.incremental.neighbours import (
    EVERYWHERE,
    MANY,
    MOST_AT_ONCE,
    NOWHERE,
    AllSharing,
    Floats,
    Ints,
    Near,
    sharing,
)

DIAGONALS = 1 << 32  # more than any gap has
CHOICES = 4  # slots of equal cost to try on each side
Known = dict[int, Near]
End = tuple[int, int, bool]  # gap, the other strand, whether the strand in question is the upper one


class Columned:
    """All units with their x, and the rules that keep them apart."""

    def __init__(self, columns: Columns, units: Mapping[int, Sequence[Unit]], room: int) -> None:
        self.columns = columns
        flat = [unit for strand in sorted(units) for unit in units[strand]]
        self.count = len(flat)
        self.strand = _grown([unit.strand for unit in flat], room)
        self.top = _grown([unit.top for unit in flat], room)
        self.bottom = _grown([unit.bottom for unit in flat], room)
        cards = [
            (unit.card_top, unit.card_bottom) if unit.card_top <= unit.card_bottom else (NOWHERE, -NOWHERE)
            for unit in flat
        ]
        self.card_top = _grown([top for top, _ in cards], room)
        self.card_bottom = _grown([bottom for _, bottom in cards], room)
        self.x: Floats = np.concatenate((np.array([unit.x for unit in flat], dtype=np.float64), np.zeros(room)))
        self.label: Floats = np.zeros(self.count + room)
        self._all: AllSharing | None = None
        # the main lane keeps its column from top to bottom
        self.top[0] = self.card_top[0] = -EVERYWHERE
        self.bottom[0] = self.card_bottom[0] = EVERYWHERE

    def copy(self, room: int) -> Columned:
        """Return a copy with room for more units."""
        other = object.__new__(Columned)
        other.columns, other.count, other._all = self.columns, self.count, None
        for name in ("strand", "top", "bottom", "card_top", "card_bottom", "x", "label"):
            kept = getattr(self, name)[: self.count]
            setattr(other, name, np.concatenate((kept, np.zeros(room, dtype=kept.dtype))))
        return other

    def add(self, strand: int, label: float, top: int, bottom: int, cards: tuple[int, int] | None) -> int:
        """Add a unit at the main lane's edge of its side; `settle` gives it its place."""
        unit = self.count
        self.count += 1
        self.strand[unit], self.label[unit] = strand, label
        self.top[unit], self.bottom[unit] = top, bottom
        self.card_top[unit], self.card_bottom[unit] = cards or (NOWHERE, -NOWHERE)
        self.x[unit] = 0.0
        return unit

    def neighbours(self, unit: int, known: Known) -> Near:
        """Return who shares a rank with `unit`, and how far apart to keep; `known` as for `settle`."""
        near = known.get(unit)
        if near is not None:
            return near
        if len(known) < MANY or self.count > MOST_AT_ONCE:
            near = sharing(self, unit)
        else:
            if self._all is None or (len(known) == MANY and not self._all.holds()):
                self._all = AllSharing(self)
            near = self._all.of(unit)
        known[unit] = near
        return near

    def settle(
        self,
        dirty: Iterable[int],
        *,
        keep: bool = True,
        known: Known | None = None,
        enough: Callable[[int], bool] = lambda _unit: False,
    ) -> None:
        """Push units outwards until none collides; `keep=False` only tries.

        `enough` is told every unit that moves, and ends a try when it answers True. `known` are neighbours found
        before; whoever hands them on sees to it that no unit has other ranks since.
        """
        known = {} if known is None else known
        places, labels = self.x[: self.count].copy(), self.label[: self.count]
        x, label = places.tolist(), labels.tolist()
        middle = label[0]
        waiting = [(abs(label[unit] - middle), unit) for unit in dirty]
        heapq.heapify(waiting)
        seen: set[int] = set()
        while waiting:
            _, unit = heapq.heappop(waiting)
            if unit in seen or unit == 0:
                continue
            seen.add(unit)
            near = self.neighbours(unit, known)
            if isinstance(near, tuple):
                place, pushing = _pushed_by(near, places, labels, middle, unit)
                if place != x[unit]:
                    x[unit] = places[unit] = place
                    if enough(unit):
                        return
                for other in pushing:
                    heapq.heappush(waiting, (abs(label[other] - middle), other))
                continue
            own = label[unit]
            place = x[unit]
            pushed = []
            # On either side "further out" is away from the middle; the two are spelled out because this is the
            # innermost loop: a change in the midst of a wide picture asks about ten thousand pairs.
            if own > middle:
                for other, distance in near:
                    at = label[other]
                    if at > own:
                        pushed.append((x[other] - distance, at - middle, other))
                    elif middle <= at < own and x[other] + distance > place + 1e-9:
                        place = x[other] + distance
                if place != x[unit]:
                    x[unit] = places[unit] = place
                    if enough(unit):
                        return
                for limit, order, other in pushed:
                    if limit < place - 1e-9:
                        heapq.heappush(waiting, (order, other))
            else:
                for other, distance in near:
                    at = label[other]
                    if at < own:
                        pushed.append((x[other] + distance, middle - at, other))
                    elif own < at <= middle and x[other] - distance < place - 1e-9:
                        place = x[other] - distance
                if place != x[unit]:
                    x[unit] = places[unit] = place
                    if enough(unit):
                        return
                for limit, order, other in pushed:
                    if limit > place + 1e-9:
                        heapq.heappush(waiting, (order, other))
        if keep:
            self.x[: self.count] = places

    def collides(self, unit: int) -> bool:
        """Return whether anything would move if this unit, which stood and got other ranks, were settled."""
        if unit == 0:
            return False  # the main lane: it has all ranks already
        near = sharing(self, unit)
        place, pushing = _pushed_by(
            near if isinstance(near, tuple) else _columns(near),
            self.x[: self.count],
            self.label[: self.count],
            float(self.label[0]),
            unit,
        )
        return bool(pushing) or place != self.x[unit]

    def needed(self, unit: int, known: Known) -> float:
        """Return how far out (positive) a unit has to be to clear what lies further in; `known` as for `settle`."""
        near = self.neighbours(unit, known)
        units, distance = near if isinstance(near, tuple) else _columns(near)
        label, middle = self.label[units], self.label[0]
        sign = 1.0 if self.label[unit] > middle else -1.0
        reach = (label - middle) * sign  # how far out in the order, on this side
        inner = (reach >= 0) & (reach < (self.label[unit] - middle) * sign)
        return float((self.x[units][inner] * sign + distance[inner]).max())


def _columns(near: list[tuple[int, float]]) -> tuple[Ints, Floats]:
    return np.array([unit for unit, _ in near], dtype=np.int64), np.array([distance for _, distance in near])


def _pushed_by(
    near: tuple[Ints, Floats], x: Floats, label: Floats, middle: float, unit: int
) -> tuple[float, list[int]]:
    """Where a unit has to be to clear what lies further in, and which of those further out it then collides with."""
    units, distance = near
    sign = 1.0 if label[unit] > middle else -1.0
    reach, own = (label[units] - middle) * sign, (float(label[unit]) - middle) * sign
    out = x[units] * sign
    inner = (reach >= 0) & (reach < own)
    place = float(x[unit]) * sign
    needed = float((out[inner] + distance[inner]).max())
    if needed > place + 1e-9:
        place = needed
    outer = (reach > own) & (out < place + distance - 1e-9)
    return place * sign, units[outer].tolist()


class Crossed:
    """Labels of all strands, and the diagonals of every gap: what a new strand would cross, and what is crossed now."""

    def __init__(self, model: Model, order: Sequence[int], room: int) -> None:
        strands = len(model.top)
        self.strands = strands
        self.label: Floats = np.zeros(strands + room)
        self.label[np.asarray(order, dtype=np.int64)] = np.arange(strands, dtype=np.float64)
        self.top = _grown(model.top, room)
        self.bottom = _grown(model.bottom, room)
        found = segments(model)
        self.diagonals = len(found)
        self.gap = _grown([gap for gap, _, _ in found], 8 * room)
        self.upper = _grown([upper for _, upper, _ in found], 8 * room)
        self.lower = _grown([lower for _, _, lower in found], 8 * room)
        self.in_gap: dict[int, int] = {}

    def copy(self, room: int, diagonals: int) -> Crossed:
        """Return a copy with room for more strands and diagonals."""
        other = object.__new__(Crossed)
        other.strands, other.diagonals, other.in_gap = self.strands, self.diagonals, dict(self.in_gap)
        for name in ("label", "top", "bottom"):
            kept = getattr(self, name)[: self.strands]
            setattr(other, name, np.concatenate((kept, np.zeros(room, dtype=kept.dtype))))
        for name in ("gap", "upper", "lower"):
            kept = getattr(self, name)[: self.diagonals]
            setattr(other, name, np.concatenate((kept, np.zeros(diagonals, dtype=kept.dtype))))
        return other

    def passing(self, gaps: int) -> Ints:
        """Return how many strands and diagonals run through each gap (gaps,), in one number a gap."""
        ends = np.zeros(gaps + 1, dtype=np.int64)
        np.add.at(ends, np.clip(self.top[: self.strands], 0, gaps), 1)
        np.add.at(ends, np.clip(self.bottom[: self.strands], 0, gaps), -1)
        gap = self.gap[: self.diagonals]
        return np.cumsum(ends)[:gaps] * DIAGONALS + np.bincount(gap[gap >= 0], minlength=gaps)[:gaps]

    def add_diagonal(self, gap: int, upper: int, lower: int) -> None:
        """Add one diagonal."""
        place = self.diagonals
        if place == len(self.gap):
            for name in ("gap", "upper", "lower"):
                setattr(self, name, np.concatenate((getattr(self, name), np.zeros(place + 64, dtype=np.int64))))
        self.gap[place], self.upper[place], self.lower[place] = gap, upper, lower
        self.diagonals += 1

    def count_gap(self, gap: int) -> None:
        """Count one gap again."""
        here = np.flatnonzero(self.gap[: self.diagonals] == gap)
        above, below = self.label[self.upper[here]], self.label[self.lower[here]]
        total = 0
        if len(here):
            through = (self.top[: self.strands] <= gap) & (self.bottom[: self.strands] > gap)
            straight = np.sort(self.label[: self.strands][through])
            low, high = np.minimum(above, below), np.maximum(above, below)
            passed = np.searchsorted(straight, high, "left") - np.searchsorted(straight, low, "right")
            total = int(passed.clip(0).sum())
            for first in range(0, len(here), 512):  # in blocks, so that a wide gap takes no square of memory
                rows = slice(first, first + 512)
                total += int(((above[rows, None] < above[None, :]) & (below[rows, None] > below[None, :])).sum())
        self.in_gap.pop(gap, None)
        if total:
            self.in_gap[gap] = total

    def steps(self, top: int, bottom: int, ends: Sequence[End]) -> tuple[Floats, Ints]:
        """Return the labels where the cost of a new strand changes, ascending, and the cost (k + 1,) between them."""
        gap = self.gap[: self.diagonals]
        above, below = self.label[self.upper[: self.diagonals]], self.label[self.lower[: self.diagonals]]
        passed = (gap >= top) & (gap < bottom)
        marks = [np.minimum(above, below)[passed], np.maximum(above, below)[passed]]
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
            marks.append(near_ends[counts])
            signs.append(np.where(falls, -1, 1))
        at_labels, inverse = np.unique(np.concatenate(marks), return_inverse=True)
        change = np.bincount(inverse, weights=np.concatenate(signs), minlength=len(at_labels)).astype(np.int64)
        return at_labels, base + np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(change)))

    def slots(self, top: int, bottom: int, ends: Sequence[End], wish: float) -> list[float]:
        """Return the free labels of least cost nearest to `wish`: some right, some left of it."""
        marks, cost = self.steps(top, bottom, ends)
        labels = np.sort(self.label[: self.strands])
        starts = np.concatenate((labels[:1] - 1.0, labels))
        ends_of = np.concatenate((labels, labels[-1:] + 1.0))
        middles = (starts + ends_of) / 2
        costs = cost[np.searchsorted(marks, middles, "left")]
        cheap = middles[costs == costs.min()]
        right, left = cheap[cheap > wish], cheap[cheap <= wish]
        return [*right[:CHOICES].tolist(), *left[-CHOICES:][::-1].tolist()]

    def crowded(self) -> bool:
        """Tell whether some labels have come too near to put others between."""
        return bool((np.diff(np.sort(self.label[: self.strands])) < 1e-6).any())

    def spread(self) -> None:
        """Give all strands whole numbers again, in the same order."""
        order = np.argsort(self.label[: self.strands], kind="stable")
        self.label[order] = np.arange(self.strands, dtype=np.float64)


def _grown(values: Sequence[int], room: int) -> Ints:
    return np.concatenate((np.asarray(values, dtype=np.int64), np.zeros(room, dtype=np.int64)))
