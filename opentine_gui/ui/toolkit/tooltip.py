"""A tooltip for a drawing, whose text follows what lies under the pointer."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.label import Label
from opentine_gui.ui.toolkit.style import Style

DELAY = 0.45
WIDTH = 420.0


def explain(style: Style, item: int, words: str) -> None:
    """Give one of Dear PyGui's own widgets a tooltip; a box without a label is also called by it."""
    with dpg.tooltip(item, delay=DELAY, hide_on_activity=True) as window:
        Label(style, words, parent=window, room=style.size(WIDTH))
    dpg.configure_item(window, show=not style.hushed)
    style.explained.add(int(window))
    _pad(style, int(window))


def _pad(style: Style, window: int) -> None:
    """Keep a tooltip's words off its edge: it inherits the padding of its parent, which has none."""
    if not style.tooltip_theme:
        with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
            dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, style.size(9), style.size(6))
        style.tooltip_theme = int(item)
    dpg.bind_item_theme(window, style.tooltip_theme)


class Tooltip:
    """The tooltip of one drawing; an empty text hides it."""

    def __init__(self, item: int, style: Style) -> None:
        self._style = style
        self.shown = ""
        """The text it shows, or would once the pointer rests."""
        self._themed = False
        # A drawing accepts only drawn children, so the tooltip is attached to a group around it.
        group = int(dpg.add_group(parent=dpg.get_item_parent(item) or 0))
        dpg.move_item(item, parent=group)
        self._window = int(dpg.add_tooltip(group, delay=DELAY, hide_on_activity=True, show=False))
        self._label: Label | None = None

    def set_text(self, text: str) -> None:
        """Set the text to show while the pointer rests on the drawing."""
        if text and self._style.hushes(self._window):
            text = ""
        text = self._style.said(text)
        if text == self.shown:
            return
        self.shown = text
        if text and not self._themed:
            self._themed = True
            _pad(self._style, self._window)
        if text and self._label is None:
            self._label = Label(self._style, text, parent=self._window, room=self._style.size(WIDTH))
        elif text and self._label is not None:
            self._label.set_text(text)
        dpg.configure_item(self._window, show=bool(text))
