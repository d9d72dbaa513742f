"""Removes steps from a kept layout: the remaining ones stay exactly where they are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from opentine_gui.layout.batch.compact import Columns, Unit, compact
from opentine_gui.layout.batch.strands import Model
from opentine_gui.layout.incremental.kept_layout import KeptLayout
from opentine_gui.layout.incremental.tables import CrossingTable


def survivors(kept: KeptLayout, nodes: Sequence[Hashable], parents: Sequence[tuple[int, ...]]) -> list[int]:
    """Return the numbers of the old nodes that still exist with the same parents, all of which survive too.

    `nodes` and `parents` are the columns of the new graph (see `Ancestry`).
    """
    old = kept.model
    place_of = {node: place for place, node in enumerate(nodes)}
    surviving: list[int] = []
    stays = [False] * len(old.nodes)
    for number, (node, above) in enumerate(zip(old.nodes, old.parents, strict=True)):
        place = place_of.get(node)
        if (
            place is not None
            and [nodes[parent] for parent in parents[place]] == [old.nodes[parent] for parent in above]
            and all(stays[parent] for parent in above)
        ):
            stays[number] = True
            surviving.append(number)
    return surviving


def restrict(kept: KeptLayout, surviving: Sequence[int], columns: Columns) -> tuple[KeptLayout, list[int]]:
    """Return the layout of the `surviving` nodes (closed under parents), all at their places, and units to settle.

    These are the units that cover ranks they did not cover before, by their numbers in the column table: only they may
    collide.
    """
    old = kept.model
    assert kept.column_table is not None
    assert kept.crossing_table is not None
    number = {node: place for place, node in enumerate(surviving)}
    model = Model([old.nodes[node] for node in surviving], [], None)
    model.parents = [tuple(number[parent] for parent in old.parents[node]) for node in surviving]
    model.merges = any(len(above) > 1 for above in model.parents)
    model.rank = [old.rank[node] for node in surviving]
    model.rank_count = 1 + max(model.rank, default=-1)
    model.child_count = [0] * len(surviving)
    for above in model.parents:
        for parent in above:
            model.child_count[parent] += 1
    strand_of: dict[int, int] = {}
    lanes = sorted({old.lane[node] for node in surviving} | {0})
    for strand in lanes:
        head = old.first_node[strand]
        place = number[head]
        above = model.parents[place]
        fork_rank = model.rank[above[0]] if above else model.rank[place] - 1
        strand_of[strand] = model.add_strand(place, -1, fork_rank, model.rank[place])
    model.lane = [strand_of[old.lane[node]] for node in surviving]
    model.lane_previous = [number.get(old.lane_previous[node], -1) for node in surviving]
    for node, strand in enumerate(model.lane):
        model.last_node[strand] = node
        model.bottom[strand] = model.rank[node]
        if node == model.first_node[strand] and model.parents[node]:
            model.tree_parent[strand] = model.lane[model.parents[node][0]]
    _keep_routes(old, model, number, strand_of)
    order = sorted(strand_of, key=kept.crossing_table.label.__getitem__)
    order = [strand_of[strand] for strand in order]
    if columns != kept.columns:
        return KeptLayout(model, order, compact(model, order, columns), columns, countable=kept.countable), []
    units, grown = _kept_units(kept, model, strand_of)
    numbers = {
        id(unit): number for number, unit in enumerate(unit for strand in sorted(units) for unit in units[strand])
    }
    left = KeptLayout(model, order, units, columns, countable=kept.countable)
    if kept.countable and not grown:
        _keep_counts(kept, left)
    return left, [numbers[id(unit)] for unit in grown]


def _keep_counts(kept: KeptLayout, left: KeptLayout) -> None:
    """Keep the crossings of gaps that lost neither a strand nor a diagonal: the order of the rest is the same."""
    assert kept.crossing_table is not None
    before, after = kept.crossing_table, CrossingTable(left.model, left.order, 0)
    gaps = 1 + max(kept.model.rank_count, left.model.rank_count)
    lost = (before.load(gaps) != after.load(gaps)).any(axis=0)
    left.gap_crossings = {gap: number for gap, number in before.gap_crossings.items() if not lost[gap]}
    left.uncounted = sorted(set(after.gap[: after.diagonals].tolist()) & set(np.flatnonzero(lost).tolist()))


def _keep_routes(old: Model, model: Model, number: dict[int, int], strand_of: dict[int, int]) -> None:
    """Keep every edge on the strand that carried it; routing strands that still carry one are added to `strand_of`."""
    rank = model.rank
    for old_source, old_target, old_via in zip(old.edge_source, old.edge_target, old.edge_via, strict=True):
        if old_target not in number:
            continue
        source, target, via = number[old_source], number[old_target], old_via
        first, last = rank[source] + 1, rank[target] - 1
        if old_via >= 0:
            if old_via not in strand_of:
                strand_of[old_via] = model.add_strand(source, model.lane[source], first - 1, first, routing=True)
                model.routing_of[source] = strand_of[old_via]
            via = strand_of[old_via]
            if via == model.lane[target]:
                model.top[via] = min(model.top[via], first)
            else:
                model.bottom[via] = max(model.bottom[via], last)
        model.edge_source.append(source)
        model.edge_target.append(target)
        model.edge_via.append(via)


def _kept_units(kept: KeptLayout, model: Model, strand_of: dict[int, int]) -> tuple[dict[int, list[Unit]], list[Unit]]:
    """Return the units at their old x, cut to the remaining ranks, and those that now cover more ranks than before."""
    table = kept.column_table
    assert table is not None
    old_units: dict[int, list[int]] = {}
    for unit, strand in enumerate(table.strand[: table.count].tolist()):
        old_units.setdefault(strand, []).append(unit)
    units: dict[int, list[Unit]] = {}
    grown: list[Unit] = []
    for old_strand, strand in strand_of.items():
        first, last = model.first_node[strand], model.last_node[strand]
        card_top, card_bottom = (model.rank[first], model.rank[last]) if first >= 0 else (1, 0)
        line: list[Unit] = []
        for number in old_units[old_strand]:
            top, bottom = int(table.top[number]), int(table.bottom[number])
            if line and top > card_bottom:
                break
            old_cards = int(table.card_top[number]), int(table.card_bottom[number])
            cards = (max(old_cards[0], card_top), min(old_cards[1], card_bottom)) if first >= 0 else (1, 0)
            line.append(Unit(strand, top, bottom, *cards, float(table.x[number])))
        old_top, old_bottom, old_card_bottom = line[0].top, line[-1].bottom, line[-1].card_bottom
        line[0].top, line[-1].bottom = model.top[strand], model.bottom[strand]
        if first >= 0:
            line[-1].card_bottom = card_bottom
        if line[0].top < old_top:
            grown.append(line[0])
        if (line[-1].bottom > old_bottom or line[-1].card_bottom > old_card_bottom) and line[-1] not in grown[-1:]:
            grown.append(line[-1])
        units[strand] = line
    return units, grown
