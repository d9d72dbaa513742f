"""The batch layout: straight lanes for chains, nested on two sides of the main line, few crossings, compact columns.

Made for runs of agents: long chains, forks, turns of parallel calls, some merges. On a random graph without chains an
engine that orders single nodes finds fewer crossings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from opentine_gui.layout.compact import PULLS, compact
from opentine_gui.layout.crossings import Gaps, count
from opentine_gui.layout.geometry import Floats, columns_of, draw, node_columns, strand_columns
from opentine_gui.layout.incremental import extend_standing
from opentine_gui.layout.model import Model, assign_lanes, assign_ranks, extract
from opentine_gui.layout.order import tree_order
from opentine_gui.layout.request import LayoutRequest
from opentine_gui.layout.result import Layout
from opentine_gui.layout.routing import route_edges
from opentine_gui.layout.search import (
    LARGE_MOVE,
    LARGE_ROUNDS,
    LARGEST_MOVE,
    MOST_ROUNDS,
    REFINE_MOVES,
    REFINE_UP_TO,
    REFINE_WORK,
    Search,
)
from opentine_gui.layout.standing import Standing
from opentine_gui.layout.turns import arrange_turns

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
    layout = _lay_out(request, progress, cancelled)
    if progress is not None:
        progress(1.0)
    return layout


def _lay_out(request: LayoutRequest, progress: Progress | None, cancelled: Cancelled | None) -> Layout:
    columns = columns_of(request.spacing, request.direction)
    previous = request.previous
    if previous is not None and isinstance(previous._memory, Standing):
        extended = extend_standing(previous._memory, request.graph, columns)
        if extended is not None:
            standing, crossings = extended
            return _draw(request, standing, standing.node_columns(), standing.strand_columns(), crossings)
    model = extract(request.graph)
    main = _main_number(model, request.main)
    order: list[int] = []
    crossed: dict[int, int] = {}
    if model.nodes:
        assign_ranks(model)
        assign_lanes(model, main)
        arrange_turns(model)
        route_edges(model)
        order = tree_order(model)
        if model.merges:  # a forest's tree order has no crossing
            order, crossed = search_order(model, order, request.search, progress, cancelled)
    # the first picture of a tangled graph is soon replaced: it does without the last polish
    polish = request.search or not model.merges
    units = compact(model, order, columns, pulls=PULLS if polish else 0) if order else {}
    standing = Standing(model, order, units, columns, crossed)
    return _draw(request, standing, node_columns(model, units), strand_columns(model, units), sum(crossed.values()))


def extend(previous: Layout, graph: nx.DiGraph[Any], *, pinned: Mapping[Hashable, Point] | None = None) -> Layout:
    """Lay out a graph that grew (or lost steps) since `previous`, keeping what stands, direction and spacing too."""
    request = LayoutRequest(
        graph, pinned=pinned or {}, direction=previous.direction, spacing=previous.spacing, previous=previous
    )
    return lay_out(request)


def _draw(request: LayoutRequest, standing: Standing, across: Floats, threads: Floats, crossings: int) -> Layout:
    return draw(
        standing.model, across, threads, request.direction, request.spacing, request.pinned, crossings, standing
    )


def search_order(
    model: Model, order: list[int], search: bool, progress: Progress | None, cancelled: Cancelled | None
) -> tuple[list[int], dict[int, int]]:
    """Return the best order found, and gap -> crossings; the order given if there is nothing to find."""
    gaps = Gaps(model)
    position = [0.0] * len(order)
    for place, strand in enumerate(order):
        position[strand] = float(place)
    crossed = count(gaps, position)
    if not (search and crossed):
        return order, crossed

    def pause(fraction: float) -> None:
        if cancelled is not None and cancelled():
            raise LayoutCancelled
        if progress is not None:
            progress(0.1 + 0.8 * fraction)

    def first_half(fraction: float) -> None:
        pause(fraction / 2)

    def second_half(fraction: float) -> None:
        pause((1 + fraction) / 2)

    state = Search(model, gaps, order, crossed)
    small = len(model.nodes) <= REFINE_UP_TO
    state.reinsert(MOST_ROUNDS if small else LARGE_ROUNDS, LARGEST_MOVE if small else LARGE_MOVE, first_half)
    if small:
        state.refine(REFINE_MOVES, REFINE_WORK, second_half)
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
