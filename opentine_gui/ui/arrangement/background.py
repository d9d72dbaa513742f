"""What lies behind the views: the theme of Dear PyGui's own widgets, and the colour of the sides."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Rect
from opentine_gui.ui.toolkit import widget_theme
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Regions
from opentine_gui.ui.toolkit.style import Style


class Background:
    """The background of the main window `root`; made before the views, so that it lies behind them."""

    def __init__(self, style: Style, root: int) -> None:
        self._style, self._root = style, root
        self._drawlist = int(dpg.add_drawlist(10, 10, parent=root, pos=[0, 0]))
        self._node = int(dpg.add_draw_node(parent=self._drawlist))
        self._themes: tuple[int, ...] = ()

    def apply_theme(self, bar_height: float, canvas: int | str) -> None:
        """Apply the theme's colours to the widgets and to the window and the item of the canvas."""
        style, old = self._style, self._themes
        root = widget_theme.main_window_theme(style, bar_height)
        behind_canvas = widget_theme.child_window_theme(style, style.theme.canvas)
        self._themes = (widget_theme.bind_theme(style), root, behind_canvas)
        dpg.bind_item_theme(self._root, root)
        dpg.bind_item_theme(canvas, behind_canvas)
        for item in old:
            dpg.delete_item(item)

    def paint(self, size: tuple[int, int], regions: Regions) -> None:
        """Paint the background of the sides; of the window behind, only the hairlines between areas remain visible."""
        width, height = size
        # One pixel smaller than the window: a drawing of the window's size would make it scroll.
        dpg.configure_item(self._drawlist, width=max(int(width) - 1, 1), height=max(int(height) - 1, 1))
        areas = (regions.left, regions.right, regions.dock, *regions.bottom)
        panel = self._style.theme.panel
        Painter(self._style).repaint(
            self._node,
            [Rect(area.x, area.y, area.x + area.width, area.y + area.height, panel) for area in areas],
        )
