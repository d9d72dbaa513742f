"""Lays out a graph: straight lanes for chains, nested on two sides of the main line, few crossings, compact columns.

Made for runs of agents: long chains, forks, parallel calls, some merges. On a random graph without chains, an engine
that orders single nodes finds fewer crossings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from opentine_gui.layout.adjust import with_pins
from opentine_gui.layout.batch.compact import PULL_PASSES, columns_apart, compact, too_many_to_compact
from opentine_gui.layout.batch.crossing_search import (
    MAX_GROUP,
    MAX_GROUP_LARGE,
    MAX_ROUNDS,
    MAX_ROUNDS_LARGE,
    REFINE_MAX_NODES,
    Search,
)
from opentine_gui.layout.batch.crossings import Gaps, count
from opentine_gui.layout.batch.parallel_calls import arrange_parallel_calls
from opentine_gui.layout.batch.routing import route_edges
from opentine_gui.layout.batch.strands import Model, assign_lanes, assign_ranks, extract
from opentine_gui.layout.batch.tree_order import tree_order
from opentine_gui.layout.card_stacks import collapse_stacks, collapsed_request, expand_stacks
from opentine_gui.layout.crowd import crowd_of
from opentine_gui.layout.geometry import columns_of, draw, draw_once, node_columns, strand_columns
from opentine_gui.layout.incremental.extend import extend_layout
from opentine_gui.layout.incremental.kept_layout import KeptLayout, ModelArrays
from opentine_gui.layout.request import Ancestry, LayoutRequest
from opentine_gui.layout.result import Floats, Layout, Point

if TYPE_CHECKING:
    import networkx as nx

MOST_POLISHED_EDGES = 300_000
"""A graph with more edges is drawn in its initial order. Recorded runs of 100,000 steps have some 130,000."""

FEW_EDGES, MOST_EDGES_PER_NODE = 20_000, 16
"""A graph with more than FEW_EDGES edges is searched if it has at most this many per node: if everything is linked with
everything, no order is better than another, and searching for one takes a second for a file of a megabyte."""

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


class LayoutCancelled(Exception):
    """The caller's `cancelled` returned True, so there is no layout."""


def lay_out(request: LayoutRequest, *, progress: Progress | None = None, cancelled: Cancelled | None = None) -> Layout:
    """Lay out a graph; same request, same result. With `previous`, only new steps are placed (see `extend_layout`).

    The main line, x = 0 (y = 0 from left to right), is the first-parent path of `main`, except that among three or more
    parallel calls, which are placed in call order, it runs through the middle one.

    `progress` receives fractions from 0 to 1; `cancelled` is asked repeatedly, and True ends the work with
    LayoutCancelled. ValueError if the graph has a cycle or `main` is not in it.
    """
    if request.stacks:
        collapsed = collapse_stacks(request)
        layout = expand_stacks(_lay_out(collapsed_request(request, collapsed), progress, cancelled), collapsed)
    else:
        layout = _lay_out(request, progress, cancelled)
    if progress is not None:
        progress(1.0)
    return layout


def _lay_out(request: LayoutRequest, progress: Progress | None, cancelled: Cancelled | None) -> Layout:
    columns = columns_of(request.spacing, request.direction)
    at = _Progress(progress, cancelled).at
    if request.previous is not None and isinstance(request.previous._continuation, KeptLayout):
        extended = extend_layout(request.previous._continuation, request.graph, columns, at)
        if extended is not None:
            kept, crossings = extended
            return _draw(request, kept, kept.node_columns(), kept.strand_columns(), crossings)
    before = 0.1 if request.search else 0.7  # the share of the work before the search for fewer crossings
    at(0.0)
    model = extract(request.graph)
    main = _main_number(model, request.main)
    order: list[int] = []
    searches = False
    crossed: dict[int, int] | None = {}
    if model.nodes:
        at(before * 0.3)
        crowd = crowd_of(model, main, columns, partial(_draw_once, request, model), at)
        if crowd is not None:
            return crowd
        assign_ranks(model)
        at(before * 0.5)
        assign_lanes(model, main)
        at(before * 0.6)
        arrange_parallel_calls(model)
        at(before * 0.7)
        route_edges(model)
        at(before * 0.9)
        order = tree_order(model)
        searches = request.search and _is_worth_a_search(model)
        if len(model.edge_source) > MOST_POLISHED_EDGES:
            crossed = None if model.merges else {}
        elif model.merges:  # a forest's tree order has no crossing
            order, crossed = search_order(
                model, order, searches, lambda part: at(before + (0.9 - before) * part), request.share
            )
    at(before if request.search and not model.merges else 0.8)
    # the first picture of a tangled graph is soon replaced: it is not polished
    polish = searches or not model.merges
    if too_many_to_compact(order):
        threads = columns_apart(model, order, columns)
        kept = KeptLayout(model, order, threads, columns, crossed, countable=crossed is not None)
        at(0.95)
        across = threads[np.asarray(model.lane)]
        return _draw(request, kept, across, threads, None if crossed is None else sum(crossed.values()))
    units = compact(model, order, columns, pulls=PULL_PASSES if polish else 0) if order else {}
    kept = KeptLayout(model, order, units, columns, crossed, countable=crossed is not None)
    at(0.95)
    crossings = None if crossed is None else sum(crossed.values())
    return _draw(request, kept, node_columns(model, units), strand_columns(model, units), crossings)


