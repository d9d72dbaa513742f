"""Which link lies under a point, as the links are drawn: straight along a lane, curved where they change it."""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

from opentine_gui.layout.result import COLUMN_EDGE, STUB_EDGE
from opentine_gui.scene.draw_list import Curve, Point
from opentine_gui.scene.picture.links import bend
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.layout import Layout

MOST_NEAR = 200
"""With more links than this near the pointer none is hit: no single one can be meant."""
PARTS = 16
"""Straight pieces by which the distance to a curve is measured."""


def link_at(layout: Layout, index: SceneIndex, x: float, y: float, reach: float) -> int | None:
    """The link nearest to a world point; None if none or too many are within `reach` world units."""
    near = index.edges_visible((x - reach, y - reach, x + reach, y + reach))
    if len(near) > MOST_NEAR:
        return None
    sideways = layout.direction.value == "left-to-right"
    found: list[tuple[float, int]] = []
    for link in near.tolist():
        points = [(float(a), float(b)) for a, b in layout.polyline(link)]
        pieces = _pieces(points, int(layout.edge_kinds[link]), sideways)
        distance = min((_distance((x, y), start, end) for start, end in pieces), default=reach * 2)
        if distance <= reach:
            found.append((distance, link))
    return min(found)[1] if found else None


def _pieces(points: list[Point], kind: int, sideways: bool) -> list[tuple[Point, Point]]:
    """The straight pieces that a link is drawn with, nearly."""
    pairs = list(pairwise(points))
    if kind == STUB_EDGE:
        return [pairs[0], pairs[-1]]
    if kind == COLUMN_EDGE:
        return pairs
    pieces: list[tuple[Point, Point]] = []
    for start, end in pairs:
        if abs(start[sideways] - end[sideways]) < 0.5:
            pieces.append((start, end))
        else:
            pieces += pairwise(_along(bend(start, end, sideways, (0, 0, 0, 0), 1.0)))
    return pieces


def _along(curve: Curve) -> list[Point]:
    """Points along a cubic curve, its ends included."""
    found = []
    for part in range(PARTS + 1):
        t = part / PARTS
        shares = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t**2, t**3)
        ends = (curve.p1, curve.p2, curve.p3, curve.p4)
        found.append(
            (
                sum(share * point[0] for share, point in zip(shares, ends, strict=True)),
                sum(share * point[1] for share, point in zip(shares, ends, strict=True)),
            )
        )
    return found


def _distance(point: Point, start: Point, end: Point) -> float:
    """From a point to a straight piece."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = dx * dx + dy * dy
    share = 0.0 if length == 0 else ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / length
    share = min(max(share, 0.0), 1.0)
    return hypot(start[0] + share * dx - point[0], start[1] + share * dy - point[1])
