"""The list of touched files with counts, failing checks and last writers; at first folded to its heading."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.analysis.file_rows import FileRow, file_row, follow_picked, last_touched, touched_of
from opentine_gui.app.session import Session
from opentine_gui.core.analysis.files.touched_files import Touched
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import HEADING, ListPanel
from opentine_gui.ui.toolkit.row import Row, Span, triangle
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

LINE = 26.0
MOST_SHOWN, BESIDE_SEARCH = 10, 3
"""So many files are seen without scrolling."""


class FilesPanel(ListPanel):
    """One row per file, those changed most first; a click lights up its steps, a double click reads it."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.rows = RowList(
            self.pane.window, style, on_click=self._click, on_double=self._double, on_context=self._context
        )
        self._touched = Touched()
        self._said: dict[int, FileRow] = {}

    @property
    def in_use(self) -> bool:
        """Whether the active run touches files."""
        self._follow()
        return bool(self._touched.files)

    def wanted_height(self, room: float) -> float | None:
        """The heading alone while folded, else room for a few files, at most a third of the side."""
        if not self.session.view.files:
            return self.style.size(HEADING)
        most = BESIDE_SEARCH if self.session.view.search else MOST_SHOWN  # results of a search need the room
        rows = min(max(len(self._touched.files), 1), most)
        return min(self.style.size(HEADING + rows * LINE + 8), room / 3)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the heading and, unless they are folded, the rows."""
        super().place(x, y, width, height)
        self.rows.show(self.session.view.files)

    def sync(self, pointer: Pointer) -> None:
        """Follow the files of the active run, and which of them is picked."""
        self.pane.follow_theme()
        self._follow()
        document, files = self.session.active, self._touched.files
        picked = follow_picked(self.session, document) if document is not None else None
        name = picked.file.path if picked is not None else ""
        key = (self._touched, self.session.view.files, name)
        self.heading.sync(pointer, key, lambda pen: self._draw_heading(pen, name))
        self.rows.show(self.session.view.files)
        self.rows.set_rows(len(files), self._row, key)
        self.rows.sync(pointer)

    def _follow(self) -> None:
        document = self.session.active
        found = None
        if document is not None and document.record is not None:
            found = touched_of(self.session, document) or last_touched(document)
        found = found or Touched()
        if found is not self._touched:
            self._touched = found
            self._said.clear()

    def _draw_heading(self, pen: Pen, picked: str) -> None:
        style, theme, width = self.style, self.style.theme, self.heading.width
        middle, left = style.size(HEADING) / 2 + style.size(2), style.size(12)
        pen.rule(0, 0, width)
        unfolded = self.session.view.files
        over = pen.over(0, 0, width, style.size(HEADING))
        color = theme.text if over else theme.faint
        right = width - left
        pen.items.append(triangle(right - style.size(4), middle, style.size(3.5), unfolded, color))
        right -= style.size(16)
        right = pen.text(right, middle, f"{len(self._touched.files):,}", theme.faint, "mono", SMALL, right=True)
        end = pen.text(left, middle, "Files touched", color, "title", SMALL)
        if picked and not unfolded:
            start = end + style.size(8)
            room = right - style.size(8) - start
            pen.text(start, middle, picked.rpartition("/")[2], theme.accent, "text", SMALL, room=room, middle_cut=True)
        action = self.session.actions["view.files"]
        pen.zone(
            0, 0, width, style.size(HEADING), lambda: self.session.invoke(action.id),
            f"{action.title}  {action.key}\n{action.description}", name="Files touched", kind="button",
        )  # fmt: skip

    def _row(self, index: int) -> Row:
        document, theme = self.session.active, self.style.theme
        if document is None or document.record is None or index >= len(self._touched.files):
            return Row(())
        file = self._touched.files[index]
        said = self._said.get(index)
        if said is None:
            said = self._said[index] = file_row(file, self._touched, document.record.graph)
        picked = document.picked_file is not None and document.picked_file.file.path == file.path
        left = [Span(said.name, theme.text, middle=True)]
        if said.folder:
            left.append(Span(said.folder, theme.faint, middle=True, size=SMALL))
        figures = ((said.reads, theme.faint), (said.edits, theme.quiet), (said.failing, theme.bad))
        right = tuple(Span(words, color, size=SMALL) for words, color in figures if words)
        return Row(tuple(left), right, selected=picked, hint=said.hint, yielding=True)

    def _path(self, index: int) -> str:
        return self._touched.files[index].path

    def _click(self, index: int, _event: InputEvent) -> None:
        self.session.invoke("files.pick", path=self._path(index))

    def _double(self, index: int) -> None:
        self.session.invoke("files.read", path=self._path(index))

    def _context(self, index: int) -> None:
        x, y = dpg.get_mouse_pos(local=False)
        self.session.open_context_menu("file", x, y, path=self._path(index))
