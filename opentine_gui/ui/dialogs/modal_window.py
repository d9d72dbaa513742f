"""The modal window that a dialog is drawn in."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import dialog_theme


def modal_window(style: Style, name: str, size: tuple[float, float], width: float, height: float, share: float) -> int:
    """Open an empty modal window of `width` by `height` pixels in the middle of a main window of `size`.

    `share` of the height that is left is above it. `name` is what the controls of the dialog are listed under.
    """
    window = int(
        dpg.add_window(
            modal=True,
            no_title_bar=True,
            no_move=True,
            no_resize=True,
            no_saved_settings=True,
            no_scrollbar=True,
            no_open_over_existing_popup=False,
            pos=[int((size[0] - width) / 2), int(max((size[1] - height) * share, 20))],
            width=int(width),
            height=int(height),
        )
    )
    style.controls.call(window, name)
    dpg.bind_item_theme(window, dialog_theme(style))
    return window
