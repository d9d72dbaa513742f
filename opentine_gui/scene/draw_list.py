"""Draw lists: primitives in pixels, which a painter turns into a window, an SVG or a PNG.

Coordinates are pixels at the camera's zoom, relative to `DrawList.origin`, which is given in the same pixels relative
to the world's origin: pixel = world * zoom - origin. To get pixels of the viewport, a painter adds

    dx = viewport.width / 2 - camera.x * camera.zoom + origin[0]      (and dy likewise)

so a pan is one translation. `origin` is (0, 0) until a view is more than 65,536 pixels away from the world's origin;
then it moves in whole steps of that size, which keeps every coordinate exact in the 32-bit floats of a graphics card.
"""

from __future__ import annotations

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


class DrawList(NamedTuple):
    """Everything to paint, bottom first; `cards` are the steps drawn one by one, `visible` counts all steps in view."""

    items: tuple[Primitive, ...]
    cards: tuple[int, ...] = ()
    visible: int = 0
    origin: Point = (0.0, 0.0)
