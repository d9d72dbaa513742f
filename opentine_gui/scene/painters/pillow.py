"""Paints a draw list as pixels with Pillow, for pictures that need no window."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping

from PIL import Image, ImageDraw, ImageFont

from opentine_gui.scene.draw_list import Circle, Color, Curve, DrawList, Line, Picture, Point, Polygon, Rect, Text
from opentine_gui.scene.painters.strokes import bezier, dashes
from opentine_gui.scene.space.camera import Bounds
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.font_metrics import FontMetrics

# Everything is drawn this many times larger and averaged down: Pillow does not antialias.
_OVERSAMPLING = 3
LARGEST_SIDE = 8192


def paint(
    drawing: DrawList,
    rect: Bounds,
    metrics: FontMetrics,
    background: Color,
    pictures: Mapping[str, Image.Image] | None = None,
) -> Image.Image:
    """Return the part `rect` (x0, y0, x1, y1) of a draw list, in its own pixels, as an RGBA picture.

    ValueError when a side is longer than 8192 pixels.
    """
    width, height = math.ceil(rect[2] - rect[0]), math.ceil(rect[3] - rect[1])
    if not (0 < width <= LARGEST_SIDE and 0 < height <= LARGEST_SIDE):
        raise ValueError(f"a picture of {width} × {height} pixels is not between 1 and {LARGEST_SIDE} pixels a side")
    brush = _Brush(width, height, (rect[0], rect[1]), metrics, background)
    for item in drawing.items:
        if isinstance(item, Rect):
            brush.rect(item)
        elif isinstance(item, Text):
            brush.text(item)
        elif isinstance(item, Line):
            brush.line(item.points, item.color, item.thickness, item.dash)
        elif isinstance(item, Curve):
            brush.line(bezier(item.p1, item.p2, item.p3, item.p4), item.color, item.thickness, item.dash)
        elif isinstance(item, Polygon):
            brush.polygon(item)
        elif isinstance(item, Circle):
            brush.circle(item)
        else:
            brush.picture(item, (pictures or {}).get(item.name))
    return brush.image.reduce(_OVERSAMPLING)


def to_png(image: Image.Image) -> bytes:
    """Return a picture as the bytes of a PNG file."""
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()


class _Brush:
    def __init__(self, width: int, height: int, corner: Point, metrics: FontMetrics, background: Color) -> None:
        self.image = Image.new("RGBA", (width * _OVERSAMPLING, height * _OVERSAMPLING), background)
        self._draw = ImageDraw.Draw(self.image, "RGBA")
        self._corner, self._metrics = corner, metrics
        self._fonts: dict[tuple[str, float], ImageFont.FreeTypeFont] = {}

    def _at(self, point: Point) -> Point:
        return ((point[0] - self._corner[0]) * _OVERSAMPLING, (point[1] - self._corner[1]) * _OVERSAMPLING)

    def rect(self, item: Rect) -> None:
        thick = item.thickness / 2 if item.edge else 0.0
        x0, y0 = self._at((item.x0 - thick, item.y0 - thick))
        x1, y1 = self._at((item.x1 + thick, item.y1 + thick))
        if x1 <= x0 or y1 <= y0:
            return
        width = round(item.thickness * _OVERSAMPLING) if item.edge else 0
        radius = (item.radius + thick) * _OVERSAMPLING
        self._draw.rounded_rectangle((x0, y0, x1 - 1, y1 - 1), radius, item.fill, item.edge, max(width, 1))

    def text(self, item: Text) -> None:
        key = (item.face, item.size)
        font = self._fonts.get(key)
        if font is None:
            path = self._metrics.paths[item.face]
            size = item.size * _OVERSAMPLING
            font = self._fonts[key] = ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
        x, y = self._at((item.x, item.y + self._metrics.ascent(item.face, item.size)))
        text = clean(item.text, lines=True).replace("\n", " ")
        self._draw.text((x, y), text, fill=item.color, font=font, anchor="ls")

    def line(self, points: tuple[Point, ...], color: Color, thickness: float, dash: tuple[float, float] | None) -> None:
        width = max(round(thickness * _OVERSAMPLING), 1)
        strokes = dashes(points, *dash) if dash else [points]
        for stroke in strokes:
            self._draw.line([self._at(point) for point in stroke], fill=color, width=width, joint="curve")

    def polygon(self, item: Polygon) -> None:
        points = [self._at(point) for point in item.points]
        if item.fill:
            self._draw.polygon(points, fill=item.fill)
        if item.edge:
            width = max(round(item.thickness * _OVERSAMPLING), 1)
            self._draw.line([*points, points[0], points[1]], fill=item.edge, width=width, joint="curve")

    def circle(self, item: Circle) -> None:
        width = max(round(item.thickness * _OVERSAMPLING), 1)
        self._draw.circle(self._at((item.x, item.y)), item.r * _OVERSAMPLING, item.fill, item.edge, width)

    def picture(self, item: Picture, source: Image.Image | None) -> None:
        if source is None:
            return
        x0, y0 = (round(c) for c in self._at((item.x0, item.y0)))
        x1, y1 = (round(c) for c in self._at((item.x1, item.y1)))
        if x1 > x0 and y1 > y0 and x1 - x0 <= LARGEST_SIDE * _OVERSAMPLING:
            fitted = source.convert("RGBA").resize((x1 - x0, y1 - y0), Image.Resampling.NEAREST)
            self.image.alpha_composite(fitted.crop((max(-x0, 0), max(-y0, 0), *fitted.size)), (max(x0, 0), max(y0, 0)))
