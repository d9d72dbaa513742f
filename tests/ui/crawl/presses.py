"""Uses a control as its kind asks for, with a real mouse, and checks that it alone reacted."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.controls import Control
from tests.ui.crawl.findings import said
from tests.ui.crawl.stage import Stage
from tests.ui.crawl.states import Report, State, Target

WORD = "qz"
LEAST_HELD = 12.0
"""The least height in pixels of what can be held of a scroll bar, however long the list: Dear ImGui's measure."""


class Presses:
    """Presses, typing, choosing and dragging, with what they found."""

    def __init__(self, stage: Stage, report: Report) -> None:
        self.stage, self.report = stage, report

    def use(self, state: State, control: Control) -> None:
        """Use a control of a state that the window is in."""
        check = {
            "box": self._type,
            "list": self._choose,
            "slider": self._press_only,
            "scroll bar": self._scroll,
            "splitter": self._drag,
        }.get(control.kind, self._press)
        check(state, control)

    def _press(self, state: State, control: Control) -> None:
        self.report.pressed += 1
        before = self.stage.documents()
        self.stage.click(control)
        right = [self.stage.answers(control, item, name) for item, name in self.stage.acted]
        if not control.enabled:
            if self.stage.acted or self.stage.documents() != before:
                self.report.found(state, f"{said(control)} is greyed out and reacts")
        elif not self.stage.acted:
            self.report.found(state, f"{said(control)} does not react to a press")
        elif right != [True]:
            others = [name or str(item) for item, name in self.stage.acted]
            self.report.found(state, f"{said(control)}: a press on it reached {others} instead of it alone")
        elif self.stage.strays() and control.kind != "canvas":  # a gesture there goes on after the press
            self.report.found(state, f"{said(control)}: a press on it also ran {self.stage.strays()}")

    def _press_only(self, _state: State, control: Control) -> None:
        self.report.pressed += 1
        self.stage.click(control)

    def _type(self, state: State, control: Control) -> None:
        self.report.typed += 1
        if not control.enabled:
            return
        before = self.stage.documents()
        self.stage.click(control)
        self.stage.acted.clear()
        self.stage.invoked.clear()
        self.stage.opened.keyboard.press("ctrl+a")
        self.stage.opened.keyboard.type(WORD)
        self.stage.settle()
        value = str(dpg.get_value(control.item)) if dpg.does_item_exist(control.item) else ""
        if WORD not in value:
            self.report.found(state, f"{said(control)}: what is typed into it does not arrive")
        strays = [action for source, action in self.stage.invoked if source is None or source[0] != control.item]
        if strays:
            self.report.found(state, f"{said(control)}: typing into it ran {strays}")
        if self.stage.documents() != before:
            self.report.found(state, f"{said(control)}: typing into it changed the documents")

    def _choose(self, state: State, control: Control) -> None:
        self.report.pressed += 1
        before = dpg.get_value(control.item)
        front, proposal = self.stage.front, self.stage.opened.session.proposal
        self.stage.click(control)
        self.stage.opened.keyboard.press("Escape")
        self.stage.settle()
        if self.stage.front != front or (proposal is not None and self.stage.opened.session.proposal is None):
            self.report.found(state, f"{said(control)}: Esc in its open list leaves the form")
            return
        self.stage.click(control)
        x, y = control.middle
        for rows in (1.6, 2.6):
            self.stage.opened.mouse.click(x, y + control.area.height * rows)
            self.stage.settle()
            if dpg.get_value(control.item) != before:
                return
            self.stage.click(control)
        self.report.found(state, f"{said(control)}: a press on a line of its list chooses nothing")

    def _scroll(self, state: State, control: Control) -> None:
        if dpg.get_item_type(control.item) == "mvAppItemType::mvDrawlist":  # drawn by a view that scrolls by itself
            self._press(state, control)
            return
        self.report.dragged += 1
        area = control.shown or control.area
        before, most = dpg.get_y_scroll(control.item), dpg.get_y_scroll_max(control.item)
        # The part that can be held may fill nearly all of the bar, so it is dragged: a press beside it might miss.
        held = max(area.height * area.height / (area.height + most), min(LEAST_HELD, area.height))
        way = area.height - held
        middle = area.y + held / 2 + way * before / most
        goal = middle + (max(way, 12.0) if before < most / 2 else -max(way, 12.0))
        self.stage.opened.mouse.drag((area.x + area.width / 2, middle), (area.x + area.width / 2, goal), moves=4)
        self.stage.settle()
        if dpg.does_item_exist(control.item):
            if dpg.get_y_scroll(control.item) == before:
                self.report.found(state, f"{said(control)} does not scroll")
            dpg.set_y_scroll(control.item, before)
            self.stage.settle()  # only then does everything stand where it stood

    def _drag(self, state: State, control: Control) -> None:
        self.report.dragged += 1
        x, y = control.middle
        across = control.area.width < control.area.height
        moved = False
        for way in (36, -36):
            end = (x + way, y) if across else (x, y + way)
            self.stage.opened.mouse.drag((x, y), end, moves=4)
            self.stage.settle()
            now = self.stage.find(Target(control.view, control.kind, control.name))
            moved = moved or now is None or now.area != control.area
            if now is not None:
                x, y = now.middle
        if not moved:
            self.report.found(state, f"{said(control)} does not move when it is dragged")
