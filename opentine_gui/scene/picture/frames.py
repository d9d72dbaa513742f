"""Open groups of a folded run: a frame around their cards, with a tab that says what is open and closes it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from opentine_gui.scene.draw_list import Line, Primitive, Rect, Text
from opentine_gui.scene.picture.view import OpenGroup, Projection, SceneView
from opentine_gui.scene.space.camera import Bounds
from opentine_gui.scene.text.clean import shortened_end
from opentine_gui.scene.theme import mixed

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

FRAME_ROOM = 11.0
"""Units between the cards of an open group and its frame; inner frames are nearer to the cards."""
NESTED_ROOM = 5.0
"""Units between a frame and one in it."""
TAB_HEIGHT = 17.0
"""Pixels; the tab sits on the frame's upper edge, above the cards."""
TAB_ROOM = 32.0
"""Extra units above an opened group: its tab would cover the flags of the card above it."""
TAB_TEXT = 10.5
_PAD = 7.0
_SMALLEST_FRAME = 0.2


def tab_room(groups: int) -> float:
    """The units needed above a card at which so many open groups begin, for a tab each."""
    return groups * TAB_ROOM + (groups - 1) * NESTED_ROOM


def tab_box(group: OpenGroup, zoom: float) -> Bounds:
    """The world rectangle of a group's tab."""
    x0, y0, x1, _ = group.bounds
    height = TAB_HEIGHT / zoom
    foot = y0 + min(height * 0.45, FRAME_ROOM - 1 / zoom)
    return (x0, foot - height, x1, foot)


def draw_frames(view: SceneView, place: Projection) -> list[Primitive]:
    """The frames, below the cards and links."""
    items: list[Primitive] = []
    theme = view.theme
    for depth, group in enumerate(view.frames):
        x0, y0 = place.pixel(group.bounds[0], group.bounds[1])
        x1, y1 = place.pixel(group.bounds[2], group.bounds[3])
        ground = mixed(theme.canvas, theme.accent, 0.05)
        edge = mixed(theme.accent, theme.canvas, 0.35 if depth else 0.25)
        items.append(Rect(round(x0), round(y0), round(x1), round(y1), ground, edge, 10.0 * view.zoom, 1.5))
    return items


def draw_tabs(view: SceneView, place: Projection) -> list[Primitive]:
    """The tabs, over everything else: a minus sign, the title, the number of steps."""
    items: list[Primitive] = []
    if view.zoom < _SMALLEST_FRAME:
        return items
    for group in view.frames:
        items.extend(_tab(group, view, place, view.metrics))
    return items


def _tab(group: OpenGroup, view: SceneView, place: Projection, metrics: FontMetrics) -> list[Primitive]:
    theme = view.theme
    left, top, right, bottom = tab_box(group, view.zoom)
    x0, y0 = (round(value) for value in place.pixel(left, top))
    x1, y1 = (round(value) for value in place.pixel(right, bottom))
    middle = (y0 + y1) / 2
    count = f"{group.steps:,} steps"
    count_width = metrics.width(count, "text", TAB_TEXT)
    start = x0 + _PAD + 11
    room = x1 - x0 - 2 * _PAD - 11 - count_width - 6
    items: list[Primitive] = [
        Rect(x0, y0, x1, y1, theme.accent, None, 5.0),
        Line(((x0 + _PAD, math.floor(middle) + 0.5), (x0 + _PAD + 6, math.floor(middle) + 0.5)), theme.on_accent, 1.5),
    ]
    title = shortened_end(group.title, room, "title", TAB_TEXT, metrics) if room > 16 else ""
    baseline = metrics.centered_top(middle, "title", TAB_TEXT) + metrics.ascent("title", TAB_TEXT)
    at = start
    for piece, owner in metrics.runs(title, "title"):
        items.append(
            Text(round(at), round(baseline - metrics.ascent(owner, TAB_TEXT)), piece, owner, TAB_TEXT, theme.on_accent)
        )
        at += metrics.width(piece, owner, TAB_TEXT)
    if x1 - x0 > count_width + 2 * _PAD + 14:
        top_of_text = round(metrics.centered_top(middle, "text", TAB_TEXT))
        items.append(Text(round(x1 - _PAD - count_width), top_of_text, count, "text", TAB_TEXT, theme.on_accent))
    return items
