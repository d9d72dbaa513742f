"""Draws links between cards: straight along lanes, curved where a fork or a merge changes lane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.draw_list import Circle, Color, Curve, Line, Point, Primitive
from opentine_gui.scene.space.scene_index import Indices

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

LINK_WIDTH, MAIN_WIDTH = 2.0, 3.0
STRAND_WIDTH = 2.5
"""Pixels at zoom 1 of a link, of the main line, and of a run's line in a link that several runs share."""
MOST_STRANDS = 5
"""Most runs that a link shows side by side; a link shared by more is one grey line."""
DASH = (6.0, 4.0)
# Distance of a curve's control points from its ends, as a share of its length: a high one gives a flat S.
_FLATNESS = 0.72
_GRAIN = 64.0
"""Parts of a pixel that a link's points are rounded to."""


class DraftLink(NamedTuple):
    """A proposed link, drawn dashed: from a card to another card, or to a world point (the pointer)."""

    source: int
    target: int | None = None
    point: Point | None = None
    role: str = "accent"


def bend(start: Point, end: Point, sideways: bool, paint: Color, width: float, dash: bool = False) -> Curve:
    """Return the S-curve between two points whose ends run along the direction of the layout."""
    (x0, y0), (x1, y1) = start, end
    pattern = DASH if dash else None
    if sideways:
        reach = max(abs(x1 - x0) * _FLATNESS, 8.0)
        return Curve(start, (x0 + reach, y0), (x1 - reach, y1), end, paint, width, pattern)
    reach = max(abs(y1 - y0) * _FLATNESS, 8.0)
    return Curve(start, (x0, y0 + reach), (x1, y1 - reach), end, paint, width, pattern)


def draw_polyline(
    points: Sequence[Point], sideways: bool, paint: Color, width: float, dash: bool = False
) -> list[Primitive]:
    """Return a link's polyline as lines where it runs along a lane, and curves where it changes lane."""
    pattern = DASH if dash else None
    across = 1 if sideways else 0
    items: list[Primitive] = []
    straight = [points[0]]
    for start, end in pairwise(points):
        if abs(start[across] - end[across]) < 0.5:
            straight.append(end)
            continue
        if len(straight) > 1:
            items.append(Line((straight[0], straight[-1]), paint, width, pattern))
        items.append(bend(start, end, sideways, paint, width, dash))
        straight = [end]
    if len(straight) > 1:
        items.append(Line((straight[0], straight[-1]), paint, width, pattern))
    return items


def draw_corners(points: Sequence[Point], paint: Color, width: float, radius: float) -> list[Primitive]:
    """Return a polyline that turns at right angles as one line with round corners."""
    line: list[Point] = [points[0]]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        back, on = _toward(corner, before, radius), _toward(corner, after, radius)
        line.append(back)
        for part in (0.25, 0.5, 0.75):  # a quadratic curve with the corner as its control point
            a, b, c = (1 - part) ** 2, 2 * part * (1 - part), part**2
            line.append((a * back[0] + b * corner[0] + c * on[0], a * back[1] + b * corner[1] + c * on[1]))
        line.append(on)
    line.append(points[-1])
    return [Line(tuple(line), paint, width)]


def _toward(start: Point, goal: Point, distance: float) -> Point:
    """The point at a distance from `start` on the way to `goal`, at most half of it."""
    dx, dy = goal[0] - start[0], goal[1] - start[1]
    share = min(distance / max(abs(dx), abs(dy), 1e-9), 0.5)
    return (start[0] + dx * share, start[1] + dy * share)


def draw_stubs(points: Sequence[Point], paint: Color, width: float) -> list[Primitive]:
    """Return the two ends of a link between columns, each with a dot where it breaks off."""
    items: list[Primitive] = []
    for start, end in ((points[0], points[1]), (points[3], points[2])):
        items += [Line((start, end), paint, width), Circle(*end, width * 1.4, fill=paint)]
    return items


