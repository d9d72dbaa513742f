"""The outline: one row per step of the active run, in recorded order."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean, cut_in_middle
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import HEADING, ListPanel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen
from opentine_gui.ui.toolkit.style import Style


class Outline(ListPanel):
    """The kind and title of every step; the selection is synchronised both ways."""

    least_height = 64.0

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.rows = RowList(
            self.pane.window, style, on_click=self._click, on_double=self._double, on_context=self._context
        )
        self._titles: dict[int, str] = {}
        self._lit: bytearray | None = None
        self._record: RunRecord | None = None
        self._followed: tuple[int, int] = (-1, -1)
        self._scrolled: dict[int, float] = {}
        """How far down the list of each open run was left; of the one in front last."""
        self._clicked = False
        self._grouped: tuple[Hashable, frozenset[int]] = (None, frozenset())

    @property
    def in_use(self) -> bool:
        """While a run is open."""
        return self.session.active is not None

    def sync(self, pointer: Pointer) -> None:
        """Follow the active document's run and selection."""
        self.pane.follow_theme()
        document = self.session.active
        record = document.record if document is not None else None
        if record is not self._record:
            self._keep_titles(record)
            self._record = record
        name = document.title if document is not None else ""
        count = len(record.graph) if record is not None else 0
        self.heading.sync(pointer, (name, count), lambda pen: self._draw_heading(pen, document, count))
        if document is None or record is None:
            self.rows.set_rows(0, self._row, None)
        else:
            lit = lit_steps(self.session, document, record.graph)
            self._lit = lit.steps if lit is not None else None
            found = lit.revision if lit is not None else None
            self._follow_group(document, record)
            # When a run grows, rows only change if its end is on screen.
            shown = self.rows.on_screen(count)
            steps = tuple(record.graph.raws[shown.start : shown.stop])
            key = (document.number, steps, document.selection_revision, found, self._grouped[1])
            self.rows.set_rows(count, self._row, key)
            if document.number != next(reversed(self._scrolled), None):
                self._return_to(document)
            self._follow(document, record)
        self.rows.sync(pointer)
        if document is not None and record is not None:
            self._scrolled[document.number] = self.rows.scrolled

    def _return_to(self, document: Document) -> None:
        """Scroll to where the list of a run was left; that of a run that was opened just now begins at the top."""
        opened = {one.number for one in self.session.documents}
        left = self._scrolled.pop(document.number, 0.0)
        self._scrolled = {number: scroll for number, scroll in self._scrolled.items() if number in opened}
        self._scrolled[document.number] = left
        self.rows.scroll_to(left)

    def _keep_titles(self, record: RunRecord | None) -> None:
        """Keep the titles of the steps that are unchanged in a new state of the run."""
        if record is None or self._record is None:
            self._titles.clear()
            return
        before, now = self._record.graph.raws, record.graph.raws
        self._titles = {
            place: words for place, words in self._titles.items() if place < len(now) and now[place] is before[place]
        }

    def _follow_group(self, document: Document, record: RunRecord) -> None:
        """Keep the positions of the steps in the selected group; none if no group is selected."""
        group, fold = document.selected_group, document.picture.fold
        key = (document.number, document.picture.layout_revision, document.content_revision, group)
        if key != self._grouped[0]:
            here = group is not None and fold is not None and fold.graph is record.graph
            inside = (
                frozenset(fold.all_steps(group)) if here and fold is not None and group is not None else frozenset()
            )
            self._grouped = (key, inside)

    def forget(self) -> None:
        """Release the run."""
        self._record = self._lit = None
        self._grouped = (None, frozenset())
        self._titles.clear()

    def _follow(self, document: Document, record: RunRecord) -> None:
        place = (document.number, document.selection_revision)
        if place == self._followed:
            return
        self._followed = place
        primary = document.selection.primary
        if primary is not None and not self._clicked and primary in record.graph:
            self.rows.reveal(record.graph.index(primary))
        self._clicked = False

    def _draw_heading(self, pen: Pen, document: Document | None, count: int) -> None:
        style, theme = self.style, self.style.theme
        middle, left = style.size(HEADING) / 2 + style.size(2), style.size(12)
        pen.rule(0, 0, self.heading.width)
        if document is None:
            pen.text(left, middle, "Steps", theme.faint, "title", SMALL)
            return
        figure = f"{count:,}" if count else ""
        end = pen.text(self.heading.width - left, middle, figure, theme.faint, "mono", SMALL, right=True)
        name = clean(document.title, 400).removesuffix(".tine")
        room = end - left - style.size(8)
        pen.text(
            left, middle, f"Steps of {name}", theme.faint, "title", SMALL, room=room, middle_cut=cut_in_middle(name)
        )

    def _row(self, index: int) -> Row:
        document, record, theme = self.session.active, self._record, self.style.theme
        if document is None or record is None or index >= len(record.graph):
            return Row(())
        graph = record.graph
        words = self._titles.get(index)
        if words is None:
            words = self._titles[index] = title(graph.step(index))
        kind = graph.v3_kinds.get(index, graph.kinds[index].value)
        selected = graph.ids[index] in document.selection
        stopped = index in graph.stopped
        kind = "stopped" if stopped and kind == "error" else kind
        color = theme.bad if graph.failed[index] else theme.stopped if stopped else theme.text
        lit = self._lit is not None and index < len(self._lit) and self._lit[index]
        inside = index in self._grouped[1]
        background = mixed(theme.panel, theme.accent, 0.15 if lit else 0.07) if lit or inside else None
        return Row((Span(words, color),), glyph=kind, selected=selected, background=background)

    def _click(self, index: int, _event: InputEvent) -> None:
        record = self._record
        if record is None:
            return
        step = record.graph.ids[index]
        self._clicked = True
        if dpg.is_key_down(dpg.mvKey_LShift) or dpg.is_key_down(dpg.mvKey_RShift):
            self.session.invoke("select.add", step=step)
        else:
            self.session.invoke("select.step", step=step, reveal=True)

    def _double(self, index: int) -> None:
        if self._record is not None:
            self.session.invoke("inspect.read", step=self._record.graph.ids[index], reading=True)

    def _context(self, index: int) -> None:
        record = self._record
        if record is None:
            return
        step = record.graph.ids[index]
        self._clicked = True
        self.session.invoke("select.step", step=step)
        x, y = dpg.get_mouse_pos(local=False)
        self.session.open_context_menu("step", x, y, step=step)
