"""The list of the runs shown together, the other runs of their family, and how they differ."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.app.comparison.comparison_view import ListRow, list_rows, subject_of
from opentine_gui.app.comparison.family_tables import group_rows
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import OtherRun, Overlay, ShownRun
from opentine_gui.app.session import Session
from opentine_gui.scene.text.clean import clean, cut_in_middle
from opentine_gui.scene.theme import status_role
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL
from opentine_gui.ui.toolkit.style import Style

TOP = 8.0
INDENT = 14.0
DOT = 30.0
"""Clicks within so many design pixels of a row's left, after the indent, switch the run off or on."""


class Entry(NamedTuple):
    """A row: a heading, a shown run, another run of the family, or a group of steps."""

    heading: str = ""
    run: int | None = None
    other: OtherRun | None = None
    row: ListRow | None = None


class ShownRuns(Panel):
    """Click a run to highlight it, twice to solo it, click its dot to hide it; click a divergence to go there."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.rows = RowList(self.pane.window, style, on_click=self._click, on_double=self._double)
        self.entries: list[Entry] = []
        self._depths: dict[int, int] = {}
        self._key: Hashable = None
        self._overlay: Overlay | None = None
        self._made_of = 0
        self._groups: tuple[object, list[ListRow]] = (None, [])

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        top = self.style.size(TOP)
        self.rows.place(0, top, width, max(height - top, 10))

    @property
    def in_use(self) -> bool:
        """True while several runs are shown together."""
        document = self.session.active
        return document is not None and document.members is not None

    def wanted_height(self, room: float) -> float:
        """The height of all rows, between a quarter and seven tenths of the side."""
        self._read(self.session.active)
        whole = self.style.size(TOP + 8) + max(len(self.entries), 3) * self.rows.row_height
        return min(max(whole, room * 0.25), room * 0.7)

    def sync(self, pointer: Pointer) -> None:
        """Follow the active document's overlay."""
        self.pane.follow_theme()
        self._read(self.session.active)
        self.rows.set_rows(len(self.entries), self._row, self._key)
        self.rows.sync(pointer)

    def forget(self) -> None:
        """Release the runs."""
        if self._overlay is not None:
            self._read(None)
            self._groups = (None, [])

    def _read(self, document: Document | None) -> None:
        overlay = document.overlay if document is not None else None
        self._key = (document.number, self._made_of, document.selection_revision) if document is not None else None
        if overlay is self._overlay:
            return
        lit = self._overlay.lit if self._overlay is not None else None
        self._overlay, self._made_of, self.entries = overlay, self._made_of + 1, []
        if overlay is None:
            return
        order = overlay.family.tree if overlay.comparison is None else [(overlay.pair[0], 0), (overlay.pair[1], 0)]
        self._depths = dict(overlay.family.tree)
        self.entries = [Entry("Shown runs"), *[Entry(run=run) for run, _ in order]]
        if overlay.others:
            self.entries += [Entry("Other runs of the family"), *[Entry(other=other) for other in overlay.others]]
        of = overlay.comparison or overlay.family
        if self._groups[0] is not of:
            self._groups = (of, list_rows(overlay) if overlay.comparison is not None else group_rows(overlay))
        if self._groups[1]:
            heading = "Divergences" if overlay.comparison is not None else "Steps"
            self.entries += [Entry(heading), *[Entry(row=row) for row in self._groups[1]]]
        if overlay.lit is not None and overlay.lit != lit:
            self.rows.reveal(next(place for place, entry in enumerate(self.entries) if entry.run == overlay.lit))

    # --- rows ------------------------------------------------------------------------------------------------------

    def _row(self, index: int) -> Row:
        document = self.session.active
        overlay = document.overlay if document is not None else None
        if index >= len(self.entries) or overlay is None or document is None:
            return Row(())
        entry, theme = self.entries[index], self.style.theme
        if entry.heading:
            return Row((Span(entry.heading, theme.faint, "title"),), heading=True)
        if entry.run is not None:
            return self._run_row(overlay, entry.run)
        if entry.other is not None:
            return self._other_row(overlay, entry.other)
        return self._group_row(document, entry.row) if entry.row is not None else Row(())

    def _run_row(self, overlay: Overlay, number: int) -> Row:
        theme, run = self.style.theme, overlay.runs[number]
        off, lit = number in overlay.hidden, number == overlay.lit
        turned = overlay.facing is not None and overlay.facing != number
        color = theme.faint if off or turned else theme.text
        left = []
        if run.letter:
            left.append(Span(run.letter, theme.faint if off else theme.role(run.role), "title", keep=True))
        left.append(Span(run.title, color, "title" if lit else "text", middle=cut_in_middle(run.title)))
        right: tuple[Span, ...] = (Span(run.status, theme.role(status_role(run.status)), "mono", size=SMALL),)
        if off:
            right = (Span("off", theme.faint, size=SMALL),)
        return Row(
            tuple(left),
            right,
            self._indent(overlay, number),
            dot=theme.accent if lit else theme.role(run.role),
            hollow=off or turned,
            selected=lit,
            hint=_words(overlay, number, run),
            yielding=True,
        )

    def _other_row(self, overlay: Overlay, other: OtherRun) -> Row:
        theme = self.style.theme
        shared = f"{other.shared:,} shared" if other.shared >= 0 else ""
        first = overlay.runs[overlay.pair[0]].title
        does = f"Click to compare {first} with it." if overlay.comparison is not None else "Click to show it too."
        where = clean(str(other.path), 400) if other.path is not None else "an unsaved document"
        return Row(
            (Span(other.title, theme.quiet, middle=cut_in_middle(other.title)),),
            tuple(Span(words, theme.faint, "mono", size=SMALL) for words in (f"{other.steps:,}", shared) if words),
            dot=theme.shared,
            hint=f"{where}\n{other.steps:,} steps{f', {shared}' if shared else ''}\n{does}",
            yielding=True,
        )

    def _group_row(self, document: Document, row: ListRow) -> Row:
        theme = self.style.theme
        subject = subject_of(document)
        here = bool(row.divergence) and subject is not None and subject.divergence == row.divergence
        note = (Span(row.note, theme.faint, "mono", size=SMALL),) if row.note else ()
        color = theme.text if row.divergence else theme.quiet
        return Row((Span(row.text, color),), note, dot=theme.role(row.role), selected=here)

    def _indent(self, overlay: Overlay, number: int) -> float:
        if overlay.comparison is not None:
            return 0.0
        return self.style.size(INDENT) * min(self._depths.get(number, 0), 5)

    # --- input -------------------------------------------------------------------------------------------------------

    def _click(self, index: int, event: InputEvent) -> None:
        document = self.session.active
        overlay = document.overlay if document is not None else None
        if overlay is None or index >= len(self.entries):
            return
        entry = self.entries[index]
        if entry.run is not None:
            left = dpg.get_item_rect_min(self.rows.drawlist)[0] + self._indent(overlay, entry.run)
            on_dot = event.x - left < self.style.size(DOT)
            self.session.invoke("family.toggle_run" if on_dot else "family.light_run", run=entry.run)
        elif entry.other is not None:
            other: Any = entry.other.document if entry.other.document is not None else entry.other.path
            self.session.invoke("family.add_run", other=other)
        elif entry.row is not None and entry.row.divergence:
            self.session.invoke("compare.show", divergence=entry.row.divergence)
        elif entry.row is not None:
            self.session.invoke("family.select_steps", steps=entry.row.steps)

    def _double(self, index: int) -> None:
        if index < len(self.entries) and self.entries[index].run is not None:
            self.session.invoke("family.solo_run", run=self.entries[index].run)


def _words(overlay: Overlay, number: int, run: ShownRun) -> str:
    descent = overlay.family.lineage[number]
    lines = [clean(str(run.path), 400) if run.path is not None else "an unsaved document"]
    lines.append(f"{run.status} · {run.steps:,} steps, {run.own:,} of them in no other run shown")
    if descent.parent is not None:
        lines.append(
            f"comes from {overlay.runs[descent.parent].title} ({descent.basis.value}), {descent.taken:,} shared"
        )
    lines.append("Click to highlight it, on the dot to switch it off, twice to see it alone")
    return "\n".join(lines)
