"""Draws the rows of a page that are on screen, and finds what lies under a pixel."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence

from opentine_gui.app.inspect.reading.page import GUTTER_GAP, Page, Row
from opentine_gui.scene.draw_list import Line, Primitive, Rect, Text
from opentine_gui.scene.reading_colours import ground, ink
from opentine_gui.scene.text.styled import StyledLine
from opentine_gui.scene.text.styled_rows import character_at, ends_of, span_size
from opentine_gui.ui.reading.textures import Spot, Textures
from opentine_gui.ui.toolkit.row_list import triangle
from opentine_gui.ui.toolkit.style import Style


def draw_rows(page: Page, rows: Sequence[Row], style: Style, y: float, textures: Textures) -> list[Primitive]:
    """The primitives of rows, the first at `y` pixels."""
    items: list[Primitive] = []
    chosen = page.selection
    for number, row in enumerate(rows):
        top = y + number * page.row_height
        line = page.line(row.line)
        _row(items, page, row, line, style, top)
        if line.figure is not None:
            if row.number == 0 or number == 0:
                begin = top - row.number * page.row_height + style.size(4)
                spot = Spot(page.start(line) - page.left, begin, *page.figure_size(line))
                items += textures.draw(line.figure, spot, y, y + page.height)
                problem = textures.problem(line.figure)
                if problem:
                    words = f"This picture cannot be shown: {problem}"
                    color = ink(style.theme, "bad")
                    items.append(Text(round(spot.x), round(begin), words, "text", style.size(13.0), color))
            continue
        ends = ends_of(line, page.metrics, page.scale)
        if chosen is not None:
            _selection(items, page, row, line, style, top, ends)
        _text(items, page, row, line, style, top, ends)
    return items


def _row(items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float) -> None:
    """What lies under and beside the text: ground, bars, rule, fold mark, line number."""
    theme, size, bottom = style.theme, style.size, top + page.row_height
    start = page.start(line) - page.left
    base = page.start(StyledLine()) - page.left
    if line.ground:
        inner = max((x for x, _ in line.bars), default=-6.0)
        items.append(Rect(max(base + size(inner), 0), top, page.width, bottom, ground(theme, line.ground)))
    for x, role in line.bars:
        left = round(base + size(x))
        items.append(Rect(left, top, left + max(size(2), 1), bottom, theme.role(role)))
    if line.rule and row.end == len(line.text):
        items.append(Line(((start, bottom - 1), (page.width, bottom - 1)), theme.hairline, 1.0))
    if row.number:
        return
    if line.fold is not None:
        items.append(triangle(start - size(9), top + page.row_height / 2, size(3.5), line.fold, theme.quiet))
    if line.number:
        em = size(12.0)
        wide = style.width(line.number, "mono", em)
        x = start - size(GUTTER_GAP) - wide
        y = round(style.metrics.centered_top(top + page.row_height / 2, "mono", em))
        items.append(Text(round(x), y, line.number, "mono", em, ink(theme, "faint", line.ground)))


def _selection(
    items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float, ends: list[float]
) -> None:
    chosen = page.selection
    assert chosen is not None
    first, last = chosen
    if not first.line <= row.line <= last.line:
        return
    begin = max(first.offset, row.begin) if first.line == row.line else row.begin
    end = min(last.offset, row.end) if last.line == row.line else row.end
    beyond = row.line < last.line and row.end == len(line.text) and begin <= row.end
    if begin > end or (begin == end and not beyond):
        return
    base = ends[row.begin - 1] if row.begin else 0.0
    x = page.start(line, row.number) - page.left - base
    x0 = x + (ends[begin - 1] if begin else 0.0)
    x1 = x + (ends[end - 1] if end else 0.0) + (style.size(5) if beyond else 0.0)
    items.append(Rect(round(x0), top, round(x1), top + page.row_height, ground(style.theme, "selected")))


def _text(
    items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float, ends: list[float]
) -> None:
    """The pieces of a row, without what is scrolled out of it sideways."""
    begin, end = row.begin, row.end
    base = ends[begin - 1] if begin else 0.0
    x = page.start(line, row.number) - page.left - base
    if ends and not page.wraps(line):
        begin = max(bisect_right(ends, -x), 0)
        end = min(bisect_right(ends, page.width - x) + 1, end)
    at = 0
    middle = top + page.row_height / 2
    for span in line.spans:
        first, last = max(begin, at), min(end, at + len(span.text))
        if first < last:
            text = span.text[first - at : last - at]
            left = x + (ends[first - 1] if first else 0.0)
            if span.ground:
                under = ground(style.theme, span.ground)
                items.append(Rect(round(left), top + 2, round(x + ends[last - 1]), top + page.row_height - 2, under))
            if not text.isspace():
                em = span_size(span, page.metrics, page.scale)
                y = round(style.metrics.centered_top(middle, span.face, em))
                color = ink(style.theme, span.role, span.ground or line.ground)
                items.append(Text(round(left), y, text, span.face, em, color))
        at += len(span.text)
        if at >= end:
            break


def span_at(page: Page, x: float, y: float) -> tuple[Hashable, str]:
    """(what a press at a pixel of the page does or None, the tooltip there)."""
    rows, number = page.rows(), int(y // page.row_height)
    if not 0 <= number < len(rows):
        return None, ""
    row = rows[number]
    line = page.line(row.line)
    on_fold = line.act if line.fold is not None and row.number == 0 else None
    ends = ends_of(line, page.metrics, page.scale)
    place = character_at(ends, row.begin, row.end, x + page.left - page.start(line, row.number))
    if place is None:
        return on_fold, ""
    at = 0
    for span in line.spans:
        at += len(span.text)
        if place < at:
            return on_fold if span.act is None else span.act, span.hint
    return on_fold, ""
