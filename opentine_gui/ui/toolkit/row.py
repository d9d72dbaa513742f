"""A row of a list: what it says, and how it is drawn."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.scene.draw_list import Circle, Color, Line, Polygon, Primitive, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.toolkit.sheet import BODY, MONO, SMALL
from opentine_gui.ui.toolkit.style import Style

ONE_LINE = 20.0
"""The greatest height of the colour behind a word, in design pixels."""


class Span(NamedTuple):
    """A piece of a row's text. A click on it passes `link` to the list's `on_link`.

    `middle` elides in the middle, for paths and ids; `size` is an em size in design pixels, 0 the default; a `keep`
    span is never elided; `at` is its least distance from the left in design pixels, which makes a column;
    `background` is its colour; after a `tight` span the next one follows without a gap; `short` is what a row says in
    its place if there is no room for every span.
    """

    text: str
    color: Color
    face: str = "text"
    link: object | None = None
    middle: bool = False
    size: float = 0.0
    at: float = 0.0
    keep: bool = False
    background: Color | None = None
    tight: bool = False
    short: str = ""


class Row(NamedTuple):
    """One row: spans from the left, spans from the right, an indent in pixels and a mark (kind glyph or dot).

    `aligned` leaves room for a fold mark where there is none, so that siblings line up; `ruled` draws a line above;
    `background` is its colour; a `hollow` dot is a ring, and one with a `ring` has that around it; `hint` is the
    tooltip, by default the full text of an elided row; `below` is a second line, in a list whose rows are high enough
    for two. Where `yielding`, the spans from the right are left out one by one before one from the left is elided, but
    for those to `keep`. A
    `still` row answers no press: it is not lit under the pointer. A `marked` one is what Enter would open.
    """

    left: tuple[Span, ...]
    right: tuple[Span, ...] = ()
    indent: float = 0.0
    glyph: str = ""
    dot: Color | None = None
    ring: Color | None = None
    fold: bool | None = None  # None: nothing to fold; True: open; False: closed
    aligned: bool = False
    selected: bool = False
    heading: bool = False
    ruled: bool = False
    hint: str = ""
    background: Color | None = None
    hollow: bool = False
    yielding: bool = False
    below: tuple[Span, ...] = ()
    still: bool = False
    marked: bool = False


class DrawnRow(NamedTuple):
    """A row drawn with its top left at (0, 0): primitives, tooltip, and links with their left and right."""

    items: tuple[Primitive, ...]
    hint: str
    links: tuple[tuple[float, float, object], ...]


def draw_row(style: Style, row: Row, width: float, height: float, *, hovered: bool = False) -> DrawnRow:
    """Draw a row of this size in pixels, with its top left at (0, 0)."""
    if style.veil.on:
        row = row._replace(left=_said(style, row.left), right=_said(style, row.right), below=_said(style, row.below))
    drawing = _Drawing(style, row, width, height)
    hint = drawing.draw(hovered)
    return DrawnRow(tuple(drawing.items), hint, tuple(drawing.links))


def _said(style: Style, spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Spans as they may be shown now: pieces of one text, some of which are lit, are looked at as one."""
    said: list[Span] = []
    pieces: list[Span] = []
    for span in spans:
        pieces.append(span)
        if span.tight and span is not spans[-1]:
            continue
        whole = "".join(piece.text for piece in pieces)
        text = style.said(whole)
        said += pieces if text == whole else [pieces[0]._replace(text=text, tight=span.tight)]
        pieces = []
    return tuple(said)


