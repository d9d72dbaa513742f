"""The column left of a file's text that says which step wrote each line; a press there goes to it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import groupby

from opentine_gui.app.inspect.analysis.file_page import PageLine
from opentine_gui.app.inspect.reading.page import Page
from opentine_gui.scene.reading_colours import ground
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

WIDEST, SHARE = 210.0, 0.26
"""Its width in design pixels, and the share of the view's that it takes at most."""
PAD = 14.0
LONGEST_NOTE = 400
WHEEL_ROWS = 3
_WRITTEN = ("text", "added", "removed")


class LineWriters:
    """Follows the rows of a page: lines in a row that one step wrote are named once, at the top of the view too."""

    def __init__(self, parent: int | str, style: Style, page: Page, go: Callable[[PageLine], None]) -> None:
        """`go` is called with the line beside which somebody pressed."""
        self.style, self.page, self.go = style, page, go
        self.sheet = Sheet(parent, style)
        self._lines: Sequence[PageLine] = ()
        self._own = -1

    def width(self, of: float) -> float:
        """The width in pixels that it takes of a view's."""
        return min(self.style.size(WIDEST), of * SHARE)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place it in the parent, in pixels."""
        self.sheet.place(x, y, width, height)

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        self.sheet.show(visible)

    def sync(self, pointer: Pointer, key: Hashable, lines: Sequence[PageLine], own: int) -> None:
        """Repaint when the page has moved; `lines` are those of the page, `own` the step whose lines are marked."""
        if self.sheet.look(pointer):
            for event in pointer.take("wheel"):
                self.page.scroll(-round(event.wheel * WHEEL_ROWS))
        self._lines, self._own = lines, own
        self.sheet.sync(pointer, (key, self.page.revision, own), self._draw)

    def _draw(self, pen: Pen) -> None:
        height, rows = self.page.row_height, self.page.rows()
        lines = [self._written(row.line) for row in rows]
        for _, block in groupby(enumerate(lines), lambda each: (each[1].step, each[1].note) if each[1] else None):
            (first, line), *others = block
            if line is not None:
                self._name(pen, line, first * height, (1 + len(others)) * height)

    def _written(self, index: int) -> PageLine | None:
        """A line of the page if it is one of the file that somebody wrote or removed."""
        line = self._lines[index] if index < len(self._lines) else None
        return line if line is not None and line.kind in _WRITTEN and line.note else None

    def _name(self, pen: Pen, line: PageLine, top: float, tall: float) -> None:
        """Name who wrote a line beside it; all of the height beside the lines that follow it answers a press."""
        style, theme, own = self.style, self.style.theme, line.step == self._own
        pad, right = style.size(PAD), self.sheet.width - style.size(6)
        if own and line.kind == "text":
            pen.rect(0, top, self.sheet.width, top + tall, ground(theme, "written"))
        color = theme.accent if own else theme.tool if line.step >= 0 else theme.faint
        note = clean(line.note, LONGEST_NOTE)
        pen.text(pad, top + self.page.row_height / 2, note, color, "text", SMALL, room=right - pad)
        if line.step >= 0:
            act = partial(self.go, line)
            pen.zone(0, top, self.sheet.width, top + tall, act, f"Go to {note}", name=note, kind="link")
