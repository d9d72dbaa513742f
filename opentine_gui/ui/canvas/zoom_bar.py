"""The zoom controls over the canvas."""

from __future__ import annotations

import math

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.camera.framing import zoom_controls
from opentine_gui.app.session import Session
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.canvas.edge_signs import APART
from opentine_gui.ui.toolkit.plate import Plate
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import explain

WIDE, SMALL = (30, 58, 30, 40), (22, 46, 22, 30)
"""Widths of the buttons, and on a narrow canvas."""
COMPARING_WIDTH, PRESENT_WIDTH = 238.0, 98.0
EXTRAS = (COMPARING_WIDTH, COMPARING_WIDTH + PRESENT_WIDTH)
"""Widths of the extra controls for a comparison, shown as far as there is room."""
BESIDE = 250.0
"""Width in design pixels that the minimap takes beside the bar."""


class ZoomBar:
    """`−  100 %  +  Fit` at the lower left of the canvas; in a comparison also flip, next and present."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self._place = zoom_controls(0.0)
        self.size = (style.whole(self._place.width), style.whole(self._place.height))
        self._extra = 0.0
        self._flip_theme: tuple[Theme | None, int] = (None, 0)
        self.plate = Plate(parent, style, apart=style.whole(APART))
        self.window = self.plate.window
        style.controls.call(self.window, "ZoomBar")
        self.label = 0
        self._theme: Theme | None = None
        self._percent = -1.0

    @property
    def covers(self) -> float:
        """Its height above the canvas's lower edge in pixels."""
        return self.size[1] + 2 * self.style.size(self._place.below)

    @property
    def foot(self) -> float:
        """The height in design pixels that it takes at the canvas's lower edge, if it is wide; else 0."""
        return self._place.height + self._place.below if self._extra else 0.0

    def _build(self) -> None:
        style = self.style
        self._theme, self._percent = style.theme, -1.0
        self.plate.clear()
        self.size = (style.whole(self._place.width + self._extra), self.size[1])
        self.plate.resize(*self.size)
        inset, controls = style.whole(4), self.plate.controls
        with dpg.group(horizontal=True, horizontal_spacing=style.whole(2), parent=controls, pos=[inset, inset]):
            out, label, into, fit = WIDE if self._place == zoom_controls(math.inf) else SMALL
            self._button("−", "view.zoom_out", out)
            self.label = self._button("100 %", "view.zoom_actual", label)
            self._button("+", "view.zoom_in", into)
            self._button("Fit", "view.fit", fit)
            if self._extra:
                flip = self._button("A | B  Tab", "compare.flip", 84)
                dpg.bind_item_theme(flip, self._accent())
                self._button("Next divergence  N", "compare.next", 148)
            if self._extra > COMPARING_WIDTH:
                self._button("Present  F5", "present.start", 94)

    def _accent(self) -> int:
        """The theme item for the button that flips a comparison."""
        if self._flip_theme[0] is not self.style.theme:
            if self._flip_theme[1]:
                dpg.delete_item(self._flip_theme[1])
            with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
                dpg.add_theme_color(dpg.mvThemeCol_Text, self.style.theme.accent)
            self._flip_theme = (self.style.theme, int(item))
        return self._flip_theme[1]

    def _button(self, label: str, action_id: str, width: float) -> int:
        button = int(
            dpg.add_button(label=label, width=self.style.whole(width), callback=lambda: self.session.invoke(action_id))
        )
        action = self.session.actions[action_id]
        explain(self.style, button, f"{action.title}  {action.key}".strip())
        return button

    def sync(self, area: Area, visible: bool) -> None:
        """Follow the canvas's area and zoom."""
        if dpg.is_item_shown(self.window) != visible:
            dpg.configure_item(self.window, show=visible)
        if not visible:
            return
        document = self.session.active
        comparing = document is not None and document.overlay is not None and document.overlay.comparison is not None
        place = zoom_controls(area.width / self.style.scale)
        room = area.width / self.style.scale - place.width - BESIDE if comparing else 0.0
        extra = max((wide for wide in EXTRAS if wide <= room), default=0.0)
        if self._theme is not self.style.theme or extra != self._extra or place != self._place:
            self._extra, self._place = extra, place
            self._build()
        self.plate.move(
            area.x + self.style.size(place.left), area.y + area.height - self.size[1] - self.style.size(place.below)
        )
        zoom = document.picture.camera.zoom if document and document.picture.camera else 1.0
        percent = float(round(zoom * 100)) if zoom >= 0.01 else round(zoom * 100, 2)
        if percent != self._percent:
            self._percent = percent
            dpg.configure_item(self.label, label=f"{percent:g} %")
