"""Sequences of styled lines: in memory, joined, indented, or produced on demand from a large text."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from typing import Protocol

from opentine_gui.core.errors import Cancelled
from opentine_gui.scene.text.clean import PIECE, clean_whole
from opentine_gui.scene.text.styled import LONGEST_LINE, Span, StyledLine

KEPT_PIECES = 8
ADVANCE = 7.2
"""Width of a character of the fixed-width face, in design pixels."""
DEEPEST_MARGIN = 24
LEAST_COMPARED, MOST_COMPARED, MOST_LINES_LOOKED_AT = 8, 200, 10_000
"""Characters of a text, and lines, that are compared to find it."""

EMPTY = StyledLine()

Pace = Callable[[], None]
"""Called between slices of work; it may pause, or raise to stop the work."""


def no_pace() -> None:
    """A pace that never stops, for small work."""


def pace_of(cancelled: Callable[[], bool]) -> Pace:
    """A pace that raises Cancelled as soon as `cancelled` says that the work should end."""

    def pace() -> None:
        if cancelled():
            raise Cancelled("the work was stopped")

    return pace


class Lines(Protocol):
    """A sequence of styled lines; reading any line is cheap."""

    def __len__(self) -> int:
        """The number of lines."""

    def __getitem__(self, index: int) -> StyledLine:
        """The line at an index, counted from 0."""


class ListedLines:
    """Lines held in memory."""

    def __init__(self, lines: Sequence[StyledLine] = ()) -> None:
        self._lines = tuple(lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> StyledLine:
        return self._lines[index]


class JoinedLines:
    """Several sequences, one after the other."""

    def __init__(self, parts: Sequence[Lines]) -> None:
        self._parts = [part for part in parts if len(part)]
        self._ends = list(accumulate(map(len, self._parts)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: int) -> StyledLine:
        place = bisect_right(self._ends, index)
        return self._parts[place][index - (self._ends[place - 1] if place else 0)]


class IndentedLines:
    """Lines moved right by a number of design pixels, with a bar in the gap."""

    def __init__(self, lines: Lines, indent: float, bar: str = "") -> None:
        self._lines, self._indent, self._bar = lines, indent, bar

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> StyledLine:
        line, by = self._lines[index], self._indent
        bars = tuple((x + by, role) for x, role in line.bars)
        return line._replace(indent=line.indent + by, bars=((by - 8, self._bar), *bars) if self._bar else bars)


class LitLines:
    """Lines of which one stands on the ground of what went wrong."""

    def __init__(self, lines: Lines, lit: int) -> None:
        self._lines, self._lit = lines, lit

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, index: int) -> StyledLine:
        line = self._lines[index]
        return line._replace(ground="wrong") if index == self._lit else line


def line_with(text: str, lines: Lines, pace: Pace = no_pace) -> int | None:
    """The first line that has the beginning of a text in it, else what follows the text's first colon.

    Spaces are compared as one. Of very many lines the first and the last are looked at.
    """
    wanted = " ".join(text.split())
    words = wanted[:MOST_COMPARED]
    after = wanted.partition(": ")[2][:MOST_COMPARED]
    count = len(lines)
    second: int | None = None
    first, last = min(count, MOST_LINES_LOOKED_AT), max(count - MOST_LINES_LOOKED_AT, MOST_LINES_LOOKED_AT)
    for index in chain(range(first), range(last, count)):
        if index % 100 == 0:
            pace()
        line = " ".join(lines[index].text.split())
        if words and words in line:
            return index
        if second is None and len(after) >= LEAST_COMPARED and after in line:
            second = index
    return second


Styling = Callable[[str, int], StyledLine]
"""Makes the styled line of a cleaned line of text and its number from 0."""


class TextLines:
    """The lines of a large cleaned text, styled on demand.

    It keeps the cleaned pieces and the number of lines in each: no index of all lines is needed to reach any of them.
    """

    def __init__(self, pieces: Sequence[str], open_ends: Sequence[bool], counts: Sequence[int], style: Styling) -> None:
        self._pieces, self._open, self._style = pieces, open_ends, style
        self._ends = list(accumulate(counts))
        self._split: OrderedDict[int, list[tuple[str, bool]]] = OrderedDict()

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: int) -> StyledLine:
        text, ends = self.raw(index)
        line = self._style(text, index)
        return line if ends else line._replace(ends=False)

    def raw(self, index: int) -> tuple[str, bool]:
        """(text, whether a line end follows) for the line at an index."""
        place = bisect_right(self._ends, index)
        rows = self._split.get(place)
        if rows is None:
            rows = self._split[place] = list(cut_lines(self._pieces[place], self._open[place]))
            while len(self._split) > KEPT_PIECES:
                self._split.popitem(last=False)
        return rows[index - (self._ends[place - 1] if place else 0)]


def cut_lines(piece: str, goes_on: bool = False) -> Iterator[tuple[str, bool]]:
    """(text, whether a line end follows) for each line of a cleaned text; long lines are cut.

    `goes_on` says that the text continues after this piece without a line end.
    """
    lines = piece.split("\n")
    if not goes_on and max(map(len, lines)) <= LONGEST_LINE:
        yield from zip(lines, repeat(True))
        return
    last = len(lines) - 1
    for number, line in enumerate(lines):
        for begin in range(0, max(len(line), 1), LONGEST_LINE):
            whole = begin + LONGEST_LINE >= len(line)
            yield line[begin : begin + LONGEST_LINE], whole and not (goes_on and number == last)


def text_lines(text: str, style: Styling, pace: Pace = no_pace) -> TextLines:
    """The lines of a recorded text of any size, cleaned."""
    pieces: list[str] = []
    open_ends: list[bool] = []
    counts: list[int] = []
    for piece, goes_on in pieces_of(text):
        pace()
        kept = clean_text(piece)
        pieces.append(kept)
        open_ends.append(goes_on)
        lines = kept.split("\n")
        none_is_cut = max(map(len, lines)) <= LONGEST_LINE
        counts.append(len(lines) if none_is_cut else sum(1 for _ in cut_lines(kept)))
    return TextLines(pieces, open_ends, counts, style)


def pieces_of(text: str) -> Iterator[tuple[str, bool]]:
    """(piece, whether it was cut inside a line) for each piece of a text: whole lines if possible, no last line end."""
    begin = 0
    while len(text) - begin > PIECE:
        end = text.rfind("\n", begin, begin + PIECE)
        if end < 0:
            end = begin + PIECE
            end += text[end - 1] == "\r"
            yield text[begin:end], end < len(text)
            begin = end
        else:
            yield text[begin : end - (text[end - 1 : end] == "\r")], False
            begin = end + 1
    if begin < len(text) or not begin or text[begin - 1] == "\n":
        yield text[begin:], False


def cut_styled(spans: Sequence[Span], line: StyledLine = EMPTY) -> Iterator[StyledLine]:
    """Like `line`, for spans of any length."""
    kept: list[Span] = []
    room = LONGEST_LINE
    for span in spans:
        while len(span.text) > room:
            kept.append(span._replace(text=span.text[:room]))
            yield line._replace(spans=tuple(kept), ends=False)
            span, kept, room = span._replace(text=span.text[room:]), [], LONGEST_LINE
        kept.append(span)
        room -= len(span.text)
    yield line._replace(spans=tuple(kept))


def clean_text(text: str) -> str:
    """The whole of a text, cleaned, with its line ends."""
    return clean_whole(text, lines=True)


def plain(text: str, _number: int = 0) -> StyledLine:
    """A line in the fixed-width font."""
    return StyledLine((Span(text),) if text else (), hang=code_hang(text))


def code_hang(text: str) -> float:
    """The hanging indent of a wrapped line of code in design pixels: a little more than its own indentation."""
    margin = len(text) - len(text.lstrip(" "))
    return ADVANCE * min(margin, DEEPEST_MARGIN) + 2 * ADVANCE if margin < len(text) else 0.0


def prose(text: str, _number: int = 0) -> StyledLine:
    """A line in the proportional font."""
    return StyledLine((Span(text, face="text"),) if text else ())
