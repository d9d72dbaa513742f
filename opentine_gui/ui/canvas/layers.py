"""A layer of the canvas, built for a rectangle somewhat larger than the view and panned by one translation."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import DrawList
from opentine_gui.scene.space.camera import Bounds, Camera
from opentine_gui.ui.toolkit.painter import Painter, Painting
from opentine_gui.ui.toolkit.regions import Area

EMPTY = DrawList(())


class Layer:
    """A draw node, what is painted on it, and what the painting depends on."""

    def __init__(self, parent: int, painter: Painter) -> None:
        self.node = int(dpg.add_draw_node(parent=parent))
        self.drawing = EMPTY
        self._painting = Painting(painter, self.node)
        self._scale = painter.scale
        self._basis: Hashable = None
        self._key: Hashable = None
        self._rect: Bounds = (0.0, 0.0, 0.0, 0.0)
        self._moved: tuple[int, int] | None = None

    def stale(self, key: Hashable, rect: Bounds) -> bool:
        """Whether the painting is out of date or does not cover the whole view."""
        return key != self._key or not _inside(rect, self._rect)

    @property
    def drawn(self) -> int:
        """The number of painted primitives."""
        return len(self._painting)

    def show(self, drawing: DrawList, key: Hashable, rect: Bounds, basis: Hashable = None) -> None:
        """Paint a draw list that was built for a world rectangle.

        `basis` is what nearly all of it depends on: while it stays the same, only differences are painted. With None,
        as for a picture with new pixels, everything is repainted.
        """
        self._painting.show(drawing.parts, alike=basis is not None and basis == self._basis)
        self.drawing, self._key, self._rect, self._basis = drawing, key, rect, basis

    def follow(self, camera: Camera, area: Area, offset: tuple[float, float] = (0.0, 0.0)) -> None:
        """Move the painting to where the camera sees it, shifted by `offset` world units."""
        origin, scale = self.drawing.origin, self._scale
        x = round(area.width / 2 - scale * ((camera.x - offset[0]) * camera.zoom - origin[0]))
        y = round(area.height / 2 - scale * ((camera.y - offset[1]) * camera.zoom - origin[1]))
        if (x, y) != self._moved:
            self._moved = (x, y)
            matrix = dpg.create_translation_matrix((x, y))
            if scale != 1.0:
                matrix = matrix * dpg.create_scale_matrix((scale, scale))
            dpg.apply_transform(self.node, matrix)

    def forget(self) -> None:
        """Mark the painting as outdated."""
        self._key = None

    def clear(self) -> None:
        """Remove what is painted."""
        if self.drawing is not EMPTY or self._key is not None:
            self.show(EMPTY, None, (0.0, 0.0, 0.0, 0.0))


def _inside(inner: Bounds, outer: Bounds) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