class _Drawing:
    """One row being drawn."""

    def __init__(self, style: Style, row: Row, width: float, height: float) -> None:
        self.style, self.row, self.width, self.height = style, row, width, height
        self.items: list[Primitive] = []
        self.links: list[tuple[float, float, object]] = []

    def draw(self, hovered: bool) -> str:
        """Draw everything; returns the tooltip."""
        style, theme, row, items = self.style, self.style.theme, self.row, self.items
        width, height = self.width, self.height
        if row.background is not None:
            items.append(Rect(style.size(8), 0, width - style.size(6), height, row.background))
        if row.selected or hovered:
            share = 0.09 if row.selected else 0.05
            items.append(Rect(0, 0, width, height, mixed(theme.panel, theme.text, share)))
        if row.ruled:
            items.append(Line(((style.size(10), 0), (width - style.size(10), 0)), theme.hairline, 1.0))
        if row.selected:
            items.append(Rect(0, 0, style.size(2), height, theme.accent))
        if row.marked:
            line = style.size(1.5)
            items.append(Rect(line, line, width - line, height - line, None, theme.accent, style.size(4), line))
        middle = height * (0.3 if row.below else 0.5)
        x = self._marks(style.size(12) + row.indent, middle)
        right = self._right(self._spared(width - x) if row.yielding else row.right, middle)
        elided = self._left(row.left, x, right, middle)
        if row.below:
            end = width - style.size(12) + style.size(6)
            below = self._left(row.below, x, end, height * 0.72)
            elided = elided or below
        return row.hint or elided

    def _marks(self, x: float, middle: float) -> float:
        """Draw the fold mark and the dot or glyph; returns where the text begins."""
        style, theme, row, items = self.style, self.style.theme, self.row, self.items
        if row.fold is not None:
            items.append(triangle(x + style.size(3), middle, style.size(3.5), row.fold, theme.faint))
        if row.fold is not None or row.aligned:
            x += style.size(14)
        if row.dot is not None:
            fill, edge = (None, row.dot) if row.hollow else (row.dot, None)
            radius = style.size(2.2 if row.ring is not None else 3.5 if row.hollow else 4)
            items.append(Circle(x + style.size(4), middle, radius, fill, edge, 1.5))
            if row.ring is not None:
                items.append(Circle(x + style.size(4), middle, style.size(5), None, row.ring, style.size(1.5)))
            x += style.size(16)
        elif row.glyph:
            items.extend(draw_glyph(row.glyph, x, middle - style.size(6), style.size(12), theme.kind(row.glyph)))
            x += style.size(19)
        return x

    def _left(self, spans: tuple[Span, ...], x: float, right: float, middle: float) -> str:
        """Draw spans from `x` on, elided so that they end before `right`; returns all they say if one was elided."""
        style, gap, elided = self.style, self.style.size(6), ""
        shorten = [span for span in spans if span.short]
        if shorten and sum([self._width(span) + gap for span in spans]) > right - x:
            spans = tuple([span._replace(text=span.short or span.text) for span in spans])
        kept = [self._width(span) + gap if span.keep else 0.0 for span in spans]
        for place, span in enumerate(spans):
            size = self._size(span)
            x = max(x, style.size(span.at))
            room = right - gap - x - sum(kept[place + 1 :])
            if room <= style.size(8):
                break
            text = style.shortened(span.text, room, span.face, size, middle=span.middle)
            if text != span.text:
                elided = " ".join(piece.text for piece in spans)
            self._text(span, text, x, middle)
            after = 0.0 if span.tight else gap if span.face != "mono" else style.size(8)
            x += style.width(text, span.face, size) + after
        return elided

    def _spared(self, room: float) -> tuple[Span, ...]:
        """The spans from the right that the others, at their full width, leave room for."""
        style, right = self.style, self.row.right
        left = sum(self._width(span) + style.size(6) for span in self.row.left)
        while True:
            taken = sum(self._width(span) + style.size(8) for span in right)
            first = next((place for place, span in enumerate(right) if not span.keep), None)
            if first is None or left + taken + style.size(12) <= room:
                return right
            right = (*right[:first], *right[first + 1 :])

    def _right(self, spans: tuple[Span, ...], middle: float) -> float:
        """Draw spans that end at the right edge; returns where they begin."""
        x = self.width - self.style.size(12)
        for span in reversed(spans):
            x -= self._width(span)
            self._text(span, span.text, x, middle)
            x -= self.style.size(8)
        return x

    def _text(self, span: Span, text: str, x: float, middle: float) -> None:
        """Draw a span's text, which may be elided, with its background and its link."""
        size = self._size(span)
        if span.background is not None:
            end = x + self.style.width(text, span.face, size)
            half = min(self.height / 2 - 1, self.style.size(ONE_LINE) / 2)
            self.items.append(Rect(round(x), round(middle - half), round(end), round(middle + half), span.background))
        line = round(self.style.metrics.centered_top(middle, span.face, size))
        self.items.append(Text(round(x), line, text, span.face, size, span.color))
        if span.link is not None:
            end = x + self.style.width(text, span.face, size)
            self.links.append((x - 2, end + 2, span.link))

    def _width(self, span: Span) -> float:
        return self.style.width(span.text, span.face, self._size(span))

    def _size(self, span: Span) -> float:
        if span.size:
            return self.style.size(span.size)
        return self.style.size(SMALL if self.row.heading else MONO if span.face == "mono" else BODY)


def row_words(row: Row) -> str:
    """All the text of a row."""
    return " ".join(span.text for span in (*row.left, *row.right, *row.below))


def triangle(x: float, y: float, r: float, opened: bool, color: Color) -> Polygon:
    """A fold mark around (x, y): pointing down when open, to the right when closed."""
    if opened:
        return Polygon(((x - r, y - r * 0.6), (x + r, y - r * 0.6), (x, y + r * 0.8)), color)
    return Polygon(((x - r * 0.6, y - r), (x + r * 0.8, y), (x - r * 0.6, y + r)), color)
