"""Cards: the primitives that draw one at each level of detail."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import PILL_HEIGHT, draw_flags, draw_pill, piece_of_text, pill_size
from opentine_gui.scene.card.card_title import (
    CALL,
    GLYPH,
    INSET,
    MONO_SIZE,
    RADIUS,
    RIGHT_INSET,
    SHOWN_SEALS,
    SMALLEST_TEXT,
    SMALLEST_TITLE,
    TEXT_SIZE,
    TITLE_SIZE,
    draw_seal,
    title_of,
)
from opentine_gui.scene.card.group_card import draw_group, title_top
from opentine_gui.scene.card.group_strip import stack_edges
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Color, Polygon, Primitive, Rect
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.text.clean import shortened_end, shortened_middle
from opentine_gui.scene.theme import Theme, faded_theme, lifted_theme, mixed

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

STOPPED_EDGE = 0.5
"""Share of its colour in the edge of a group in which something was stopped, which is thin."""
HEADING_TINT = 0.13
"""Share of a person's colour in the ground of a card that begins with a person's words."""

_CORNER = tuple((1 - math.cos(a * math.pi / 8), 1 - math.sin(a * math.pi / 8)) for a in range(5))

HEAT_TINT = 0.22
"""How much of a heat's colour the ground of a card takes."""


FARTHEST_RING, BELOW_FLAGS = 3.0, 5.0
"""Pixels between a card and the ring around it at most, and units between the flags of a card and the card below it."""
TAB = (-28.0, -3.0, -8.0, 6.0)
"""The tab of a coloured card in design pixels from its upper right corner: left, top, right, bottom."""


def draw_card(
    face: CardFace,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    level: Level,
    theme: Theme,
    metrics: FontMetrics,
    selected: bool = False,
    hovered: bool = False,
    dimmed: bool = False,
) -> list[Primitive]:
    """Return the primitives of a card with its top left at pixel (x, y), w × h pixels large at `zoom`."""
    colors = faded_theme(theme) if dimmed else theme
    if hovered:
        colors = lifted_theme(colors)
    items: list[Primitive] = []
    radius = RADIUS * zoom
    border = face.border or ("bad" if face.failed else "stopped" if face.stopped else None)
    edge = colors.role(border) if border else colors.edge
    group = face.group
    thick = 2.0 if border else 1.0
    if border == "stopped" and group is not None and group.steps > 1:  # a person interrupts often: it is no failure
        edge, thick = mixed(colors.edge, edge, STOPPED_EDGE), 1.0
    ground = colors.card
    bar = colors.kind(face.kind)
    if group is not None:
        if group.steps > 1:
            items.extend(stack_edges(group, x, y, w, h, radius, zoom, colors))
        if group.heading and not face.heat:
            ground = mixed(colors.card, colors.kind("human"), HEADING_TINT)
        if group.in_sub_agent:
            bar = colors.kind("subagent")
    if selected:  # over the edges of a stack, or two of its sides would lie under them
        items.append(ring_around(x, y, w, h, zoom, theme.accent))
    if face.heat:
        bar = colors.role(face.heat)
        ground = mixed(ground, bar, HEAT_TINT)
    items.append(Rect(x, y, x + w, y + h, ground, edge, radius, thick))
    items.extend(_bar(x, y, h, radius, bar))
    if face.colour:
        left, top, right, bottom = (edge * zoom for edge in TAB)
        items.append(Rect(x + w + left, y + top, x + w + right, y + bottom, colors.role(face.colour), None, 2 * zoom))
    if group is not None and group.answered and level is Level.CARD:
        title = title_of(face.title, face.seal, w, zoom, 2, metrics)
        split = round(title_top(title, zoom) + (len(title.lines) - 0.5) * title.pitch)
        below = colors.card if not face.heat else ground
        inside = int(thick)
        right, foot = x + w - inside, y + h - inside
        items.append(Rect(x + radius, y + split, right, y + h - radius, below, None, 0.0))
        items.append(Rect(x + radius, foot - 2 * radius, right, foot, below, None, radius - inside))
        items.append(Rect(x + radius, y + h - radius, x + w - radius, foot, below, None, 0.0))
        if not face.heat and not group.in_sub_agent:
            items.extend(_bar(x, y, h, radius, colors.kind("model"), split))
    if level is Level.CARD and group is not None and group.steps > 1:
        draw_group(items, face, group, x, y, w, h, zoom, colors, metrics)
    elif level is Level.CARD:
        _draw_content(items, face, x, y, w, h, zoom, colors, metrics)
    else:
        _draw_title_only(items, face, x, y, w, h, zoom, colors, metrics)
    return items


def ring_around(x: float, y: float, w: float, h: float, zoom: float, color: Color) -> Rect:
    """Return the ring around a selected or found card: near enough that the flags of the card above stay readable."""
    away = min(FARTHEST_RING, max(BELOW_FLAGS * zoom - 1.0, 1.0))
    return Rect(x - away, y - away, x + w + away, y + h + away, None, color, RADIUS * zoom + away, 2.0)


