"""Typesetting: lines of text in one or several colours, and pills, as primitives that can be moved and scaled."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.scene.draw_list import Circle, Color, Line, Picture, Polygon, Primitive, Rect, Text
from opentine_gui.scene.text.font_metrics import FontMetrics


class Piece(NamedTuple):
    """A piece of a line in one face and colour."""

    text: str
    face: str
    color: Color


def put(
    items: list[Primitive], text: str, x: float, y: float, face: str, size: float, color: Color, metrics: FontMetrics
) -> float:
    """Add one line of text with its top left at (x, y), in as many faces as its letters need; returns its right end."""
    baseline = y + metrics.ascent(face, size)
    for piece, owner in metrics.runs(text, face):
        items.append(Text(x, baseline - metrics.ascent(owner, size), piece, owner, size, color))
        x += metrics.width(piece, owner, size)
    return x


def put_pieces(
    items: list[Primitive], pieces: list[Piece], x: float, y: float, width: float, size: float, metrics: FontMetrics
) -> None:
    """Add pieces one after the other on a line; what does not fit in `width` pixels is elided."""
    end = x + width
    for piece in pieces:
        text = metrics.shortened_end(piece.text, max(end - x, 0), piece.face, size)
        if not text:
            return
        x = put(items, text, x, y, piece.face, size, piece.color, metrics)
        if text != piece.text:
            return


def pill(
    items: list[Primitive],
    text: str,
    x: float,
    y: float,
    height: float,
    ground: Color,
    paint: Color,
    metrics: FontMetrics,
) -> float:
    """Add a pill with its top left at (x, y); returns its right end."""
    size = height * 0.62
    width = metrics.width(text, "title", size) + height * 0.8
    items.append(Rect(x, y, x + width, y + height, ground, None, height / 2))
    put(
        items,
        text,
        x + height * 0.4,
        metrics.centered_top(y + height / 2, "title", size),
        "title",
        size,
        paint,
        metrics,
    )
    return x + width


def moved(item: Primitive, dx: float, dy: float) -> Primitive:
    """The primitive moved by (dx, dy)."""
    if isinstance(item, (Rect, Picture)):
        return item._replace(x0=item.x0 + dx, y0=item.y0 + dy, x1=item.x1 + dx, y1=item.y1 + dy)
    if isinstance(item, (Text, Circle)):
        return item._replace(x=item.x + dx, y=item.y + dy)
    if isinstance(item, (Line, Polygon)):
        return item._replace(points=tuple((x + dx, y + dy) for x, y in item.points))
    p1, p2, p3, p4 = [(x + dx, y + dy) for x, y in (item.p1, item.p2, item.p3, item.p4)]
    return item._replace(p1=p1, p2=p2, p3=p3, p4=p4)


def scaled(item: Primitive, by: float) -> Primitive:
    """The primitive scaled about the origin."""
    if isinstance(item, Rect):
        return item._replace(
            x0=item.x0 * by, y0=item.y0 * by, x1=item.x1 * by, y1=item.y1 * by,
            radius=item.radius * by, thickness=item.thickness * by,
        )  # fmt: skip
    if isinstance(item, Text):
        return item._replace(x=item.x * by, y=item.y * by, size=item.size * by)
    if isinstance(item, Circle):
        return item._replace(x=item.x * by, y=item.y * by, r=item.r * by, thickness=item.thickness * by)
    if isinstance(item, Picture):
        return item._replace(x0=item.x0 * by, y0=item.y0 * by, x1=item.x1 * by, y1=item.y1 * by)
    if isinstance(item, Polygon):
        return item._replace(points=tuple((x * by, y * by) for x, y in item.points), thickness=item.thickness * by)
    dash = (item.dash[0] * by, item.dash[1] * by) if item.dash else None
    if isinstance(item, Line):
        points = tuple((x * by, y * by) for x, y in item.points)
        return item._replace(points=points, thickness=item.thickness * by, dash=dash)
    p1, p2, p3, p4 = [(x * by, y * by) for x, y in (item.p1, item.p2, item.p3, item.p4)]
    return item._replace(p1=p1, p2=p2, p3=p3, p4=p4, thickness=item.thickness * by, dash=dash)
