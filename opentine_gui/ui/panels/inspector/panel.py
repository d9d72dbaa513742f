"""The inspector: shows the selection in full, or the run when nothing is selected."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import is_written
from opentine_gui.app.inspect.analysis.clock import clock_of
from opentine_gui.app.inspect.analysis.findings import facts_of, findings_of
from opentine_gui.app.inspect.analysis.happenings import Happenings
from opentine_gui.app.inspect.facts import Fact, run_facts
from opentine_gui.app.inspect.figures import totals_figures
from opentine_gui.app.inspect.integrity import statements
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord, Step, Totals, totals_of
from opentine_gui.core.analysis.run_clock import UNKNOWN
from opentine_gui.core.structure.work_times import worked
from opentine_gui.describe.numbers import SINCE_FORK, counted
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.group_card import FOUND
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.inspector.figures import draw_figures
from opentine_gui.ui.panels.inspector.footer import (
    FEW_LINKS,
    FOOTER_ACTIONS,
    MOST_FOUND_LINES,
    MOST_LINKS,
    draw_footer,
)
from opentine_gui.ui.panels.inspector.rows import StepTable, fact_row
from opentine_gui.ui.panels.inspector.run_head import RunHead
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.reading.step.step_view import StepView
from opentine_gui.ui.toolkit.row import Row
from opentine_gui.ui.toolkit.row_list import SCROLLBAR, RowList
from opentine_gui.ui.toolkit.sheet import LINE_HEIGHT, TITLE, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

PAD = 14.0
SUMMED = ("several", "group", "run")
"""What is shown with sums and a list: several steps, a group of a folded run, the run."""
LEAST_ROWS = 60.0
LOW_PANEL = 520.0
"""Height of the panel in design pixels below which the run's head says less of each thing, so that rows are in view."""
ROW_HEIGHT = 22.0


