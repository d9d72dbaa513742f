"""A tooltip beside a list of short lines: at the pointer it would cover the very lines that are read next."""

from __future__ import annotations

import time

import dearpygui.dearpygui as dpg

from opentine_gui.scene.theme import Theme
from opentine_gui.ui.toolkit.label import Label
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import DELAY, WIDTH

PAD_X, PAD_Y, GAP = 9.0, 6.0, 6.0
NARROWEST = 160.0
"""Design pixels that the words need beside the list; in less they are not shown."""


class SideHint:
    """Words beside an area, on the right where they fit, else on the left; never on the area itself."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.area: Area | None = None
        """Where it is on screen, in pixels of the window; None while it is not."""
        self.pending = False
        """Whether words are about to be shown, for which frames have to go on."""
        self._wanted: tuple[str, Area, float] | None = None
        self._since = 0.0
        self._window: int | None = None
        self._theme: tuple[Theme, int] | None = None

    def show(self, text: str, beside: Area, y: float) -> None:
        """Show words, once they are wanted for a moment, beside an area of the window and at a height, in pixels."""
        wanted = (text, beside, y)
        if not text or self.style.hushed:
            self.hide()
        elif wanted != self._wanted:
            self.hide()
            self._wanted, self._since, self.pending = wanted, time.monotonic(), True
        elif self.pending and time.monotonic() - self._since >= DELAY:
            self.pending = False
            self._open(*wanted)

    def hide(self) -> None:
        """Take it off the screen."""
        self._wanted = self.area = None
        self.pending = False
        if self._window is not None:
            dpg.delete_item(self._window)
            self._window = None

    def _open(self, text: str, beside: Area, y: float) -> None:
        style = self.style
        pad_x, pad_y, gap = style.size(PAD_X), style.size(PAD_Y), style.size(GAP)
        width, height = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
        around = 2 * pad_x + 2 * gap
        rooms = (width - beside.x - beside.width - around, beside.x - around)
        wide = style.size(WIDTH)
        room = rooms[0] if rooms[0] >= min(wide, rooms[1]) else rooms[1]
        if room < style.size(NARROWEST):
            return
        window = dpg.add_window(
            no_title_bar=True,
            no_move=True,
            no_resize=True,
            no_saved_settings=True,
            no_scrollbar=True,
            no_focus_on_appearing=True,
            min_size=[10, 10],
        )
        self._window = int(window)
        dpg.bind_item_theme(window, self._padded())
        label = Label(style, text, parent=window, room=min(room, wide))
        size = (label.width + 2 * pad_x, label.height + 2 * pad_y)
        left = beside.x + beside.width + gap if room is rooms[0] else beside.x - gap - size[0]
        top = max(min(y, height - size[1] - 4), 2)
        self.area = Area(int(left), int(top), int(size[0]), int(size[1]))
        dpg.configure_item(window, pos=[self.area.x, self.area.y], width=self.area.width, height=self.area.height)

    def _padded(self) -> int:
        """The look of the window, made again where the colours have changed."""
        style = self.style
        if self._theme is None or self._theme[0] is not style.theme:
            with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
                dpg.add_theme_color(dpg.mvThemeCol_WindowBg, style.theme.raised)
                dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, style.size(PAD_X), style.size(PAD_Y))
            self._theme = (style.theme, int(item))
        return self._theme[1]
