"""The incremental engine: an edit continues the layout there is. Ranks and order stay, and only new steps are placed.

A step that continues a lane extends it. A new lane takes the slot with the fewest crossings, with everything else
fixed, counted as if it already ran to the bottom. Units that would collide are pushed outwards; nothing is pulled in,
nothing reordered, and the main line never moves. Steps that are gone (an undone fork) leave their place empty.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from math import inf
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from opentine_gui.layout.batch.compact import Columns
from opentine_gui.layout.batch.strands import DIRECT_LINK, LANE_LINK
from opentine_gui.layout.incremental.kept_layout import KeptLayout
from opentine_gui.layout.incremental.removal import restrict, survivors
from opentine_gui.layout.incremental.tables import End, Neighbours, TooDense
from opentine_gui.layout.request import Ancestry

if TYPE_CHECKING:
    import networkx as nx


def extend_layout(
    kept: KeptLayout, graph: nx.DiGraph[Any] | Ancestry, columns: Columns, progress: Callable[[float], None]
) -> tuple[KeptLayout, int | None] | None:
    """Return the kept layout changed to show `graph`, and its crossings (None: not counted).

    `progress` receives fractions from 0 to 1.

    None where a fresh layout is the better answer: the main line's first step is gone, there are more new steps than
    old ones, or too many long edges to push aside. ValueError if the graph has a cycle.
    """
    if not kept.model.nodes:
        return None
    progress(0.0)
    kept.build()
    progress(0.1)
    ancestry = Ancestry.of(graph)
    nodes: list[Hashable] = list(ancestry.nodes)
    parents = ancestry.distinct_parents()
    old = kept.model
    count = len(old.nodes)
    dirty: list[int] = []
    number_of: dict[int, int] = {}  # place in the graph -> number in the model, where they differ
    if (
        columns == kept.columns
        and old.graph_order is None
        and nodes[:count] == old.nodes
        and parents[:count] == old.parents
    ):
        same = count  # so many places in the graph are the model's numbers
        new = list(range(count, len(nodes)))
    else:
        same = 0
        surviving = survivors(kept, nodes, parents)
        if not surviving or old.first_node[0] not in set(surviving):
            return None
        kept, dirty = restrict(kept, surviving, columns)
        kept.build()
        model_number = {node: number for number, node in enumerate(kept.model.nodes)}
        number_of = {place: model_number[node] for place, node in enumerate(nodes) if node in model_number}
        new = [place for place in range(len(nodes)) if place not in number_of]
        count = len(surviving)
    if len(new) > max(1000, count):
        return None
    grown = kept.copy(len(new), sum(len(parents[place]) for place in new))
    model = grown.model
    extension = Extension(grown)
    try:
        extension.columns.settle(dirty)
        _add_all(extension, new, nodes, parents, number_of, same, progress)
    except TooDense:
        return None
    crossings = extension.finish()
    model.graph_order = None
    if model.nodes != nodes:
        place_of = {node: place for place, node in enumerate(nodes)}
        model.graph_order = [place_of[node] for node in model.nodes]
    return grown, crossings


def _add_all(
    extension: Extension,
    new: list[int],
    nodes: Sequence[Hashable],
    parents: Sequence[tuple[int, ...]],
    number_of: dict[int, int],
    same: int,
    progress: Callable[[float], None],
) -> None:
    """Add the steps at the places `new` of the graph, parents before children, and note their numbers in `number_of`.

    The first `same` places are their steps' numbers. ValueError if the graph has a cycle.
    """
    waiting = new
    while waiting:  # creation order, unless the graph's order has a child before its parent
        later: list[int] = []
        for turn, place in enumerate(waiting):
            if turn % 16 == 0:
                progress(0.2 + 0.7 * turn / len(waiting))
            above = [number_of.get(parent, parent if parent < same else -1) for parent in parents[place]]
            if -1 in above:
                later.append(place)
                continue
            number_of[place] = len(extension.model.nodes)
            extension.add(nodes[place], tuple(above))
        if len(later) == len(waiting):
            raise ValueError("cannot lay out this graph: it has a cycle, so some step would be its own ancestor")
        waiting = later


class Extension:
    """Adds steps to a copy of a kept layout, one after the other."""

    def __init__(self, kept: KeptLayout) -> None:
        assert kept.column_table is not None
        assert kept.crossing_table is not None
        self.kept, self.model = kept, kept.model
        self.columns, self.crossings = kept.column_table, kept.crossing_table
        self.touched: set[int] = set()  # gaps to count again
        self._placed = 0  # nodes placed before the one being added

    def add(self, name: Hashable, above: tuple[int, ...]) -> None:
        """Place one new node below its parents; `above` are their numbers, the primary parent first."""
        model = self.model
        node = len(model.nodes)
        model.nodes.append(name)
        model.parents.append(above)
        rank = 1 + max((model.rank[parent] for parent in above), default=-1)
        model.rank.append(rank)
        model.rank_count = max(model.rank_count, rank + 1)
        model.merges = model.merges or len(above) > 1
        dirty: list[int] = []
        self._placed = node
        free = [parent for parent in above if model.last_node[model.lane[parent]] == parent]
        parent = free[0] if free else -1
        if len(free) > 1 and model.lane[parent] != 0:  # the primary parent's lane, unless that pushes more away
            parent = min(free, key=lambda parent: self._extension_cost(model.lane[parent], rank))
        model.lane_previous.append(parent)
        if parent >= 0:
            strand = model.lane[parent]
            if model.bottom[strand] > model.rank[parent]:
                dirty += self._hand_over_tail(strand, parent)
            model.lane.append(strand)
            model.last_node[strand] = node
            dirty += self._extend_lane(strand, node, rank, bendable=model.child_count[parent] > 0 or len(above) > 1)
        else:
            dirty += self._start_lane(node, above, rank)
        model.child_count.append(0)
        for number in above:
            model.child_count[number] += 1
            dirty += self._route(number, node, direct=parent)
        self.columns.settle(dirty)
        if self.crossings.crowded():
            self.crossings.renumber()
            count = self.columns.count
            self.columns.label[:count] = self.crossings.label[self.columns.strand[:count]]

    def finish(self) -> int | None:
        """Count the crossings of all gaps that changed, and return all crossings; None if they are not countable."""
        if not self.kept.countable:
            return None
        for gap in sorted(self.touched):
            self.crossings.count_gap(gap)
        self.touched.clear()
        return sum(self.crossings.gap_crossings.values())

    def _stretch(self, strand: int, top: int, bottom: int) -> None:
        """Let a strand occupy more ranks (or, handing over its tail, fewer) and note the gaps this affects."""
        model, crossings = self.model, self.crossings
        old_top, old_bottom = model.top[strand], model.bottom[strand]
        model.top[strand], model.bottom[strand] = top, bottom
        crossings.top[strand], crossings.bottom[strand] = top, bottom
        self.touched.update(range(min(top, old_top), max(top, old_top)))
        self.touched.update(range(min(bottom, old_bottom), max(bottom, old_bottom)))

    def _diagonal(self, gap: int, upper: int, lower: int) -> None:
        self.crossings.add_diagonal(gap, upper, lower)
        self.touched.add(gap)

    def _extend_lane(self, strand: int, node: int, rank: int, *, bendable: bool) -> list[int]:
        columns, kept = self.columns, self.kept
        unit = kept.last_unit[strand]
        self._stretch(strand, self.model.top[strand], rank)
        if strand == 0:
            kept.unit_of[node] = 0
            return []
        old_bottom, old_cards = int(columns.bottom[unit]), int(columns.card_bottom[unit])
        columns.bottom[unit], columns.card_bottom[unit] = rank, rank
        kept.unit_of[node] = unit
        straight = self._pushed([unit]) if bendable else 0
        if not straight:
            return [unit]
        # a bend in the gap above the new node may disturb less than keeping the lane straight
        new = columns.add(strand, float(self.crossings.label[strand]), rank, rank, (rank, rank))
        columns.bottom[unit], columns.card_bottom[unit] = max(old_bottom, rank - 1), old_cards
        if self._pushed([unit, new]) < straight:
            kept.last_unit[strand] = kept.unit_of[node] = new
            return [unit, new]
        columns.count -= 1
        columns.bottom[unit], columns.card_bottom[unit] = rank, rank
        return [unit]

    def _extension_cost(self, strand: int, rank: int) -> int:
        """Return how many nodes would move if a lane continued to a card at `rank`, straight or bent."""
        if strand == 0:
            return 0
        columns = self.columns
        unit = self.kept.last_unit[strand]
        old_bottom, old_cards = int(columns.bottom[unit]), int(columns.card_bottom[unit])
        columns.bottom[unit], columns.card_bottom[unit] = rank, rank
        cost = self._pushed([unit])
        if cost:
            new = columns.add(strand, float(self.crossings.label[strand]), rank, rank, (rank, rank))
            columns.bottom[unit], columns.card_bottom[unit] = max(old_bottom, rank - 1), old_cards
            cost = min(cost, self._pushed([unit, new]))
            columns.count -= 1
        columns.bottom[unit], columns.card_bottom[unit] = old_bottom, old_cards
        return cost

    def _pushed(self, units: Sequence[int], known: dict[int, Neighbours] | None = None, most: float = inf) -> int:
        """Return how many placed nodes would move if `units` were settled now; above `most`, any larger number.

        `known` as for `settle`.
        """
        nodes = np.bincount(self.kept.unit_of[: self._placed], minlength=self.columns.count)
        total = 0

        def stop(unit: int) -> bool:
            nonlocal total
            total += int(nodes[unit])
            return total > most

        self.columns.settle(units, keep=False, known=known, stop=stop)
        return total

    def _start_lane(self, node: int, above: tuple[int, ...], rank: int) -> list[int]:
        model, crossings, columns, kept = self.model, self.crossings, self.columns, self.kept
        primary = above[0] if above else -1
        top = rank
        ends: list[End] = []
        for parent in above:
            top = min(top, model.rank[parent] + 1)
            ends.append((model.rank[parent], model.lane[parent], False))
        tree_parent = model.lane[primary] if above else -1
        strand = model.add_strand(node, tree_parent, model.rank[primary] if above else rank - 1, rank)
        model.lane.append(strand)
        crossings.strands += 1
        crossings.top[strand], crossings.bottom[strand] = rank, rank
        sibling = self._latest_call(primary, strand)
        wish = float(crossings.label[max(tree_parent, 0)])
        if sibling >= 0 and crossings.label[sibling] > wish:
            wish = float(crossings.label[sibling])
        crossings.strands -= 1  # the new strand has no label yet
        slots = crossings.slots(top, max(model.rank_count, rank + 1), ends, wish)
        crossings.strands += 1
        unit = columns.add(strand, 0.0, top, rank, (rank, rank))
        kept.first_unit.append(unit)
        kept.last_unit.append(unit)
        kept.unit_of[node] = unit
        self._take_slot(strand, unit, slots)
        return [unit]

    def _latest_call(self, fork: int, strand: int) -> int:
        """Return the lane that forked off `fork` last, before `strand`, or -1."""
        model = self.model
        if fork < 0:
            return -1
        for other in range(strand - 1, 0, -1):
            head = model.first_node[other]
            if head >= 0 and model.parents[head][:1] == (fork,):
                return other
        return -1

    def _take_slot(self, strand: int, unit: int, slots: Sequence[float]) -> None:
        """Give a strand the slot that moves the fewest nodes; among equal ones the nearest to the main line."""
        columns, crossings = self.columns, self.crossings
        best = (1 << 60, 0.0, 0.0)
        near = columns.neighbours(unit)
        known = {unit: near}  # only the label changes from slot to slot, not the ranks
        for slot in slots:
            columns.label[unit] = slot
            key = (self._pushed([unit], known, best[0]), columns.least_distance(unit, near), slot)
            if len(slots) == 1 or key < best:
                best = key
        columns.label[unit] = crossings.label[strand] = best[2]

    def _hand_over_tail(self, strand: int, node: int) -> list[int]:
        """Move the long edges in the tail of a lane to a routing strand, because the lane itself continues."""
        model, crossings, columns = self.model, self.crossings, self.columns
        first, last = model.rank[node] + 1, model.bottom[strand]
        unit = self.kept.last_unit[strand]
        tail = [edge for edge in _places(model.edge_source, node) if model.edge_via[edge] == strand]
        self._stretch(strand, model.top[strand], model.rank[node])
        if strand:
            columns.bottom[unit] = model.rank[node]
        ends: list[End] = [(model.rank[node], strand, False)]
        leaving: list[tuple[int, int]] = []
        for edge in tail:
            target = model.edge_target[edge]
            leaving.append((model.rank[target] - 1, model.lane[target]))
        live = crossings.diagonals
        for gap, lane in leaving:
            found = np.flatnonzero(
                (crossings.gap[:live] == gap) & (crossings.upper[:live] == strand) & (crossings.lower[:live] == lane)
            )
            crossings.gap[found[0]] = -1  # removed; the routing strand brings its own
            self.touched.add(gap)
            ends.append((gap, lane, True))
        routing, dirty = self._routing_strand(node, strand, first, last, ends)
        for edge, (gap, lane) in zip(tail, leaving, strict=True):
            model.edge_via[edge] = routing
            self.kept.rerouted.append(edge)
            self._diagonal(gap, routing, lane)
        return dirty

    def _routing_strand(
        self, source: int, lane: int, first: int, last: int, ends: Sequence[End]
    ) -> tuple[int, list[int]]:
        """Return the routing strand of `source`, created or lengthened to cover ranks `first` to `last`, and the units
        to settle."""
        model, crossings, columns, kept = self.model, self.crossings, self.columns, self.kept
        strand = model.routing_of.get(source, -1)
        if strand >= 0:
            unit = kept.last_unit[strand]
            if last > model.bottom[strand]:
                self._stretch(strand, model.top[strand], last)
                columns.bottom[unit] = last
            return strand, [unit]
        wish = median([float(crossings.label[other]) for _, other, _ in ends])
        slots = crossings.slots(first, last, ends, wish)
        strand = model.add_strand(source, lane, first - 1, first, routing=True)
        model.routing_of[source] = strand
        model.bottom[strand] = last
        crossings.strands += 1
        crossings.top[strand], crossings.bottom[strand] = first, last
        unit = columns.add(strand, 0.0, first, last, None)
        kept.first_unit.append(unit)
        kept.last_unit.append(unit)
        self._take_slot(strand, unit, slots)
        self.touched.update(range(first, last))
        self._diagonal(first - 1, lane, strand)
        return strand, [unit]

    def _route(self, parent: int, node: int, *, direct: int) -> list[int]:
        """Add the edge parent -> node; `direct` is the node above in the same lane."""
        model, columns, kept = self.model, self.columns, self.kept
        upper, lower = model.lane[parent], model.lane[node]
        first, last = model.rank[parent] + 1, model.rank[node] - 1
        model.edge_source.append(parent)
        model.edge_target.append(node)
        if parent == direct:
            model.edge_via.append(LANE_LINK)
            return []
        if first > last:
            model.edge_via.append(DIRECT_LINK)
            self._diagonal(last, upper, lower)
            return []
        if model.first_node[lower] == node:
            model.edge_via.append(lower)
            self._stretch(lower, min(model.top[lower], first), model.bottom[lower])
            self._diagonal(first - 1, upper, lower)
            return []  # its unit already reaches this far
        if model.last_node[upper] == parent and parent not in model.routing_of:
            unit = kept.last_unit[upper]
            bottom = columns.bottom[unit]
            columns.bottom[unit] = max(int(bottom), last)
            if not columns.collides(unit):  # otherwise a thin strand of its own disturbs less
                model.edge_via.append(upper)
                self._stretch(upper, model.top[upper], max(model.bottom[upper], last))
                self._diagonal(last, upper, lower)
                return []
            columns.bottom[unit] = bottom
        strand, dirty = self._routing_strand(
            parent, upper, first, last, [(first - 1, upper, False), (last, lower, True)]
        )
        model.edge_via.append(strand)
        self._diagonal(last, strand, lower)
        return dirty


def _places(values: list[int], wanted: int) -> Iterator[int]:
    """Yield the places of a value; a hundred thousand places take about a millisecond."""
    place = -1
    with suppress(ValueError):
        while True:
            place = values.index(wanted, place + 1)
            yield place
