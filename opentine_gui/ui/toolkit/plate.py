"""A plate that floats over the canvas: a painted background with controls on it that receive the press.

Dear ImGui treats a drawing as a button, and within one window the press goes to whichever was created first. So
controls never share a child window with a drawing below them: they get one of their own above the drawing's.
"""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import child_window_theme

CLEAR = (0, 0, 0, 0)


def window_above(parent: int | str, style: Style, area: Area) -> int:
    """A transparent child window over an area of `parent`, for controls on a drawing; create it after the drawing."""
    x, y, width, height = (int(number) for number in area)
    window = int(
        dpg.add_child_window(parent=parent, border=False, pos=[x, y], width=width, height=height, no_scrollbar=True)
    )
    dpg.bind_item_theme(window, child_window_theme(style, CLEAR))
    return window


class Plate:
    """`window` is the whole plate, hidden at first; `controls` the child window for its buttons and boxes.

    `apart` pixels of the canvas's colour around it set it apart from cards under it, which have its own colour.
    """

    def __init__(self, parent: int | str, style: Style, *, apart: int = 0) -> None:
        self.style, self._apart = style, apart
        self.area = Area(0, 0, 0, 0)
        self.window = int(dpg.add_child_window(parent=parent, border=False, show=False, no_scrollbar=True))
        dpg.bind_item_theme(self.window, child_window_theme(style, CLEAR))
        # Dear ImGui paints a child window's background below older ones it overlaps, so the plate paints its own.
        self._drawing = int(dpg.add_drawlist(1, 1, parent=self.window, pos=[0, 0]))
        self.controls = window_above(self.window, style, Area(0, 0, 1, 1))

    def clear(self) -> None:
        """Delete all controls."""
        dpg.delete_item(self.controls, children_only=True)

    def move(self, x: float, y: float) -> None:
        """Move its upper left corner within its parent, in pixels."""
        place = self.area._replace(x=int(x), y=int(y))
        if place != self.area:
            self.area = place
            dpg.configure_item(self.window, pos=[int(x) - self._apart, int(y) - self._apart])

    def resize(self, width: float, height: float, room: float | None = None) -> None:
        """Set its size in pixels and paint its background; content taller than `room` scrolls."""
        style, theme = self.style, self.style.theme
        shown = int(height if room is None else min(height, room))
        scrolls = room is not None and height > room
        self.area = self.area._replace(width=int(width), height=shown)
        apart = self._apart
        for item in (self.window, self._drawing):
            dpg.configure_item(item, width=int(width) + 2 * apart, height=shown + 2 * apart)
        dpg.configure_item(self.controls, pos=[apart, apart], width=int(width), height=shown, no_scrollbar=not scrolls)
        dpg.delete_item(self._drawing, children_only=True)
        if apart:
            dpg.draw_rectangle(
                (0, 0),
                (width - 1 + 2 * apart, shown - 1 + 2 * apart),
                fill=theme.canvas,
                color=theme.canvas,
                rounding=style.size(8) + apart,
                parent=self._drawing,
            )
        dpg.draw_rectangle(
            (apart, apart),
            (width - 1 + apart, shown - 1 + apart),
            fill=theme.raised,
            color=theme.hairline,
            rounding=style.size(8),
            parent=self._drawing,
        )
