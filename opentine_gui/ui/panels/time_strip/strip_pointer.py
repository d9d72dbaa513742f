"""The pointer on a time strip: a click selects, a drag marks an area, the wheel zooms, a double click fills."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.scene.overviews.timeline import Timeline
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.time_strip.file_marks import FileMark
from opentine_gui.ui.panels.time_strip.places import Places
from opentine_gui.ui.panels.time_strip.strip_run import StripRun
from opentine_gui.ui.toolkit.sheet import Sheet
from opentine_gui.ui.toolkit.style import Style

DRAGGED = 5.0
"""Design pixels a press has to move before it marks an area."""
ZOOM_STEP, SHIFT_STEP = 1.25, 0.12
NARROWEST = 1e-4
"""The least part of the strip that a double click fills it with."""


class Shown(NamedTuple):
    """What the strip shows: of a document's run the part in view, and where its parts are."""

    document: Document
    record: RunRecord
    line: Timeline
    at: Places

    def time_at(self, x: float) -> float:
        """The time (Unix seconds) drawn at a pixel of the strip, of its nearest end where that is beside it."""
        return float(self.line.time_at(min(max((x - self.at.left) / self.at.width, 0.0), 1.0)))

    def in_area(self, x: float) -> bool:
        """Whether a pixel lies in the marked area."""
        area = self.document.strip.area
        return area is not None and area[0] <= self.time_at(x) <= area[1]


class Pointed(NamedTuple):
    """The step under the pointer, and its mark of the picked file where that is what lies there, not its bar."""

    step: int
    mark: FileMark | None = None

    @property
    def name(self) -> str:
        """What the control is called."""
        return f"{'bar' if self.mark is None else 'mark'} {self.step}"


class StripPointer:
    """Takes the pointer's events on a strip. A press on a bar selects once it is let go: a drag may begin there."""

    def __init__(self, session: Session, style: Style, sheet: Sheet, run: StripRun) -> None:
        self.session, self.style, self.sheet, self.run = session, style, sheet, run
        self._pressed: tuple[float, str | None, str] | None = None
        """The pixel of a press, the step whose bar or mark was pressed, and what that is called."""
        self._dragging: tuple[float, float] | None = None

    def handle(self, pointer: Pointer, shown: Shown, pointed: Pointed | None) -> None:
        """Take the events of a frame; `pointed` is what lies under the pointer."""
        left, top = dpg.get_item_rect_min(self.sheet.drawlist)
        events: list[InputEvent] = []
        if self.sheet.hovered:
            at, line = shown.at, shown.line
            row, on_axis = (pointer.y - top - at.top) // at.pitch, 0 < at.words - self.style.size(8) < pointer.y - top
            named = pointer.x - left < at.names and (line.agent_row <= row < line.row_count or on_axis)
            events = pointer.take("wheel") if named else pointer.take("press", "double", "wheel")  # names are pressed
        for event in events:
            self._take(event, event.x - left, shown, pointed)
        if self._pressed is None or any(event.kind == "press" for event in events):
            return  # in the frame of the press the button may not count as down yet
        x = pointer.x - left
        if self._dragging is not None or abs(x - self._pressed[0]) > self.style.size(DRAGGED):
            self._dragging = (self._pressed[0], x)
            begin, end = map(shown.time_at, self._dragging)
            if shown.document.strip.area != (min(begin, end), max(begin, end)):
                self.session.invoke("time.area", begin=begin, end=end)
        if not pointer.left_down or any(event.kind == "release" for event in pointer.events):
            if self._dragging is None:
                self._click(shown, *self._pressed)
            self._pressed = self._dragging = None

    def _click(self, shown: Shown, x: float, step: str | None, name: str) -> None:
        """Select the step that was pressed; elsewhere clear the area, but not inside it: a second click fills."""
        if step is not None and step in shown.record.graph:
            show = partial(self.session.invoke, "select.step", step=step, reveal=True)
            self.style.controls.act(self.sheet.drawlist, name, show)
        elif shown.document.strip.area is not None and not shown.in_area(x):
            self.session.invoke("time.area")

    def _take(self, event: InputEvent, x: float, shown: Shown, pointed: Pointed | None) -> None:
        at, ids = shown.at, shown.record.graph.ids
        if event.kind == "wheel":
            place = (x - at.left) / at.width
            sideways = "Shift" in event.held
            factor = 1.0 if sideways else ZOOM_STEP**event.wheel
            shift = -SHIFT_STEP * event.wheel if sideways else 0.0
            self.session.invoke("time.zoom", factor=factor, about=min(max(place, 0.0), 1.0), shift=shift)
        elif event.kind == "double":
            if event.button == "left" and (pointed is None or shown.in_area(x)):
                self._pressed = None
                self._fill(shown, x)
        elif event.button == "left":
            self._pressed = (x, ids[pointed.step], pointed.name) if pointed is not None else (x, None, "")
        elif event.button == "right":
            if pointed is not None:
                self.session.invoke("select.step", step=ids[pointed.step])
                self.session.open_context_menu("step", event.x, event.y, step=ids[pointed.step])
            else:
                self.session.open_context_menu("timeline", event.x, event.y)

    def _fill(self, shown: Shown, x: float) -> None:
        """A double click in the marked area fills the strip with it; elsewhere it shows the whole strip."""
        area, whole = shown.document.strip.area, self.run.whole
        if area is None or whole is None or not shown.in_area(x):
            self.session.invoke("time.zoom", factor=1e-6)
            return
        begin, end = (float(whole.place_of(seconds)) for seconds in area)
        now = shown.document.strip.view
        wide = max(end - begin, NARROWEST)
        self.session.invoke("time.zoom", factor=(now[1] - now[0]) / wide, about=0.0, shift=0.0)
        self.session.invoke("time.zoom", shift=(begin - now[0]) / wide)
