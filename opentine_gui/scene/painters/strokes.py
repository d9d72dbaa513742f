"""Curves as polylines and dashed lines as strokes, for painters whose toolkit draws neither."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from opentine_gui.scene.draw_list import Point


def bezier(p1: Point, p2: Point, p3: Point, p4: Point, pieces: int = 32) -> tuple[Point, ...]:
    """Return points on a cubic Bézier curve, both ends included."""
    points = []
    for number in range(pieces + 1):
        t = number / pieces
        u = 1 - t
        a, b, c, d = u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t
        points.append((a * p1[0] + b * p2[0] + c * p3[0] + d * p4[0], a * p1[1] + b * p2[1] + c * p3[1] + d * p4[1]))
    return tuple(points)


def dashes(points: Sequence[Point], on: float, off: float) -> list[tuple[Point, Point]]:
    """Return the strokes a dashed pen leaves on a polyline, `on` and `off` in pixels along it."""
    strokes: list[tuple[Point, Point]] = []
    period, travelled = on + off, 0.0
    for (x0, y0), (x1, y1) in pairwise(points):
        length = math.hypot(x1 - x0, y1 - y0)
        at = 0.0
        while at < length and period > 0:
            phase = (travelled + at) % period
            step = max(min((on if phase < on else period) - phase, length - at), 1e-6)
            if phase < on:
                a, b = at / length, min((at + step) / length, 1.0)
                strokes.append(((x0 + (x1 - x0) * a, y0 + (y1 - y0) * a), (x0 + (x1 - x0) * b, y0 + (y1 - y0) * b)))
            at += step
        travelled += length
    return strokes
