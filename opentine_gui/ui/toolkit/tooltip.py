"""A tooltip for a drawing, whose text follows what lies under the pointer."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.look import Look

DELAY = 0.45
WIDTH = 420.0


class Hint:
    """The tooltip of one drawing; an empty text hides it."""

    def __init__(self, item: int, look: Look) -> None:
        self._look = look
        self._said = ""
        self._dressed = False
        # A drawing accepts only drawn children, so the tooltip is attached to a group around it.
        group = int(dpg.add_group(parent=dpg.get_item_parent(item) or 0))
        dpg.move_item(item, parent=group)
        self._window = int(dpg.add_tooltip(group, delay=DELAY, hide_on_activity=True, show=False))
        self._text = int(dpg.add_text("", parent=self._window, wrap=look.whole(WIDTH)))

    def say(self, words: str) -> None:
        """Set the text to show while the pointer rests on the drawing."""
        if words == self._said:
            return
        self._said = words
        if words and not self._dressed:
            # A tooltip inherits the padding of its parent, which has none.
            self._dressed = True
            with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
                dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, self._look.size(9), self._look.size(6))
            dpg.bind_item_theme(self._window, item)
        if words:
            dpg.set_value(self._text, words)
        dpg.configure_item(self._window, show=bool(words))
