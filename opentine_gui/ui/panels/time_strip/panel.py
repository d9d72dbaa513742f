"""The time strip above the status bar: work in rows by agent, waiting left out, phases, and an area with its sums."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from itertools import zip_longest

import dearpygui.dearpygui as dpg
import numpy as np

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import BETWEEN_LOOKS, is_growing
from opentine_gui.app.inspect.analysis.call_rows import calls_of, phases_of
from opentine_gui.app.inspect.analysis.context_rows import context_words
from opentine_gui.app.inspect.analysis.file_rows import follow_picked
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from opentine_gui.app.inspect.analysis.time_area import area_words, follow_area, steps_between
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord, TineError
from opentine_gui.core.analysis.agents import MAIN
from opentine_gui.core.structure.work_times import WAITING
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.failures.stopped_words import wait_words
from opentine_gui.describe.numbers import format_time
from opentine_gui.describe.step_titles import agent_task, figures, title
from opentine_gui.scene.overviews.time_axis import stretches, ticks
from opentine_gui.scene.overviews.timeline import Bar, Timeline, bars, step_at
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.panels.time_strip.axis import TICK, draw_axis, draw_pause_key, word_places
from opentine_gui.ui.panels.time_strip.context import ContextCurves
from opentine_gui.ui.panels.time_strip.curves import held_by
from opentine_gui.ui.panels.time_strip.drawing import (
    LABEL,
    draw_bar_words,
    draw_bars,
    draw_names,
    draw_ribbon,
)
from opentine_gui.ui.panels.time_strip.file_marks import REACH, FileMark, draw_file, file_marks, mark_at, mark_words
from opentine_gui.ui.panels.time_strip.marks import draw_marks
from opentine_gui.ui.panels.time_strip.places import MARKS, Places, places_of
from opentine_gui.ui.panels.time_strip.strip_pointer import Pointed, Shown, StripPointer
from opentine_gui.ui.panels.time_strip.strip_run import Made, StripRun
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

WHOLE, ZOOMED = (0.0, 1.0), "zoomed: show all"
"""The view of a strip that shows all of the time, and what leads back to it."""
NO_TIMES = "When the steps of this run began is not recorded, so there is no time strip."
ONE_TIME = "The steps of this run all have the same time, so there is no time strip."
LOW, HEIGHT, UNTIMED = 52.0, 76.0, 24.0
"""Heights in design pixels: with clock times alone, with sub-agents, pauses or many steps, and of a sentence."""
NAMED_ROW = 11.0
"""Height of a further row where rows have names."""
MANY = 60
MARGIN = 14.0
MOST_TOLD = 12
"""Sub-agents that a row's tooltip names."""
MOST_TITLES, LONGEST_TITLED = 2_000, 200_000
"""Titles of bars that are kept, and the bytes of a step from which none is made: it would be read in a frame."""
MOST_LISTED = 60
"""Bars that are listed as what can be pressed."""
PAINTED, LONGEST_LOOK = 400.0, 4.0
"""Of a run that grows so many marks are painted in a second at most, and all of them after so many seconds."""


