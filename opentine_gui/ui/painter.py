"""Puts a draw list on Dear PyGui: the only place that knows both the scene's primitives and the toolkit's draw calls.

The toolkit's thin Python wrappers cost a third of the time of a draw call, so the extension module is called straight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import hypot
from typing import Any

import dearpygui._dearpygui as raw
import dearpygui.dearpygui as dpg

from opentine_gui.scene.drawlist import Circle, Curve, Line, Picture, Polygon, Rect, Text
from opentine_gui.ui.look import Look

CLEAR = (0, 0, 0, 0)


class Painter:
    """Draws primitives below one draw node; `textures` maps the names of pictures to texture items.

    `scale` is for lists in design pixels: the node's transform enlarges places, and the painter what no transform of
    the toolkit reaches: text, line widths and radii.
    """

    def __init__(self, look: Look, textures: Mapping[str, int] | None = None, scale: float = 1.0) -> None:
        self.look, self.scale = look, scale
        self.textures = textures if textures is not None else {}
        self._draw: dict[type, Callable[[Any, int], None]] = {
            Rect: self._rect,
            Text: self._text,
            Line: self._line,
            Curve: self._curve,
            Polygon: self._polygon,
            Circle: self._circle,
            Picture: self._picture,
        }

    def repaint(self, node: int, items: Iterable[object]) -> int:
        """Replace what is below `node` by `items`; answers how many primitives were drawn."""
        dpg.delete_item(node, children_only=True)
        return self.paint(node, items)

    def paint(self, node: int, items: Iterable[object]) -> int:
        draw = self._draw
        count = 0
        for item in items:
            draw[type(item)](item, node)
            count += 1
        return count

    def _rect(self, item: Rect, node: int) -> None:
        raw.draw_rectangle(
            (item.x0, item.y0),
            (item.x1, item.y1),
            color=item.edge or CLEAR,
            fill=item.fill or CLEAR,
            rounding=item.radius * self.scale,
            thickness=item.thickness * self.scale if item.edge else 1.0,
            parent=node,
        )

    def _text(self, item: Text, node: int) -> None:
        if item.text.isascii():
            self._piece(item, node)
            return
        metrics, x = self.look.metrics, item.x
        baseline = item.y + metrics.ascent(item.face, item.size)
        for piece, face in metrics.runs(item.text, item.face):
            y = item.y if face == item.face else baseline - metrics.ascent(face, item.size)
            self._piece(item._replace(text=piece, face=face, x=x, y=y), node)
            x += metrics.width(piece, face, item.size)

    def _piece(self, item: Text, node: int) -> None:
        """Text that one face draws: the toolkit has no fallback of its own."""
        # Dear ImGui's size is the height of the line, the draw list's is the em.
        # Every new size is rasterised anew, so sizes go in half pixels: a zoom meets few of them.
        height = round(self.look.metrics.line_height(item.face, item.size * self.scale) * 2) / 2
        drawn = raw.draw_text((item.x, item.y), item.text, size=height, color=item.color, parent=node)
        if item.face != "text":
            raw.bind_item_font(drawn, self.look.font(item.face))

    def _line(self, item: Line, node: int) -> None:
        wide = item.thickness * self.scale
        if item.dash:
            for start, end in dashes(item.points, *item.dash):
                raw.draw_line(start, end, color=item.color, thickness=wide, parent=node)
        elif len(item.points) == 2:
            raw.draw_line(item.points[0], item.points[1], color=item.color, thickness=wide, parent=node)
        else:
            raw.draw_polyline(list(item.points), color=item.color, thickness=wide, parent=node)

    def _curve(self, item: Curve, node: int) -> None:
        if item.dash:
            points = bezier(item.p1, item.p2, item.p3, item.p4, 24)
            self._line(Line(points, item.color, item.thickness, item.dash), node)
            return
        raw.draw_bezier_cubic(
            item.p1, item.p2, item.p3, item.p4, color=item.color, thickness=item.thickness * self.scale, parent=node
        )

    def _polygon(self, item: Polygon, node: int) -> None:
        points, wide = list(item.points), item.thickness * self.scale
        edge, fill = item.edge or item.fill or CLEAR, item.fill or CLEAR
        if len(points) == 3:
            raw.draw_triangle(*points, color=edge, fill=fill, thickness=wide, parent=node)
        elif len(points) == 4:
            raw.draw_quad(*points, color=edge, fill=fill, thickness=wide, parent=node)
        else:
            # Dear PyGui fills polygons by scan lines, whose ragged rim the outline covers.
            raw.draw_polygon([*points, points[0]], color=edge, fill=fill, thickness=wide, parent=node)

    def _circle(self, item: Circle, node: int) -> None:
        raw.draw_circle(
            (item.x, item.y),
            item.r * self.scale,
            color=item.edge or CLEAR,
            fill=item.fill or CLEAR,
            thickness=item.thickness * self.scale,
            parent=node,
        )

    def _picture(self, item: Picture, node: int) -> None:
        texture = self.textures.get(item.name)
        if texture is not None:
            raw.draw_image(texture, (item.x0, item.y0), (item.x1, item.y1), parent=node)


Point = tuple[float, float]


def dashes(points: Sequence[Point], dash: float, gap: float) -> list[tuple[Point, Point]]:
    """The pieces of a polyline that a dashed pen leaves, in pixels along the line."""
    pieces: list[tuple[Point, Point]] = []
    pen, left = True, dash
    for (x0, y0), (x1, y1) in pairwise(points):
        length = hypot(x1 - x0, y1 - y0)
        if length == 0:
            continue
        at = 0.0
        while at < length:
            step = min(left, length - at)
            if pen:
                a, b = at / length, (at + step) / length
                pieces.append(((x0 + (x1 - x0) * a, y0 + (y1 - y0) * a), (x0 + (x1 - x0) * b, y0 + (y1 - y0) * b)))
            at += step
            left -= step
            if left <= 1e-9:
                pen = not pen
                left = dash if pen else gap
    return pieces


def bezier(p1: Point, p2: Point, p3: Point, p4: Point, segments: int) -> tuple[Point, ...]:
    """Points on a cubic curve, ends included."""
    points = []
    for index in range(segments + 1):
        t = index / segments
        u = 1.0 - t
        a, b, c, d = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
        points.append((a * p1[0] + b * p2[0] + c * p3[0] + d * p4[0], a * p1[1] + b * p2[1] + c * p3[1] + d * p4[1]))
    return tuple(points)
