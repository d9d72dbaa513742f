"""A layer of the canvas, built for a rectangle somewhat larger than the view; a transform moves and scales it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import DrawList
from opentine_gui.scene.space.camera import Bounds, Camera
from opentine_gui.ui.toolkit.painter import Painter, Painting
from opentine_gui.ui.toolkit.regions import Area

EMPTY = DrawList(())


@dataclass(frozen=True)
class Built:
    """A draw list, the zoom and the world rectangle that it was built for, and what it depends on.

    `basis` is what nearly all of it depends on, beside its origin: while both stay the same, only differences are
    painted. With None, as for a picture with new pixels, everything is painted anew.
    """

    drawing: DrawList = EMPTY
    key: Hashable = None
    rect: Bounds = (0.0, 0.0, 0.0, 0.0)
    zoom: float = 1.0
    basis: Hashable = None


NOTHING = Built()


class Layer:
    """A draw node, what is painted on it, and what the painting depends on.

    A second painting may be made behind the one that is shown, and takes its place once it is complete.
    """

    def __init__(self, parent: int, painter: Painter) -> None:
        self._parent = int(dpg.add_draw_node(parent=parent))
        self.shown = NOTHING
        self._painter, self._scale = painter, painter.scale
        self._painting = Painting(painter, int(dpg.add_draw_node(parent=self._parent)))
        self._hidden: Painting | None = None
        self._coming: Built | None = None
        self._current = False
        self._moved: tuple[int, int, float] | None = None

    @property
    def node(self) -> int:
        """The draw node of what is shown."""
        return self._painting.node

    @property
    def drawing(self) -> DrawList:
        """The draw list that is shown."""
        return self.shown.drawing

    def stale(self, key: Hashable, rect: Bounds) -> bool:
        """Whether the painting is out of date or does not cover the whole view."""
        return not self._current or key != self.shown.key or not _inside(rect, self.shown.rect)

    @property
    def current(self) -> bool:
        """Whether anything is shown that has not been marked as outdated."""
        return self._current

    @property
    def drawn(self) -> int:
        """The number of painted primitives."""
        return len(self._painting)

    def show(self, built: Built) -> None:
        """Paint a picture at once; one that is coming is given up."""
        self.give_up()
        alike = built.basis is not None and built.basis == self.shown.basis
        self._painting.show(built.drawing.parts, alike=alike and built.drawing.origin == self.shown.drawing.origin)
        self.shown, self._current = built, True

    @property
    def coming(self) -> Built | None:
        """What is being painted behind the picture that is shown, or None."""
        return self._coming

    def begin(self, built: Built) -> None:
        """Begin to paint a picture behind the one that is shown."""
        if self._hidden is None:
            self._hidden = Painting(self._painter, int(dpg.add_draw_node(parent=self._parent)))
        dpg.configure_item(self._hidden.node, show=False)
        self._hidden.begin(built.drawing.parts)
        self._coming = built

    def go_on(self, enough: Callable[[], bool]) -> bool:
        """Paint more of the picture that is coming, until it is `enough`; true once it is complete and shown."""
        assert self._hidden is not None and self._coming is not None
        if not self._hidden.go_on(enough):
            return False
        self._painting, self._hidden = self._hidden, self._painting
        dpg.configure_item(self._painting.node, show=True)
        dpg.configure_item(self._hidden.node, show=False)
        self._hidden.begin(())
        self.shown, self._current, self._coming, self._moved = self._coming, True, None, None
        return True

    def give_up(self) -> None:
        """Forget the picture that is coming."""
        if self._hidden is not None and self._coming is not None:
            self._hidden.begin(())
            self._coming = None

    def follow(self, camera: Camera, area: Area, offset: tuple[float, float] = (0.0, 0.0)) -> None:
        """Move the painting to where the camera sees it, shifted by `offset` world units, at the camera's zoom.

        What no transform reaches keeps its size, radii and the widths of lines; so does text in a larger picture.
        """
        origin, times = self.shown.drawing.origin, camera.zoom / self.shown.zoom
        scale = self._scale
        x = round(area.width / 2 - scale * ((camera.x - offset[0]) * camera.zoom - origin[0] * times))
        y = round(area.height / 2 - scale * ((camera.y - offset[1]) * camera.zoom - origin[1] * times))
        if (x, y, times) != self._moved:
            self._moved = (x, y, times)
            self._painting.scale_text(times)
            matrix = dpg.create_translation_matrix((x, y))
            if scale * times != 1.0:
                matrix = matrix * dpg.create_scale_matrix((scale * times, scale * times))
            dpg.apply_transform(self._painting.node, matrix)

    def forget(self) -> None:
        """Mark the painting as outdated."""
        self._current = False
        self.give_up()

    def clear(self) -> None:
        """Remove what is painted."""
        if self.shown is not NOTHING:
            self.show(NOTHING)
            self._current = False


def _inside(inner: Bounds, outer: Bounds) -> bool:
    return inner[0] >= outer[0] and inner[1] >= outer[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
