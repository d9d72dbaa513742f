"""Turns columns and ranks into pixels, all at once in numpy: card centres, edge polylines, bounds."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.layout.batch.compact import Columns, Unit, unit_at
from opentine_gui.layout.batch.strands import LANE_LINK, Model
from opentine_gui.layout.incremental.kept_layout import KeptDrawing, KeptLayout, ModelArrays, changed_links
from opentine_gui.layout.measures import Direction, Spacing
from opentine_gui.layout.request import Ancestry
from opentine_gui.layout.result import FORK_EDGE, LANE_EDGE, MERGE_EDGE, Floats, Ints, Layout, bounds_of

LINKS_AT_ONCE = 500_000
"""Number of links whose polylines are computed together, if there are very many."""


def columns_of(spacing: Spacing, direction: Direction) -> Columns:
    """Return the room that cards and routing strands take across the lanes."""
    across = spacing.node_width + spacing.column_gap
    if direction is Direction.LEFT_TO_RIGHT:
        across = spacing.node_height + spacing.row_gap
    return Columns(across / 2, (spacing.routing_width + spacing.routing_gap) / 2, 2 * across)


def node_columns(model: Model, units: Mapping[int, list[Unit]]) -> Floats:
    """Return x across the lanes for every node (n,)."""
    if not model.lane:
        return np.zeros(0)
    lane = np.asarray(model.lane, dtype=np.int64)
    x = strand_columns(model, units)[lane]
    bent = [strand for strand, line in units.items() if len(line) > 1]
    if bent:
        is_bent = np.zeros(len(model.top), dtype=bool)
        is_bent[bent] = True
        for node in np.flatnonzero(is_bent[lane]).tolist():
            x[node] = unit_at(units[model.lane[node]], model.rank[node]).x
    return x


def strand_columns(model: Model, units: Mapping[int, list[Unit]]) -> Floats:
    """Return x across the lanes for the top of every strand (s,)."""
    x = np.zeros(len(model.top))
    for strand, line in units.items():
        x[strand] = line[0].x
    return x


def draw(
    model: Model,
    across: Floats,
    threads: Floats,
    direction: Direction,
    spacing: Spacing,
    crossings: int | None,
    kept: KeptLayout,
    ancestry: Ancestry | None = None,
    previous: Layout | None = None,
) -> Layout:
    """Return the finished layout in graph order, given x across the lanes for nodes (n,) and strands (s,).

    Names and numbers of the nodes are those of `ancestry`, where the graph was given as one. The drawing is stored in
    `kept`. Every bend lies in the gap between two ranks, so no edge runs through a card.
    """
    before = kept.drawing
    arrays = ModelArrays.of(model, before.arrays if before else None, kept.rerouted)
    nodes, index = _named(model, ancestry, previous)
    lines = _polylines(arrays, across, threads, direction, spacing)
    points, offsets = lines.continued(before, kept.rerouted)
    kept.drawing, kept.rerouted = KeptDrawing(arrays, across, threads, points, offsets), []
    return _finished(nodes, index, model.graph_order, lines, points, offsets, direction, spacing, crossings, kept)


def draw_once(
    model: Model,
    arrays: ModelArrays,
    across: Floats,
    threads: Floats,
    direction: Direction,
    spacing: Spacing,
    ancestry: Ancestry | None = None,
) -> Layout:
    """As `draw`, for a layout that is never continued and whose crossings are not counted."""
    nodes, index = _named(model, ancestry, None)
    lines = _polylines(arrays, across, threads, direction, spacing)
    points, offsets = lines.of_many()
    return _finished(nodes, index, model.graph_order, lines, points, offsets, direction, spacing, None, None)


def _named(
    model: Model, ancestry: Ancestry | None, previous: Layout | None
) -> tuple[tuple[Hashable, ...], Mapping[Hashable, int]]:
    """Return the nodes in the order of the graph, and node -> number."""
    if ancestry is None:
        nodes = tuple(_in_graph_order(model))
        return nodes, _index(nodes, previous)
    nodes = tuple(ancestry.nodes)
    return nodes, ancestry.index or _index(nodes, previous)


def _polylines(
    arrays: ModelArrays, across: Floats, threads: Floats, direction: Direction, spacing: Spacing
) -> _Polylines:
    depth, gap = spacing.node_height, spacing.row_gap
    if direction is Direction.LEFT_TO_RIGHT:
        depth, gap = spacing.node_width, spacing.column_gap
    pitch = depth + gap
    return _Polylines(np.column_stack((across, arrays.rank * pitch)), arrays, threads, pitch, depth)


def _finished(
    nodes: tuple[Hashable, ...],
    index: Mapping[Hashable, int],
    graph_order: list[int] | None,
    lines: _Polylines,
    points: Floats,
    offsets: Ints,
    direction: Direction,
    spacing: Spacing,
    crossings: int | None,
    kept: KeptLayout | None,
) -> Layout:
    """Return the layout in graph order, turned if it goes from left to right."""
    cards, arrays = lines.cards, lines.arrays
    rank, source, target, lane = arrays.rank, arrays.source, arrays.target, arrays.lane
    kinds = np.full(len(source), MERGE_EDGE, dtype=np.uint8)
    if len(source):
        kinds[arrays.primary[target] == source] = FORK_EDGE
    kinds[arrays.via == LANE_LINK] = LANE_EDGE

    lane_number = np.cumsum(arrays.strand_source < 0) - 1  # routing strands hold no nodes and are not counted
    lanes = lane_number[lane].astype(np.int32) if len(lane) else np.zeros(0, dtype=np.int32)
    if direction is Direction.LEFT_TO_RIGHT:
        cards, points = cards[:, ::-1], points[:, ::-1]
    if graph_order is not None:
        back = np.empty(len(nodes), dtype=np.int64)
        order = np.asarray(graph_order, dtype=np.int64)
        back[order] = np.arange(len(nodes))
        cards, lanes, rank = cards[back], lanes[back], rank[back]
        source, target = order[source], order[target]
    return Layout(
        nodes=nodes,
        index=index,
        centers=np.ascontiguousarray(cards),
        edges=_int32_pairs(source, target),
        edge_points=np.ascontiguousarray(points),
        edge_offsets=offsets,
        edge_kinds=kinds,
        lanes=lanes,
        ranks=rank.astype(np.int32),
        bounds=bounds_of(cards, points, spacing),
        direction=direction,
        spacing=spacing,
        crossings=crossings,
        _continuation=kept,
    )


def _int32_pairs(one: Ints, other: Ints) -> NDArray[np.int32]:
    pairs = np.empty((len(one), 2), dtype=np.int32)
    pairs[:, 0], pairs[:, 1] = one, other
    return pairs


def _in_graph_order(model: Model) -> list[Hashable]:
    """Return the model's nodes in the order of the graph."""
    if model.graph_order is None:
        return model.nodes
    named: list[Hashable] = [None] * len(model.nodes)
    for node, place in zip(model.nodes, model.graph_order, strict=True):
        named[place] = node
    return named


