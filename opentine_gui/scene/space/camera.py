"""The camera: maps world units to the pixels of a viewport and back, and how it pans, zooms and fits."""

from __future__ import annotations

import math
from typing import NamedTuple, TypeAlias

Bounds: TypeAlias = tuple[float, float, float, float]

# A chain of 100,000 steps is 12 million units tall, and Fit must show all of it in a window.
MIN_ZOOM = 0.00001
MAX_ZOOM = 4.0


class Viewport(NamedTuple):
    """Size of the canvas in pixels, and of its lower right corner, which the minimap covers unless everything is in
    view. `foot` is the height at the lower edge of which wide controls take too much for cards to stand beside them.
    """

    width: float
    height: float
    map_width: float = 0.0
    map_height: float = 0.0
    foot: float = 0.0

    @property
    def above_foot(self) -> Viewport:
        """The part of the canvas above the controls at its lower edge."""
        return self._replace(height=self.height - self.foot, foot=0.0)


class Camera(NamedTuple):
    """World point at the viewport's centre, and pixels per world unit."""

    x: float
    y: float
    zoom: float


def to_screen(camera: Camera, viewport: Viewport, x: float, y: float) -> tuple[float, float]:
    """Return the pixel, from the viewport's top left, where the world point (x, y) appears."""
    return (
        (x - camera.x) * camera.zoom + viewport.width / 2,
        (y - camera.y) * camera.zoom + viewport.height / 2,
    )


def to_world(camera: Camera, viewport: Viewport, sx: float, sy: float) -> tuple[float, float]:
    """Return the world point under the pixel (sx, sy)."""
    return (
        (sx - viewport.width / 2) / camera.zoom + camera.x,
        (sy - viewport.height / 2) / camera.zoom + camera.y,
    )


def view_rect(camera: Camera, viewport: Viewport, margin: float = 0.0) -> Bounds:
    """Return the world rectangle (x0, y0, x1, y1) on screen, grown by `margin` pixels on each side."""
    half_width = (viewport.width / 2 + margin) / camera.zoom
    half_height = (viewport.height / 2 + margin) / camera.zoom
    return (camera.x - half_width, camera.y - half_height, camera.x + half_width, camera.y + half_height)


def shifted(rect: Bounds, dx: float, dy: float) -> Bounds:
    """Return a rectangle moved by (dx, dy)."""
    x0, y0, x1, y1 = rect
    return (x0 + dx, y0 + dy, x1 + dx, y1 + dy)


def widened(rect: Bounds, by: float) -> Bounds:
    """Return a rectangle with `by` more world units on each side."""
    x0, y0, x1, y1 = rect
    return (x0 - by, y0 - by, x1 + by, y1 + by)


def clamped_zoom(zoom: float) -> float:
    """Return `zoom` held between MIN_ZOOM and MAX_ZOOM."""
    return min(max(zoom, MIN_ZOOM), MAX_ZOOM)


def zoomed(camera: Camera, viewport: Viewport, sx: float, sy: float, factor: float) -> Camera:
    """Return the camera zoomed by `factor`; the world point under the pixel (sx, sy) stays under it."""
    zoom = clamped_zoom(camera.zoom * factor)
    x, y = to_world(camera, viewport, sx, sy)
    return Camera(x - (sx - viewport.width / 2) / zoom, y - (sy - viewport.height / 2) / zoom, zoom)


def panned(camera: Camera, dx: float, dy: float) -> Camera:
    """Return the camera after the picture was dragged by (dx, dy) pixels."""
    return Camera(camera.x - dx / camera.zoom, camera.y - dy / camera.zoom, camera.zoom)


def fitted(bounds: Bounds, viewport: Viewport, padding: float = 48.0, max_zoom: float = 1.0) -> Camera:
    """Return the camera that shows all of the world rectangle `bounds`, with `padding` pixels around it.

    Its zoom is `max_zoom` at most, and never outside MIN_ZOOM to MAX_ZOOM.
    """
    x0, y0, x1, y1 = bounds
    room_x = max(viewport.width - 2 * padding, 1.0)
    room_y = max(viewport.height - 2 * padding, 1.0)
    zoom = max_zoom
    if x1 > x0:
        zoom = min(zoom, room_x / (x1 - x0))
    if y1 > y0:
        zoom = min(zoom, room_y / (y1 - y0))
    return Camera((x0 + x1) / 2, (y0 + y1) / 2, clamped_zoom(zoom))


def eased(a: Camera, b: Camera, t: float) -> Camera:
    """Return the camera on the way from `a` (t = 0) to `b` (t = 1): slow at both ends, zoom geometrically.

    While the zoom changes the centre follows 1/zoom, so that a point that is at the same pixel in `a` and `b`
    stays at that pixel all the way.
    """
    if t <= 0.0:
        return a
    if t >= 1.0:
        return b
    smooth = t * t * (3.0 - 2.0 * t)
    zoom = a.zoom * math.exp(math.log(b.zoom / a.zoom) * smooth)
    share = smooth
    if abs(b.zoom / a.zoom - 1.0) > 1e-6:
        share = (1 / a.zoom - 1 / zoom) / (1 / a.zoom - 1 / b.zoom)
    return Camera(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share, zoom)
