"""Turns the lines of a difference into wrapped rows with signs, side colours and marks within a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opentine_gui.app.inspect.step.difference_lines import DiffLine
from opentine_gui.describe.difference_lines import SIGNS
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import SCROLLBAR
from opentine_gui.ui.toolkit.sheet import MONO, SMALL
from opentine_gui.ui.toolkit.style import Style

ROLES = {"removed": "side_a", "added": "side_b"}
MOST_ROWS_A_LINE = 60


def diff_rows(lines: Iterable[DiffLine], width: float, style: Style) -> tuple[list[Row], list[str]]:
    """(rows for a list `width` pixels wide, for each row the whole line it belongs to, which is what is copied)."""
    columns = max(int((width - style.size(24 + SCROLLBAR + 8)) / style.width("0", "mono", style.size(MONO))) - 2, 10)
    rows: list[Row] = []
    texts: list[str] = []
    for line in lines:
        found = list(_rows(line, columns, style))
        rows += found
        texts += [line.text] * len(found)
    return rows, texts


def _rows(line: DiffLine, columns: int, style: Style) -> Iterator[Row]:
    theme = style.theme
    if line.kind == "path":
        yield Row((Span(line.text, theme.tool, "mono", middle=True),))
        return
    if line.kind == "note":
        yield Row((Span(line.text, theme.faint, size=SMALL),), hint=line.text)
        return
    role = ROLES.get(line.kind)
    color = theme.role(role) if role else theme.quiet
    background = mixed(theme.panel, color, 0.16) if role else None
    for number, (begin, end) in enumerate(_pieces(line.text, columns)):
        if number == MOST_ROWS_A_LINE:
            rest = f"and {len(line.text) - begin:,} more characters of this line"
            yield Row((Span(rest, theme.faint, size=SMALL),), background=background)
            return
        sign = SIGNS[line.kind] if number == 0 else "  "
        spans = [Span(sign, color, "mono", tight=True)]
        for text, marked in _parts(line, begin, end):
            strong = mixed(theme.panel, color, 0.5) if marked else None
            spans.append(Span(text, theme.text if marked else color, "mono", tight=True, background=strong))
        yield Row(tuple(spans), background=background)


def _pieces(text: str, columns: int) -> Iterator[tuple[int, int]]:
    """(begin, end) of each piece of a wrapped line, broken at the last space that fits, else inside a word.

    The space at which it is broken is in neither piece: behind a full one it would have no room.
    """
    begin = 0
    while len(text) - begin > columns:
        space = text.rfind(" ", begin + 1, begin + columns + 1)
        end = space if space > begin else begin + columns
        yield begin, end
        begin = end + (space > begin)
    yield begin, len(text)


def _parts(line: DiffLine, begin: int, end: int) -> Iterator[tuple[str, bool]]:
    """(text, marked) pairs of a line from `begin` to `end`."""
    place = begin
    for first, last in line.marks:
        first, last = max(first, begin), min(last, end)
        if first >= last:
            continue
        if first > place:
            yield line.text[place:first], False
        yield line.text[first:last], True
        place = last
    if place < end or begin == end:
        yield line.text[place:end], False
