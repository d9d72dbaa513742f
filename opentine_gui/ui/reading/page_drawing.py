"""Draws the rows of a page that are on screen, and finds what lies under a pixel."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from opentine_gui.app.inspect.reading.page import GUTTER_GAP, Page, Row
from opentine_gui.app.inspect.reading.places import Place
from opentine_gui.scene.draw_list import Line, Primitive, Rect, Text
from opentine_gui.scene.reading_colours import ground, ink
from opentine_gui.scene.text.styled import Figure, Span, StyledLine
from opentine_gui.scene.text.styled_rows import character_at, span_size
from opentine_gui.ui.reading.textures import Spot, Textures
from opentine_gui.ui.toolkit.row import triangle
from opentine_gui.ui.toolkit.style import Style, wrap

Kept = dict[tuple[int, int], tuple[float, list[Primitive]]]
"""Rows that were drawn: (line, number) to the y they were drawn at and their primitives."""

_MOST_SAID = 6
"""Rows of the reason why a picture cannot be shown."""


def draw_rows(
    page: Page, rows: Sequence[Row], style: Style, y: float, textures: Textures, kept: Kept
) -> list[Primitive]:
    """The primitives of rows, the first at `y` pixels. Those `kept` from before are used where they stand again."""
    items: list[Primitive] = []
    before = dict(kept)
    kept.clear()
    for number, row in enumerate(rows):
        top = y + number * page.row_height
        line = page.line(row.line)
        if line.figure is not None:
            _row(items, page, row, line, style, top)
            if row.number == 0 or number == 0:
                _figure(items, page, row, line.figure, style, top, (y, y + page.height), textures)
            continue
        known = before.get((row.line, row.number))
        if known is None or known[0] != top:
            known = (top, [])
            _row(known[1], page, row, line, style, top)
            _grounds(known[1], page, row, line, style, top, page.letters(row.line))
            _selection(known[1], page, row, line, style, top, page.letters(row.line))
            _matches(known[1], page, row, line, style, top, page.letters(row.line))
            _text(known[1], page, row, line, style, top, page.letters(row.line))
        kept[row.line, row.number] = known
        items += known[1]
    return items


def _figure(
    items: list[Primitive], page: Page, row: Row, figure: Figure, style: Style, top: float,
    view: tuple[float, float], textures: Textures,
) -> None:  # fmt: skip
    line = page.line(row.line)
    begin = top - row.number * page.row_height + style.size(4)
    spot = Spot(page.start(line) - page.left, begin, *page.figure_size(line))
    tiles = textures.draw(figure, spot, *view)
    if tiles:  # a picture as light as the page, or clear at its edges, is seen to begin and end somewhere
        low, high = max(round(spot.y), view[0] - 2), min(round(spot.y + spot.height), view[1] + 2)
        frame = (round(spot.x) - 1, low - 1, round(spot.x + spot.width) + 1, high + 1)
        items.append(Rect(*frame, style.theme.panel, style.theme.hairline))
    items += tiles
    problem = textures.problem(figure)
    if problem:
        words, em = f"This picture cannot be shown: {problem}.", style.size(13.0)
        for number, said in enumerate(wrap(words, page.width - spot.x, style, most=_MOST_SAID)):
            y = round(begin + number * page.row_height)
            items.append(Text(round(spot.x), y, said, "text", em, ink(style.theme, "bad")))


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
        large = bool(line.spans) and line.spans[0].size > 0  # letters of a heading hang down to the foot of their row
        foot = bottom + size(2) if large else bottom - 1
        items.append(Line(((start, foot), (page.width, foot)), theme.hairline, 1.0))
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
    items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float, ends: Sequence[float]
) -> None:
    chosen = page.selection
    if chosen is None:
        return
    first, last = chosen
    if line.ours or not first.line <= row.line <= last.line:
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


def _matches(
    items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float, ends: Sequence[float]
) -> None:
    """The places that are lit because somebody looks for them; the selected or current one, brightest."""
    if page.needle is None:
        return
    base = ends[row.begin - 1] if row.begin else 0.0
    x = page.start(line, row.number) - page.left - base
    for found in page.needle.finditer(line.text):
        begin, end = max(found.start(), row.begin), min(found.end(), row.end)
        if begin < end:
            x0, x1 = x + (ends[begin - 1] if begin else 0.0), x + ends[end - 1]
            here = (Place(row.line, found.start()), Place(row.line, found.end())) in (page.selection, page.current)
            lit = ground(style.theme, "current_match" if here else "match")
            items.append(Rect(round(x0), top + 1, round(x1), top + page.row_height - 1, lit, style.theme.accent, 2.0))


def _grounds(
    items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float, ends: Sequence[float]
) -> None:
    """What lies under pieces of a row, such as code in a sentence: below what is selected or lit."""
    for span, _text, left, right in _pieces(page, row, line, ends):
        if span.ground:
            under = ground(style.theme, span.ground)
            items.append(Rect(round(left), top + 2, round(right), top + page.row_height - 2, under))


def _text(
    items: list[Primitive], page: Page, row: Row, line: StyledLine, style: Style, top: float, ends: Sequence[float]
) -> None:
    """The letters of a row."""
    middle = top + page.row_height / 2
    for span, text, left, _right in _pieces(page, row, line, ends):
        if not text.isspace():
            em = span_size(span, page.metrics, page.scale)
            y = round(style.metrics.centered_top(middle, span.face, em))
            color = ink(style.theme, span.role, span.ground or line.ground)
            items.append(Text(round(left), y, text, span.face, em, color))


def _pieces(page: Page, row: Row, line: StyledLine, ends: Sequence[float]) -> Iterator[tuple[Span, str, float, float]]:
    """(span, its text, where it begins and ends) in a row, without what is scrolled out of it sideways."""
    begin, end = row.begin, row.end
    base = ends[begin - 1] if begin else 0.0
    x = page.start(line, row.number) - page.left - base
    if ends and not page.wraps(line):
        begin = max(bisect_right(ends, -x), 0)
        end = min(bisect_right(ends, page.width - x) + 1, end)
    at = 0
    for span in line.spans:
        first, last = max(begin, at), min(end, at + len(span.text))
        if first < last:
            yield span, span.text[first - at : last - at], x + (ends[first - 1] if first else 0.0), x + ends[last - 1]
        at += len(span.text)
        if at >= end:
            break


class Pressable(NamedTuple):
    """Something on the page that answers a press, in pixels of the page."""

    act: Hashable
    name: str
    hint: str
    x0: float
    y0: float
    x1: float
    y1: float


def pressable(page: Page) -> list[Pressable]:
    """What on the page answers a press: fold marks with their lines, and spans."""
    found: list[Pressable] = []
    for number, row in enumerate(page.rows()[: page.rows_in_view]):
        line, top = page.line(row.line), number * page.row_height
        bottom = top + page.row_height
        ends = page.letters(row.line)
        if any(span.act is not None for span in line.spans):
            base = page.start(line, row.number) - page.left - (ends[row.begin - 1] if row.begin else 0.0)
            at = 0
            for span in line.spans:
                first, last = max(at, row.begin), min(at + len(span.text), row.end)
                if span.act is not None and first < last:
                    x0, x1 = base + (ends[first - 1] if first else 0.0), base + ends[last - 1]
                    found.append(Pressable(span.act, span.text, span.hint, x0, top, x1, bottom))
                at += len(span.text)
        if line.fold is not None and line.act is not None and row.number == 0:
            start = page.start(line) - page.left
            end = start + (ends[row.end - 1] if row.end else 0.0)
            for spot in found:
                if spot.y0 == top:  # what the line itself has to press is beside the fold, not over it
                    end = min(end, spot.x0)
            found.append(Pressable(line.act, line.text, "", start - 14.0 * page.scale, top, end, bottom))
    return found


def press_at(page: Page, x: float, y: float) -> Pressable | None:
    """What a press at a pixel of the page meets, or None."""
    return next((spot for spot in pressable(page) if spot.x0 <= x < spot.x1 and spot.y0 <= y < spot.y1), None)


def hint_at(page: Page, x: float, y: float) -> str:
    """The tooltip at a pixel of the page."""
    rows, number = page.rows(), int(y // page.row_height)
    if not 0 <= number < len(rows):
        return ""
    row = rows[number]
    line = page.line(row.line)
    if not any(span.hint for span in line.spans):
        return ""
    ends = page.letters(row.line)
    place = character_at(ends, row.begin, row.end, x + page.left - page.start(line, row.number))
    at = 0
    for span in line.spans if place is not None else ():
        at += len(span.text)
        if place is not None and place < at:
            return span.hint
    return ""
