"""A file in the reading view: its text at the selected step with who wrote each line, or its changes turn by turn."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.file_lines import FileLines, file_lines
from opentine_gui.app.inspect.analysis.file_page import FilePage, PageLine, file_page
from opentine_gui.app.inspect.reading.reader import stopped_words
from opentine_gui.app.session import Session
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.analysis.files.touched_files import TouchedFile
from opentine_gui.describe.content.lines import ListedLines, pace_of
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.reading.line_writers import LineWriters
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

_JOB = "file-page"
PAD = 14.0
HEAD = 64.0
TABS = (("text", "Text"), ("changes", "Changes by turn"))
ABOVE = 3
"""Lines above the first one that a step changed which stay in view."""
WRITTEN = {"text", "added"}
"""A line as it stands in the text, and among the changes: one tab may open where the other was."""
FOLLOWING = (PageLine("note", "Following the file through the run…"),)
STOPPED = (PageLine("note", stopped_words("Following the file")),)
MOST_STOOD = 200
"""Pages whose place is remembered."""


class _Made(NamedTuple):
    """The pages of a file as the step at `position` left it, and the lines of both."""

    path: str
    position: int
    page: FilePage
    text: FileLines
    changes: FileLines


class FileView:
    """The file's name, two tabs, and its lines, which are selected and copied like any text that is read.

    A press on the name of a step beside a line goes to that step, as Ctrl and a press on the line do; a plain press in
    a text must not throw the reader to another step.
    """

    def __init__(self, parent: int | str, session: Session, style: Style) -> None:
        self.session, self.style = session, style
        self.head = Sheet(parent, style)
        self.content = ContentView(parent, session, style, on_context=self._menu, on_act=self._act)
        self.writers = LineWriters(parent, style, self.content.page, self._go)
        self._made: _Made | None = None
        self._asked: tuple[Graph, TouchedFile, int] | None = None
        self._lines: FileLines = file_lines(FOLLOWING, "", -1)
        self._shows: tuple[_Made | None, bool] | None = None
        """What is shown, and whether its changes."""
        self._width = 10.0
        self._shown = True
        self._pressed = 0
        """The line under the pointer."""
        self._followed: tuple[PageLine, int] | None = None
        """The line whose writer was asked for last, and the row on screen that it was in."""
        self._stood: dict[tuple[str, int, bool], tuple[int, int]] = {}
        """Where each page was left, by the file, the step, and whether its changes: line and row at the top."""
        self._wants_text_of = ""
        """The file whose text was asked for although it is not on record."""

    @property
    def page(self) -> FilePage | None:
        """The pages of the file; None while it is being followed."""
        return self._made.page if self._made is not None else None

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place it in the parent, in pixels."""
        head, side = self.style.size(HEAD), self.writers.width(width)
        self._width = width
        self.head.place(x, y, width, head)
        self.writers.place(x, y + head, side, max(height - head, 10))
        self.content.place(x + side, y + head, width - side, max(height - head, 10))

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        if visible != self._shown:
            self._shown = visible
            for part in (self.head, self.writers, self.content):
                part.show(visible)

    def forget(self) -> None:
        """Let go of the file."""
        if self._asked is not None:
            self.session.jobs.cancel(_JOB)
            self._asked = self._made = self._shows = self._followed = None
            self._stood.clear()
            self._lines = file_lines(FOLLOWING, "", -1)
            self.content.show_lines(ListedLines())

    def follow(self, document: Document, record: RunRecord) -> None:
        """Show the picked file as the selected step left it, or without a selection as the run did."""
        picked, step = document.picked_file, document.selection.primary or record.main_tip
        if picked is None or step is None or step not in record.graph:
            return
        graph, file, position = record.graph, picked.file, record.graph.index(step)
        asked = (graph, file, position)
        before = self._asked
        if before is not None and before[0] is graph and before[1:] == asked[1:]:
            return
        self._asked = asked
        if before is None or before[1].path != file.path:
            self._made = None

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> _Made:
            pace = pace_of(cancelled)
            page = file_page(graph, file, position)
            text = file_lines(page.text, file.path, position, pace)
            return _Made(file.path, position, page, text, file_lines(page.changes, file.path, position, pace))

        def done(made: _Made) -> None:
            if self._made is None or made[:3] != self._made[:3]:  # of a run that grows it may be what is read already
                self._made = made
            self.session.touch()

        def stopped() -> None:
            lines = file_lines(STOPPED, "", -1)
            self._made = _Made(file.path, position, FilePage(STOPPED, STOPPED, (), "not read", False), lines, lines)
            self.session.touch()

        self.session.jobs.submit(_JOB, work, done, title="Following a file", priority=1, stopped=stopped)

    def sync(self, pointer: Pointer) -> None:
        """Handle input, and repaint what changed."""
        if not self._shown or self._asked is None:
            return
        changes = self._shows_changes
        key = (self.page, changes, self._asked[1].path, self._asked[2], self.style.theme.name)
        self.head.sync(pointer, key, self._draw_head)
        self._show_lines(changes)
        if self.content.wrap != self.session.view.wrap:
            self.content.wrap = self.session.view.wrap
        self._look(pointer)
        self.content.sync(pointer)
        self.writers.sync(pointer, key, self._lines.of, self._asked[2])

    def _show_lines(self, changes: bool) -> None:
        """Show the lines of the tab, where they were left or where a line that was followed stands on screen.

        Else what the step changed is brought into view, if it changed something, and the place stays that was read.
        """
        made = self._made
        if self._shows is not None and self._shows[0] is made and self._shows[1] == changes:
            return
        before = self._shows[0] if self._shows is not None and self._shows[1] == changes else None
        self._note_place()
        self._shows = (made, changes)
        self._lines = file_lines(FOLLOWING, "", -1) if made is None else made.changes if changes else made.text
        if made is not None and before is not None:
            self.content.page.set_lines(self._lines.lines, keep_place=True)
        else:
            self.content.show_lines(self._lines.lines)
        if made is None or (before is not None and before.position == made.position):
            return
        if self._hold_followed(made.position):
            return
        if (place := self._stood.get((made.path, made.position, changes))) is not None:
            self.content.page.go_to(*place)
            return
        begin = made.page.begins[changes]
        if begin >= 0:
            line = (made.page.changes if changes else made.page.text)[begin]
            self._bring(next(number for number, own in enumerate(self._lines.of) if own is line))

    def _note_place(self) -> None:
        """Remember where the page that is shown is left."""
        if self._shows is None or self._shows[0] is None:
            return
        made, page = self._shows[0], self.content.page
        key = (made.path, made.position, self._shows[1])
        self._stood.pop(key, None)
        self._stood[key] = page.top, page.top_row
        if len(self._stood) > MOST_STOOD:
            self._stood.pop(next(iter(self._stood)))

    def _hold_followed(self, position: int) -> bool:
        """Show the line that was followed to the step at `position` in the row it was in; False if there is none."""
        followed, self._followed = self._followed, None
        if followed is None or followed[0].step != position:
            return False
        line, row = followed
        same = [
            (abs(own.number - line.number), index)
            for index, own in enumerate(self._lines.of)
            if (own.kind == line.kind or {own.kind, line.kind} == WRITTEN)
            and own.text == line.text
            and own.step == position
        ]
        if not same:
            return False
        self.content.page.go_to(min(same)[1])
        self.content.page.scroll(-row)
        return True

    def _follow_line(self, line: PageLine) -> None:
        """Remember a line whose writer is asked for, and where it is on screen."""
        rows = self.content.page.rows()
        row = next((number for number, shown in enumerate(rows) if self._line_at(shown.line) is line), 0)
        self._followed = line, row

    def _bring(self, line: int) -> None:
        """Bring a line into view with what follows it, unless it is there."""
        page = self.content.page
        rows = page.rows()[: page.rows_in_view]
        if not any(row.line == line for row in rows[: max(len(rows) * 2 // 3, 1)]):
            page.go_to(max(line - ABOVE, 0))

    def _look(self, pointer: Pointer) -> None:
        """Take a press with Ctrl on a line, and know which line any other press is on."""
        left, top = dpg.get_item_rect_min(self.content.drawlist)
        x, y = pointer.x - left, pointer.y - top
        self._pressed = self.content.page.place_at(x, y).line
        over = dpg.is_item_hovered(self.content.window) or dpg.is_item_hovered(self.content.drawlist)
        if not over or self.content.find_bar.contains(x, y) or x >= self.content.page.width:
            return
        for event in [event for event in pointer.events if _asks_who(event)]:
            pointer.events.remove(event)
            line = self._line_at(self.content.page.place_at(event.x - left, event.y - top).line)
            if line is not None:
                self.style.controls.act(self.content.drawlist, "line", partial(self._go, line))

    @property
    def _shows_changes(self) -> bool:
        """Whether its changes are shown: as was chosen, else where they are all that is known of its text."""
        page, asked = self.page, self._asked
        if self.session.view.file_changes or page is None or asked is None:
            return self.session.view.file_changes
        return page.is_only_changes and self._wants_text_of != asked[1].path

    # --- acts --------------------------------------------------------------------------------------------------------

    def _line_at(self, index: int) -> PageLine | None:
        return self._lines.of[index] if index < len(self._lines.of) else None

    def _go(self, line: PageLine) -> None:
        """Go to the step that wrote a line, or say that it is not on record."""
        self._follow_line(line)
        if line.kind == "text":
            self.session.invoke("files.blame", line=line.number)
        else:
            self._act(("step", line.step))

    def _act(self, act: Hashable) -> None:
        match act:
            case ("step", int(position)) if self._asked is not None and position >= 0:
                self.session.invoke("select.step", step=self._asked[0].ids[position], reveal=True)

    def _menu(self, _path: tuple[Hashable, ...], selected: str) -> None:
        line = self._line_at(self._pressed)
        if line is None or self._asked is None:
            return
        self._follow_line(line)
        graph, file, _ = self._asked
        number = line.number if line.kind == "text" else 0
        step = graph.ids[line.step] if line.step >= 0 else None
        self.session.open_context_menu("file_line", 0, 0, path=file.path, line=number, step=step, selected=selected)

    # --- drawing -----------------------------------------------------------------------------------------------------

    def _draw_head(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        if self._asked is None:
            return
        graph, file, position = self._asked
        pad, width = style.size(PAD), self._width
        middle = style.size(16)
        right = width - pad
        x = pen.text(pad, middle, clean(file.path, 600), theme.text, "title", room=(right - pad) * 0.6, middle_cut=True)
        words = f"as “{title(graph.step(position))}” left it"
        said = f"{self.page.said} · {words}" if self.page is not None else words
        pen.text(x + style.size(10), middle, said, theme.quiet, room=right - x - style.size(20))
        current = "changes" if self._shows_changes else "text"
        pen.tabs(pad, style.size(32), style.size(28), TABS, current, self._choose)
        pen.rule(0, style.size(HEAD) - 1, width)

    def _choose(self, tab: str) -> None:
        self._wants_text_of = self._asked[1].path if tab == "text" and self._asked is not None else ""
        self.session.invoke("files.read", changes=tab == "changes")

    # --- keys --------------------------------------------------------------------------------------------------------

    def scroll(self, pages: float) -> None:
        """Scroll by pages, up if negative."""
        self.content.page.scroll_pages(pages)

    def handle_key(self, chord: str) -> bool:
        """Let the text use a key; False for one it has no use for."""
        if not self._shown or (chord in ("Left", "Right") and self.session.view.wrap):
            return False
        return self.content.handle_key(chord)


def _asks_who(event: InputEvent) -> bool:
    return event.kind in ("press", "double") and event.button == "left" and "Ctrl" in event.held
