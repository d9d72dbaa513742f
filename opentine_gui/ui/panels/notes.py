"""The list of notes: one row for each annotated step; hidden while there are none."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.annotation_rows import AnnotatedStep, annotated_steps
from opentine_gui.app.session import Session
from opentine_gui.app.state.annotations import COLOURS
from opentine_gui.describe.card_marks import BOOKMARK
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import HEADING, ListPanel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

LINE = 26.0
MOST_SHOWN = 8
"""So many notes are seen without scrolling."""


class NotesPanel(ListPanel):
    """The bookmark, title and note of every annotated step; a click goes there."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.rows = RowList(self.pane.window, style, on_click=self._click, on_context=self._context)
        self._steps: list[AnnotatedStep] = []
        self._key: object = None

    @property
    def in_use(self) -> bool:
        """Whether the active run has annotated steps."""
        document = self.session.active
        return document is not None and bool(document.annotations)

    def wanted_height(self, room: float) -> float | None:
        """Room for a few notes, at most a third of the side."""
        self._follow()
        rows = min(max(len(self._steps), 1), MOST_SHOWN)
        return min(self.style.size(HEADING + rows * LINE + 8), room / 3)

    def sync(self, pointer: Pointer) -> None:
        """Follow the annotations of the active run."""
        self.pane.follow_theme()
        self._follow()
        document = self.session.active
        count = len(self._steps)
        self.heading.sync(pointer, count, lambda pen: self._draw_heading(pen, count))
        key = None
        if document is not None:
            key = (document.number, document.content_revision, document.selection_revision)
        self.rows.set_rows(count, self._row, key)
        self.rows.sync(pointer)

    def forget(self) -> None:
        """Release the run and its notes."""
        self._steps, self._key = [], None

    def _follow(self) -> None:
        document = self.session.active
        if document is None or document.record is None:
            self._steps, self._key = [], None
            return
        key = (document.record, document.annotations)
        if not isinstance(self._key, tuple) or any(new is not old for new, old in zip(key, self._key, strict=True)):
            self._key = key
            self._steps = annotated_steps(document.record, document.annotations)

    def _draw_heading(self, pen: Pen, count: int) -> None:
        style, theme = self.style, self.style.theme
        middle, left = style.size(HEADING) / 2 + style.size(2), style.size(12)
        pen.rule(0, 0, self.heading.width)
        pen.text(left, middle, "Notes", theme.faint, "title", SMALL)
        pen.text(self.heading.width - left, middle, f"{count:,}", theme.faint, "mono", SMALL, right=True)

    def _row(self, index: int) -> Row:
        document, theme = self.session.active, self.style.theme
        if document is None or document.record is None or index >= len(self._steps):
            return Row(())
        step = self._steps[index]
        written = step.annotation
        name = title(document.record.graph.step(step.position))
        spans = [Span(clean(written.note, 200), theme.text)] if written.note else []
        spans.append(Span(name, theme.quiet if written.note else theme.text))
        dot = theme.role(COLOURS[written.colour]) if written.colour in COLOURS else theme.quiet
        right = (Span(BOOKMARK, theme.human, keep=True),) if written.bookmarked else ()
        return Row(tuple(spans), right, dot=dot, selected=step.id in document.selection, hint=clean(written.note, 600))

    def _click(self, index: int, _event: InputEvent) -> None:
        self.session.invoke("select.step", step=self._steps[index].id, reveal=True)

    def _context(self, index: int) -> None:
        step = self._steps[index].id
        self.session.invoke("select.step", step=step)
        x, y = dpg.get_mouse_pos(local=False)
        self.session.open_context_menu("step", x, y, step=step)
