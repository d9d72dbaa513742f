"""The strip above the status bar: when each step ran, in rows for what ran at the same time."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.step_colours import colours_by_kind
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.describe.numbers import format_duration, format_time
from opentine_gui.describe.step_titles import figures, title
from opentine_gui.scene.draw_list import Line, Rect
from opentine_gui.scene.overviews.timeline import Bar, bars, step_at, timeline
from opentine_gui.scene.overviews.timeline import Timeline as TimeLine
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.look import Look
from opentine_gui.ui.toolkit.panel_window import Ground
from opentine_gui.ui.toolkit.sheet import Pen, Sheet

HEIGHT = 40.0
MARGIN = 14.0


class Timeline:
    """Bars by wall time in the colours of the kinds; the selected step is marked, a click selects."""

    def __init__(self, session: Session, look: Look, parent: int | str) -> None:
        self.session, self.look = session, look
        self.ground = Ground(parent, look)
        self.sheet = Sheet(self.ground.window, look)
        self.bars: list[Bar] = []
        self._record: RunRecord | None = None
        self._line: TimeLine | None = None
        self._kinds: NDArray[np.uint8] | None = None
        self._wanted: RunRecord | None = None
        self._document = 0
        self._reading = False
        self._bars_for: tuple[int, int] = (0, 0)
        # Bars change with the run, marks with every click: they are painted apart.
        self._marks = int(dpg.add_draw_node(parent=self.sheet.drawlist))
        self._marked: Hashable = None

    @property
    def wanted_height(self) -> float:
        """Height in pixels the strip asks for: 0 when the run in front has no recorded times."""
        self._read()
        return self.look.size(HEIGHT) if self._line is not None or self._reading else 0.0

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.ground.place(x, y, width, height)
        self.sheet.place(0, 0, width, height)

    def show(self, visible: bool) -> None:
        self.ground.show(visible)

    def sync(self, pointer: Pointer) -> None:
        """Follow the run in front, its selection and the pointer."""
        self._read()
        self.ground.dress()
        document, line = self.session.active, self._line
        if document is None or line is None or self._record is None:
            self.sheet.sync(pointer, None, lambda _pen: None)
            self._clear_marks()
            return
        pointed = self._step_under(pointer, line) if self.sheet.hovered else None
        if pointed is not None:
            step = self._record.graph.ids[pointed]
            for event in pointer.take("press"):
                if event.button == "left":
                    self.session.invoke("select.step", step=step, reveal=True)
        self.sheet.sync(pointer, (document.number, id(self._record)), self._draw)
        self._mark(line)
        if self.sheet.hovered:
            self.sheet.hint.say(self._words(pointed) if pointed is not None else "")

    def _read(self) -> None:
        document = self.session.active
        record = document.record if document is not None else None
        if record is self._wanted:
            return
        self._wanted = record
        self.session.jobs.cancel("timeline")
        self._reading = False
        before, self._document = self._document, document.number if document is not None else 0
        if record is None:
            self._show(None, None, None)
            return
        graph = record.graph

        def read() -> tuple[TimeLine | None, NDArray[np.uint8]]:
            return timeline(graph.timestamps, graph.durations), colours_by_kind(graph).kinds

        def done(found: tuple[TimeLine | None, NDArray[np.uint8]]) -> None:
            self._reading = False
            self._show(record, *found)
            self.session.touch()

        if before != self._document:  # after an edit the strip of before stays on show meanwhile
            self._show(None, None, None)
        self._reading = True
        self.session.jobs.compute("timeline", read, done, steps=len(graph))

    def _show(self, record: RunRecord | None, line: TimeLine | None, kinds: NDArray[np.uint8] | None) -> None:
        self._record, self._line, self._kinds = record, line, kinds
        self._bars_for = (0, 0)

    def _inner(self) -> tuple[float, float]:
        margin = self.look.size(MARGIN)
        return margin, max(self.sheet.width - 2 * margin, 1.0)

    def _row_at(self, y: float, line: TimeLine) -> int:
        top, height = self._row_place(line)
        return min(max(int((y - top) // height), 0), line.row_count - 1)

    def _row_place(self, line: TimeLine) -> tuple[float, float]:
        """Top of the first row and the pitch of the rows."""
        room = self.sheet.height - self.look.size(14)
        pitch = min(self.look.size(11), room / line.row_count)
        return (self.sheet.height - pitch * line.row_count) / 2, pitch

    def _step_under(self, pointer: Pointer, line: TimeLine) -> int | None:
        left, top = dpg.get_item_rect_min(self.sheet.drawlist)
        x0, width = self._inner()
        place = (pointer.x - left - x0) / width
        row = self._row_at(pointer.y - top, line)
        reach = self.look.size(4) / width
        return step_at(line, place, row, reach)

    def _draw(self, pen: Pen) -> None:
        document, line, record, theme = self.session.active, self._line, self._record, self.look.theme
        if document is None or line is None or record is None or self._kinds is None:
            return
        x0, width = self._inner()
        wanted = (id(record), int(width))
        if wanted != self._bars_for:
            self._bars_for = wanted
            self.bars = bars(line, int(width), self._kinds, record.graph.failed)
        top, pitch = self._row_place(line)
        tall = max(pitch - self.look.size(2), 2.0)
        radius = self.look.size(2)
        colors = [theme.kind(kind) for kind in SHOWN_KINDS]
        for bar in self.bars:
            y = top + bar.row * pitch
            color = theme.bad if bar.failed else colors[bar.kind]
            rounding = radius if bar.x1 - bar.x0 > 3 * radius else 0.0
            pen.items.append(Rect(x0 + bar.x0, y, x0 + bar.x1, y + tall, color, None, rounding))
        for place, _seconds in line.pauses:
            x = x0 + place * width
            pen.items.append(Line(((int(x), top), (int(x), top + pitch * line.row_count)), theme.edge, 1.0))

    def _clear_marks(self) -> None:
        if self._marked is not None:
            self._marked = None
            dpg.delete_item(self._marks, children_only=True)

    def _mark(self, line: TimeLine) -> None:
        """Mark where the selected steps begin."""
        document, record, look, theme = self.session.active, self._record, self.look, self.look.theme
        if document is None or record is None:
            return
        size = (self.sheet.width, self.sheet.height)
        key = (document.number, document.selection_revision, id(record), size, id(theme))
        if key == self._marked:
            return
        self._marked = key
        x0, width = self._inner()
        pen = Pen(look, None)
        for step in document.selection.ids[-50:]:
            if step not in record.graph:
                continue
            found = (line.steps == record.graph.index(step)).nonzero()[0]
            if len(found):
                x = x0 + float(line.starts[found[0]]) * width
                primary = step == document.selection.primary
                half = look.size(1 if primary else 0.5)
                pen.rect(x - half, look.size(3), x + half, self.sheet.height - look.size(3), theme.accent)
        self.sheet.painter.repaint(self._marks, pen.items)

    def _words(self, position: int) -> str:
        if self._record is None:
            return ""
        step = self._record.graph.step(position)
        begin = format_time(step.timestamp - step.duration)
        words = f"{title(step)}\n{figures(step)}\nbegan about {begin}, recorded {format_time(step.timestamp)}"
        pause = next((seconds for _place, seconds in (self._line.pauses if self._line else ())), None)
        return words if pause is None else f"{words}\nlong pauses are drawn short ({format_duration(pause)} the first)"
