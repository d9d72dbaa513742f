"""Glyphs of the step kinds, as shapes in a unit square (y down): most fonts lack such characters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.scene.draw_list import Color, Line, Point, Polygon, Primitive


class Shape(NamedTuple):
    """Points in the unit square; filled shapes are convex, the others are strokes, `closed` or open."""

    points: tuple[Point, ...]
    filled: bool = False
    closed: bool = False


def _ring(radius: float, corners: int, turn: float = 0.0) -> tuple[Point, ...]:
    return tuple(
        (
            0.5 + radius * math.cos(turn + 2 * math.pi * number / corners),
            0.5 + radius * math.sin(turn + 2 * math.pi * number / corners),
        )
        for number in range(corners)
    )


def _gear() -> tuple[Shape, ...]:
    turn = math.pi / 8
    teeth = zip(_ring(0.3, 8, turn), _ring(0.48, 8, turn), strict=True)
    return (Shape(_ring(0.31, 16), closed=True), *(Shape(tooth) for tooth in teeth))


def _diamond(half_width: float, half_height: float) -> tuple[Point, ...]:
    return ((0.5, 0.5 - half_height), (0.5 + half_width, 0.5), (0.5, 0.5 + half_height), (0.5 - half_width, 0.5))


_GLYPHS: dict[str, tuple[Shape, ...]] = {
    "think": (Shape(_diamond(0.42, 0.46), closed=True),),
    "tool": _gear(),
    # Two slim diamonds make the four-pointed star out of convex parts.
    "model": (
        Shape(_diamond(0.16, 0.5), filled=True),
        Shape(_diamond(0.5, 0.16), filled=True),
        Shape(_diamond(0.25, 0.25), filled=True),
    ),
    # A speech bubble and not a tick: that an answer was given does not say that it is right.
    "done": (
        Shape(((0.0, 0.08), (1.0, 0.08), (1.0, 0.68), (0.0, 0.68)), filled=True),
        Shape(((0.2, 0.68), (0.56, 0.68), (0.2, 1.0)), filled=True),
    ),
    "error": (Shape(((0.16, 0.16), (0.84, 0.84))), Shape(((0.84, 0.16), (0.16, 0.84)))),
    "stopped": (Shape(_ring(0.42, 16), closed=True), Shape(((0.28, 0.5), (0.72, 0.5)))),
    "human": (Shape(_ring(0.4, 16), filled=True),),
    "subagent": (Shape(_diamond(0.46, 0.48), closed=True), Shape(_diamond(0.22, 0.23), filled=True)),
    "policy": (Shape(((0.14, 0.12), (0.86, 0.12), (0.86, 0.5), (0.5, 0.94), (0.14, 0.5)), closed=True),),
    "approval": (Shape(_ring(0.44, 16), closed=True), Shape(((0.3, 0.52), (0.45, 0.67), (0.72, 0.36)))),
}
_UNKNOWN = (Shape(((0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)), closed=True),)


def glyph(kind: str) -> tuple[Shape, ...]:
    """Return the shapes of a kind's glyph; an unknown kind has an empty square."""
    return _GLYPHS.get(kind, _UNKNOWN)


def draw_glyph(kind: str, x: float, y: float, size: float, paint: Color) -> Sequence[Primitive]:
    """Return the glyph as primitives, `size` pixels wide, with its top left at (x, y)."""
    stroke = max(size * 0.13, 1.0)
    items: list[Primitive] = []
    for shape in glyph(kind):
        points = tuple((x + px * size, y + py * size) for px, py in shape.points)
        if shape.filled:
            items.append(Polygon(points, fill=paint))
        elif shape.closed:
            items.append(Polygon(points, edge=paint, thickness=stroke))
        else:
            items.append(Line(points, paint, stroke))
    return items
