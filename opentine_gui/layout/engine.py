"""The batch layout: straight lanes for chains, nested on two sides of the main line, few crossings, compact columns.

Made for runs of agents: long chains, forks, turns of parallel calls, some merges. On a random graph without chains an
engine that orders single nodes finds fewer crossings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from opentine_gui.layout.batch.compact import PULLS, compact
from opentine_gui.layout.batch.crossing_search import (
    LARGE_MOVE,
    LARGE_ROUNDS,
    LARGEST_MOVE,
    MOST_ROUNDS,
    REFINE_UP_TO,
    Search,
)
from opentine_gui.layout.batch.crossings import Gaps, count
from opentine_gui.layout.batch.parallel_calls import arrange_turns
from opentine_gui.layout.batch.routing import route_edges
from opentine_gui.layout.batch.strands import Model, assign_lanes, assign_ranks, extract
from opentine_gui.layout.batch.tree_order import tree_order
from opentine_gui.layout.card_stacks import collapsed, expanded, request_of
from opentine_gui.layout.geometry import columns_of, draw, node_columns, strand_columns
from opentine_gui.layout.incremental.extend import extend_standing
from opentine_gui.layout.incremental.kept_drawing import Floats
from opentine_gui.layout.incremental.kept_layout import Standing
from opentine_gui.layout.request import Ancestry, LayoutRequest
from opentine_gui.layout.result import Layout

if TYPE_CHECKING:
    import networkx as nx

Progress = Callable[[float], None]
Cancelled = Callable[[], bool]
Point = tuple[float, float]


class LayoutCancelled(Exception):
    """The caller's `cancelled` said yes; there is no layout."""


def lay_out(request: LayoutRequest, *, progress: Progress | None = None, cancelled: Cancelled | None = None) -> Layout:
    """Lay out a graph; same request, same result. With `previous`, only what is new is placed (see `extend`).

    The main line, x = 0 (y = 0 from left to right), is the first-parent path of `main`, except that in a turn of three
    or more parallel calls, which stand in call order, it runs through the middle one.

    `progress` receives fractions from 0 to 1; `cancelled` is asked now and then, and ends the work with
    LayoutCancelled. ValueError if the graph has a cycle or `main` is not in it.
    """
    if request.stacks:
        found = collapsed(request)
        layout = expanded(_lay_out(request_of(request, found), progress, cancelled), found)
    else:
        layout = _lay_out(request, progress, cancelled)
    if progress is not None:
        progress(1.0)
    return layout


def _lay_out(request: LayoutRequest, progress: Progress | None, cancelled: Cancelled | None) -> Layout:
    columns = columns_of(request.spacing, request.direction)
    pace = _Pace(progress, cancelled)
    previous = request.previous
    if previous is not None and isinstance(previous._memory, Standing):
        extended = extend_standing(previous._memory, request.graph, columns, pace.at)
        if extended is not None:
            standing, crossings = extended
            return _draw(request, standing, standing.node_columns(), standing.strand_columns(), crossings)
    at = pace.at
    before = 0.1 if request.search else 0.7  # the part of the work that precedes the search for fewer crossings
    at(0.0)
    model = extract(request.graph)
    main = _main_number(model, request.main)
    order: list[int] = []
    crossed: dict[int, int] = {}
    if model.nodes:
        at(before * 0.3)
        assign_ranks(model)
        at(before * 0.5)
        assign_lanes(model, main)
        at(before * 0.6)
        arrange_turns(model)
        at(before * 0.7)
        route_edges(model)
        at(before * 0.9)
        order = tree_order(model)
        if model.merges:  # a forest's tree order has no crossing
            order, crossed = search_order(model, order, request.search, lambda part: at(before + (0.9 - before) * part))
    at(before if request.search and not model.merges else 0.8)
    # the first picture of a tangled graph is soon replaced: it does without the last polish
    polish = request.search or not model.merges
    units = compact(model, order, columns, pulls=PULLS if polish else 0) if order else {}
    standing = Standing(model, order, units, columns, crossed)
    at(0.95)
    return _draw(request, standing, node_columns(model, units), strand_columns(model, units), sum(crossed.values()))


class _Pace:
    """Between two stages: say how far the layout is, 0 to 1, and end it with LayoutCancelled when nobody wants it."""

    def __init__(self, progress: Progress | None, cancelled: Cancelled | None) -> None:
        self._progress, self._cancelled = progress, cancelled
        self._least = 0.0

    def at(self, fraction: float) -> None:
        """Report; a fraction that lies behind an earlier one is not shown."""
        if self._cancelled is not None and self._cancelled():
            raise LayoutCancelled
        self._least = max(self._least, fraction)
        if self._progress is not None:
            self._progress(self._least)


def extend(previous: Layout, graph: nx.DiGraph[Any], *, pinned: Mapping[Hashable, Point] | None = None) -> Layout:
    """Lay out a graph that grew (or lost steps) since `previous`, keeping what stands, direction and spacing too."""
    request = LayoutRequest(
        graph, pinned=pinned or {}, direction=previous.direction, spacing=previous.spacing, previous=previous
    )
    return lay_out(request)


def prepare(layout: Layout) -> None:
    """Make what the first continuation of a layout needs, so that it is as quick as later ones (any thread)."""
    if isinstance(layout._memory, Standing):
        layout._memory.build()


def _draw(request: LayoutRequest, standing: Standing, across: Floats, threads: Floats, crossings: int) -> Layout:
    return draw(
        standing.model,
        across,
        threads,
        request.direction,
        request.spacing,
        request.pinned,
        crossings,
        standing,
        request.graph if isinstance(request.graph, Ancestry) else None,
        request.previous,
    )


def search_order(
    model: Model, order: list[int], search: bool, pause: Progress | None = None
) -> tuple[list[int], dict[int, int]]:
    """Return the best order found, and gap -> crossings; the order given if there is nothing to find.

    `pause` receives fractions from 0 to 1 now and then; what it raises ends the search.
    """
    gaps = Gaps(model)
    position = [0.0] * len(order)
    for place, strand in enumerate(order):
        position[strand] = float(place)
    crossed = count(gaps, position)
    if not (search and crossed):
        return order, crossed
    small = len(model.nodes) <= REFINE_UP_TO
    first = 0.5 if small else 1.0

    def first_half(fraction: float) -> None:
        if pause is not None:
            pause(fraction * first)

    def second_half(fraction: float) -> None:
        if pause is not None:
            pause((1 + fraction) / 2)

    state = Search(model, gaps, order, crossed)
    state.reinsert(MOST_ROUNDS if small else LARGE_ROUNDS, LARGEST_MOVE if small else LARGE_MOVE, first_half)
    if small:
        state.refine(second_half)
    return state.axis.order(), state.crossed


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
