"""A child window with a themed background that a panel or a bar is built in."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.scene.theme import Theme
from opentine_gui.ui.toolkit.style import Style


class Pane:
    """A child window with a background; whatever is built in it is placed relative to it."""

    def __init__(self, parent: int | str, style: Style, role: str = "panel", *, padding: tuple[float, float] = (0, 0)):
        self.style, self.role, self.padding = style, role, padding
        self.window = int(
            dpg.add_child_window(
                parent=parent, border=False, width=10, height=10, no_scrollbar=True, no_scroll_with_mouse=True
            )
        )
        self.x = self.y = 0.0
        self.width = self.height = 10.0
        self.shown = True
        self._blank = False
        self._theme: Theme | None = None
        self._item = 0
        self.follow_theme()

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place it in its parent, in pixels."""
        self.x, self.y, self.width, self.height = x, y, max(width, 1.0), max(height, 1.0)
        dpg.configure_item(self.window, pos=[int(x), int(y)], width=max(int(width), 1), height=max(int(height), 1))

    def contains(self, x: float, y: float) -> bool:
        """Whether a pixel of its parent lies in it."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height

    def show(self, visible: bool) -> None:
        """Show or hide it with everything in it."""
        if visible != self.shown:
            self.shown = visible
            dpg.configure_item(self.window, show=visible and not self._blank)

    def blank(self, hidden: bool) -> None:
        """Leave its place empty while what is built in it is not true any more; it counts as shown."""
        if hidden != self._blank:
            self._blank = hidden
            dpg.configure_item(self.window, show=self.shown and not hidden)

    @property
    def has_old_theme(self) -> bool:
        """Whether the theme changed since it was followed."""
        return self._theme is not self.style.theme

    def follow_theme(self) -> None:
        """Apply the current theme; cheap when it has not changed."""
        theme = self.style.theme
        if theme is self._theme:
            return
        self._theme = theme
        old = self._item
        with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
            dpg.add_theme_color(dpg.mvThemeCol_ChildBg, theme.role(self.role))
            dpg.add_theme_color(dpg.mvThemeCol_ScrollbarBg, theme.role(self.role))
            dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, *self.padding)
            dpg.add_theme_style(dpg.mvStyleVar_FramePadding, self.style.size(8), self.style.size(5))
        self._item = int(item)
        dpg.bind_item_theme(self.window, self._item)
        if old:
            dpg.delete_item(old)
