"""A virtual list: only the rows on screen are drawn, so 100,000 rows cost no more than thirty."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Piece
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter, Painting
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.row import DrawnRow, Row, draw_row, row_words
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import Tooltip

SCROLLBAR = 10.0
LEAST_SHOWN = 8.0
"""Design pixels of a row that have to be in view for it to be pressed."""
FILLED = 0.9
"""The share of its row from which on a link fills it: beside it nothing is left to be pressed."""
FRAMES_OF_SCROLLING = 3
"""Dear PyGui knows a list's new height one frame later, so scrolling is repeated for a few frames."""
MOST_KEPT = 400
"""Drawn rows that are kept: those of a group that is closed and opened again, or that are scrolled back to."""


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
        self._goal: tuple[float, int] | None = None
        self._revealed: int | None = None
        """The row that was brought on screen last: it stays there when the list gets lower."""
        self._shown = self._wanted = self._fits = True
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
        """Place the list in its parent, in pixels; less than a sliver of a row is not shown."""
        self._fits = height >= self.style.size(LEAST_SHOWN)
        self._follow_shown()
        width, height = max(int(width), 10), max(int(height), 10)
        dpg.configure_item(self.window, pos=[int(x), int(y)], width=width, height=height)
        if height < self._height and self._revealed is not None and (self._reveal is not None or self._is_whole()):
            self.reveal(self._revealed)
        self._width, self._height = width, height
        self._painted = object()

    def show(self, visible: bool) -> None:
        """Show or hide the list."""
        self._wanted = visible
        self._follow_shown()

    def _follow_shown(self) -> None:
        shown = self._wanted and self._fits
        if shown != self._shown:
            self._shown = shown
            dpg.configure_item(self.window, show=shown)

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
        self._reveal = (index, FRAMES_OF_SCROLLING)
        self._goal = None
        self._revealed = index

    def _is_whole(self) -> bool:
        """Whether all of the row that was brought on screen last is still in view."""
        top, scroll = (self._revealed or 0) * self.row_height, dpg.get_y_scroll(self.window)
        return scroll <= top and top + self.row_height <= scroll + self._height

    def scroll_to_top(self) -> None:
        """Show the first row."""
        self.scroll_to(0.0)

    @property
    def scrolled(self) -> float:
        """How far it is scrolled down, or is about to be, in pixels."""
        return self._goal[0] if self._goal is not None else float(dpg.get_y_scroll(self.window))

    def scroll_to(self, scroll: float) -> None:
        """Scroll down so many pixels."""
        self._reveal = self._revealed = None
        self._goal = (scroll, FRAMES_OF_SCROLLING) if scroll else None
        dpg.set_y_scroll(self.window, scroll)

    def sync(self, pointer: Pointer) -> None:
        """Handle the pointer events on the list, then repaint if anything it shows has changed."""
        if not self._shown:
            return
        scroll = dpg.get_y_scroll(self.window)
        if self._goal is not None:
            scroll, frames = self._goal
            self._goal = (scroll, frames - 1) if frames > 1 else None
            dpg.set_y_scroll(self.window, scroll)
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
        if self.tooltip is not None and (self.hint or self.tooltip.shown):
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
        """The rows on screen that answer a press, and the links in them; a name begins as `_act` says it.

        A link that fills its row stands for it.
        """
        parts = []
        scroll, least = dpg.get_y_scroll(self.window), self.style.size(LEAST_SHOWN)
        wide = self._content_width() * FILLED
        for index in self.on_screen(self.count):
            top = index * self.row_height - scroll
            if min(top + self.row_height, self._height) - max(top, 0.0) < least:
                continue  # too little of it is in view
            row = self.row_at(index)
            words = row_words(row)
            filled = any(y0 == index * self.row_height and x1 - x0 > wide for x0, y0, x1, _y1, _link in self._links)
            if self._clickable and not row.heading and words and not filled:
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
        style = (self.style.theme.name, self.style.veil.on)
        key = (self.key, first, last, self.hovered, self._width, self._height, size[0], style)
        if key == self._painted:
            return
        self._links, self._hints = [], {}
        looks = (self._content_width(), self.row_height, style)
        known = self._rows[1] if self._rows[0] == looks else {}
        self._rows = (looks, known if len(known) < MOST_KEPT else {})
        self._painting.show([self._piece(index, known) for index in range(first, last)], alike=True)
        self._painted = key

    def _piece(self, index: int, known: Mapping[tuple[Row, bool], DrawnRow]) -> Piece:
        """A row at its place; drawn only if it is not among those `known`, wherever it stood."""
        row, top = self.row_at(index), index * self.row_height
        marked = index == self.hovered and self._clickable and not (row.heading or row.still)
        drawn = known.get((row, marked))
        if drawn is None:
            drawn = draw_row(self.style, row, self._content_width(), self.row_height, hovered=marked)
        self._rows[1][row, marked] = drawn
        if drawn.hint:
            self._hints[index] = drawn.hint
        self._links += [(x0, top, x1, top + self.row_height, link) for x0, x1, link in drawn.links]
        return Piece(0, top, drawn.items)

    @property
    def _clickable(self) -> bool:
        return self.on_click is not None or self.on_double is not None
