"""Where things are in the window: pure arithmetic, in pixels."""

from __future__ import annotations

from typing import NamedTuple


class Area(NamedTuple):
    """A rectangle of the window."""

    x: float
    y: float
    width: float
    height: float

    def contains(self, x: float, y: float) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


class Regions(NamedTuple):
    """The areas of one window size. An area of width or height 0 is hidden."""

    left: Area
    canvas: Area
    right: Area
    timeline: Area
    status: Area
    left_edge: Area
    right_edge: Area


SMALLEST_CANVAS = 320.0
LARGEST_PANELS = 0.42  # of a window's width, so that the graph keeps most of it
WIDE = 1500.0  # from this width on the user's widths are kept up to more than half


def divide(
    width: float,
    height: float,
    *,
    scale: float = 1.0,
    top: float,
    left: float,
    right: float,
    panels: bool = True,
    inspector: bool = True,
    timeline: float = 0.0,
) -> Regions:
    """Divide a window of `width` × `height` pixels: panels keep their wishes while the canvas keeps its least width.

    `left` and `right` are wished panel widths, `timeline` the height of the time strip, all in pixels.
    """
    status = 30.0 * scale
    left = left if panels else 0.0
    right = right if panels and inspector else 0.0
    spare = min(width - SMALLEST_CANVAS * scale, width * LARGEST_PANELS) if width < WIDE * scale else width * 0.6
    if left + right > spare:
        shrink = max(spare, 0.0) / (left + right)
        left, right = left * shrink, right * shrink
    strip = timeline if panels else 0.0
    if not panels:
        status = 0.0
    line = 1.0
    body = max(height - top - status - strip - (line if strip else 0.0) - (line if status else 0.0), 1.0)
    canvas_x = left + (line if left else 0.0)
    canvas_width = max(width - canvas_x - right - (line if right else 0.0), 1.0)
    strip_y = top + body + (line if strip else 0.0)
    grip = 3.0 * scale
    return Regions(
        left=Area(0, top, left, body),
        canvas=Area(canvas_x, top, canvas_width, body),
        right=Area(width - right, top, right, body),
        timeline=Area(0, strip_y, width, strip),
        status=Area(0, height - status, width, status),
        left_edge=Area(left - grip, top, 2 * grip, body) if left else Area(0, 0, 0, 0),
        right_edge=Area(width - right - grip, top, 2 * grip, body) if right else Area(0, 0, 0, 0),
    )