class _Progress:
    """Reports how far a layout is, 0 to 1, and ends it with LayoutCancelled when it is cancelled."""

    def __init__(self, progress: Progress | None, cancelled: Cancelled | None) -> None:
        self._progress, self._cancelled = progress, cancelled
        self._least = 0.0

    def at(self, fraction: float) -> None:
        """Report a fraction, or an earlier one if that was larger."""
        if self._cancelled is not None and self._cancelled():
            raise LayoutCancelled
        self._least = max(self._least, fraction)
        if self._progress is not None:
            self._progress(self._least)


def extend(previous: Layout, graph: nx.DiGraph[Any], *, pinned: Mapping[Hashable, Point] | None = None) -> Layout:
    """Lay out a graph that grew (or lost steps) since `previous`: cards keep their places, as far as there is room.

    A fresh layout if that is the better answer (see `extend_layout`). ValueError if the graph has a cycle.
    """
    request = LayoutRequest(
        graph, pinned=pinned or {}, direction=previous.direction, spacing=previous.spacing, previous=previous
    )
    return lay_out(request)


def prepare(layout: Layout) -> None:
    """Build what the first edit of a layout needs, so that it is as quick as later ones; call from any thread."""
    if isinstance(layout._continuation, KeptLayout):
        layout._continuation.build()


def _draw(request: LayoutRequest, kept: KeptLayout, across: Floats, threads: Floats, crossings: int | None) -> Layout:
    ancestry = request.graph if isinstance(request.graph, Ancestry) else None
    layout = draw(
        kept.model, across, threads, request.direction, request.spacing, crossings, kept, ancestry, request.previous
    )
    return with_pins(layout, request.pinned, make_room=True)


def _draw_once(request: LayoutRequest, model: Model, arrays: ModelArrays, across: Floats, threads: Floats) -> Layout:
    ancestry = request.graph if isinstance(request.graph, Ancestry) else None
    layout = draw_once(model, arrays, across, threads, request.direction, request.spacing, ancestry)
    return with_pins(layout, request.pinned, make_room=True)


def _is_worth_a_search(model: Model) -> bool:
    edges = len(model.edge_source)
    return edges <= max(FEW_EDGES, MOST_EDGES_PER_NODE * len(model.nodes)) and edges <= MOST_POLISHED_EDGES


def search_order(
    model: Model, order: list[int], search: bool, progress: Progress | None = None, share: float = 1.0
) -> tuple[list[int], dict[int, int] | None]:
    """Return the best order found, and gap -> crossings; the given order if nothing crosses or `search` is False.

    The order is the given one and there is no table (None) if too many long edges run beside each other to count them.
    `progress` receives fractions from 0 to 1; an exception it raises ends the search. `share` is the share of the work
    that it may take.
    """
    gaps = Gaps(model)
    if not gaps.countable:
        return order, None
    position = [0.0] * len(order)
    for place, strand in enumerate(order):
        position[strand] = float(place)
    crossed = count(gaps, position)
    if not (search and crossed):
        return order, crossed
    small = len(model.nodes) <= REFINE_MAX_NODES
    first = 0.5 if small else 1.0

    def first_half(fraction: float) -> None:
        if progress is not None:
            progress(fraction * first)

    def second_half(fraction: float) -> None:
        if progress is not None:
            progress((1 + fraction) / 2)

    found = Search(model, gaps, order, crossed, share)
    found.reinsert(MAX_ROUNDS if small else MAX_ROUNDS_LARGE, MAX_GROUP if small else MAX_GROUP_LARGE, first_half)
    if small:
        found.refine(second_half)
    return found.axis.order(), found.crossed


def _main_number(model: Model, main: Hashable | None) -> int:
    if main is None:
        last = len(model.nodes) - 1
        return last if model.graph_order is None else model.graph_order.index(last)
    try:
        return model.nodes.index(main)
    except ValueError:
        raise ValueError(f"cannot lay out with main line {main!r}: the graph has no such node") from None


def write_positions(graph: nx.DiGraph[Any], layout: Layout) -> None:
    """Write `graph.nodes[node]["pos"] = (x, y)`, as networkx's drawing functions expect."""
    attributes = graph.nodes
    for node, point in zip(layout.nodes, layout.centers.tolist(), strict=True):
        attributes[node]["pos"] = tuple(point)
