"""A file in the reading view: its text at the selected step with who wrote each line, or its changes turn by turn."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.file_page import FilePage, PageLine, file_page
from opentine_gui.app.session import Session
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.analysis.files.touched_files import TouchedFile
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import MONO, SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

_JOB = "file-page"
PAD = 14.0
HEAD = 64.0
LINE = 20.0
TEXTS = 56.0
"""Where the text begins, right of the line numbers."""
LONGEST_NOTE = 60
TABS = (("text", "Text"), ("changes", "Changes by turn"))
_SIGNS = {"removed": "−", "added": "+"}


class FileView:
    """The file's name, two tabs, and its lines; a press on a line goes to the step that wrote it."""

    def __init__(self, parent: int | str, session: Session, style: Style) -> None:
        self.session, self.style = session, style
        self.head = Sheet(parent, style)
        self.rows = RowList(parent, style, row_height=LINE, on_click=self._click)
        self.page: FilePage | None = None
        self._asked: tuple[Graph, TouchedFile, int] | None = None
        self._width = 10.0
        self._shown = True
        self._wants_text_of = ""
        """The file whose text was asked for although it is not on record."""

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place it in the parent, in pixels."""
        head = self.style.size(HEAD)
        self._width = width
        self.head.place(x, y, width, head)
        self.rows.place(x, y + head, width, max(height - head, 10))

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        if visible != self._shown:
            self._shown = visible
            self.head.show(visible)
            self.rows.show(visible)

    def forget(self) -> None:
        """Let go of the file."""
        if self._asked is not None:
            self.session.jobs.cancel(_JOB)
            self._asked = self.page = None

    def follow(self, document: Document, record: RunRecord) -> None:
        """Show the picked file as the selected step left it, or without a selection as the run did."""
        picked, step = document.picked_file, document.selection.primary or record.main_tip
        if picked is None or step is None or step not in record.graph:
            return
        graph, position = record.graph, record.graph.index(step)
        asked = (graph, picked.file, position)
        before = self._asked
        if before is not None and before[0] is graph and before[1:] == asked[1:]:
            return
        self._asked = asked
        if before is None or before[1].path != picked.file.path:
            self.page = None
            self.rows.scroll_to_top()

        def done(page: FilePage) -> None:
            self.page = page
            self.session.touch()

        self.session.jobs.submit(
            _JOB, lambda _progress, _cancelled: file_page(graph, picked.file, position), done,
            title="Following a file", priority=1,
        )  # fmt: skip

    def sync(self, pointer: Pointer) -> None:
        """Handle input, and repaint what changed."""
        if not self._shown or self._asked is None:
            return
        changes, lines = self._shows_changes, self._lines
        key = (self.page, changes, self._asked[1].path, self._asked[2], self.style.theme.name)
        self.head.sync(pointer, key, self._draw_head)
        self.rows.set_rows(len(lines), self._row, key)
        self.rows.sync(pointer)

    @property
    def _shows_changes(self) -> bool:
        """Whether its changes are shown: as was chosen, else where they are all that is known of its text."""
        page, asked = self.page, self._asked
        if self.session.view.file_changes or page is None or asked is None:
            return self.session.view.file_changes
        return page.is_only_changes and self._wants_text_of != asked[1].path

    @property
    def _lines(self) -> tuple[PageLine, ...]:
        if self.page is None:
            return (PageLine("note", "Following the file through the run…"),)
        if self._shows_changes:
            return self.page.changes or (PageLine("note", "No step on the way to this one changed the file."),)
        return self.page.text

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

    def _row(self, index: int) -> Row:
        theme, lines = self.style.theme, self._lines
        if index >= len(lines) or self._asked is None:
            return Row(())
        line = lines[index]
        if line.kind == "turn":
            right = (Span(line.note, theme.quiet, size=SMALL),)
            return Row((Span(line.text, theme.human, "title"),), right, ruled=index > 0)
        if line.kind == "note":
            spans = (Span(line.text, theme.quiet), Span(line.note, theme.tool)) if line.note else None
            return Row(spans or (Span(line.text, theme.quiet),))
        if line.kind == "text":
            return self._text_row(line)
        color = {"removed": theme.bad, "added": theme.good}.get(line.kind, theme.quiet)
        ground = mixed(theme.panel, color, 0.14) if line.kind in _SIGNS else None
        sign = Span(_SIGNS.get(line.kind, " "), color, "mono")
        text = Span(line.text, theme.text if ground else theme.quiet, "mono", at=28)
        return Row((sign, text), background=ground)

    def _text_row(self, line: PageLine) -> Row:
        theme = self.style.theme
        own = self._asked is not None and line.step == self._asked[2]
        recorded = line.step >= 0
        color = theme.accent if own else theme.tool if recorded else theme.faint
        number = Span(f"{line.number:>5}", theme.faint, "mono", size=SMALL)
        text = Span(line.text, theme.text, "mono", at=TEXTS, size=MONO)
        note = clean(line.note, LONGEST_NOTE)
        right = (Span(note, color, size=SMALL),) if note else ()
        ground = mixed(theme.panel, theme.accent, 0.1) if own else None
        return Row((number, text), right, background=ground, hint=line.note)

    def _click(self, index: int, _event: InputEvent) -> None:
        lines = self._lines
        if index >= len(lines) or self._asked is None:
            return
        line = lines[index]
        if line.kind == "text":
            self.session.invoke("files.blame", line=line.number)
        elif line.step >= 0:
            self.session.invoke("select.step", step=self._asked[0].ids[line.step], reveal=True)

    def scroll(self, pages: float) -> None:
        """Scroll by pages, up if negative."""
        self.rows.scroll_by(pages)

    def handle_key(self, _chord: str) -> bool:
        """It has no use for keys of its own."""
        return False
