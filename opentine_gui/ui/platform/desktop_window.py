"""The window on the desktop that holds the views: its first size and place, its title, and its size for next time."""

from __future__ import annotations

import os

import dearpygui.dearpygui as dpg

from opentine_gui.app.session import Session
from opentine_gui.assets import asset_path
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.platform.display import Room, display_scale
from opentine_gui.ui.toolkit.style import Style

TITLE = "opentine"
SMALLEST_WINDOW = (720, 480)
FIRST_PLACE = 100
"""Pixels from the upper left of the room on the display, where there are so many to spare."""


class DesktopWindow:
    """The one window of the program. `room` is what the display has for it and its frame, if that is known."""

    def __init__(self, session: Session, style: Style, room: Room | None) -> None:
        self.session, self.style, self._room = session, style, room
        self._named: tuple[str, bool, bool] | str | None = ""
        """Title of the document in front, whether it has unsaved edits and whether secrets are hidden, as the window's
        title says it.
        """

    @property
    def wanted_size(self) -> tuple[int, int]:
        """Width and height in pixels that it is shown with: those of the last time, as far as there is room."""
        settings, scale = self.session.settings, self._usual_scale
        width, height = round(settings.window_width * scale), round(settings.window_height * scale)
        if self._room is not None:
            width, height = min(width, self._room.width), min(height, self._room.height)
        return max(width, SMALLEST_WINDOW[0]), max(height, SMALLEST_WINDOW[1])

    def show(self) -> None:
        """Put it on the display; closing it asks to quit."""
        width, height = self.wanted_size
        x = y = FIRST_PLACE
        if self._room is not None:
            x = self._room.x + min(FIRST_PLACE, max(self._room.width - width, 0))
            y = self._room.y + min(FIRST_PLACE, max(self._room.height - height, 0))
        icon = str(asset_path("icon.png"))
        dpg.create_viewport(
            title=TITLE,
            x_pos=x,
            y_pos=y,
            width=width,
            height=height,
            min_width=SMALLEST_WINDOW[0],
            min_height=SMALLEST_WINDOW[1],
            small_icon=icon,
            large_icon=icon,
            clear_color=self.style.theme.canvas,
            disable_close=True,
        )
        dpg.set_exit_callback(lambda: self.session.invoke("file.quit"))
        dpg.setup_dearpygui()
        dpg.show_viewport()

    def store_size(self) -> None:
        """Store its size in the settings for the next start."""
        settings, scale = self.session.settings, self._usual_scale
        settings.window_width = round(dpg.get_viewport_width() / scale)
        settings.window_height = round(dpg.get_viewport_height() / scale)

    @property
    def _usual_scale(self) -> float:
        """The usual scale: one that was given for this start alone must not change the size for other starts."""
        asked, settings = self.session.view.scale, self.session.settings
        if not asked or asked == settings.scale:
            return self.style.scale
        return settings.scale or display_scale(os.environ)

    def update_title(self) -> None:
        """Name the document in front, with a mark while it has unsaved edits."""
        document = self.session.active
        named = (document.title, document.dirty, self.style.veil.on) if document is not None else None
        if named != self._named:
            self._named = named
            mark = "● " if named is not None and named[1] else ""
            dpg.set_viewport_title(
                f"{mark}{clean(self.style.said(named[0]), 200)} - {TITLE}" if named is not None else TITLE
            )