def _bar(x: float, y: float, h: float, radius: float, paint: Color, begin: float = 0.0) -> list[Primitive]:
    """Return the bar in the kind's colour at the left end: as wide as the corner radius, so it follows the corners.

    It goes from `begin` pixels below the card's top to its foot. Only its corners are polygons: a window fills these
    line by line of pixels.
    """
    corner = tuple((x + radius * cx, y + radius * cy) for cx, cy in _CORNER)
    low = tuple((px, 2 * y + h - py) for px, py in reversed(corner))
    head, foot = y + (begin or radius), y + h - radius
    bar: list[Primitive] = [Rect(x, round(head), x + radius, round(foot), paint, None, 0.0)]
    if not begin:
        bar.append(Polygon((*corner, (x + radius, head + 1), (x, head + 1)), fill=paint))
    bar.append(Polygon(((x, foot - 1), (x + radius, foot - 1), *low), fill=paint))
    return bar


def _line_of_text(
    items: list[Primitive], text: str, x: float, middle: float, room: float, face: str, size: float, paint: Color,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    shorten = shortened_middle if CALL.match(text) else shortened_end
    shown = shorten(text, room, face, size, metrics)
    if shown:
        piece_of_text(items, shown, x, middle, face, size, paint, metrics)


def _draw_content(
    items: list[Primitive],
    face: CardFace,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    colors: Theme,
    metrics: FontMetrics,
) -> None:
    left, right = x + INSET * zoom, x + w - RIGHT_INSET * zoom
    text_size, mono_size = max(TEXT_SIZE * zoom, SMALLEST_TEXT), max(MONO_SIZE * zoom, SMALLEST_TEXT)
    sealed = face.seal in SHOWN_SEALS
    alone = not (face.line or face.figures or face.count > 1)  # a title has the room of the other texts
    title = title_of(face.title, face.seal, w, zoom, 3 if alone else 2, metrics)
    other = 1.25 * (text_size + mono_size)
    with_line = face.failed or face.stopped or face.line_first or not face.figures
    rows = _Rows(len(title.lines), h, zoom, title.pitch, other, with_line=with_line)
    items.extend(draw_glyph(face.kind, left, y + rows.title - GLYPH * zoom / 2, GLYPH * zoom, colors.kind(face.kind)))
    if sealed:
        draw_seal(items, face.seal or "", x + w - 14 * zoom, y + rows.title, max(3 * zoom, 2.0), colors)
    for number, line in enumerate(title.lines):
        middle = y + rows.title + number * title.pitch
        piece_of_text(items, line, x + title.left, middle, "title", title.size, colors.text, metrics)
    if rows.line is not None:
        paint = colors.bad if face.failed else colors.stopped if face.stopped else colors.quiet
        _line_of_text(items, face.line, left, y + rows.line, right - left, "text", text_size, paint, metrics)
    if rows.figures is None or not (face.figures or face.count > 1):
        draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)
        return
    bottom = y + rows.figures
    if face.count > 1:
        pill_height = PILL_HEIGHT * zoom
        text = f"×{face.count:,}"
        pill_width = pill_size(text, zoom, metrics)
        draw_pill(items, text, right - pill_width + 4 * zoom, bottom - pill_height / 2, pill_width, zoom,
                   mixed(colors.card, colors.text, 0.1), colors.text, metrics)  # fmt: skip
        right -= pill_width + 4 * zoom
    numbers = _whole_figures(face.figures, right - left, mono_size, metrics)
    _line_of_text(items, numbers, left, bottom, right - left, "mono", mono_size, colors.faint, metrics)
    draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)


class _Rows:
    """Heights of a card's rows, in pixels below its top: the first line of the title, the quiet line, the figures.

    A title of two lines on a small card leaves room for one more row: why a step failed or was stopped, else figures,
    and without any the quiet line.
    """

    def __init__(self, lines: int, h: float, zoom: float, pitch: float, other: float, *, with_line: bool) -> None:
        self.line: float | None
        self.figures: float | None
        if lines < 2:
            self.title, self.line, self.figures = 0.23 * h, 0.51 * h, 0.78 * h
        elif lines > 2:
            self.title, self.line, self.figures = 0.5 * h - pitch, None, None
        elif 2 * pitch + other + 8 * zoom <= h:
            self.title, self.line, self.figures = 0.17 * h, 0.6 * h, 0.82 * h
        else:
            row = other / 2
            free = h - 2 * pitch - row
            self.title = 0.25 * free + pitch / 2
            last = 0.5 * free + 2 * pitch + row / 2 - 1.0  # above the border of one that failed
            self.line, self.figures = (last, None) if with_line else (None, last)


def _whole_figures(figures: str, room: float, size: float, metrics: FontMetrics) -> str:
    """Drop the last figures if there is no room for them: a truncated number is a wrong number."""
    parts = figures.split("  ")
    while len(parts) > 1 and metrics.width("  ".join(parts), "mono", size) > room:
        parts.pop()
    return "  ".join(parts)


def _draw_title_only(
    items: list[Primitive],
    face: CardFace,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    colors: Theme,
    metrics: FontMetrics,
) -> None:
    """Draw a small card: its title at a legible size, on two lines where they fit."""
    pitch = max(TITLE_SIZE * zoom, SMALLEST_TITLE) * 1.22
    title = title_of(face.title, face.seal, w, zoom, 2 if 2 * pitch + 4 <= h else 1, metrics)
    if face.seal in SHOWN_SEALS:
        draw_seal(items, face.seal or "", x + w - 12 * zoom, y + 12 * zoom, 2.5, colors)
    first = y + h / 2 - pitch * (len(title.lines) - 1) / 2
    left = x + INSET * zoom  # no glyph: it has a dozen primitives, and there may be hundreds of such cards
    for number, line in enumerate(title.lines):
        piece_of_text(items, line, left, first + number * pitch, "title", title.size, colors.text, metrics)
