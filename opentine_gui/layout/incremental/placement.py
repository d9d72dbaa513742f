"""Adding steps to a standing layout, one after the other.

A step that goes on in a lane extends it. A new lane takes the cheapest slot with all else fixed, as if it already ran
to the bottom (it will). What would collide is pushed outwards.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import inf
from statistics import median

import numpy as np

from opentine_gui.layout.batch.strands import DIRECT_LINK, LANE_LINK
from opentine_gui.layout.incremental.columns import Columned, Crossed, End, Known
from opentine_gui.layout.incremental.kept_layout import Standing


class Extension:
    """Adds steps to a standing layout, one after the other."""

    def __init__(self, standing: Standing) -> None:
        assert standing.columned is not None
        assert standing.crossed is not None
        self.standing = standing
        self.model = standing.model
        self.columned: Columned = standing.columned
        self.crossed: Crossed = standing.crossed
        self.touched: set[int] = set()  # gaps to count again
        self._stood = 0  # nodes that stood before the one being added

    def add(self, name: Hashable, above: tuple[int, ...]) -> None:
        """Place one new node below its parents."""
        model = self.model
        node = len(model.nodes)
        model.nodes.append(name)
        model.parents.append(above)
        rank = 1 + max((model.rank[parent] for parent in above), default=-1)
        model.rank.append(rank)
        model.rank_count = max(model.rank_count, rank + 1)
        model.merges = model.merges or len(above) > 1
        dirty: list[int] = []
        self._stood = node
        free = [parent for parent in above if model.last_node[model.lane[parent]] == parent]
        parent = free[0] if free else -1
        if len(free) > 1 and model.lane[parent] != 0:  # the primary parent's lane, unless that pushes more away
            parent = min(free, key=lambda parent: self._extension_cost(model.lane[parent], rank))
        model.lane_previous.append(parent)
        if parent >= 0:
            strand = model.lane[parent]
            if model.bottom[strand] > model.rank[parent]:
                dirty += self._hand_tail_over(strand, parent)
            model.lane.append(strand)
            model.last_node[strand] = node
            dirty += self._extend_lane(strand, node, rank, bendable=model.child_count[parent] > 0 or len(above) > 1)
        else:
            dirty += self._start_lane(node, above, rank)
        model.child_count.append(0)
        for number in above:
            model.child_count[number] += 1
            dirty += self._route(number, node, direct=parent)
        self.columned.settle(dirty)
        if self.crossed.crowded():
            self.crossed.spread()
            count = self.columned.count
            self.columned.label[:count] = self.crossed.label[self.columned.strand[:count]]

    def finish(self) -> int:
        """Count the crossings of all gaps that changed, and return all crossings."""
        for gap in sorted(self.touched):
            self.crossed.count_gap(gap)
        self.touched.clear()
        return sum(self.crossed.in_gap.values())

    def _stretch(self, strand: int, top: int, bottom: int) -> None:
        """Let a strand occupy more ranks (or, handing its tail over, fewer), and note the gaps it now runs through."""
        model, crossed = self.model, self.crossed
        old_top, old_bottom = model.top[strand], model.bottom[strand]
        model.top[strand], model.bottom[strand] = top, bottom
        crossed.top[strand], crossed.bottom[strand] = top, bottom
        self.touched.update(range(min(top, old_top), max(top, old_top)))
        self.touched.update(range(min(bottom, old_bottom), max(bottom, old_bottom)))

    def _diagonal(self, gap: int, upper: int, lower: int) -> None:
        self.crossed.add_diagonal(gap, upper, lower)
        self.touched.add(gap)

    def _extend_lane(self, strand: int, node: int, rank: int, *, bendable: bool) -> list[int]:
        columned, standing = self.columned, self.standing
        unit = standing.last_unit[strand]
        self._stretch(strand, self.model.top[strand], rank)
        if strand == 0:
            standing.unit_of[node] = 0
            return []
        old_bottom, old_cards = int(columned.bottom[unit]), int(columned.card_bottom[unit])
        columned.bottom[unit], columned.card_bottom[unit] = rank, rank
        standing.unit_of[node] = unit
        straight = self._pushed([unit]) if bendable else 0
        if not straight:
            return [unit]
        # a bend in the gap above the new node may disturb less than keeping the lane straight
        new = columned.add(strand, float(self.crossed.label[strand]), rank, rank, (rank, rank))
        columned.bottom[unit], columned.card_bottom[unit] = max(old_bottom, rank - 1), old_cards
        if self._pushed([unit, new]) < straight:
            standing.last_unit[strand] = standing.unit_of[node] = new
            return [unit, new]
        columned.count -= 1
        columned.bottom[unit], columned.card_bottom[unit] = rank, rank
        return [unit]

    def _extension_cost(self, strand: int, rank: int) -> int:
        """Return how many nodes would move if a lane went on to a card at `rank`, straight or bent."""
        if strand == 0:
            return 0
        columned = self.columned
        unit = self.standing.last_unit[strand]
        old_bottom, old_cards = int(columned.bottom[unit]), int(columned.card_bottom[unit])
        columned.bottom[unit], columned.card_bottom[unit] = rank, rank
        cost = self._pushed([unit])
        if cost:
            new = columned.add(strand, float(self.crossed.label[strand]), rank, rank, (rank, rank))
            columned.bottom[unit], columned.card_bottom[unit] = max(old_bottom, rank - 1), old_cards
            cost = min(cost, self._pushed([unit, new]))
            columned.count -= 1
        columned.bottom[unit], columned.card_bottom[unit] = old_bottom, old_cards
        return cost

    def _pushed(self, units: Sequence[int], known: Known | None = None, most: float = inf) -> int:
        """Return how many nodes that stand would move if `units` were settled now; beyond `most` any larger number.

        `known` as for `settle`.
        """
        nodes = np.bincount(self.standing.unit_of[: self._stood], minlength=self.columned.count)
        total = 0

        def enough(unit: int) -> bool:
            nonlocal total
            total += int(nodes[unit])
            return total > most

        self.columned.settle(units, keep=False, known=known, enough=enough)
        return total

    def _start_lane(self, node: int, above: tuple[int, ...], rank: int) -> list[int]:
        model, crossed, columned, standing = self.model, self.crossed, self.columned, self.standing
        primary = above[0] if above else -1
        top = rank
        ends: list[End] = []
        for parent in above:
            top = min(top, model.rank[parent] + 1)
            ends.append((model.rank[parent], model.lane[parent], False))
        tree_parent = model.lane[primary] if above else -1
        strand = model.add_strand(node, tree_parent, model.rank[primary] if above else rank - 1, rank)
        model.lane.append(strand)
        crossed.strands += 1
        crossed.top[strand], crossed.bottom[strand] = rank, rank
        sibling = self._latest_call(primary, strand)
        wish = float(crossed.label[max(tree_parent, 0)])
        if sibling >= 0 and crossed.label[sibling] > wish:
            wish = float(crossed.label[sibling])
        crossed.strands -= 1  # the new strand has no label yet
        slots = crossed.slots(top, max(model.rank_count, rank + 1), ends, wish)
        crossed.strands += 1
        unit = columned.add(strand, 0.0, top, rank, (rank, rank))
        standing.first_unit.append(unit)
        standing.last_unit.append(unit)
        standing.unit_of[node] = unit
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
        """Give a strand the slot that moves the fewest nodes; of equal ones the nearest to the main line."""
        columned, crossed = self.columned, self.crossed
        best = (1 << 60, 0.0, 0.0)
        known: Known = {}  # only the label changes from slot to slot, not the ranks
        for slot in slots:
            columned.label[unit] = slot
            key = (self._pushed([unit], known, best[0]), columned.needed(unit, known), slot)
            if len(slots) == 1 or key < best:
                best = key
        columned.label[unit] = crossed.label[strand] = best[2]

    def _hand_tail_over(self, strand: int, node: int) -> list[int]:
        """Move the long edges that hang in a lane's tail to a routing strand, because the lane goes on."""
        model, crossed, columned = self.model, self.crossed, self.columned
        first, last = model.rank[node] + 1, model.bottom[strand]
        unit = self.standing.last_unit[strand]
        tail = [edge for edge, via in enumerate(model.edge_via) if via == strand and model.edge_source[edge] == node]
        self._stretch(strand, model.top[strand], model.rank[node])
        if strand:
            columned.bottom[unit] = model.rank[node]
        ends: list[End] = [(model.rank[node], strand, False)]
        leaving: list[tuple[int, int]] = []
        for edge in tail:
            target = model.edge_target[edge]
            leaving.append((model.rank[target] - 1, model.lane[target]))
        live = crossed.diagonals
        for gap, lane in leaving:
            found = np.flatnonzero(
                (crossed.gap[:live] == gap) & (crossed.upper[:live] == strand) & (crossed.lower[:live] == lane)
            )
            crossed.gap[found[0]] = -1  # taken out; the routing strand brings its own
            self.touched.add(gap)
            ends.append((gap, lane, True))
        routing, dirty = self._routing_strand(node, strand, first, last, ends)
        for edge, (gap, lane) in zip(tail, leaving, strict=True):
            model.edge_via[edge] = routing
            self.standing.rerouted.append(edge)
            self._diagonal(gap, routing, lane)
        return dirty

    def _routing_strand(
        self, source: int, lane: int, first: int, last: int, ends: Sequence[End]
    ) -> tuple[int, list[int]]:
        """Return the routing strand of `source`, made or lengthened to ranks `first` to `last`, and units to settle."""
        model, crossed, columned, standing = self.model, self.crossed, self.columned, self.standing
        strand = model.routing_of.get(source, -1)
        if strand >= 0:
            unit = standing.last_unit[strand]
            if last > model.bottom[strand]:
                self._stretch(strand, model.top[strand], last)
                columned.bottom[unit] = last
            return strand, [unit]
        wish = median([float(crossed.label[other]) for _, other, _ in ends])
        slots = crossed.slots(first, last, ends, wish)
        strand = model.add_strand(source, lane, first - 1, first, routing=True)
        model.routing_of[source] = strand
        model.bottom[strand] = last
        crossed.strands += 1
        crossed.top[strand], crossed.bottom[strand] = first, last
        unit = columned.add(strand, 0.0, first, last, None)
        standing.first_unit.append(unit)
        standing.last_unit.append(unit)
        self._take_slot(strand, unit, slots)
        self.touched.update(range(first, last))
        self._diagonal(first - 1, lane, strand)
        return strand, [unit]

    def _route(self, parent: int, node: int, *, direct: int) -> list[int]:
        """Add the edge parent -> node; `direct` is the node above in the same lane."""
        model, columned, standing = self.model, self.columned, self.standing
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
            return []  # its unit was made this long
        if model.last_node[upper] == parent and parent not in model.routing_of:
            unit = standing.last_unit[upper]
            bottom = columned.bottom[unit]
            columned.bottom[unit] = max(int(bottom), last)
            if not columned.collides(unit):  # else a thin strand of its own disturbs less
                model.edge_via.append(upper)
                self._stretch(upper, model.top[upper], max(model.bottom[upper], last))
                self._diagonal(last, upper, lower)
                return []
            columned.bottom[unit] = bottom
        strand, dirty = self._routing_strand(
            parent, upper, first, last, [(first - 1, upper, False), (last, lower, True)]
        )
        model.edge_via.append(strand)
        self._diagonal(last, strand, lower)
        return dirty
