"""The legend while steps are coloured by a figure or a name: the scale and the top ten, or the names."""

from __future__ import annotations

from opentine_gui.app.inspect.analysis.call_rows import calls_of
from opentine_gui.app.inspect.analysis.heat_rows import (
    RAMP,
    TITLES,
    HeatRow,
    ToolWords,
    heat_is_given_up,
    heat_of,
    heat_rows,
    level_words,
    missing_words,
    scale_meaning,
    scale_words,
    tool_words,
)
from opentine_gui.app.session import Session
from opentine_gui.core.analysis.heat import Figure, Heat
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import HEADING, ListPanel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen
from opentine_gui.ui.toolkit.style import Style, wrap

SCALE, TOOL, LINE = 22.0, 92.0, 24.0
MEANING, MOST_MEANING = 16.0, 2
"""Height of a line of what the scale means, and how many there are at most."""
NARROW, TALL = 240.0, 40.0
"""Design pixels: in a list narrower than the first, rows are as high as the second, with the figure below the words."""
MOST_SHOWN = 10


class HeatPanel(ListPanel):
    """Shown while steps are coloured; a click on a step goes there, a click on a name lights up its steps."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.rows = RowList(self.pane.window, style, row_height=LINE, on_click=self._click)
        self._heat: Heat | None = None
        self._rows: list[HeatRow] = []
        self._tool: ToolWords | None = None
        self._why_none = "looking…"
        self._key: object = None
        self._said: tuple[object, list[str]] = (None, [])

    @property
    def in_use(self) -> bool:
        """Whether steps are coloured."""
        return bool(self.session.view.heat) and self.session.active is not None

    def wanted_height(self, room: float) -> float | None:
        """Room for the legend and ten rows, at most half the side."""
        self._follow()
        rows = min(max(len(self._rows), 1), MOST_SHOWN) if self._rows else 0
        line = TALL if self._narrow else LINE
        return min(self.style.size(self.heading_height) + self.style.size(rows * line + 8), room / 2)

    @property
    def _narrow(self) -> bool:
        return self.heading.width < self.style.size(NARROW)

    @property
    def heading_height(self) -> float:
        """Height of the legend."""
        scale = SCALE + MEANING * len(self._meaning()) if self._heat is not None and not self._heat.names else 0.0
        return HEADING + scale + (TOOL if self._tool is not None else 0.0)

    def _meaning(self) -> list[str]:
        """What the ends of the scale are, in lines; or why there is none."""
        if self._heat is None or self._heat.names:
            return []
        words = missing_words(self._heat) or scale_meaning(self._heat)
        key = (words, self.heading.width, self.style.scale)
        if self._said[0] != key:
            room = self.heading.width - self.style.size(24)
            self._said = key, wrap(words, room, self.style, size=SMALL, most=MOST_MEANING)
        return self._said[1]

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the legend and the rows, which are higher where they are narrow."""
        self.heading.place(0, 0, width, self.heading.height)
        self.rows.row_height = self.style.whole(TALL if self._narrow else LINE)
        super().place(x, y, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the colours of the active run."""
        self.pane.follow_theme()
        self._follow()
        document = self.session.active
        revision = document.selection_revision if document is not None else 0
        given_up = document is not None and self._heat is None and heat_is_given_up(self.session, document)
        self._why_none = "not looked through" if given_up else "looking…"
        self.heading.sync(pointer, (self._heat, self._tool, self._why_none), self._draw)
        key = (self._heat, revision, self.session.view.heat_name, self._narrow)
        self.rows.set_rows(len(self._rows), self._row, key)
        self.rows.sync(pointer)

    def forget(self) -> None:
        """Release the run and its colours."""
        self._heat = self._tool = self._key = None
        self._rows = []

    def _follow(self) -> None:
        document = self.session.active
        record = document.record if document is not None else None
        found = heat_of(self.session, document) if document is not None else None
        name = self.session.view.heat_name
        key = (found, record, name)
        if isinstance(self._key, tuple) and all(one is two for one, two in zip(key, self._key, strict=True)):
            return
        self._key = key
        self._heat = found
        self._rows = heat_rows(found, record.graph) if found is not None and record is not None else []
        self._tool = None
        if found is not None and record is not None and document is not None and found.figure is Figure.TOOL and name:
            calls = calls_of(self.session, document)
            self._tool = tool_words(record.graph, calls, name) if calls is not None else None

    def _draw(self, pen: Pen) -> None:
        style, theme, width = self.style, self.style.theme, self.heading.width
        middle, left = style.size(HEADING) / 2 + style.size(2), style.size(12)
        pen.rule(0, 0, width)
        wanted = self.session.view.heat
        words = f"Colour by {TITLES[Figure(wanted)].lower()}" if wanted else ""
        pen.text(left, middle, words, theme.faint, "title", SMALL)
        x, r = width - left - style.size(4), style.size(4)
        over = pen.over(x - 3 * r, middle - 3 * r, x + 3 * r, middle + 3 * r)
        pen.cross(x, middle, r, theme.text if over else theme.quiet)
        close = lambda: self.session.invoke("view.heat", figure="")  # noqa: E731 - bound at once
        pen.zone(x - 3 * r, middle - 3 * r, x + 3 * r, middle + 3 * r, close, "Colour by kind again", kind="button")
        if self._heat is None:
            pen.text(x - 3 * r, middle, self._why_none, theme.quiet, "text", SMALL, right=True)
            return
        y = style.size(HEADING)
        if missing_words(self._heat):
            for number, line in enumerate(self._meaning()):
                pen.text(left, y + style.size(8 + MEANING * number), line, theme.quiet, "text", SMALL)
        elif not self._heat.names:
            low, high = scale_words(self._heat)
            end = pen.text(left, y + style.size(8), low, theme.quiet, "mono", SMALL) + style.size(6)
            start = pen.text(width - left, y + style.size(8), high, theme.quiet, "mono", SMALL, right=True)
            wide = max((start - style.size(6) - end) / (len(RAMP) - 1), 2.0)
            for number, role in enumerate(RAMP[1:]):
                x0 = end + number * wide
                pen.rect(x0, y + style.size(3), x0 + wide - 1, y + style.size(13), theme.role(role))
                pen.zone(x0, y, x0 + wide, y + style.size(16), None, level_words(self._heat, number + 1))
            for number, line in enumerate(self._meaning()):
                pen.text(left, y + style.size(25 + MEANING * number), line, theme.quiet, "text", SMALL)
            y += style.size(SCALE + MEANING * len(self._meaning()))
        if self._tool is not None:
            self._draw_tool(pen, self._tool, left, y, width - 2 * left)

    def _draw_tool(self, pen: Pen, tool: ToolWords, left: float, y: float, room: float) -> None:
        style, theme = self.style, self.style.theme
        pen.text(left, y + style.size(8), self.session.view.heat_name, theme.text, "title", room=room)
        pen.text(left, y + style.size(26), tool.calls, theme.quiet, "text", SMALL, room=room)
        pen.text(left, y + style.size(42), tool.times, theme.quiet, "text", SMALL, room=room)
        if not tool.bins:
            return
        top, tall = y + style.size(52), style.size(22)
        wide, most = room / len(tool.bins), max(tool.bins)
        for number, count in enumerate(tool.bins):
            height = max(tall * count / most, 1.0 if count else 0.0)
            x = left + number * wide
            pen.rect(x, top + tall - height, x + wide - 1, top + tall, theme.tool)
        pen.text(left, top + tall + style.size(8), tool.shortest, theme.faint, "mono", 10)
        pen.text(left + room, top + tall + style.size(8), tool.longest, theme.faint, "mono", 10, right=True)

    def _row(self, index: int) -> Row:
        document, theme = self.session.active, self.style.theme
        if document is None or index >= len(self._rows):
            return Row(())
        row = self._rows[index]
        chosen = row.step in document.selection if row.step else row.name == self.session.view.heat_name
        figure = (Span(row.figure, theme.quiet, "mono", size=SMALL, keep=True),)
        words, dot = (Span(row.words, theme.text),), theme.role(row.role)
        if self._narrow and row.step:
            return Row(words, dot=dot, selected=chosen, below=(Span("", theme.text, at=28), *figure))
        return Row(words, figure, dot=dot, selected=chosen)

    def _click(self, index: int, _event: InputEvent) -> None:
        row = self._rows[index]
        if row.step:
            self.session.invoke("select.step", step=row.step, reveal=True)
        else:
            self.session.invoke("heat.name", name=row.name)