class TimelinePanel(Panel):
    """Bars in the colours of the kinds; a click selects a step, a drag marks an area, the wheel zooms."""

    resizable = True

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.sheet = Sheet(self.pane.window, style)
        self.bars: list[Bar] = []
        self.file_marks: list[FileMark] = []
        """The marks of the picked file, as they were drawn last."""
        self._titles: dict[str, str] = {}
        self.run = StripRun(session)
        self.curves = ContextCurves(session, self.run)
        self._pointer = StripPointer(session, style, self.sheet, self.run)
        # Bars change with the run, marks with every click, so they have separate draw nodes.
        self._marks = int(dpg.add_draw_node(parent=self.sheet.drawlist))
        self._marked: Hashable = None
        self._untimed_run: tuple[Hashable, str] = (None, NO_TIMES)
        self._summed: tuple[Hashable, str] = (None, "")
        """An area and its sums in words, which stay the same while the strip is zoomed."""
        self._shown: tuple[Hashable, float, Hashable] = (None, 0.0, None)
        """What the bars were painted of: what the user set, when, and all of it."""
        self._listed: tuple[list[Bar], list[Part]] = (self.bars, [])
        """What `_parts` listed last, and of which bars: to say what each is takes longer than to draw them."""
        style.controls.add(self.sheet.drawlist, self._parts)

    def _parts(self) -> list[Part]:
        """The bars, each named after its first step; of very many, a sample from every part of the strip. And marks."""
        line = self.line
        if line is None:
            return []
        if self.bars is self._listed[0]:
            return self._listed[1]
        at = self._places(line)
        parts = []
        listed = sorted(self.bars[:: len(self.bars) // MOST_LISTED + 1], key=lambda bar: (bar.row, bar.x0))
        for bar, following in zip_longest(listed, listed[1:]):
            # Bars have a minimum width; where they overlap, a press takes the nearest.
            end = min(bar.x1, following.x0) if following is not None and following.row == bar.row else bar.x1
            if end <= bar.x0:
                continue
            area = Area(at.left + bar.x0, at.top + bar.row * at.pitch, max(end - bar.x0, 1.0), at.pitch)
            # Many bars may share a pixel, and the pointer is always on a whole one.
            pixel = round(area.x + area.width / 2)
            step = self._step_at(line, pixel - at.left, bar.row, at)
            if step is None:  # drawn for another size, as before the window came back from the whole screen
                return []
            parts.append(Part(f"bar {step}", "bar", area, self._words(step), content=True))
        for each in self.file_marks[:: len(self.file_marks) // MOST_LISTED + 1]:
            area = Area(round(at.left + each.x), at.marks - 1, 1.0, 2.0)
            mark = mark_at(self.file_marks, area.x - at.left, self.style.size(REACH))
            if mark is not None:
                pointed = Pointed(mark.step, mark)
                parts.append(Part(pointed.name, "mark", area, self._told(pointed), content=True))
        self._listed = (self.bars, parts)
        return parts

    @property
    def line(self) -> Timeline | None:
        """The visible part of the strip."""
        return self.run.line(self.session.active)

    def wanted_height(self, _room: float) -> float:
        """Room for one sentence when the active run has no recorded times; 0 for a run of one step."""
        self.run.follow(self.session.active)
        line = self.run.whole
        if line is None:
            return self.style.size(LOW if self.run.reading else UNTIMED if self._untimed else 0.0)
        rich = line.agent_row < line.row_count or len(line) > MANY or line.last - line.first >= WAITING
        each = NAMED_ROW if line.agent_row < line.row_count else 6.0
        rows = max(line.row_count - 3, 0) * each + self.curves.height
        return self.style.size(HEIGHT + rows if rich else LOW)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the strip."""
        self.pane.place(x, y, width, height)
        self.sheet.place(0, 0, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the active run, its selection and the pointer."""
        self.run.follow(self.session.active)
        self.pane.follow_theme()
        document, record, line = self.session.active, self.run.record, self.line
        if document is None or line is None or record is None:
            words = self._why_untimed() if self._untimed else ""
            self.sheet.sync(pointer, words, partial(self._draw_untimed, words))
            self._clear_marks()
            return
        follow_area(document)
        follow_picked(self.session, document)
        calls = calls_of(self.session, document)
        pointed = self._pointed(pointer, line) if self.sheet.look(pointer) else None
        self._pointer.handle(pointer, Shown(document, record, line, self._places(line)), pointed)
        shown = (document.number, self.run.revision, document.strip.view, document.picked_revision)
        runs = document.content_revision if self.curves.overlay is not None else 0  # which are on, and which is lit
        key = (*shown, calls, self.curves.curve, runs)
        self.sheet.sync(pointer, self._held(document, shown, key), self._draw)
        self._mark(line)
        if self.sheet.hovered and pointed is not None:
            pointer.shape = "hand"
            self.sheet.tooltip.set_text(self._told(pointed))

    def _held(self, document: Document, shown: Hashable, key: Hashable) -> Hashable:
        """The key of the picture; for a growing run, the previous key for a while if `shown` is the same."""
        now = self.session.clock()
        held = shown == self._shown[0] and now - self._shown[1] < self.run.between_looks
        if held and is_growing(self.session, document):
            return self._shown[2]
        if key != self._shown[2]:
            self._shown = (shown, now, key)
        return key

    # --- the run -----------------------------------------------------------------------------------------------------

    def forget(self) -> None:
        """Release the run; cancel a job that reads it."""
        self.run.forget()
        self.bars, self.file_marks = [], []
        self.curves.forget()

    def _places(self, line: Timeline) -> Places:
        size, curve = self.style.size, self.curves.height
        return places_of(self.sheet.width, self.sheet.height, size(1), size(MARGIN), line.row_count, curve=curve)

    def _pointed(self, pointer: Pointer, line: Timeline) -> Pointed | None:
        """What of a step lies under the pointer."""
        left, top = dpg.get_item_rect_min(self.sheet.drawlist)
        at, x = self._places(line), pointer.x - left
        if at.marks and abs(pointer.y - top - at.marks) <= self.style.size(MARKS / 2):
            mark = mark_at(self.file_marks, x - at.left, self.style.size(REACH))
            return Pointed(mark.step, mark) if mark is not None else None
        step = self._step_under(x, pointer.y - top, line, at)
        return Pointed(step) if step is not None else None

    def _step_under(self, x: float, y: float, line: Timeline, at: Places) -> int | None:
        """The step whose bar is drawn at a pixel of the strip, or whose context the curve shows there."""
        if at.ribbon and y > at.ribbon - 1:
            return None
        if at.curve and y > at.top + at.rows and self.curves.drawn is not None:
            return self.curves.drawn.step_at(x - at.left, (at.top + at.rows + at.curve - y) / at.curve)
        row = min(max(int((y - at.top) // at.pitch), 0), line.row_count - 1)
        return self._step_at(line, x - at.left, row, at)

    def _step_at(self, line: Timeline, x: float, row: int, at: Places) -> int | None:
        """The step whose bar is drawn `x` pixels from the left end of the strip, or nearest to it."""
        width, record = max(int(at.width), 1), self.run.record
        failed = None if record is None else record.graph.failed
        return step_at(line, x / width, row, self.style.size(4) / width, width, failed)

    @property
    def _untimed(self) -> bool:
        """Whether the run has steps but no recorded times."""
        record = self.run.record
        return self.run.whole is None and not self.run.reading and record is not None and len(record.graph) > 1

    # --- drawing -----------------------------------------------------------------------------------------------------

    def _draw(self, pen: Pen) -> None:
        document, line, record, made = self.session.active, self.line, self.run.record, self.run.made
        if document is None or line is None or record is None or made is None:
            return
        at = self._places(line)
        self.bars = bars(line, int(at.width), made.kinds, record.graph.failed)
        draw_bars(pen, self.bars, at, made.work.waited)
        worked = [bar for bar in self.bars if bar.step not in made.work.waited]
        draw_bar_words(pen, worked, at, line, lambda step: self._words_of(record, step))
        self.curves.draw(pen, line, at)
        phases = phases_of(self.session, document, record.graph)
        if phases is not None:
            draw_ribbon(pen, stretches(line, int(at.width), np.frombuffer(phases, dtype=np.uint8)), at)
        draw_axis(pen, line, ticks(line, at.width, self.style.size(TICK)), at)
        picked, name = document.picked_file, ""
        self.file_marks = []
        if picked is not None and picked.graph is record.graph:
            self.file_marks = file_marks(line, picked.file, at.width) if at.marks else []
            draw_file(pen, self.file_marks, at)
            name = clean(picked.file.path.rpartition("/")[2] or picked.file.path, 80)
        draw_names(pen, at, "main agent" if made.row_names else "steps", line.agent_row, made.row_names, name)
        if at.names:
            self._press_names(pen, record, made, line, at)
        if document.strip.view != WHOLE:
            self._draw_way_back(pen, at)
        elif line.pauses:
            draw_pause_key(pen, at)
        self.run.between_looks = min(max(BETWEEN_LOOKS, len(pen.items) / PAINTED), LONGEST_LOOK)

    def _draw_way_back(self, pen: Pen, at: Places) -> None:
        """Say that only a part of the time is in view, and lead back to all of it."""
        if at.names:
            action = self.session.actions["time.whole"]
            show = partial(self.session.invoke, action.id)
            left, room = self.style.size(MARGIN), at.names - self.style.size(6)
            end = pen.text(left, at.words, ZOOMED, pen.theme.accent, "text", LABEL, room=room)
            half = self.style.size(6)
            pen.zone(left, at.words - half, end, at.words + half, show, action.description, name=action.title)

    def _words_of(self, record: RunRecord, step: int) -> str:
        """The title of a step, kept while the strip is zoomed and moved; "" for one that is long to read."""
        graph = record.graph
        identity, raw = graph.ids[step], graph.raws[step]
        if identity not in self._titles:
            if len(self._titles) >= MOST_TITLES:
                self._titles.clear()
            try:
                self._titles[identity] = title(graph.step(step)) if len(raw) <= LONGEST_TITLED else ""
            except TineError:
                self._titles[identity] = ""
        return self._titles[identity]

    def _press_names(self, pen: Pen, record: RunRecord, made: Made, line: Timeline, at: Places) -> None:
        """The names of the rows of sub-agents lead to them, one after another where several share a row."""
        graph, size = record.graph, self.style.size
        for row, inside in enumerate(made.in_rows, line.agent_row):
            tasks = [agent_task(graph.step(agent)) for agent in inside[:MOST_TOLD]]
            if len(inside) > MOST_TOLD:
                tasks.append(f"and {len(inside) - MOST_TOLD:,} more")
            if len(inside) > 1:
                tasks.append("A press goes to the next of them.")
            steps = tuple(graph.ids[agent] for agent in inside)
            top = at.top + row * at.pitch - 1
            pen.zone(size(14), top, at.names, top + at.pitch, partial(self._go_to_next, steps), "\n".join(tasks))

    def _go_to_next(self, steps: tuple[str, ...]) -> None:
        """Select the one after the selected one of these steps, at first and at last the first."""
        document = self.session.active
        primary = document.selection.primary if document is not None else None
        place = steps.index(primary) + 1 if primary in steps else 0
        self.session.invoke("select.step", step=steps[place % len(steps)], reveal=True)

    def _why_untimed(self) -> str:
        """Why a run has no strip: no times, or one for all of its steps; looked up when it is another run."""
        document, record = self.session.active, self.run.record
        key = (document.number, document.content_revision) if document is not None else None
        if key != self._untimed_run[0]:
            times = record.graph.timestamps if record is not None else ()
            one = len(times) > 1 and all(time > 0 for time in times)
            self._untimed_run = (key, ONE_TIME if one else NO_TIMES)
        return self._untimed_run[1]

    def _draw_untimed(self, words: str, pen: Pen) -> None:
        if words:
            middle = self.sheet.height / 2
            pen.text(self.style.size(MARGIN), middle, words, self.style.theme.quiet, "text", LABEL + 1)

    def _clear_marks(self) -> None:
        if self._marked is not None:
            self._marked = None
            dpg.delete_item(self._marks, children_only=True)

    def _mark(self, line: Timeline) -> None:
        """Draw the highlights, the selected steps and the area."""
        document, record, style = self.session.active, self.run.record, self.style
        whole = self.run.whole
        if document is None or record is None or whole is None:
            return
        lit = lit_steps(self.session, document, record.graph)
        key = (
            document.number,
            document.selection_revision,
            self.run.revision,
            document.strip.view,
            (self.sheet.width, self.sheet.height),
            style.theme.name,
            lit.revision if lit is not None else None,
            document.strip.area,
            document.picture.cards_revision if document.selected_group is not None else 0,
        )
        if key == self._marked:
            return
        self._marked = key
        at = self._places(line)
        pen = Pen(style, None)
        bottom = at.words - style.size(9) if at.words else self.sheet.height - style.size(3)
        sums = self._sums(document, record, whole)
        axis = word_places(pen, line, at) if sums else ()
        draw_marks(pen, document, record, line, at, lit, bottom, sums, axis)
        self.sheet.painter.repaint(self._marks, pen.items)

    def _sums(self, document: Document, record: RunRecord, whole: Timeline) -> str:
        area = document.strip.area
        key = (document.number, document.strip.revision, self.run.revision)
        if area is None:
            return ""
        if self._summed[0] != key:
            steps = steps_between(record.graph, *area)
            self._summed = (key, area_words(record, steps, whole.work_between(*area)))
        return self._summed[1]

    def _told(self, pointed: Pointed) -> str:
        """The tooltip of a bar, or of a mark: what its step did to the file, above the rest."""
        words, document = self._words(pointed.step), self.session.active
        picked = document.picked_file if document is not None else None
        if pointed.mark is None or picked is None:
            return words
        return f"{mark_words(pointed.mark, picked.file.path)}\n{words}"

    def _words(self, position: int) -> str:
        record, made = self.run.record, self.run.made
        if record is None or made is None:
            return ""
        step = record.graph.step(position)
        begin, end = format_time(made.work.starts[position]), format_time(made.work.ends[position])
        reason = failure_reason(record.graph, position) if record.graph.failed[position] else ""
        why = f"\nfailed: {reason}" if reason else ""
        when = f"from {begin} to {end}" if begin != end else f"at {begin}"
        words = f"{title(step)}{why}\n{figures(step)}\n{when}"
        curve = self.curves.curve
        said = context_words(curve, position) if curve is not None else None
        words += f"\ncontext {said.fill}" if said is not None else ""
        overlay = self.curves.overlay
        words += f"\n{held_by(overlay, position)}" if overlay is not None else ""
        if made.agents[position] != MAIN:
            words += f"\nby the sub-agent: {title(record.graph.step(int(made.agents[position])))}"
        wait = wait_words(step) if position in made.work.waited else ""
        words += f"\n{wait}" if wait else ""
        return words
