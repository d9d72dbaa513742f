"""Divides the window into areas: pure arithmetic, in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class Area(NamedTuple):
    """A rectangle of the window."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


def overlap(one: Area | None, other: Area | None) -> Area | None:
    """What two areas have in common, or None."""
    if one is None or other is None:
        return None
    x0, y0 = max(one.x, other.x), max(one.y, other.y)
    x1, y1 = min(one.x + one.width, other.x + other.width), min(one.y + one.height, other.y + other.height)
    return Area(x0, y0, x1 - x0, y1 - y0) if x1 > x0 and y1 > y0 else None


class Regions(NamedTuple):
    """The areas of one window size; `bottom` from top to bottom. A side of width 0 is closed."""

    left: Area
    canvas: Area
    right: Area
    bottom: tuple[Area, ...]
    left_edge: Area
    right_edge: Area
    dock: Area = Area(0, 0, 0, 0)
    """Below the canvas, between the sides; without a height it is closed."""


SMALLEST_CANVAS = 240.0
LARGEST_PANELS = 0.5  # of a window's width, so that the graph keeps half of it until the user wants something else
LARGEST_LEFT = 0.4  # of what there is for the panels
WIDE = 1500.0  # windows at least so wide let the panels take up to 60 %
LINE = 1.0  # the hairline between a panel and its neighbour


def room_for_panels(width: float, scale: float, *, chosen: bool = False) -> float:
    """The width in pixels that the sides may take together in a window of `width` pixels.

    Those whose widths the user has `chosen` leave the canvas no more than its least width.
    """
    spare = width - SMALLEST_CANVAS * scale - 2 * LINE
    if not chosen:
        spare = min(spare, width * LARGEST_PANELS) if width < WIDE * scale else width * 0.6
    return max(spare, 0.0)


def usual_left(width: float, scale: float, left: float) -> float:
    """The width of a left side that wants to be `left` pixels wide, beside an inspector that wants all it can get."""
    return min(left, LARGEST_LEFT * room_for_panels(width, scale))


@lru_cache(maxsize=4)
def divide(
    width: float,
    height: float,
    *,
    scale: float = 1.0,
    top: float,
    left: float,
    right: float,
    bottom: tuple[float, ...],
    chosen: bool = False,
) -> Regions:
    """Divide a window of `width` x `height` pixels: panels get what they want while the canvas keeps its least width.

    `top` is the height of the menu bar, `left` and `right` are wanted widths (0: closed), `bottom` heights of panels
    from top to bottom, all in pixels; `chosen` is as in `room_for_panels`. Asked in every frame, and worked out once
    for the same numbers.
    """
    spare = room_for_panels(width, scale, chosen=chosen)
    if left + right > spare:
        # The inspector is there to be read, so the list beside it gives way first.
        left = min(left, LARGEST_LEFT * spare) if right else min(left, spare)
        right = min(right, spare - left)
    body = max(height - top - sum(tall + LINE for tall in bottom), 1.0)
    canvas_x = left + (LINE if left else 0.0)
    canvas_width = max(width - canvas_x - right - (LINE if right else 0.0), 1.0)
    below, y = [], top + body
    for tall in bottom:
        below.append(Area(0, y + LINE, width, tall))
        y += LINE + tall
    grip = 3.0 * scale
    return Regions(
        left=Area(0, top, left, body),
        canvas=Area(canvas_x, top, canvas_width, body),
        right=Area(width - right, top, right, body),
        bottom=tuple(below),
        left_edge=Area(left - grip, top, 2 * grip, body) if left else Area(0, 0, 0, 0),
        right_edge=Area(width - right - grip, top, 2 * grip, body) if right else Area(0, 0, 0, 0),
    )


def with_dock(regions: Regions, tall: float) -> Regions:
    """The regions with a dock `tall` pixels high taken from the canvas at its lower edge; 0 closes it."""
    if tall <= 0:
        return regions
    x, y, width, height = regions.canvas
    tall = min(tall, max(height - LINE - 1.0, 1.0))
    canvas = Area(x, y, width, height - tall - LINE)
    return regions._replace(canvas=canvas, dock=Area(x, y + canvas.height + LINE, width, tall))


@lru_cache(maxsize=8)
def stack(area: Area, heights: tuple[float | None, ...], kept: tuple[float, ...] = ()) -> tuple[Area, ...]:
    """Divide an area from top to bottom: `heights` are pixels, None an equal share of what they leave.

    Where they do not fit, the highest give way, so that a low one keeps its whole line; but each keeps as much as
    `kept` says, as long as the others can. Asked in every frame, and worked out once for the same numbers.
    """
    given = fitted(heights, area.height, kept)
    rest = max(area.height - sum(tall for tall in given if tall is not None), 0.0)
    areas, y = [], area.y
    for tall in given:
        tall = rest / given.count(None) if tall is None else min(tall, area.y + area.height - y)
        areas.append(Area(area.x, y, area.width, tall))
        y += tall
    return tuple(areas)


def fitted(heights: Sequence[float | None], room: float, kept: Sequence[float] = ()) -> list[float | None]:
    """The heights, cut down to one level so that all fit in `room`; none of them to less than it keeps."""
    if sum([tall for tall in heights if tall is not None]) <= room:
        return list(heights)
    least = [min(keeps, tall or 0.0) for keeps, tall in zip(kept or [0.0] * len(heights), heights, strict=True)]
    given = [(tall, keeps) for tall, keeps in zip(heights, least, strict=True) if tall is not None]
    level = 0.0
    for step in sorted({0.0, *(bound for pair in given for bound in pair)}, reverse=True):
        spare = room - sum(min(tall, max(step, keeps)) for tall, keeps in given)
        if spare >= 0:
            cut = sum(1 for tall, keeps in given if keeps <= step < tall)
            level = step + spare / max(cut, 1)
            break
    return [None if tall is None else min(tall, max(level, keeps)) for tall, keeps in zip(heights, least, strict=True)]
