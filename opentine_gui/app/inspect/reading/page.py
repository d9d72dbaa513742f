"""A page: styled lines at a width, scrolled to a row, with a selection. Works in pixels, without a window.

Only lines in view are wrapped. So the page knows the number of lines but not of rows, and the scroll bar shows the
share of lines.
"""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.app.inspect.reading.places import Needle, Place, text_between
from opentine_gui.describe.content.lines import Lines, ListedLines
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.styled import StyledLine
from opentine_gui.scene.text.styled_rows import ends_of, offset_at, row_ends

ROW, PAD, GUTTER_GAP = 20.0, 12.0, 12.0
"""Height of a row, space left and right of the lines, space right of line numbers; design pixels."""
NARROWEST = 40.0
KEPT_LINES = 500
_WORD = re.compile(r"\w+|\s+|[^\w\s]+")


class Row(NamedTuple):
    """A row on screen: characters `begin` to `end` of a line; `number` counts the line's rows from 0."""

    line: int
    number: int
    begin: int
    end: int


class _Wrapped(NamedTuple):
    """A line with the ends of its rows, how many rows it takes, and the x at which each character ends."""

    line: StyledLine
    ends: tuple[int, ...]
    rows: int
    letters: Sequence[float]


class Page:
    """Set `lines`, then `resize`; `rows()` are on screen."""

    def __init__(self, metrics: FontMetrics, scale: float) -> None:
        self.metrics, self.scale = metrics, scale
        self.lines: Lines = ListedLines()
        self.width, self.height = 100.0, 100.0
        self.wrap = True
        self.top = 0
        """The line at the top."""
        self.top_row = 0
        """How many of its rows are above the page."""
        self.left = 0.0
        """Pixels of unwrapped lines left of the page."""
        self.anchor: Place | None = None
        self.focus: Place | None = None
        self.needle: Needle | None = None
        """What is lit wherever it stands; the place it was found at is selected."""
        self.current: tuple[Place, Place] | None = None
        """The lit place that one was taken to, brighter than the others."""
        self.revision = 0
        """Grows with every change of what is on the page."""
        self.edition = 0
        """Grows with every change of the lines."""
        self._kept: OrderedDict[int, _Wrapped] = OrderedDict()
        self._rows: list[Row] = []
        self._rows_of = -1

    @property
    def row_height(self) -> int:
        return round(ROW * self.scale)

    @property
    def rows_in_view(self) -> int:
        """Whole rows that fit, at least one."""
        return max(int(self.height // self.row_height), 1)

    def set_lines(self, lines: Lines, *, keep_place: bool = False) -> None:
        """Show other lines, from the top unless `keep_place`; clears the selection."""
        self.lines = lines
        self.edition += 1
        self._kept.clear()
        self.anchor = self.focus = self.current = None
        if not keep_place:
            self.top, self.top_row, self.left = 0, 0, 0.0
        self._settle()

    def resize(self, width: float, height: float, *, wrap: bool | None = None) -> None:
        """Set the size in pixels, and whether lines are wrapped to it; the top line stays at the top."""
        wrap = self.wrap if wrap is None else wrap
        if (width, height, wrap) == (self.width, self.height, self.wrap):
            return
        if (width, wrap) != (self.width, self.wrap):
            self._kept.clear()
        if wrap != self.wrap:
            self.top_row, self.left = 0, 0.0
        self.width, self.height, self.wrap = width, height, wrap
        self._settle()

    # --- rows --------------------------------------------------------------------------------------------------------

    def line(self, index: int) -> StyledLine:
        """A line, cached while it is near the view."""
        return self._wrapped(index).line

    def letters(self, index: int) -> Sequence[float]:
        """The x in pixels at which each character of a line would end if it were one row."""
        return self._wrapped(index).letters

    def _wrapped(self, index: int) -> _Wrapped:
        known = self._kept.get(index)
        if known is None:
            line = self.lines[index]
            if line.figure is not None:
                known = _Wrapped(line, (0,), self._figure_rows(line), ())
            else:
                room = max(self.width - self.start(line) - PAD * self.scale, NARROWEST * self.scale)
                letters = ends_of(line, self.metrics, self.scale)
                ends = row_ends(line, letters, room, self.scale) if self.wraps(line) else (len(letters),)
                known = _Wrapped(line, ends, len(ends), letters)
            self._kept[index] = known
            while len(self._kept) > KEPT_LINES:
                self._kept.popitem(last=False)
        return known

    def wraps(self, line: StyledLine) -> bool:
        """Whether a line is wrapped to the width."""
        return self.wrap and not line.whole

    def _figure_rows(self, line: StyledLine) -> int:
        return int(-(-self.figure_size(line)[1] // self.row_height)) + 1

    def figure_size(self, line: StyledLine) -> tuple[float, float]:
        """Width and height in pixels at which the picture of a line is shown."""
        figure = line.figure
        assert figure is not None
        room = max(self.width - self.start(line) - PAD * self.scale, NARROWEST * self.scale)
        zoom = figure.zoom * self.scale or min(room / max(figure.width, 1), self.scale)
        return figure.width * zoom, figure.height * zoom

    def start(self, line: StyledLine, row: int = 0) -> float:
        """The x at which a row of a line begins, in pixels, without horizontal scrolling."""
        gutter = 0.0
        if line.digits:
            gutter = line.digits * self.metrics.width("0", "mono", 12.0 * self.scale) + GUTTER_GAP * self.scale
        return gutter + (PAD + line.indent + (line.hang if row else 0.0)) * self.scale

    def rows(self) -> list[Row]:
        """The rows on screen, from the top; the last one may be cut off.

        The heading of a table that is scrolled out stands in place of the first of its rows.
        """
        if self._rows_of != self.revision:
            self._rows_of, self._rows = self.revision, self._find_rows()
        return self._rows

    def _find_rows(self) -> list[Row]:
        found: list[Row] = []
        heading = self._heading()
        if heading is not None:
            found.append(Row(heading, 0, 0, self._wrapped(heading).ends[0]))
        most = int(self.height // self.row_height) + 1
        for index in range(self.top, len(self.lines)):
            wrapped = self._wrapped(index)
            first = self.top_row if index == self.top else 0
            if heading is not None and index == self.top:
                first += 1
            for number in range(first, wrapped.rows):
                if len(found) >= most:
                    return found
                begin = wrapped.ends[number - 1] if 0 < number <= len(wrapped.ends) else 0
                end = wrapped.ends[number] if number < len(wrapped.ends) else begin
                found.append(Row(index, number, begin, end))
        return found

    def _heading(self) -> int | None:
        """The line with the heading of the columns at the top, where it is scrolled out and more of them follows."""
        if self.top >= len(self.lines) - 1:
            return None
        under = self._wrapped(self.top).line.under
        follows = under and self._wrapped(self.top + 1).line.under == under + 1
        return self.top - under if follows and under <= self.top else None

    def count_rows(self, most: int) -> int:
        """The number of rows of all lines, counted up to `most`: for a view as high as its content."""
        count = 0
        for index in range(min(len(self.lines), most)):
            count += self._wrapped(index).rows
            if count >= most:
                return most
        return count

    # --- scrolling ---------------------------------------------------------------------------------------------------

    def scroll(self, rows: int) -> None:
        """Move down by rows, up if negative."""
        self.top_row += rows
        self._settle()

    def scroll_pages(self, pages: float) -> None:
        """Move down by pages, up if negative, at least one row; infinity goes to the end."""
        if math.isinf(pages):
            self.go_to(len(self.lines) if pages > 0 else 0)
        else:
            self.scroll(round(pages * max(self.rows_in_view - 1, 1)) or (1 if pages > 0 else -1))

    def scroll_sideways(self, pixels: float) -> None:
        """Move right by pixels, left if negative, as far as a line in view is wider than the page."""
        self.left = max(min(self.left + pixels, self.widest() - self.width), 0.0)
        self.revision += 1

    def widest(self) -> float:
        """Width in pixels of the widest line in view that is not wrapped."""
        wide = 0.0
        for index in {row.line for row in self.rows()}:
            line = self.line(index)
            if line.figure is not None:
                wide = max(wide, self.start(line) + self.figure_size(line)[0])
            elif not self.wraps(line):
                ends = self.letters(index)
                wide = max(wide, self.start(line) + (ends[-1] if ends else 0.0))
        return wide + PAD * self.scale

    def go_to(self, line: int, row: int = 0) -> None:
        """Bring a row to the top, as far as the content below it allows."""
        self.top, self.top_row = max(min(line, len(self.lines) - 1), 0), row
        self._settle()

    def reveal(self, place: Place) -> None:
        """Scroll as little as possible to bring a place on screen; a distant one into the middle."""
        rows = self.rows()[: self.rows_in_view]
        if self._heading() is not None:
            rows = rows[1:]
        row = self._row_of(place)
        if any((shown.line, shown.number) == (place.line, row) for shown in rows):
            return
        if rows and (place.line, row) < (rows[0].line, rows[0].number) and rows[0].line - place.line < 3:
            self.go_to(place.line - bool(self.line(place.line).under), row)  # a heading would stand in its place
        elif rows and 0 <= place.line - rows[-1].line < 3:
            self.go_to(place.line, row - self.rows_in_view + 1)
        else:
            self.go_to(place.line, row - self.rows_in_view // 2)

    def _row_of(self, place: Place) -> int:
        ends = self._wrapped(place.line).ends
        return next((number for number, end in enumerate(ends) if place.offset < end), len(ends) - 1)

    def _settle(self) -> None:
        """Make the top row one that exists, and fill the page as far as there are lines."""
        self.revision += 1
        count = len(self.lines)
        if not count:
            self.top = self.top_row = 0
            return
        self.top = max(min(self.top, count - 1), 0)
        while self.top_row < 0 and self.top > 0:
            self.top -= 1
            self.top_row += self._wrapped(self.top).rows
        self.top_row = max(self.top_row, 0)
        while self.top < count - 1 and self.top_row >= (rows := self._wrapped(self.top).rows):
            self.top += 1
            self.top_row -= rows
        if self.left:
            self.left = max(min(self.left, self.widest() - self.width), 0.0)
        last = self._last_top()
        if (self.top, self.top_row) > last:
            self.top, self.top_row = last

    def _last_top(self) -> tuple[int, int]:
        """The top at which the last row is the lowest on the page."""
        missing, index = self.rows_in_view, len(self.lines)
        while index > 0:
            index -= 1
            rows = self._wrapped(index).rows
            if rows >= missing:
                return index, rows - missing
            missing -= rows
        return 0, 0

    def scrolled(self) -> tuple[float, float]:
        """(begin, end) of what is on screen as shares of all lines, 0 to 1."""
        count = max(len(self.lines), 1)
        shown = self.rows()[: self.rows_in_view]
        if not shown:
            return 0.0, 1.0
        last = shown[-1]
        begin = self.top + self.top_row / max(self._wrapped(self.top).rows, 1)
        end = last.line + (last.number + 1) / max(self._wrapped(last.line).rows, 1)
        return begin / count, end / count

    def scroll_to_share(self, share: float) -> None:
        """Scroll to a share of all lines."""
        place = max(share, 0.0) * len(self.lines)
        line = min(int(place), max(len(self.lines) - 1, 0))
        if len(self.lines):
            self.go_to(line, int((place - line) * self._wrapped(line).rows))

    def light(self, needle: Needle | None) -> None:
        """Highlight every match of a pattern; None for none."""
        self.needle, self.current = needle, None
        self.edition += 1
        self.revision += 1

    def mark(self, current: tuple[Place, Place] | None) -> None:
        """Light a place brighter than the others; None for no place."""
        if current != self.current:
            self.current = current
            self.revision += 1

    # --- selection ---------------------------------------------------------------------------------------------------

    def place_at(self, x: float, y: float) -> Place:
        """The place nearest to a pixel; above and below the page, in the nearest row."""
        rows = self.rows()
        if not rows:
            return Place(0, 0)
        number = max(min(int(y // self.row_height), len(rows) - 1), 0)
        row = rows[number]
        line = self.line(row.line)
        if number == 0 and row.line < self.top:  # a heading that stays in view: what it covers is meant
            line = self.line(self.top)
            row = Row(self.top, 0, 0, self._wrapped(self.top).ends[0])
        if y >= len(rows) * self.row_height:
            return Place(row.line, row.end)
        ends = self.letters(row.line)
        inside = x + self.left - self.start(line, row.number)
        offset = offset_at(ends, row.begin, row.end, inside)
        if offset == row.end and row.number + 1 < len(self._wrapped(row.line).ends):
            offset = max(row.end - 1, row.begin)  # the place after the last character belongs to the next row
        return Place(row.line, offset)

    def select(self, anchor: Place | None, focus: Place | None) -> None:
        """Select from `anchor` to `focus`; None for nothing."""
        if (anchor, focus) != (self.anchor, self.focus):
            self.anchor, self.focus = anchor, focus
            self.revision += 1

    def select_all(self) -> None:
        """Select everything."""
        if len(self.lines):
            last = len(self.lines) - 1
            self.select(Place(0, 0), Place(last, len(self.line(last).text)))

    def word_at(self, place: Place) -> tuple[Place, Place]:
        """The ends of the word, the gap or the symbols at a place."""
        for found in _WORD.finditer(self.line(place.line).text):
            if found.start() <= place.offset < found.end():
                return Place(place.line, found.start()), Place(place.line, found.end())
        return place, place

    def line_at(self, place: Place) -> tuple[Place, Place]:
        """The ends of the line at a place."""
        return Place(place.line, 0), Place(place.line, len(self.line(place.line).text))

    @property
    def selection(self) -> tuple[Place, Place] | None:
        """(begin, end) of what is selected; None when nothing is."""
        if self.anchor is None or self.focus is None or self.anchor == self.focus:
            return None
        return min(self.anchor, self.focus), max(self.anchor, self.focus)

    def selected_text(self) -> str:
        """The selected text as shown, with real line ends."""
        chosen = self.selection
        return "" if chosen is None else text_between(self.lines, *chosen)
