"""Compaction: moves every strand as near to the main lane as its ranks allow, along a skyline.

All distances are measured outwards from the main lane, so both sides are the same problem. The order of the strands is
given, so the crossings cannot change. The main lane is x = 0 and keeps its column over the full height.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from opentine_gui.layout.batch.routing import diagonals
from opentine_gui.layout.batch.skyline import Skyline
from opentine_gui.layout.batch.strands import Model
from opentine_gui.layout.result import Floats

PULL_PASSES = 2
"""How often units are pulled outwards again, towards what they are linked to."""
MOST_COMPACTED = 100_000
"""With more strands than this, each gets a column of its own: compacting them would take most of a layout's time, and a
picture with so many columns shows no cards. Recorded runs of 100,000 steps have a third as many."""


class Columns(NamedTuple):
    """Half the width of a card and of a routing strand, gaps included, and the shift above which a lane bends."""

    card: float
    thread: float
    bend_above: float


@dataclass(slots=True)
class Unit:
    """A stretch of one strand drawn as one straight line: its ranks, and those of them that hold cards."""

    strand: int
    top: int
    bottom: int
    card_top: int
    card_bottom: int
    x: float = 0.0


def compact(model: Model, order: Sequence[int], columns: Columns, *, pulls: int = PULL_PASSES) -> dict[int, list[Unit]]:
    """Return the straight units of every strand, top to bottom, with their x; `pulls` is how often to pull outwards."""
    if too_many_to_compact(order):
        return whole_units(model, columns_apart(model, order, columns))
    placed = order.index(0)
    pieces = _StrandPieces(model)
    units: dict[int, list[Unit]] = {0: [pieces.whole(0)]}
    for outwards, sign in ((order[placed + 1 :], 1.0), (order[placed - 1 :: -1] if placed else [], -1.0)):
        side = _place_side(model.rank_count, outwards, pieces, columns)
        for unit in side:
            unit.x *= sign
            units.setdefault(unit.strand, []).append(unit)
    neighbours = _neighbours(model, units) if pulls else {}
    for _ in range(pulls):
        for outwards, sign in ((order[placed + 1 :], 1.0), (order[:placed], -1.0)):
            inwards = outwards[::-1] if sign > 0 else outwards
            line = [unit for strand in inwards for unit in units[strand]]
            _pull_outwards(model.rank_count, line, sign, neighbours, columns)
    return units


def too_many_to_compact(order: Sized) -> bool:
    """Whether there are too many strands to compact, so that each gets a column of its own."""
    return len(order) > MOST_COMPACTED


def columns_apart(model: Model, order: Sequence[int], columns: Columns) -> Floats:
    """Return x (s,) of every strand in a column of its own, the main lane at 0."""
    strands = np.asarray(order, dtype=np.int64)
    half = np.where(np.asarray(model.source)[strands] < 0, columns.card, columns.thread)
    middles = np.cumsum(2 * half) - half
    x = np.empty(len(strands))
    x[strands] = middles - middles[np.flatnonzero(strands == 0)[0]]
    return x


def whole_units(model: Model, x: Floats) -> dict[int, list[Unit]]:
    """Return every strand as one straight unit, given its x."""
    pieces = _StrandPieces(model)
    units = {strand: [pieces.whole(strand)] for strand in range(len(x))}
    for (unit,), place in zip(units.values(), x.tolist(), strict=True):
        unit.x = place
    return units


def unit_at(units: Sequence[Unit], rank: int) -> Unit:
    """Return the unit of one strand that covers a rank."""
    if len(units) == 1:
        return units[0]
    return units[min(bisect_left(units, rank, key=_bottom), len(units) - 1)]


def _bottom(unit: Unit) -> int:
    return unit.bottom


def _neighbours(model: Model, units: dict[int, list[Unit]]) -> dict[int, list[Unit]]:
    """Return the units each unit, given by its id(), is linked to by a diagonal or a bend."""
    ties: dict[int, list[Unit]] = {}
    linked = ((unit_at(units[upper], gap), unit_at(units[lower], gap + 1)) for gap, upper, lower in diagonals(model))
    bent = (pair for line in units.values() if len(line) > 1 for pair in itertools.pairwise(line))
    for above, below in itertools.chain(linked, bent):
        ties.setdefault(id(above), []).append(below)
        ties.setdefault(id(below), []).append(above)
    return ties


def _pull_outwards(
    rank_count: int, inwards: Sequence[Unit], sign: float, neighbours: dict[int, list[Unit]], columns: Columns
) -> None:
    """Move units, outermost first, outwards to the median of the units they are linked to, as far as there is room."""
    room = Skyline(rank_count, -1e18)  # negated, so that `reach` and `cover` serve here too
    for unit in inwards:
        x = unit.x * sign
        ties = sorted([tied.x * sign for tied in neighbours.get(id(unit), ())])
        wish = ties[len(ties) // 2] if ties else x
        if wish > x:
            x = max(x, min(wish, -reach(room, unit, columns)))
            unit.x = x * sign
        cover(room, unit, -x, columns)


def _place_side(rank_count: int, outwards: Sequence[int], pieces: _StrandPieces, columns: Columns) -> list[Unit]:
    skyline = Skyline(rank_count, columns.card)
    done: list[Unit] = []
    for strand in outwards:
        stretches = pieces.cut(strand)
        for unit in stretches:
            unit.x = reach(skyline, unit, columns)
        for unit in _straighten(stretches, columns.bend_above):
            cover(skyline, unit, unit.x, columns)
            done.append(unit)
    return done


def reach(skyline: Skyline, unit: Unit, columns: Columns) -> float:
    """Return the smallest x at which the unit clears the skyline."""
    if unit.card_top > unit.card_bottom:
        return skyline.highest(unit.top, unit.bottom) + columns.thread
    x = skyline.highest(unit.card_top, unit.card_bottom) + columns.card
    if unit.top < unit.card_top:
        x = max(x, skyline.highest(unit.top, unit.card_top - 1) + columns.thread)
    if unit.bottom > unit.card_bottom:
        x = max(x, skyline.highest(unit.card_bottom + 1, unit.bottom) + columns.thread)
    return x


def cover(skyline: Skyline, unit: Unit, x: float, columns: Columns) -> None:
    """Set the skyline to the outer edge of the unit, if it stands at `x`."""
    thin = x + columns.thread
    if unit.card_top > unit.card_bottom:
        skyline.set([(unit.top, thin)], unit.bottom)
        return
    outline = [(unit.card_top, x + columns.card)]
    if unit.top < unit.card_top:
        outline.insert(0, (unit.top, thin))
    if unit.bottom > unit.card_bottom:
        outline.append((unit.card_bottom + 1, thin))
    skyline.set(outline, unit.bottom)


def _straighten(stretches: list[Unit], bend_above: float) -> list[Unit]:
    """Join neighbouring stretches into one line unless that would move one of them by more than `bend_above`."""
    if len(stretches) == 1:
        return stretches
    joined: list[Unit] = []
    low = high = 0.0
    for unit in stretches:
        if joined and max(high, unit.x) - min(low, unit.x) <= bend_above:
            low, high = min(low, unit.x), max(high, unit.x)
            line = joined[-1]
            line.bottom, line.card_bottom, line.x = unit.bottom, unit.card_bottom, high
        else:
            joined.append(unit)
            low = high = unit.x
    return joined


class _StrandPieces:
    """Cuts strands into the stretches between their forks and merges, the only places where a lane may bend."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._cuts: dict[int, list[int]] = {}
        child_count, lane, rank = model.child_count, model.lane, model.rank
        for node, above in enumerate(model.lane_previous):
            if above >= 0 and lane[node] and (child_count[above] > 1 or len(model.parents[node]) > 1):
                self._cuts.setdefault(lane[node], []).append(rank[node])

    def whole(self, strand: int) -> Unit:
        """Return the strand as one unit."""
        model = self._model
        first, last = model.first_node[strand], model.last_node[strand]
        if first < 0:
            return Unit(strand, model.top[strand], model.bottom[strand], 1, 0)
        return Unit(strand, model.top[strand], model.bottom[strand], model.rank[first], model.rank[last])

    def cut(self, strand: int) -> list[Unit]:
        """Return the strand as stretches that start at its cuts."""
        unit = self.whole(strand)
        cuts = self._cuts.get(strand)
        if not cuts:
            return [unit]
        starts = [unit.card_top, *cuts]
        ends = [*(start - 1 for start in cuts), unit.card_bottom]
        pieces = [Unit(strand, top, bottom, top, bottom) for top, bottom in zip(starts, ends, strict=True)]
        pieces[0].top = unit.top
        pieces[-1].bottom = unit.bottom
        return pieces