def draw_strands(points: Sequence[Point], sideways: bool, paints: Sequence[Color], width: float) -> list[Primitive]:
    """Return one link as several lines side by side, which stay apart where it changes lane."""
    items: list[Primitive] = []
    for place, paint in enumerate(paints):
        aside = (place - (len(paints) - 1) / 2) * (width + 0.5)
        moved = [(x, y + aside) if sideways else (x + aside, y) for x, y in points]
        items += [_shifted_middle(item, aside, sideways) for item in draw_polyline(moved, sideways, paint, width)]
    return items


def _shifted_middle(item: Primitive, aside: float, sideways: bool) -> Primitive:
    """Shift the middle of a curve, which runs across the lanes, along them, as its ends were shifted across."""
    if not isinstance(item, Curve):
        return item
    along = 0 if sideways else 1
    turned = (item.p4[1 - along] - item.p1[1 - along]) * (item.p4[along] - item.p1[along])
    shift = -aside * 4 / 3 if turned > 0 else aside * 4 / 3  # the middle follows the control points by three quarters
    dx, dy = (shift, 0.0) if sideways else (0.0, shift)
    return item._replace(p2=(item.p2[0] + dx, item.p2[1] + dy), p3=(item.p3[0] + dx, item.p3[1] + dy))


def polylines(layout: Layout, links: Indices, zoom: float, origin: Point) -> Iterable[tuple[Point, list[Point]]]:
    """Yield where each link begins, in pixels, and its points relative to that.

    These are rounded, so that they stay the same where both ends of a link move alike.
    """
    if not len(links):
        return
    starts = layout.edge_offsets[links]
    counts = layout.edge_offsets[links + 1] - starts
    ends = np.cumsum(counts)
    rows = np.arange(int(ends[-1])) + np.repeat(starts - (ends - counts), counts)
    points = layout.edge_points[rows]
    first = layout.edge_points[starts]
    away = np.rint((points - np.repeat(first, counts, axis=0)) * (zoom * _GRAIN)) / _GRAIN
    flat = [(x, y) for x, y in away.tolist()]
    begin = 0
    for (x, y), end in zip((first * zoom - np.array(origin)).tolist(), ends.tolist(), strict=True):
        yield (x, y), flat[begin:end]
        begin = end


def lane_runs(
    layout: Layout,
    links: Indices,
    zoom: float,
    origin: Point,
    limits: tuple[float, float],
    roles: NDArray[np.uint8] | None = None,
) -> list[tuple[Point, Point, bool, int]]:
    """Merge straight lane links into few long lines: (start, end, is the main line, code) in pixels.

    Lines are cut to `limits`, the span (low, high) in pixels along the layout's direction. `roles` (m,) are codes of
    the links: every line has one code, 0 without `roles`.
    """
    straight = links[layout.edge_kinds[links] == 0]
    if not len(straight):
        return []
    along = 0 if layout.direction.value == "left-to-right" else 1
    first = layout.edge_points[layout.edge_offsets[straight]]
    last = layout.edge_points[layout.edge_offsets[straight + 1] - 1]
    order = np.lexsort((first[:, along], first[:, 1 - along]))
    straight, first, last = straight[order], first[order], last[order]
    source, target = layout.edges[straight, 0], layout.edges[straight, 1]
    joined = np.zeros(len(straight), dtype=bool)
    joined[1:] = (source[1:] == target[:-1]) & (np.abs(first[1:, 1 - along] - last[:-1, 1 - along]) < 0.5)
    codes = np.zeros(len(straight), dtype=np.uint8) if roles is None else roles[straight]
    joined[1:] &= codes[1:] == codes[:-1]
    begins = np.flatnonzero(~joined)
    ends = np.append(begins[1:], len(straight)) - 1
    tops = first[begins] * zoom - np.array(origin)
    bottoms = last[ends] * zoom - np.array(origin)
    np.clip(tops[:, along], *limits, out=tops[:, along])
    np.clip(bottoms[:, along], *limits, out=bottoms[:, along])
    main: NDArray[np.bool_] = layout.lanes[source[begins]] == 0
    return [
        ((ax, ay), (bx, by), on_main, code)
        for (ax, ay), (bx, by), on_main, code in zip(
            tops.tolist(), bottoms.tolist(), main.tolist(), codes[begins].tolist(), strict=True
        )
    ]
