"""Presentation mode: full screen, and a ring around the pointer so that an audience can follow it."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.app.session import Session
from opentine_gui.scene.draw_list import Circle
from opentine_gui.ui.canvas.canvas import Canvas
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.style import Style

RING = 26.0


class Stage:
    """Draws over the canvas during a presentation, which the session controls."""

    def __init__(self, session: Session, style: Style, canvas: Canvas) -> None:
        self.session, self.style, self.canvas = session, style, canvas
        self.painter = Painter(style)
        self._full = False
        self._key: Hashable = None

    def sync(self, pointer: Pointer) -> None:
        """Follow the presentation; enter and leave full screen with it."""
        presentation = self.session.presentation
        if (presentation is not None) != self._full:
            self._full = presentation is not None
            dpg.toggle_viewport_fullscreen()
        if presentation is None:
            if self._key is not None:
                self._key = None
                self.painter.repaint(self.canvas.stage, ())
            return
        area = self.canvas.area
        spot = (round(pointer.x - area.x), round(pointer.y - area.y)) if self.canvas.hovered() else None
        key = (area, spot, self.style.theme.name)
        if key != self._key:
            self._key = key
            self.painter.repaint(self.canvas.stage, self._ring(spot))

    def _ring(self, spot: tuple[int, int] | None) -> list[object]:
        if spot is None:
            return []
        accent = self.style.theme.accent
        return [Circle(*spot, self.style.size(RING), (*accent[:3], 46), (*accent[:3], 200), self.style.size(2))]
