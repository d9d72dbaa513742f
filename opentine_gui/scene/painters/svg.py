"""Paints a draw list as SVG text; everything in it is escaped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from html import escape

from opentine_gui.scene.draw_list import (
    Circle,
    Color,
    Curve,
    DrawList,
    Line,
    Picture,
    Polygon,
    Primitive,
    Rect,
    Text,
    primitives,
)
from opentine_gui.scene.space.camera import Bounds
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.font_metrics import FontMetrics

FAMILIES = {
    "text": 'font-family="Inter, sans-serif"',
    "title": 'font-family="Inter, sans-serif" font-weight="600"',
    "mono": 'font-family="JetBrains Mono, monospace" font-variant="none"',  # no ligatures: != is not ≠
}
_PROGRESS_INTERVAL = 512
"""Parts of the list, cards among them, between two reports of progress."""


def to_svg(
    drawing: DrawList,
    rect: Bounds,
    metrics: FontMetrics,
    background: Color | None = None,
    pictures: Mapping[str, str] | None = None,
    *,
    fitted: bool = False,
    progress: Callable[[float], None] | None = None,
) -> str:
    """Return an SVG document of the part `rect` (x0, y0, x1, y1) of a draw list, in the list's own pixels.

    `pictures` maps the names of Picture items to data: addresses; others are left out, so that the document never
    refers to anything outside itself. With `fitted`, each text states its measured width, so that it takes the same
    room where another font replaces the packaged ones. `progress` receives fractions from 0 to 1; an exception it
    raises ends the work.
    """
    x0, y0, x1, y1 = rect
    view = f'viewBox="{_n(x0)} {_n(y0)} {_n(x1 - x0)} {_n(y1 - y0)}"'
    parts = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(x1 - x0)}" height="{_n(y1 - y0)}" {view}>',
    ]
    if background:
        parts.append(
            f'<rect x="{_n(x0)}" y="{_n(y0)}" width="{_n(x1 - x0)}" height="{_n(y1 - y0)}"{_fill(background)}/>'
        )
    for number, part in enumerate(drawing.parts):
        if progress is not None and number % _PROGRESS_INTERVAL == 0:
            progress(number / len(drawing.parts))
        parts += [_element(item, metrics, pictures or {}, fitted) for item in primitives(part)]
    parts.append("</svg>\n")
    return "\n".join(part for part in parts if part)


def _element(item: Primitive, metrics: FontMetrics, pictures: Mapping[str, str], fitted: bool) -> str:
    if isinstance(item, Rect):
        box = f'x="{_n(item.x0)}" y="{_n(item.y0)}" width="{_n(item.x1 - item.x0)}" height="{_n(item.y1 - item.y0)}"'
        corner = f' rx="{_n(item.radius)}"' if item.radius else ""
        return f"<rect {box}{corner}{_fill(item.fill)}{_stroke(item.edge, item.thickness)}/>"
    if isinstance(item, Text):
        baseline = item.y + metrics.ascent(item.face, item.size)
        family = FAMILIES.get(item.face, FAMILIES["text"])
        said = clean(item.text, lines=True).replace("\n", " ")
        text = escape(said, quote=False)
        place = f'x="{_n(item.x)}" y="{_n(baseline)}" font-size="{_n(item.size)}"'
        if fitted and len(said) > 1:
            room = metrics.width(said, item.face, item.size)
            place += f' textLength="{_n(room)}" lengthAdjust="spacingAndGlyphs"'
        return f'<text {place} {family} xml:space="preserve"{_fill(item.color)}>{text}</text>'
    if isinstance(item, Line):
        dash = _dash(item.dash)
        return f'<polyline points="{_points(item.points)}" fill="none"{_stroke(item.color, item.thickness)}{dash}/>'
    if isinstance(item, Curve):
        start, *controls = (f"{_n(x)} {_n(y)}" for x, y in (item.p1, item.p2, item.p3, item.p4))
        way = f"M {start} C {', '.join(controls)}"
        return f'<path d="{way}" fill="none"{_stroke(item.color, item.thickness)}{_dash(item.dash)}/>'
    if isinstance(item, Polygon):
        return f'<polygon points="{_points(item.points)}"{_fill(item.fill)}{_stroke(item.edge, item.thickness)}/>'
    if isinstance(item, Circle):
        place = f'cx="{_n(item.x)}" cy="{_n(item.y)}" r="{_n(item.r)}"'
        return f"<circle {place}{_fill(item.fill)}{_stroke(item.edge, item.thickness)}/>"
    return _picture(item, pictures)


def _picture(item: Picture, pictures: Mapping[str, str]) -> str:
    address = pictures.get(item.name, "")
    if not address.startswith("data:image/"):
        return ""
    box = f'x="{_n(item.x0)}" y="{_n(item.y0)}" width="{_n(item.x1 - item.x0)}" height="{_n(item.y1 - item.y0)}"'
    return f'<image {box} preserveAspectRatio="none" href="{escape(address)}"/>'


@lru_cache(maxsize=1 << 14)
def _n(value: float) -> str:
    return f"{value + 0.0:.2f}".rstrip("0").rstrip(".")  # 0.0 and -0.0 are one value, and share what is remembered


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


@lru_cache(maxsize=1 << 10)
def _paint(color: Color, attribute: str) -> str:
    red, green, blue, alpha = color
    opacity = "" if alpha == 255 else f' {attribute}-opacity="{_n(alpha / 255)}"'
    return f' {attribute}="#{red:02x}{green:02x}{blue:02x}"{opacity}'


def _fill(color: Color | None) -> str:
    return _paint(color, "fill") if color else ' fill="none"'


def _stroke(color: Color | None, thickness: float) -> str:
    return f'{_paint(color, "stroke")} stroke-width="{_n(thickness)}"' if color else ""


def _dash(dash: tuple[float, float] | None) -> str:
    return f' stroke-dasharray="{_n(dash[0])} {_n(dash[1])}"' if dash else ""
