"""Dialogs and menus: no key gets past them, and every way out of them leaves everything as it was."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.regions import Area
from tests.ui.crawl.presses import WORD
from tests.ui.crawl.stage import Stage
from tests.ui.crawl.states import Report, State

BEHIND = ("Home", "F5", "Delete", "Down", "ctrl+w", "alt+m", "f")
"""Keys that do something in the window itself, and nothing behind a dialog or a menu."""


class WaysOut:
    """The ways out of what lies in front of the window, and what is behind it, with what was found there."""

    def __init__(self, stage: Stage, report: Report) -> None:
        self.stage, self.report = stage, report

    def check_keys(self, state: State) -> None:
        """No key that means something in the window gets past a dialog or a menu."""
        for chord in BEHIND:
            if not self.stage.reach(state):
                return
            before, selected = self.stage.documents(), self.stage.selected()
            self.stage.invoked.clear()
            self.stage.opened.keyboard.press(chord)
            self.stage.rest()
            if self.stage.strays():
                self.report.found(state, f"{chord} behind it runs {self.stage.strays()}")
            if self.stage.documents() != before or self.stage.selected() != selected:
                self.report.found(state, f"{chord} behind it changes the document")

    def check(self, state: State) -> None:
        """Esc, every button that says so, and a press outside; what was typed survives the last of them."""
        for name in ("Esc", "Cancel", "Close", "outside"):
            if not self.stage.reach(state):
                return
            before, front = self.stage.documents(), self.stage.front
            boxes = [control for control in self.stage.controls() if control.kind == "box" and control.enabled]
            if name == "Esc":
                self.stage.opened.keyboard.press("Escape")
            elif name == "outside":
                if boxes:
                    self.stage.click(boxes[0])
                    self.stage.opened.keyboard.type(WORD)
                    self.stage.settle()
                place = self._outside()
                if place is None:
                    continue
                self.stage.acted.clear()
                self.stage.invoked.clear()
                self.stage.opened.mouse.click(*place)
            else:
                buttons = [
                    c for c in self.stage.controls() if c.kind == "button" and c.name.startswith(name) and c.enabled
                ]
                if not buttons:
                    continue
                self.stage.click(buttons[0])
            self.stage.rest()
            self.report.left += 1
            if self.stage.documents() != before:
                self.report.found(state, f"leaving by {name} changes the documents")
            if name == "outside":
                if self.stage.acted or self.stage.strays():
                    self.report.found(state, f"a press outside reaches {[name for _, name in self.stage.acted]}")
                if boxes and self.stage.front != front:  # a view that left may have kept it for when it opens again
                    self.stage.go(state.ways[-1])
                if boxes and not self._shows(WORD):
                    self.report.found(state, "a press outside loses what was typed")
            elif self.stage.front == front:
                self.report.found(state, f"{name} does not leave it")

    def _shows(self, word: str) -> bool:
        """Whether a box on screen holds a word."""
        return any(word in str(dpg.get_value(c.item)) for c in self.stage.controls() if c.kind == "box")

    def _outside(self) -> tuple[float, float] | None:
        """A pixel outside the dialog or menu in front, and outside the menu that a submenu belongs to."""
        if self.stage.front is None:
            return None
        width, height = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
        over = [item for item in dpg.get_windows() if dpg.get_item_type(item) == "mvAppItemType::mvWindowAppItem"]
        over = [item for item in over if item != self.stage.opened.window.root and dpg.is_item_shown(item)]
        areas = [Area(*dpg.get_item_pos(item), *dpg.get_item_rect_size(item)) for item in over]
        places = ((width / 2, height - 60), (width - 300, 80), (12, height / 2), (width - 8, height / 2))
        return next((place for place in places if not any(area.contains(*place) for area in areas)), None)
