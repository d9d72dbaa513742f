"""A virtual list: only the rows on screen are drawn, so 100,000 rows cost no more than thirty."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Circle, Color, Line, Piece, Polygon, Primitive, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.text.clean import shortened_end, shortened_middle
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter, Painting
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import BODY, MONO, SMALL
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import Tooltip

SCROLLBAR = 10.0
MOST_KEPT = 400
"""Drawn rows that are kept: those of a group that is closed and opened again, or that are scrolled back to."""
ONE_LINE = 20.0
"""The most that the colour behind a word is high."""


class Span(NamedTuple):
    """A piece of a row's text. A click on it passes `link` to the list's `on_link`.

    `middle` elides in the middle, for paths and ids; `size` is an em size in design pixels, 0 the default; a `keep`
    span is never elided; `at` is its least distance from the left in design pixels, which makes a column;
    `background` is its colour; after a `tight` span the next one follows without a gap.
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


class Row(NamedTuple):
    """One row: spans from the left, spans from the right, an indent in pixels and a mark (kind glyph or dot).

    `aligned` leaves room for a fold mark where there is none, so that siblings line up; `ruled` draws a line above;
    `background` is its colour; a `hollow` dot is a ring; `hint` is the tooltip, by default the full text of an
    elided row; `below` is a second line, in a list whose rows are high enough for two. Where `yielding`, the spans from
    the right are left out one by one before one from the left is elided.
    """

    left: tuple[Span, ...]
    right: tuple[Span, ...] = ()
    indent: float = 0.0
    glyph: str = ""
    dot: Color | None = None
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


class DrawnRow(NamedTuple):
    """A row as it is drawn with its top left at (0, 0): primitives, tooltip, and links with their left and right."""

    items: tuple[Primitive, ...]
    hint: str
    links: tuple[tuple[float, float, object], ...]


