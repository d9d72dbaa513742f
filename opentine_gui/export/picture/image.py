"""Pictures: the draw list of an export as SVG text or as the pixels of a PNG."""

from __future__ import annotations

import math

from PIL import Image

from opentine_gui.core.progress import Pace
from opentine_gui.export.content import Content
from opentine_gui.export.picture.drawing import draw
from opentine_gui.export.picture.typesetting import scaled
from opentine_gui.export.request import SMALLEST_SCALE, ExportError, ExportRequest, TooLargeError
from opentine_gui.scene.draw_list import Circle, Color, Curve, DrawList, Line, Picture, Polygon, Primitive, Rect
from opentine_gui.scene.painters.pillow import paint, to_png
from opentine_gui.scene.painters.svg import to_svg
from opentine_gui.scene.text.font_metrics import FontMetrics

LONGEST_SIDE = 32_000
MOST_PIXELS = 64_000_000
"""Limits of a PNG in pixels: what viewers can open, and what fits in memory."""
_BAND = 512
_PIECE = 4096


def write_svg(request: ExportRequest, pace: Pace) -> bytes:
    """The picture as an SVG with text as text and no external references."""
    drawing = draw(Content(request, pace.part(0.0, 0.6)))
    return svg_of(drawing.items, drawing.width, drawing.height, drawing.background, request, pace.part(0.6, 1.0))


def write_png(request: ExportRequest, pace: Pace) -> bytes:
    """The same picture as a PNG. ExportError, naming a scale that fits, when it would be too large."""
    drawing = draw(Content(request, pace.part(0.0, 0.5)))
    return png_of(drawing.items, drawing.width, drawing.height, drawing.background, request, pace.part(0.5, 1.0))


def svg_of(
    items: tuple[Primitive, ...], width: float, height: float, background: Color, request: ExportRequest, pace: Pace
) -> bytes:
    """Primitives as SVG, `request.scale` times as large."""
    by = request.scale
    grown = DrawList(tuple(scaled(item, by) for item in items) if by != 1 else items)
    metrics = request.metrics or FontMetrics()
    rect = (0.0, 0.0, width * by, height * by)
    return to_svg(grown, rect, metrics, background, fitted=True, progress=pace.at).encode()


def png_of(
    items: tuple[Primitive, ...], width: float, height: float, background: Color, request: ExportRequest, pace: Pace
) -> bytes:
    """Primitives as a PNG, `request.scale` times as large; painted in tiles to limit memory.

    TooLargeError, with a scale that fits, when there would be too many pixels; ExportError when no scale fits.
    """
    by = request.scale
    wide, tall = math.ceil(width * by), math.ceil(height * by)
    if max(wide, tall) > LONGEST_SIDE or wide * tall > MOST_PIXELS:
        fits = min(LONGEST_SIDE / width, LONGEST_SIDE / height, math.sqrt(MOST_PIXELS / (width * height)))
        fits = math.floor(fits * 100) / 100
        way = f"a scale of {fits} fits" if fits >= SMALLEST_SCALE else "no scale fits: name the steps to be shown"
        too_large = (
            f"the picture would be {wide:,} × {tall:,} pixels, more than a PNG holds here; {way}, or write an SVG"
        )
        raise TooLargeError(too_large, fits) if fits >= SMALLEST_SCALE else ExportError(too_large)
    metrics = request.metrics or FontMetrics()
    grown = [scaled(item, by) for item in items] if by != 1 else list(items)
    reaches = [_reach(item) for item in grown]
    whole = Image.new("RGB", (wide, tall), background[:3])
    for top in range(0, tall, _BAND):
        pace.at(top / tall)
        bottom = min(top + _BAND, tall)
        band = [item for item, (low, high) in zip(grown, reaches, strict=True) if low <= bottom and high >= top]
        for left in range(0, wide, _PIECE):
            right = min(left + _PIECE, wide)
            piece = paint(DrawList(tuple(band)), (left, top, right, bottom), metrics, background)
            whole.paste(piece.convert("RGB"), (left, top))
    return to_png(whole)


def _reach(item: Primitive) -> tuple[float, float]:
    """The top and bottom a primitive can reach."""
    if isinstance(item, (Rect, Picture)):
        low, high = item.y0, item.y1
    elif isinstance(item, Circle):
        low, high = item.y - item.r, item.y + item.r
    elif isinstance(item, (Line, Polygon)):
        heights = [y for _, y in item.points]
        low, high = min(heights), max(heights)
    elif isinstance(item, Curve):
        heights = [item.p1[1], item.p2[1], item.p3[1], item.p4[1]]
        low, high = min(heights), max(heights)
    else:
        low, high = item.y - item.size, item.y + 3 * item.size
    return low - 16.0, high + 16.0