class Inspector(Panel):
    """A step to read with buttons below it, a table of several steps, or the facts about the run."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.header = Sheet(self.pane.window, style)
        self.run = RunHead(session, self._jump)
        self.step = StepView(self.pane.window, session, style)
        self.list = RowList(
            self.pane.window, style, row_height=ROW_HEIGHT, on_click=self._click, on_link=self._follow,
            on_context=self._context,
        )  # fmt: skip
        self.footer = Sheet(self.pane.window, style)
        self._area: tuple[float, float, float, float] = (0, 0, 10, 10)
        self._key: Hashable = None
        self._mode = ""
        self._header_height = self._footer_height = 0.0
        self._facts: list[Fact] = []
        self._chosen: list[int] = []
        self._group: CardFace | None = None
        self._sums = Totals()
        self._at_work = 0.0
        self._reasons: dict[str, str | None] = {}
        self._table = StepTable(style)
        self._bottom = 0.0
        self._found_lines = MOST_FOUND_LINES
        """Fewer where the panel is too low for all that is to be said below the step."""
        self._links = MOST_LINKS

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        self._area = (0, 0, width, height)
        self._key = None

    def sync(self, pointer: Pointer) -> None:
        """Follow the active document's selection."""
        self.pane.follow_theme()
        document = self.session.active
        record = document.record if document is not None else None
        key = self._now(document, record)
        if key != self._key:
            self._key = key
            self._build(document, record, key)
        self.header.sync(pointer, key, lambda pen: self._draw_header(pen, document, record))
        if self._mode == "step" and document is not None and record is not None:
            self._sync_step(pointer, document, record)
        self.footer.sync(pointer, (key, self._found_lines, self._links), lambda pen: self._draw_footer(pen, document))
        self.list.sync(pointer)

    def handle_key(self, chord: str) -> bool:
        """Let the step's content use a key; False if it has no use for it."""
        return self.pane.shown and self._mode == "step" and self.step.handle_key(chord)

    def _sync_step(self, pointer: Pointer, document: Document, record: RunRecord) -> None:
        step, view = self._step(document, record), self.session.view
        if step is None:
            return
        self.step.follow(document, record, step)
        if view.inspector_scroll and not view.reading:
            self.step.scroll(view.inspector_scroll)
            view.inspector_scroll = 0.0
        self.step.sync(pointer, document)
        lines, links = self._found_lines, self._links
        if self.step.short and self._links > FEW_LINKS:
            self._links = FEW_LINKS
            self._footer_height = float(self._draw_footer(Pen(self.style, None), document))
        while (self._found_lines or self._links) and self.step.bottom + self._footer_height > self._area[3] + 1:
            if self._found_lines:
                self._found_lines -= 1
            else:  # links that nobody can read: the keys and the menu remain
                self._links = FEW_LINKS if self._links > FEW_LINKS else 0
            self._footer_height = float(self._draw_footer(Pen(self.style, None), document))
        cut = self._footer_height > 0 and self.step.bottom + self._footer_height > self._area[3] + 1
        if cut:  # buttons of which a few pixels are in view
            self._footer_height = 0.0
        if cut or (self._found_lines, self._links) != (lines, links):
            self._arrange()
            self.step.sync(pointer, document)
        if self.step.bottom != self._bottom:
            self._bottom = self.step.bottom
            self.footer.place(0, self._bottom, self._area[2], max(self._footer_height, 1))

    def _now(self, document: Document | None, record: RunRecord | None) -> Hashable:
        if document is None:
            return (self._area, 0)
        open_documents = tuple((other.number, other.content_revision) for other in self.session.documents)
        return (
            self._area,
            document.number,
            document.content_revision,
            document.selection_revision,
            document.selected_group,
            document.picture.cards_revision if document.selected_group is not None else 0,
            document.loading is None,
            document.error is None,
            findings_of(self.session, document) if record is not None else None,
            clock_of(self.session, document),
            document.live.written,
            document.title,
            open_documents,
            self.style.theme.name,
        )

    # --- content -----------------------------------------------------------------------------------------------------

    def _build(self, document: Document | None, record: RunRecord | None, key: Hashable) -> None:
        before, self._mode = self._mode, self._mode_of(document, record)
        if before != self._mode:
            self.list.scroll_to_top()
        if self._mode != "step":
            self.step.forget()
        if record is not None and document is not None and self._mode in SUMMED:
            graph = record.graph
            self._chosen = [graph.index(step) for step in document.selection if step in graph]
            group = document.selected_group
            if self._mode == "group" and group is not None and document.picture.fold is not None:
                self._chosen, self._group = document.picture.fold.steps(group), document.face(group)
            self._sums = record.shown_totals if self._mode == "run" else totals_of(graph, self._chosen)
            sums = self._sums
            fold = document.picture.fold  # whose times are known
            known = fold is not None and fold.graph is graph
            self._at_work = worked(graph, fold.structure.work, self._chosen) if fold is not None and known else 0.0
            self._table.keep(sums)
        if record is not None and document is not None and self._mode == "run":
            written = is_written(self.session, document)
            several = document.overlay is not None  # that ended in ways of their own, which the list of runs gives
            self.run.follow(document, record, several=several, written=written)
        if self._mode in ("step", "several", "group"):
            self._reasons = {name: self.session.enabled(name) for name in FOOTER_ACTIONS}
        step, self._found_lines, self._links = self._mode == "step", MOST_FOUND_LINES, MOST_LINKS
        self._header_height = 0.0 if step else float(self._draw_header(Pen(self.style, None), document, record))
        self._footer_height = float(self._draw_footer(Pen(self.style, None), document))
        if document is not None and record is not None:
            if self._mode in ("several", "group"):
                self.list.set_rows(len(self._chosen) + 1, self._step_row, key)
            elif self._mode == "run":
                findings = findings_of(self.session, document)
                room = self._area[3] - self._header_height - self._footer_height
                happened = findings.happenings if findings is not None else Happenings()
                rows = int(room / self.style.size(ROW_HEIGHT))
                found = facts_of(findings, record.graph, self._lines, rows=rows)
                clock, written = clock_of(self.session, document) or UNKNOWN, is_written(self.session, document)
                said = statements(document)
                answered = happened.answered_count
                rest = run_facts(document, record, self._lines, said, written=written, clock=clock, answered=answered)
                self._facts = [*found, *rest]
                self.list.set_rows(len(self._facts), self._fact_row, key)
        self._arrange()

    def _mode_of(self, document: Document | None, record: RunRecord | None) -> str:
        if document is None or record is None:
            return "nothing"
        count = len(document.selection)
        if document.selected_group is not None:
            return "group"
        return "run" if count == 0 else "step" if count == 1 else "several"

    def _lines(self, text: str) -> list[str]:
        """Text wrapped to the width of the list."""
        return wrap(text, self._area[2] - self.style.size(24 + SCROLLBAR + 8), self.style)

    def _step(self, document: Document, record: RunRecord) -> Step | None:
        primary = document.selection.primary
        return record.graph.step(primary) if primary is not None and primary in record.graph else None

    # --- layout ------------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        x, y, width, height = self._area
        step = self._mode == "step"
        self.header.show(not step)
        self.step.show(step)
        self.list.show(self._mode in SUMMED)
        self.footer.show(self._footer_height > 0)
        room = max(height - self._header_height - self._footer_height, self.style.size(LEAST_ROWS))
        if step:
            self.step.place(x, y, width, height - self._footer_height)
            self._bottom = -1.0
        else:
            self.header.place(x, y, width, self._header_height)
            self.list.place(x, y + self._header_height, width, room)
            self.footer.place(x, y + height - self._footer_height, width, max(self._footer_height, 1))

    # --- drawing ---------------------------------------------------------------------------------------------------

    def _draw_header(self, pen: Pen, document: Document | None, record: RunRecord | None) -> float:
        style, theme, width = self.style, self.style.theme, self._area[2]
        pad = style.size(PAD)
        if document is None:
            pen.text(pad, style.size(28), "Nothing is open", theme.quiet)
            return style.size(48)
        if record is None:
            words = "This file could not be read" if document.error is not None else "Reading…"
            pen.text(pad, style.size(28), words, theme.bad if document.error is not None else theme.quiet)
            return style.size(48)
        y = style.size(26)
        room = width - 2 * pad
        if self._mode == "several":
            pen.text(pad, y, f"{len(self._chosen):,} steps selected", theme.text, "title", TITLE, room=room)
            figures = totals_figures(self._sums, at_least=bool(record.at_least), at_work=self._at_work)
        elif self._mode == "group" and self._group is not None:
            y = self._draw_group(pen, self._group, pad, y, room)
            figures = totals_figures(self._sums, at_least=bool(record.at_least), at_work=self._at_work)
        else:
            y = self.run.draw(pen, record, pad, y, room, low=self._area[3] < style.size(LOW_PANEL))
            figures = totals_figures(self._sums, at_least=bool(record.at_least), clock=clock_of(self.session, document))
            if record.metrics_reset:
                y += style.size(22)
                since = f"{counted(self._sums.steps, 'step')} {SINCE_FORK}"
                pen.text(pad, y, since, theme.quiet, room=room)
                figures = figures if self._sums.steps else ()
        y += style.size(28 if self._mode in ("several", "group") else 14)
        y = draw_figures(pen, figures, pad, y, room, self._copied)
        pen.rule(0, y, width)
        return y + style.size(6)

    def _draw_group(self, pen: Pen, face: CardFace, x: float, y: float, room: float) -> float:
        """Draw what the selected group is and what it holds; returns the middle of the last line."""
        style, theme = self.style, self.style.theme
        for line in wrap(face.title, room, style, face="title", size=TITLE, most=2):
            pen.text(x, y, line, theme.text, "title", TITLE)
            y += style.size(21)
        steps = f"{len(self._chosen):,} steps"
        said = f"{steps} · {face.line}" if face.line else steps
        if face.group is not None and face.group.found:
            said = f"{said}\n{FOUND} {face.group.found}"
        for number, line in enumerate(wrap(said, room, style, most=3)):
            y += style.size(LINE_HEIGHT) if number else 0.0
            pen.text(x, y, line, theme.quiet)
        return y

    def _draw_footer(self, pen: Pen, document: Document | None) -> float:
        if document is None or self._mode not in ("step", "several", "group"):
            return 0.0
        one = self._mode in ("step", "group")
        return draw_footer(
            pen,
            self.session,
            document,
            self._area[2],
            self._reasons,
            one=one,
            found_lines=self._found_lines,
            links=self._links,
        )

    # --- rows ------------------------------------------------------------------------------------------------------

    def _step_row(self, index: int) -> Row:
        document = self.session.active
        record = document.record if document is not None else None
        if index == 0:
            return self._table.heading(self._area[2])
        if document is None or record is None or index > len(self._chosen):
            return Row(())
        return self._table.row(document, record.graph, self._chosen[index - 1], self._area[2])

    def _fact_row(self, index: int) -> Row:
        return fact_row(self._facts[index], self.style, self._area[2]) if index < len(self._facts) else Row(())

    def _click(self, index: int, _event: InputEvent) -> None:
        document = self.session.active
        record = document.record if document is not None else None
        if self._mode in ("several", "group") and record is not None and 0 < index <= len(self._chosen):
            self._jump(record.graph.ids[self._chosen[index - 1]])
        elif self._mode == "run" and index < len(self._facts):
            fact = self._facts[index]
            if fact.kind == "pair":
                self._copied(fact.value)
            elif fact.kind == "link" and fact.step:  # beside its words: the whole row is the link
                self._jump(fact.step)

    def _context(self, index: int) -> None:
        """The menu of the step that a row leads to: a finding, or one of several selected steps."""
        document = self.session.active
        record = document.record if document is not None else None
        step: str | None = None
        if self._mode == "run" and index < len(self._facts):
            step = self._facts[index].step
        elif self._mode in ("several", "group") and record is not None and 0 < index <= len(self._chosen):
            step = record.graph.ids[self._chosen[index - 1]]
        if step is not None:
            self.session.open_context_menu("link", *dpg.get_mouse_pos(local=False), step=step)

    def _follow(self, link: object) -> None:
        if isinstance(link, tuple) and link[0] == "step":
            self._jump(str(link[1]))

    def _jump(self, step: str) -> None:
        self.session.invoke("select.step", step=step, reveal=True)

    def _copied(self, text: str) -> None:
        self.session.copy(text)
        shown = clean(text, 60)
        self.session.notices.add("good", f"Copied “{shown}”", key="copied")
