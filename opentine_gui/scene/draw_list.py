"""Draw lists: primitives in pixels, which a painter turns into a window, an SVG or a PNG.

Coordinates are pixels at the camera's zoom, relative to `DrawList.origin`, which is given in the same pixels relative
to the world's origin: pixel = world * zoom - origin. To get pixels of the viewport, a painter adds

    dx = viewport.width / 2 - camera.x * camera.zoom + origin[0]      (and dy likewise)

so a pan is one translation. `origin` is (0, 0) until a view is more than 65,536 pixels away from the world's origin;
then it moves in whole steps of that size, which keeps every coordinate exact in the 32-bit floats of a graphics card.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

Color: TypeAlias = tuple[int, int, int, int]
Point: TypeAlias = tuple[float, float]


class Rect(NamedTuple):
    """A rectangle; `radius` rounds all corners."""

    x0: float
    y0: float
    x1: float
    y1: float
    fill: Color | None = None
    edge: Color | None = None
    radius: float = 0.0
    thickness: float = 1.0


class Text(NamedTuple):
    """One line of text; (x, y) is the top left of its line box, `size` the em size in pixels (as in CSS).

    The line box is `FontMetrics.line_height(face, size)` tall; renderers that measure text by line height instead of em
    size (Dear ImGui) use that number.
    """

    x: float
    y: float
    text: str
    face: str
    size: float
    color: Color


class Line(NamedTuple):
    """An open polyline; `dash` is (on, off) in pixels."""

    points: tuple[Point, ...]
    color: Color
    thickness: float = 1.0
    dash: tuple[float, float] | None = None


class Curve(NamedTuple):
    """A cubic Bézier curve from p1 to p4."""

    p1: Point
    p2: Point
    p3: Point
    p4: Point
    color: Color
    thickness: float = 1.0
    dash: tuple[float, float] | None = None


class Polygon(NamedTuple):
    """A closed polygon. Filled ones must be convex, so that painters need no triangulation."""

    points: tuple[Point, ...]
    fill: Color | None = None
    edge: Color | None = None
    thickness: float = 1.0


class Circle(NamedTuple):
    """A circle around (x, y)."""

    x: float
    y: float
    r: float
    fill: Color | None = None
    edge: Color | None = None
    thickness: float = 1.0


class Picture(NamedTuple):
    """A picture that the painter looks up by name, stretched over the rectangle."""

    name: str
    x0: float
    y0: float
    x1: float
    y1: float


Primitive: TypeAlias = Rect | Text | Line | Curve | Polygon | Circle | Picture


class Piece(NamedTuple):
    """Primitives that move as one, such as a card: their places are relative to (x, y).

    Where a piece only moved, a painter that keeps what it drew moves it and draws nothing.
    """

    x: float
    y: float
    items: tuple[Primitive, ...]


Part: TypeAlias = Primitive | Piece


class DrawList(NamedTuple):
    """Everything to paint, bottom first; `cards` are the steps drawn one by one, `visible` counts all steps in view."""

    parts: tuple[Part, ...]
    cards: tuple[int, ...] = ()
    visible: int = 0
    origin: Point = (0.0, 0.0)

    @property
    def items(self) -> tuple[Primitive, ...]:
        """The primitives, those of pieces at their places."""
        return tuple(chain.from_iterable(map(primitives, self.parts)))


def primitives(part: Part) -> Sequence[Primitive]:
    """Return the primitives of a part of a picture, at their places."""
    return [_moved(item, part.x, part.y) for item in part.items] if isinstance(part, Piece) else (part,)


def _moved(item: Primitive, x: float, y: float) -> Primitive:
    if isinstance(item, Rect):
        return item._replace(x0=item.x0 + x, y0=item.y0 + y, x1=item.x1 + x, y1=item.y1 + y)
    if isinstance(item, Line | Polygon):
        return item._replace(points=tuple((px + x, py + y) for px, py in item.points))
    if isinstance(item, Curve):
        p1, p2, p3, p4 = ((px + x, py + y) for px, py in (item.p1, item.p2, item.p3, item.p4))
        return item._replace(p1=p1, p2=p2, p3=p3, p4=p4)
    if isinstance(item, Picture):
        return item._replace(x0=item.x0 + x, y0=item.y0 + y, x1=item.x1 + x, y1=item.y1 + y)
    return item._replace(x=item.x + x, y=item.y + y)
