"""The timeline strip above the status bar: when each step ran; parallel steps are in separate rows."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import zip_longest

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.picture.step_colours import colours_by_kind
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.describe.numbers import format_duration, format_time
from opentine_gui.describe.step_titles import figures, title
from opentine_gui.scene.draw_list import Line, Rect
from opentine_gui.scene.overviews.timeline import Bar, Timeline, bars, step_at, timeline
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

HEIGHT = 40.0
MARGIN = 14.0
MOST_LISTED = 60
"""Bars that are listed as what can be pressed."""
MARK = 2.0
"""Pixels of the mark of a step that was found."""


class TimelinePanel(Panel):
    """Bars over wall time in the colours of the kinds; selected steps are marked, a click selects a step."""

    resizable = True

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.sheet = Sheet(self.pane.window, style)
        self.bars: list[Bar] = []
        self._record: RunRecord | None = None
        self._line: Timeline | None = None
        self._kinds: NDArray[np.uint8] | None = None
        self._wanted: RunRecord | None = None
        self._document = 0
        self._reading = False
        self._bars_for: tuple[int, int] = (0, 0)
        # Bars change with the run, marks with every click: they have separate draw nodes.
        self._marks = int(dpg.add_draw_node(parent=self.sheet.drawlist))
        self._marked: Hashable = None
        style.controls.add(self.sheet.drawlist, self._parts)

    def _parts(self) -> list[Part]:
        """The bars, each named after its first step; of very many, some from every part of the strip."""
        line = self._line
        if line is None:
            return []
        x0, width = self._inner()
        top, pitch = self._row_place(line)
        parts = []
        listed = sorted(self.bars[:: len(self.bars) // MOST_LISTED + 1], key=lambda bar: (bar.row, bar.x0))
        for bar, following in zip_longest(listed, listed[1:]):
            # Bars have a least width: of those that lie closer, a press takes the nearest.
            end = min(bar.x1, following.x0) if following is not None and following.row == bar.row else bar.x1
            if end <= bar.x0:
                continue
            step = step_at(line, (bar.x0 + end) / 2 / width, bar.row, self.style.size(4) / width)
            area = Area(x0 + bar.x0, top + bar.row * pitch, max(end - bar.x0, 1.0), pitch)
            words = self._words(step) if step is not None else ""
            parts.append(Part(f"bar {step}", "bar", area, words, content=True))
        return parts

    def wanted_height(self, _room: float) -> float:
        """0 when the active run has no recorded times."""
        self._read()
        return self.style.size(HEIGHT) if self._line is not None or self._reading else 0.0

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        self.sheet.place(0, 0, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the active run, its selection and the pointer."""
        self._read()
        self.pane.follow_theme()
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
                    show = partial(self.session.invoke, "select.step", step=step, reveal=True)
                    self.style.controls.act(self.sheet.drawlist, f"bar {pointed}", show)
                elif event.button == "right":
                    self.session.invoke("select.step", step=step)
                    self.session.open_context_menu("step", event.x, event.y, step=step)
        elif self.sheet.hovered:
            for event in pointer.take("press"):
                if event.button == "right":
                    self.session.open_context_menu("timeline", event.x, event.y)
        self.sheet.sync(pointer, (document.number, id(self._record)), self._draw)
        self._mark(line)
        if self.sheet.hovered:
            pointer.shape = "hand" if pointed is not None else pointer.shape
            self.sheet.tooltip.set_text(self._words(pointed) if pointed is not None else "")

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

        def read() -> tuple[Timeline | None, NDArray[np.uint8]]:
            return timeline(graph.timestamps, graph.durations), colours_by_kind(graph).kinds

        def done(found: tuple[Timeline | None, NDArray[np.uint8]]) -> None:
            self._reading = False
            self._show(record, *found)
            self.session.touch()

        if before != self._document:  # after an edit the previous strip is shown until then
            self._show(None, None, None)
        self._reading = True
        self.session.jobs.compute("timeline", read, done, steps=len(graph))

    def _show(self, record: RunRecord | None, line: Timeline | None, kinds: NDArray[np.uint8] | None) -> None:
        self._record, self._line, self._kinds = record, line, kinds
        self._bars_for = (0, 0)

    def _inner(self) -> tuple[float, float]:
        margin = self.style.size(MARGIN)
        return margin, max(self.sheet.width - 2 * margin, 1.0)

    def _row_at(self, y: float, line: Timeline) -> int:
        top, height = self._row_place(line)
        return min(max(int((y - top) // height), 0), line.row_count - 1)

    def _row_place(self, line: Timeline) -> tuple[float, float]:
        """(top of the first row, distance between rows) in pixels."""
        room = self.sheet.height - self.style.size(14)
        widest = self.style.size(11) * max(self.sheet.height / self.style.size(HEIGHT), 1.0)
        pitch = min(widest, room / line.row_count)
        return (self.sheet.height - pitch * line.row_count) / 2, pitch

    def _step_under(self, pointer: Pointer, line: Timeline) -> int | None:
        left, top = dpg.get_item_rect_min(self.sheet.drawlist)
        x0, width = self._inner()
        place = (pointer.x - left - x0) / width
        row = self._row_at(pointer.y - top, line)
        reach = self.style.size(4) / width
        return step_at(line, place, row, reach)

    def _draw(self, pen: Pen) -> None:
        document, line, record, theme = self.session.active, self._line, self._record, self.style.theme
        if document is None or line is None or record is None or self._kinds is None:
            return
        x0, width = self._inner()
        wanted = (id(record), int(width))
        if wanted != self._bars_for:
            self._bars_for = wanted
            self.bars = bars(line, int(width), self._kinds, record.graph.failed)
        top, pitch = self._row_place(line)
        tall = max(pitch - self.style.size(2), 2.0)
        radius = self.style.size(2)
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

    def _mark(self, line: Timeline) -> None:
        """Mark the starts of the selected steps."""
        document, record, style, theme = self.session.active, self._record, self.style, self.style.theme
        if document is None or record is None:
            return
        size = (self.sheet.width, self.sheet.height)
        lit_now = lit_steps(self.session, document, record.graph)
        found = lit_now.revision if lit_now is not None else None
        key = (document.number, document.selection_revision, id(record), size, id(theme), found)
        if key == self._marked:
            return
        self._marked = key
        x0, width = self._inner()
        pen = Pen(style, None)
        if lit_now is not None:
            lit = np.frombuffer(lit_now.steps, dtype=np.uint8)[line.steps] == 1
            for column in np.unique((line.starts[lit] * width // MARK).astype(np.int64)).tolist():
                x = x0 + column * MARK
                pen.rect(x, 0, x + MARK, style.size(4), theme.accent)
        for step in document.selection.ids[-50:]:
            if step not in record.graph:
                continue
            found = (line.steps == record.graph.index(step)).nonzero()[0]
            if len(found):
                x = x0 + float(line.starts[found[0]]) * width
                primary = step == document.selection.primary
                half = style.size(1 if primary else 0.5)
                pen.rect(x - half, style.size(3), x + half, self.sheet.height - style.size(3), theme.accent)
        self.sheet.painter.repaint(self._marks, pen.items)

    def _words(self, position: int) -> str:
        if self._record is None:
            return ""
        step = self._record.graph.step(position)
        begin = format_time(step.timestamp - step.duration)
        words = f"{title(step)}\n{figures(step)}\nbegan about {begin}, recorded {format_time(step.timestamp)}"
        pause = next((seconds for _place, seconds in (self._line.pauses if self._line else ())), None)
        return words if pause is None else f"{words}\nlong pauses are drawn short ({format_duration(pause)} the first)"
