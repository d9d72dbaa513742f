"""The time strip above the status bar: work in lanes by agent, waiting left out, phases, and an area with its sums."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

import dearpygui.dearpygui as dpg
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.step_colours import colours_by_kind
from opentine_gui.app.inspect.analysis.call_rows import calls_of
from opentine_gui.app.inspect.analysis.context_rows import Curve, context_words, curve_of
from opentine_gui.app.inspect.analysis.file_rows import follow_picked
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from opentine_gui.app.inspect.analysis.time_area import area_words, follow_area, steps_between
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.agents import agents
from opentine_gui.describe.numbers import format_duration, format_time
from opentine_gui.describe.step_titles import figures, title
from opentine_gui.scene.overviews.time_axis import stretches, ticks
from opentine_gui.scene.overviews.timeline import Bar, Timeline, bars, step_at, timeline, zoomed
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.panels.time_strip.drawing import (
    CURVE,
    LABEL,
    PHASE_NAMES,
    Places,
    draw_area,
    draw_axis,
    draw_bars,
    draw_curve,
    draw_file,
    draw_pauses,
    draw_ribbon,
    lit_columns,
    phase_color,
    places_of,
)
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

LOW, HEIGHT = 40.0, 76.0
"""Heights in design pixels: of a strip that needs no axis, and of one with sub-agents, pauses or many steps."""
MANY = 60
LEAST_REQUESTS = 8
"""Requests from which their contexts make a curve."""
MARGIN = 14.0
MOST_LISTED = 60
"""Bars that are listed as what can be pressed."""
MARK = 2.0
"""Pixels of the mark of a step that was found."""
DRAGGED = 5.0
"""Pixels a press has to move before it marks an area."""
ZOOM_STEP, SHIFT_STEP = 1.25, 0.12


class Made(NamedTuple):
    """What a job made of a run: the whole strip and the kinds of its steps."""

    line: Timeline | None
    kinds: NDArray[np.uint8]


class TimelinePanel(Panel):
    """Bars in the colours of the kinds; a click selects a step, a drag marks an area, the wheel zooms."""

    resizable = True

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.sheet = Sheet(self.pane.window, style)
        self.bars: list[Bar] = []
        self._made: Made | None = None
        self._record: RunRecord | None = None
        self._wanted: RunRecord | None = None
        self._document = 0
        self._reading = False
        self._line: tuple[Made | None, tuple[float, float], Timeline | None] = (None, (0.0, 1.0), None)
        self._pressed: tuple[float, int | None] | None = None
        self._dragging: tuple[float, float] | None = None
        # Bars change with the run, marks with every click: they have separate draw nodes.
        self._marks = int(dpg.add_draw_node(parent=self.sheet.drawlist))
        self._marked: Hashable = None
        style.controls.add(self.sheet.drawlist, self._parts)

    def _parts(self) -> list[Part]:
        """The bars, each named after its first step; of very many, some from every part of the strip."""
        line = self.line
        if line is None:
            return []
        at = self._places(line)
        parts = []
        listed = sorted(self.bars[:: len(self.bars) // MOST_LISTED + 1], key=lambda bar: (bar.row, bar.x0))
        for bar, following in zip_longest(listed, listed[1:]):
            # Bars have a least width: of those that lie closer, a press takes the nearest.
            end = min(bar.x1, following.x0) if following is not None and following.row == bar.row else bar.x1
            if end <= bar.x0:
                continue
            step = step_at(line, (bar.x0 + end) / 2 / at.width, bar.row, self.style.size(4) / at.width)
            area = Area(at.left + bar.x0, at.top + bar.row * at.pitch, max(end - bar.x0, 1.0), at.pitch)
            words = self._words(step) if step is not None else ""
            parts.append(Part(f"bar {step}", "bar", area, words, content=True))
        return parts

    @property
    def line(self) -> Timeline | None:
        """The part of the strip in view."""
        document, made = self.session.active, self._made
        if document is None or made is None or made.line is None:
            return None
        view = document.strip.view
        if self._line[0] is not made or self._line[1] != view:
            self._line = (made, view, zoomed(made.line, *view))
        return self._line[2]

    def wanted_height(self, _room: float) -> float:
        """0 when the active run has no recorded times."""
        self._read()
        line = self._made.line if self._made is not None else None
        if line is None:
            return self.style.size(LOW) if self._reading else 0.0
        rich = line.lane_row < line.row_count or bool(line.pauses) or len(line) > MANY
        rows = max(line.row_count - 3, 0) * 6.0 + (CURVE if self._curve() is not None else 0.0)
        return self.style.size(HEIGHT + rows if rich else LOW)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the strip."""
        self.pane.place(x, y, width, height)
        self.sheet.place(0, 0, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the active run, its selection and the pointer."""
        self._read()
        self.pane.follow_theme()
        document, record, line = self.session.active, self._record, self.line
        if document is None or line is None or record is None:
            self.sheet.sync(pointer, None, lambda _pen: None)
            self._clear_marks()
            return
        follow_area(document)
        picked = follow_picked(self.session, document)
        calls = calls_of(self.session, document)
        pointed = self._step_under(pointer, line) if self.sheet.hovered else None
        self._handle(pointer, document, record, line, pointed)
        key = (
            document.number,
            id(record),
            id(line),
            id(calls),
            id(self._curve()),
            document.picked_revision,
            id(picked),
        )
        self.sheet.sync(pointer, key, self._draw)
        self._mark(line)
        if self.sheet.hovered:
            pointer.shape = "hand" if pointed is not None else pointer.shape
            self.sheet.tooltip.set_text(self._words(pointed) if pointed is not None else "")

    # --- the pointer -------------------------------------------------------------------------------------------------

    def _handle(
        self, pointer: Pointer, document: Document, record: RunRecord, line: Timeline, pointed: int | None
    ) -> None:
        left, _ = dpg.get_item_rect_min(self.sheet.drawlist)
        events = pointer.take("press", "double", "wheel") if self.sheet.hovered else []
        for event in events:
            self._take(event, event.x - left, document, record, line, pointed)
        if self._pressed is None or any(event.kind == "press" for event in events):
            return  # in the frame of a press the button may not count as down yet
        x = pointer.x - left
        if self._dragging is not None or abs(x - self._pressed[0]) > self.style.size(DRAGGED):
            self._dragging = (self._pressed[0], x)
            begin, end = (self._time_at(line, place) for place in self._dragging)
            if document.strip.area != (min(begin, end), max(begin, end)):
                self.session.invoke("time.area", begin=begin, end=end)
        if not pointer.left_down or any(event.kind == "release" for event in pointer.events):
            self._pressed = self._dragging = None

    def _take(
        self, event: InputEvent, x: float, document: Document, record: RunRecord, line: Timeline, pointed: int | None
    ) -> None:
        at = self._places(line)
        place = (x - at.left) / at.width
        if event.kind == "wheel":
            sideways = "Shift" in event.held
            factor = 1.0 if sideways else ZOOM_STEP**event.wheel
            shift = -SHIFT_STEP * event.wheel if sideways else 0.0
            self.session.invoke("time.zoom", factor=factor, about=min(max(place, 0.0), 1.0), shift=shift)
        elif event.kind == "double":
            if pointed is None and event.button == "left":
                self._pressed = None
                self._zoom_to_area(document, x, line)
        elif event.button == "left":
            self._pressed = (x, pointed)
            if pointed is not None:
                step = record.graph.ids[pointed]
                show = partial(self.session.invoke, "select.step", step=step, reveal=True)
                self.style.controls.act(self.sheet.drawlist, f"bar {pointed}", show)
            elif document.strip.area is not None:
                self.session.invoke("time.area")
        elif event.button == "right":
            if pointed is not None:
                step = record.graph.ids[pointed]
                self.session.invoke("select.step", step=step)
                self.session.open_context_menu("step", event.x, event.y, step=step)
            else:
                self.session.open_context_menu("timeline", event.x, event.y)

    def _zoom_to_area(self, document: Document, x: float, line: Timeline) -> None:
        """A double click in the marked area fills the strip with it; elsewhere it shows the whole strip."""
        area, whole = document.strip.area, self._made.line if self._made is not None else None
        if area is not None and whole is not None and area[0] <= self._time_at(line, x) <= area[1]:
            begin, end = (float(whole.place_of(seconds)) for seconds in area)
            now = document.strip.view
            wide = max(end - begin, 1e-4)
            self.session.invoke("time.zoom", factor=(now[1] - now[0]) / wide, about=0.0, shift=0.0)
            self.session.invoke("time.zoom", shift=(begin - now[0]) / wide)
        else:
            self.session.invoke("time.zoom", factor=1e-6)

    def _time_at(self, line: Timeline, x: float) -> float:
        at = self._places(line)
        return float(line.time_at(min(max((x - at.left) / at.width, 0.0), 1.0)))

    # --- the run -----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        document = self.session.active
        record = document.record if document is not None else None
        if record is self._wanted:
            return
        self._wanted = record
        self.session.jobs.cancel("timeline")
        self._reading = False
        before, self._document = self._document, document.number if document is not None else 0
        if record is None or before != self._document:  # after an edit the previous strip is shown until the next
            self._drop()
        if record is None:
            return
        graph = record.graph

        def read() -> Made:
            line = timeline(graph.timestamps, graph.durations, np.frombuffer(agents(graph), dtype=np.int32))
            return Made(line, colours_by_kind(graph).kinds)

        def done(found: Made) -> None:
            self._reading = False
            self._record, self._made = record, found
            self.session.touch()

        self._reading = True
        self.session.jobs.compute("timeline", read, done, steps=len(graph))

    def forget(self) -> None:
        """Let go of the run; a job that reads it is cancelled."""
        if self._wanted is not None:
            self.session.jobs.cancel("timeline")
            self._wanted, self._reading = None, False
        if self._made is not None or self._record is not None:
            self._drop()

    def _drop(self) -> None:
        """Let go of the run and of all that was made of it."""
        self._record = self._made = None
        self._line = (None, (0.0, 1.0), None)
        self.bars = []

    def _curve(self) -> Curve | None:
        """The context of the run, where it made requests."""
        document = self.session.active
        curve = curve_of(self.session, document) if document is not None and document.record is self._record else None
        return curve if curve is not None and len(curve.steps) > LEAST_REQUESTS else None

    def _places(self, line: Timeline) -> Places:
        size = self.style.size
        with_curve = self._curve() is not None
        return places_of(
            self.sheet.width, self.sheet.height, size(1), size(MARGIN), line.row_count, with_curve=with_curve
        )

    def _step_under(self, pointer: Pointer, line: Timeline) -> int | None:
        left, top = dpg.get_item_rect_min(self.sheet.drawlist)
        at = self._places(line)
        y = pointer.y - top
        if at.ribbon and y > at.ribbon - 1:
            return None
        row = min(max(int((y - at.top) // at.pitch), 0), line.row_count - 1)
        return step_at(line, (pointer.x - left - at.left) / at.width, row, self.style.size(4) / at.width)

    # --- drawing -----------------------------------------------------------------------------------------------------

    def _draw(self, pen: Pen) -> None:
        document, line, record, made = self.session.active, self.line, self._record, self._made
        if document is None or line is None or record is None or made is None:
            return
        at = self._places(line)
        self.bars = bars(line, int(at.width), made.kinds, record.graph.failed)
        draw_bars(pen, self.bars, at)
        draw_pauses(pen, line, at)
        curve = self._curve()
        if curve is not None:
            draw_curve(pen, line, curve, at)
        calls = calls_of(self.session, document)
        if calls is not None and len(calls.phases) == len(record.graph):
            phases = np.frombuffer(calls.phases, dtype=np.uint8)
            draw_ribbon(pen, stretches(line, int(at.width), phases), at)
            if at.words:
                self._legend(pen, at)
        draw_axis(pen, ticks(line, at.width, self.style.size(84)), at, line)
        picked = document.picked_file
        if picked is not None and picked.graph is record.graph:
            draw_file(pen, line, picked.file, at)

    def _legend(self, pen: Pen, at: Places) -> None:
        """The words of the phases, at the right end of the line of marks, where they are in no one's way."""
        style, theme = self.style, self.style.theme
        x = at.left + at.width
        for phase, name in reversed(PHASE_NAMES.items()):
            x = pen.text(x, at.marks, name, theme.faint, "text", LABEL, right=True) - style.size(10)
            y = at.marks - style.size(3)
            pen.rect(x, y, x + style.size(6), y + style.size(6), phase_color(theme, phase))
            x -= style.size(9)

    def _clear_marks(self) -> None:
        if self._marked is not None:
            self._marked = None
            dpg.delete_item(self._marks, children_only=True)

    def _mark(self, line: Timeline) -> None:
        """Mark what is lit, the selected steps and the area."""
        document, record, style, theme = self.session.active, self._record, self.style, self.style.theme
        if document is None or record is None:
            return
        lit = lit_steps(self.session, document, record.graph)
        area = document.strip.area
        key = (
            document.number,
            document.selection_revision,
            id(record),
            id(line),
            (self.sheet.width, self.sheet.height),
            id(theme),
            lit.revision if lit is not None else None,
            area,
            document.layout_revision,
        )
        if key == self._marked:
            return
        self._marked = key
        at = self._places(line)
        pen = Pen(style, None)
        bottom = at.words - style.size(9) if at.words else self.sheet.height - style.size(3)
        if lit is not None and (area is None or lit.steps is not document.strip.lit):
            for x in lit_columns(line, lit.steps, at.width, MARK):
                pen.rect(at.left + x, 0, at.left + x + MARK, style.size(4), theme.accent)
        for step, primary in self._selected(document, record):
            found = (line.steps == step).nonzero()[0]
            if len(found):
                x = at.left + float(line.starts[found[0]]) * at.width
                half = style.size(1 if primary else 0.5)
                pen.rect(x - half, style.size(3), x + half, bottom, theme.accent)
        if area is not None:
            x0, x1 = (at.left + float(place) * at.width for place in line.place_of(area))
            if x1 > at.left and x0 < at.left + at.width:
                steps = steps_between(record.graph, *area)
                words = area_words(record, steps, self._work_in(area))
                draw_area(pen, max(x0, at.left), min(x1, at.left + at.width), at, words, bottom)
        self.sheet.painter.repaint(self._marks, pen.items)

    def _selected(self, document: Document, record: RunRecord) -> list[tuple[int, bool]]:
        """The selected steps, of a group all that are in it, and whether each is the primary one."""
        positions, primary = record.graph.positions, document.selection.primary
        found = [(positions[step], step == primary) for step in document.selection.ids[-50:] if step in positions]
        group = document.selected_group
        if group is not None and document.fold is not None and document.fold.graph is record.graph:
            inside = document.fold.all_steps(group)
            found += [(step, False) for step in inside[:: len(inside) // 200 + 1]]
        return found

    def _work_in(self, area: tuple[float, float]) -> float:
        """The seconds of an area without the waiting that is left out of the strip."""
        whole = self._made.line if self._made is not None else None
        span = area[1] - area[0]
        if whole is None:
            return span
        for place, seconds in whole.pauses:
            begin = float(whole.time_at(place))
            span -= max(min(area[1], begin + seconds) - max(area[0], begin), 0.0)
        return max(span, 0.0)

    def _words(self, position: int) -> str:
        if self._record is None:
            return ""
        step = self._record.graph.step(position)
        begin = format_time(step.timestamp - step.duration)
        words = f"{title(step)}\n{figures(step)}\nbegan about {begin}, recorded {format_time(step.timestamp)}"
        curve = self._curve()
        said = context_words(curve, position) if curve is not None else None
        words += f"\ncontext {said.fill}" if said is not None else ""
        whole = self._made.line if self._made is not None else None
        if whole is None or not whole.pauses:
            return words
        return f"{words}\n{format_duration(sum(seconds for _, seconds in whole.pauses))} of waiting is left out"