class RowList:
    """A scrolling, virtual list inside one child window.

    `row_at(index)` builds a row; it is called for visible rows only, and only when `key` or the view changed.
    """

    def __init__(
        self,
        parent: int | str,
        style: Style,
        *,
        row_height: float = 26.0,
        on_click: Callable[[int, InputEvent], None] | None = None,
        on_double: Callable[[int], None] | None = None,
        on_context: Callable[[int], None] | None = None,
        on_link: Callable[[object], None] | None = None,
        tooltips: bool = True,
    ) -> None:
        """Without `tooltips` the owner shows the `hint` of the row under the pointer itself."""
        self.style = style
        self.row_height = style.whole(row_height)
        self.on_click, self.on_double, self.on_context, self.on_link = on_click, on_double, on_context, on_link
        self.count = 0
        self.row_at: Callable[[int], Row] = lambda _index: Row(())
        self.key: Hashable = None
        self.hovered: int | None = None
        self._painted: Hashable = object()
        self._links: list[tuple[float, float, float, float, object]] = []
        self._hints: dict[int, str] = {}
        self._rows: tuple[Hashable, dict[tuple[Row, bool], DrawnRow]] = (None, {})
        """What width and colours the rows last painted depend on, and how each of them is drawn."""
        self._width = self._height = 10
        self._sized = (0, 0)
        self._reveal: tuple[int, int] | None = None
        self._revealed: int | None = None
        """The row that was brought on screen last: it stays there when the list gets lower."""
        self._shown = True
        self.window = int(dpg.add_child_window(parent=parent, border=False, width=10, height=10))
        self.drawlist = int(dpg.add_drawlist(10, 10, parent=self.window))
        self.node = int(dpg.add_draw_node(parent=self.drawlist))
        self._painting = Painting(Painter(style), self.node)
        self.tooltip = Tooltip(self.drawlist, style) if tooltips else None
        self.hint = ""
        style.controls.add(self.drawlist, self._parts)

    @property
    def content_height(self) -> int:
        """Height of all rows together, in pixels."""
        return self.count * self.row_height

    @property
    def width(self) -> int:
        """Its width in pixels, the scroll bar included."""
        return self._width

    @property
    def page(self) -> int:
        """Whole rows that are on screen at once, at least one."""
        return max(self._height // self.row_height, 1)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the list in its parent, in pixels."""
        width, height = max(int(width), 10), max(int(height), 10)
        dpg.configure_item(self.window, pos=[int(x), int(y)], width=width, height=height)
        if height < self._height and self._revealed is not None and (self._reveal is not None or self._is_whole()):
            self.reveal(self._revealed)
        self._width, self._height = width, height
        self._painted = object()

    def show(self, visible: bool) -> None:
        """Show or hide the list."""
        if visible != self._shown:
            self._shown = visible
            dpg.configure_item(self.window, show=visible)

    def set_rows(self, count: int, row_at: Callable[[int], Row], key: Hashable) -> None:
        """Set what the list shows. The next `sync` draws it if `key` is new."""
        self.count, self.row_at, self.key = count, row_at, key

    @property
    def drawn(self) -> int:
        """The number of painted primitives; it depends on the rows on screen only."""
        return len(self._painting)

    def on_screen(self, count: int) -> range:
        """The rows that are on screen, one in part among them, where there are `count`."""
        scroll = dpg.get_y_scroll(self.window)
        first = max(int(scroll // self.row_height), 0)
        return range(min(first, count), min(int((scroll + self._height) // self.row_height) + 1, count))

    def reveal(self, index: int) -> None:
        """Scroll as little as possible to bring a row on screen; a distant row ends up in the middle."""
        # Dear PyGui knows a list's new height one frame later, so scrolling is repeated for a few frames.
        self._reveal = (index, 3)
        self._revealed = index

    def _is_whole(self) -> bool:
        """Whether all of the row that was brought on screen last is still there."""
        top, scroll = (self._revealed or 0) * self.row_height, dpg.get_y_scroll(self.window)
        return scroll <= top and top + self.row_height <= scroll + self._height

    def scroll_by(self, pages: float) -> None:
        """Scroll by pages, up if negative."""
        goal = dpg.get_y_scroll(self.window) + pages * self._height
        dpg.set_y_scroll(self.window, float(round(max(min(goal, self.content_height - self._height), 0.0))))

    def scroll_to_top(self) -> None:
        """Show the first row."""
        self._reveal = self._revealed = None
        dpg.set_y_scroll(self.window, 0.0)

    def sync(self, pointer: Pointer) -> None:
        """Handle the pointer events on the list, then repaint if anything it shows has changed."""
        if not self._shown:
            return
        scroll = dpg.get_y_scroll(self.window)
        if self._reveal is not None:
            scroll = self._scrolled(scroll)
        self.hovered = None
        over = dpg.is_item_hovered(self.window) or dpg.is_item_hovered(self.drawlist)
        if over and not pointer.covered:
            # Dear PyGui tells the position of a drawing, not of a child window; the drawing moves with the scroll bar.
            left, top = dpg.get_item_rect_min(self.drawlist)
            x, y = pointer.x - left, pointer.y - top
            if 0 <= x < self._content_width() and 0 <= y - scroll < self._height:
                index = int(y // self.row_height)
                if 0 <= index < self.count:
                    self.hovered = index
                    if self.on_link is not None and self._link_at(x, y) is not None:
                        pointer.shape = "hand"
                self._press(pointer, x, y)
        self._paint(scroll)
        self.hint = self._hints.get(self.hovered, "") if self.hovered is not None else ""
        if self.tooltip is not None:
            self.tooltip.set_text(self.hint)

    def _scrolled(self, scroll: float) -> float:
        index, frames = self._reveal or (0, 0)
        self._reveal = (index, frames - 1) if frames > 1 else None
        top = index * self.row_height
        goal = scroll
        if top + self.row_height < scroll - self._height or top > scroll + 2 * self._height:
            goal = top - self._height / 2
        elif top < scroll:
            goal = top
        elif top + self.row_height > scroll + self._height:
            goal = top + self.row_height - self._height
        goal = float(round(max(min(goal, self.content_height - self._height), 0)))
        if goal != scroll:
            dpg.set_y_scroll(self.window, goal)
        return goal

    def _content_width(self) -> float:
        scrolls = self.content_height > self._height
        return self._width - (self.style.whole(SCROLLBAR) if scrolls else 0)

    def _press(self, pointer: Pointer, x: float, y: float) -> None:
        for event in pointer.take("press", "double"):
            if self.hovered is None:
                continue
            if event.kind == "double":
                if event.button == "left" and self.on_double:
                    self._act(self.hovered, partial(self.on_double, self.hovered))
            elif event.button == "left":
                link = self._link_at(x, y)
                if link is not None and self.on_link:
                    self._act(self.hovered, partial(self.on_link, link), "link ")
                elif self.on_click:
                    self._act(self.hovered, partial(self.on_click, self.hovered, event))
            elif event.button == "right" and self.on_context:
                self._act(self.hovered, partial(self.on_context, self.hovered))

    def _act(self, index: int, work: Callable[[], object], what: str = "row ") -> None:
        self.style.controls.act(self.drawlist, f"{what}{index}", work)

    def _parts(self) -> list[Part]:
        """The rows on screen that answer a press, and the links in them; a name begins as `_act` says it."""
        parts = []
        for index in self.on_screen(self.count):
            row = self.row_at(index)
            words = row_words(row)
            if self._clickable and not row.heading and words:
                area = Area(0, index * self.row_height, self._content_width(), self.row_height)
                parts.append(Part(f"row {index}: {words}", "row", area, self._hints.get(index) or words, content=True))
        if self.on_link is not None:
            for x0, y0, x1, y1, _link in self._links:
                index = int(y0 // self.row_height)
                area = Area(x0, y0, x1 - x0, y1 - y0)
                words = row_words(self.row_at(index)) if index < self.count else ""
                parts.append(Part(f"link {index}: {words}", "link", area, words, content=True))
        return parts

    def _link_at(self, x: float, y: float) -> object | None:
        for x0, y0, x1, y1, link in self._links:
            if x0 <= x <= x1 and y0 <= y <= y1:
                return link
        return None

    def _paint(self, scroll: float) -> None:
        first = max(int(scroll // self.row_height), 0)
        last = min(int((scroll + self._height) // self.row_height) + 1, self.count)
        size = (max(int(self._content_width()), 1), max(self.content_height, 1))
        if size != self._sized:
            self._sized = size
            dpg.configure_item(self.drawlist, width=size[0], height=size[1])
        key = (self.key, first, last, self.hovered, self._width, self._height, size[0], id(self.style.theme))
        if key == self._painted:
            return
        self._links, self._hints = [], {}
        looks = (self._content_width(), id(self.style.theme))
        known = self._rows[1] if self._rows[0] == looks else {}
        self._rows = (looks, known if len(known) < MOST_KEPT else {})
        self._painting.show([self._piece(index, known) for index in range(first, last)], alike=True)
        self._painted = key

    def _piece(self, index: int, known: Mapping[tuple[Row, bool], DrawnRow]) -> Piece:
        """A row at its place; drawn only if it is not among those `known`, wherever it stood."""
        row, top = self.row_at(index), index * self.row_height
        marked = index == self.hovered and not row.heading and self._clickable
        drawn = known.get((row, marked)) or self.draw(row, marked)
        self._rows[1][row, marked] = drawn
        if drawn.hint:
            self._hints[index] = drawn.hint
        self._links += [(x0, top, x1, top + self.row_height, link) for x0, x1, link in drawn.links]
        return Piece(0, top, drawn.items)

    def draw(self, row: Row, hovered: bool = False) -> DrawnRow:
        """Draw a row whose top left is (0, 0)."""
        style, theme, height, width = self.style, self.style.theme, self.row_height, self._content_width()
        items: list[Primitive] = []
        links: list[tuple[float, float, object]] = []
        if row.background is not None:
            items.append(Rect(style.size(8), 0, width - style.size(6), height, row.background))
        if row.selected or hovered:
            share = 0.09 if row.selected else 0.05
            items.append(Rect(0, 0, width, height, mixed(theme.panel, theme.text, share)))
        if row.ruled:
            items.append(Line(((style.size(10), 0), (width - style.size(10), 0)), theme.hairline, 1.0))
        if row.selected:
            items.append(Rect(0, 0, style.size(2), height, theme.accent))
        x = style.size(12) + row.indent
        middle = height * (0.3 if row.below else 0.5)
        if row.fold is not None:
            items.append(triangle(x + style.size(3), middle, style.size(3.5), row.fold, theme.faint))
        if row.fold is not None or row.aligned:
            x += style.size(14)
        if row.dot is not None:
            fill, edge = (None, row.dot) if row.hollow else (row.dot, None)
            items.append(Circle(x + style.size(4), middle, style.size(3.5 if row.hollow else 4), fill, edge, 1.5))
            x += style.size(16)
        elif row.glyph:
            items.extend(draw_glyph(row.glyph, x, middle - style.size(6), style.size(12), theme.kind(row.glyph)))
            x += style.size(19)
        if row.yielding:
            row = row._replace(right=self._spared(row, width - x))
        right = self._right(items, links, row, width, middle)
        elided = self._left(items, links, row, row.left, x, right, middle)
        if row.below:
            end = width - style.size(12) + style.size(6)
            below = self._left(items, links, row, row.below, x, end, height * 0.72)
            elided = elided or below
        return DrawnRow(tuple(items), row.hint or elided, tuple(links))

    def _left(
        self,
        items: list[Primitive],
        links: list[tuple[float, float, object]],
        row: Row,
        spans: tuple[Span, ...],
        x: float,
        right: float,
        middle: float,
    ) -> str:
        """Draw spans from `x` on, elided so that they end before `right`; returns all they say if one was elided."""
        style, gap, elided = self.style, self.style.size(6), ""
        kept = [style.width(span.text, span.face, self._size(span, row)) + gap if span.keep else 0.0 for span in spans]
        for place, span in enumerate(spans):
            size = self._size(span, row)
            x = max(x, style.size(span.at))
            room = right - gap - x - sum(kept[place + 1 :])
            if room <= style.size(8):
                break
            shorten = shortened_middle if span.middle else shortened_end
            text = shorten(span.text, room, span.face, size, style.metrics)
            if text != span.text:
                elided = " ".join(piece.text for piece in spans)
            self._text(items, links, span, text, size, x, middle)
            after = 0.0 if span.tight else gap if span.face != "mono" else style.size(8)
            x += style.width(text, span.face, size) + after
        return elided

    def _spared(self, row: Row, room: float) -> tuple[Span, ...]:
        """The spans from the right that the others, at their full width, leave room for."""
        style, right = self.style, row.right
        left = sum(style.width(span.text, span.face, self._size(span, row)) + style.size(6) for span in row.left)
        while right:
            taken = sum(style.width(span.text, span.face, self._size(span, row)) + style.size(8) for span in right)
            if left + taken + style.size(12) <= room:
                break
            right = right[1:]
        return right

    def _right(
        self,
        items: list[Primitive],
        links: list[tuple[float, float, object]],
        row: Row,
        width: float,
        middle: float,
    ) -> float:
        style = self.style
        x = width - style.size(12)
        for span in reversed(row.right):
            size = self._size(span, row)
            x -= style.width(span.text, span.face, size)
            self._text(items, links, span, span.text, size, x, middle)
            x -= style.size(8)
        return x

    def _text(
        self,
        items: list[Primitive],
        links: list[tuple[float, float, object]],
        span: Span,
        text: str,
        size: float,
        x: float,
        middle: float,
    ) -> None:
        face = span.face
        if span.background is not None:
            end = x + self.style.width(text, span.face, size)
            half = min(self.row_height / 2 - 1, self.style.size(ONE_LINE) / 2)
            items.append(Rect(round(x), round(middle - half), round(end), round(middle + half), span.background))
        line = round(self.style.metrics.centered_top(middle, face, size))
        items.append(Text(round(x), line, text, face, size, span.color))
        if span.link is not None:
            end = x + self.style.width(text, span.face, size)
            links.append((x - 2, end + 2, span.link))

    def _size(self, span: Span, row: Row) -> float:
        if span.size:
            return self.style.size(span.size)
        return self.style.size(SMALL if row.heading else MONO if span.face == "mono" else BODY)

    @property
    def _clickable(self) -> bool:
        return self.on_click is not None or self.on_double is not None


def row_words(row: Row) -> str:
    """What a row says."""
    return " ".join(span.text for span in (*row.left, *row.right, *row.below))


def triangle(x: float, y: float, r: float, opened: bool, color: Color) -> Polygon:
    """A fold mark around (x, y): pointing down when open, to the right when closed."""
    if opened:
        return Polygon(((x - r, y - r * 0.6), (x + r, y - r * 0.6), (x, y + r * 0.8)), color)
    return Polygon(((x - r * 0.6, y - r), (x + r * 0.8, y), (x - r * 0.6, y + r)), color)