def _index(nodes: tuple[Hashable, ...], previous: Layout | None) -> dict[Any, int]:
    """Return node -> number; copying and extending that of a shorter layout takes a tenth of making it."""
    if previous is None or nodes[: len(previous.nodes)] != previous.nodes:
        return {node: number for number, node in enumerate(nodes)}
    index = dict(previous.index)
    for number in range(len(previous.nodes), len(nodes)):
        index[nodes[number]] = number
    return index


class _Polylines(NamedTuple):
    """The links' polylines, at most four points each, from card edge to card edge, and what they are made from."""

    cards: Floats
    arrays: ModelArrays
    threads: Floats
    pitch: float
    depth: float

    def continued(self, before: KeptDrawing | None, rerouted: Sequence[int]) -> tuple[Floats, Ints]:
        """Return all polylines as (k, 2) points and (m + 1,) offsets; those unchanged since `before` are copied."""
        count = len(self.arrays.source)
        if before is None:
            return self.of(np.arange(count))
        known = len(before.offsets) - 1
        changed = changed_links(self.arrays, before, self.cards[:, 0], self.threads, rerouted)
        links = np.concatenate((changed, np.arange(known, count)))
        points, offsets = self.of(links)
        made = np.zeros(count, dtype=bool)
        made[links] = True
        lengths = np.concatenate((np.diff(before.offsets), np.zeros(count - known, dtype=np.int64)))
        copied = np.flatnonzero(np.repeat(~made[:known], lengths[:known]))
        lengths[links] = np.diff(offsets)
        fresh = np.repeat(made, lengths)
        rows = np.empty(len(fresh), dtype=np.int64)  # of the two tables, one below the other
        rows[fresh] = np.arange(len(before.points), len(before.points) + len(points))
        rows[~fresh] = copied
        whole = np.concatenate((before.points, points)).take(rows, axis=0)
        return whole, np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths)))

    def of_many(self) -> tuple[Floats, Ints]:
        """Return all polylines, computed in parts: a table of some millions takes a gigabyte, and so does each
        intermediate one."""
        count = len(self.arrays.source)
        if not (self.arrays.via >= 0).any():  # a crowd, in which lanes never bend
            return self.straight()
        parts = [self.of(np.arange(at, min(at + LINKS_AT_ONCE, count))) for at in range(0, count, LINKS_AT_ONCE)]
        starts = np.cumsum([0, *(offsets[-1] for _, offsets in parts)])
        offsets = [own[:-1] + start for (_, own), start in zip(parts, starts, strict=False)]
        return np.concatenate([points for points, _ in parts]), np.concatenate((*offsets, starts[-1:]))

    def straight(self) -> tuple[Floats, Ints]:
        """Return one straight line for every link."""
        source, target = self.arrays.source, self.arrays.target
        x, y = np.ascontiguousarray(self.cards[:, 0]), np.ascontiguousarray(self.cards[:, 1])
        low, high = y + self.depth / 2, y - self.depth / 2
        lines = np.empty((len(source), 4))
        for at in range(0, len(source), LINKS_AT_ONCE):
            above, below, part = source[at : at + LINKS_AT_ONCE], target[at : at + LINKS_AT_ONCE], lines[at:]
            for place, numbers in enumerate((x[above], low[above], x[below], high[below])):
                part[: len(above), place] = numbers
        return lines.reshape(-1, 2), np.arange(0, 2 * len(source) + 1, 2)

    def of(self, links: Ints) -> tuple[Floats, Ints]:
        """Return the polylines of some links as (k, 2) points and (m + 1,) offsets."""
        count = len(links)
        if not count:
            return np.zeros((0, 2)), np.zeros(1, dtype=np.int64)
        arrays, cards, rank, depth, pitch = self.arrays, self.cards, self.arrays.rank, self.depth, self.pitch
        x, head = cards[:, 0], arrays.strand_source
        source, target, via = arrays.source[links], arrays.target[links], arrays.via[links]
        routed = np.zeros(count, dtype=bool)
        carried = via >= 0
        routed[carried] = head[via[carried]] >= 0
        rising = carried & ~routed
        rising[rising] = via[rising] == arrays.lane[target[rising]]
        hanging = carried & ~routed & ~rising
        bent = (via == LANE_LINK) & (x[source] != x[target]) & (rank[target] > rank[source] + 1)
        has_upper = rising | routed  # a bend below the source's rank
        has_lower = hanging | routed | bent  # a bend above the target's rank
        thread = self.threads[np.where(routed, via, 0)]
        counts = 2 + has_upper.astype(np.int64) + has_lower
        offsets = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))
        points = np.empty((int(offsets[-1]), 2))
        start = offsets[:-1]
        points[start, 0] = x[source]
        points[start, 1] = cards[source, 1] + depth / 2
        points[offsets[1:] - 1, 0] = x[target]
        points[offsets[1:] - 1, 1] = cards[target, 1] - depth / 2
        upper = start[has_upper] + 1
        points[upper, 0] = np.where(routed, thread, x[target])[has_upper]
        points[upper, 1] = (rank[source] + 1)[has_upper] * pitch - depth / 2
        lower = offsets[1:][has_lower] - 2
        points[lower, 0] = np.where(routed, thread, x[source])[has_lower]
        points[lower, 1] = (rank[target] - 1)[has_lower] * pitch + depth / 2
        return points, offsets
