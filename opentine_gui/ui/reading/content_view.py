"""Shows recorded values, each as what it is, and lets the user select and copy what is seen.

    view = ContentView(parent, session, style)
    view.show_sections(name, [Section(value, "Result", hint="reader.py")])   # `name` must change with them
    view.place(x, y, width, height)                     # pixels in the parent; `wanted_height(most)` is what it needs
    view.sync(pointer)                                  # once a frame
    view.handle_key("Ctrl+C")                           # True when the view has used the key: ask it before shortcuts

`view.raw` and `view.wrap` are switches. `view.focused` is whether the last press was on it. `selected_text()` and
`copy()` are for menus; `on_context(path, text)` is called for a right click on a value, with what is selected ("" if it
is very much), `on_act(act)` for a press on something that the reader does not do itself, `on_double()` for a double
click beside the text. Ctrl+F finds in what is shown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.reading.find_text import Finder
from opentine_gui.app.inspect.reading.places import MOST_COPIED, Needle, Place, text_between
from opentine_gui.app.inspect.reading.reader import Reader, Section
from opentine_gui.app.inspect.reading.save_media import save_media
from opentine_gui.app.session import Session
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.describe.content.lines import Lines, pace_of
from opentine_gui.scene.text.clean import clean, clean_whole
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.reading.find_bar import FindBar
from opentine_gui.ui.reading.page_drawing import Kept, draw_rows, hint_at, press_at, pressable
from opentine_gui.ui.reading.scroll_bars import NAMES, ScrollBars
from opentine_gui.ui.reading.textures import Textures
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter, Painting
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.row_list import SCROLLBAR
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import Tooltip

WHEEL_ROWS = 3
COPIED_AT_ONCE = 500
"""Lines that are copied in a frame; more are put together in a job."""
THIRD_PRESS = 0.45
"""Seconds after a double click in which a further press selects the line."""
SCROLL_EVERY = 0.04
"""Seconds between two steps while a selection is dragged beyond the edge."""


class ContentView:
    """A child window with a page of styled lines."""

    def __init__(
        self,
        parent: int | str,
        session: Session,
        style: Style,
        *,
        on_context: Callable[[tuple[Hashable, ...], str], None] | None = None,
        on_act: Callable[[Hashable], None] | None = None,
        on_double: Callable[[], None] | None = None,
    ) -> None:
        self.session, self.style = session, style
        self.on_context, self.on_act, self.on_double = on_context, on_act, on_double
        self.reader = Reader(session.jobs, style.metrics, style.scale, session.touch)
        self.page = self.reader.page
        self.focused = False
        self.window = int(
            dpg.add_child_window(
                parent=parent, border=False, width=10, height=10, no_scrollbar=True, no_scroll_with_mouse=True
            )
        )
        self.drawlist = int(dpg.add_drawlist(10, 10, parent=self.window))
        self.rows_node = int(dpg.add_draw_node(parent=self.drawlist))
        self.bar_node = int(dpg.add_draw_node(parent=self.drawlist))
        self.textures = Textures(self.reader)
        self._rows = Painting(Painter(style, self.textures.items), self.rows_node)
        self._bar = Painting(Painter(style), self.bar_node)
        self.tooltip = Tooltip(self.drawlist, style)
        style.controls.call(self.window, "Content")
        style.controls.add(self.drawlist, self._parts)
        self._place: tuple[int, int, int, int] = (0, 0, 10, 10)
        self._shown = True
        self._painted: Hashable = object()
        self._dragging = ""
        self._unit = ""
        self.bars = ScrollBars(self.page, style)
        self._doubled = 0.0
        self._scrolled_at = 0.0
        self._shown_rows: dict[tuple[int, int], int] = {}
        self._base = 0
        self._kept: Kept = {}
        self._look: Hashable = None
        self.finder = Finder(session.jobs, self.page, session.touch)
        self.find_bar = FindBar(self.window, style, self.finder)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_sections(self, name: Hashable, sections: Sequence[Section]) -> None:
        """Show several values below each other, each with a heading."""
        self.reader.show(name, sections)

    def show_lines(self, lines: Lines) -> None:
        """Show lines that were made elsewhere."""
        self.reader.forget()
        self.page.set_lines(lines)

    @property
    def shown(self) -> bool:
        """Whether the view is on show."""
        return self._shown

    def light(self, name: Hashable, needle: Needle | None, *, goes: bool = True) -> None:
        """Light what a search found, and with `goes` bring the first of it into view once for each `name`.

        While somebody looks for something in this view, that is lit instead.
        """
        if self._shown and not self.find_bar.visible:
            self.finder.light(name, needle, goes=goes)

    @property
    def raw(self) -> bool:
        """Whether values are shown as recorded."""
        return self.reader.raw

    @raw.setter
    def raw(self, raw: bool) -> None:
        self.reader.set_raw(raw)
        self.session.touch()

    @property
    def wrap(self) -> bool:
        """Whether lines are wrapped to the width."""
        return self.page.wrap

    @wrap.setter
    def wrap(self, wrap: bool) -> None:
        self.page.resize(self.page.width, self.page.height, wrap=wrap)
        self.session.touch()

    # --- place -------------------------------------------------------------------------------------------------------

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the view in its parent, in pixels."""
        place = (int(x), int(y), max(int(width), 10), max(int(height), 10))
        if place == self._place:
            return
        self._place = place
        dpg.configure_item(self.window, pos=[place[0], place[1]], width=place[2], height=place[3])
        dpg.configure_item(self.drawlist, width=place[2], height=place[3])
        self.page.resize(place[2] - self.style.whole(SCROLLBAR), place[3])

    def wanted_height(self, most: float) -> float:
        """Height in pixels of all rows and of the box over them, at most `most`."""
        rows = self.page.count_rows(int(most // self.page.row_height) + 1) * self.page.row_height
        return float(max(rows, self.find_bar.height))

    def show(self, visible: bool) -> None:
        """Show or hide the view."""
        if visible != self._shown:
            self._shown = visible
            self.focused = self.focused and visible
            dpg.configure_item(self.window, show=visible)

    # --- input -------------------------------------------------------------------------------------------------------

    def selected_text(self) -> str:
        """What is selected, as it is seen."""
        return self.page.selected_text()

    def _short_selection(self) -> str:
        chosen = self.page.selection
        few = chosen is not None and chosen[1].line - chosen[0].line < COPIED_AT_ONCE
        return self.selected_text() if few else ""

    def copy(self) -> bool:
        """Copy what is selected, from a job if it is much; False when nothing is."""
        chosen = self.page.selection
        if chosen is None:
            return False
        if chosen[1].line - chosen[0].line < COPIED_AT_ONCE:
            self._copied(clean_whole(self.selected_text(), lines=True))
            return True
        lines = self.page.lines

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> str:
            return clean_whole(text_between(lines, *chosen, pace_of(cancelled)), lines=True)

        self.session.jobs.submit(
            f"copy:{id(self)}", work, self._copied, title="Copying", priority=1, stopped=leaves_nothing
        )
        return True

    def _copied(self, text: str) -> None:
        """Put a cleaned text on the clipboard, and say so."""
        if not text:
            return
        self.session.copy(text, recorded=True)
        if len(text) < MOST_COPIED:
            self.session.notices.add("good", f"Copied “{clean(text, 60)}”", key="copied")
        else:
            said = f"Copied only the first {MOST_COPIED:,} characters; the editor can take everything."
            self.session.notices.add("warning", said, key="copied")
        self.session.touch()

    def handle_key(self, chord: str) -> bool:
        """Scroll, select and copy by key, while the view is focused; False for a key that is none of its own."""
        return self._shown and self.focused and self.act_on_key(chord)

    def act_on_key(self, chord: str) -> bool:
        """The same, whether it is focused or not: for a view that is the only one."""
        page = self.page
        if chord == "Ctrl+C":
            return self.copy()
        if self._find_key(chord):
            return True
        if chord == "Esc" and page.selection is not None:
            page.select(None, None)
            return True
        most = page.rows_in_view - 1
        moves: dict[str, Callable[[], None]] = {
            "Ctrl+A": page.select_all,
            "PageUp": lambda: page.scroll(-most),
            "PageDown": lambda: page.scroll(most),
            "Up": lambda: page.scroll(-1),
            "Down": lambda: page.scroll(1),
            "Home": lambda: page.go_to(0),
            "End": lambda: page.go_to(len(page.lines)),
            "Ctrl+Home": lambda: page.go_to(0),
            "Ctrl+End": lambda: page.go_to(len(page.lines)),
            "Left": lambda: page.scroll_sideways(-page.width / 4),
            "Right": lambda: page.scroll_sideways(page.width / 4),
        }
        if chord not in moves:
            return False
        moves[chord]()
        return True

    def _find_key(self, chord: str) -> bool:
        """Find by key. Ctrl+F in the box itself is for those who search beyond what is shown here."""
        bar = self.find_bar
        if chord == "Ctrl+F" and not bar.has_keyboard:
            bar.open()
        elif chord in ("Esc", "Ctrl+F") and bar.visible:
            bar.close()
            return chord == "Esc"
        elif chord in ("F3", "Shift+F3") and bar.visible:
            bar.next(1 if chord == "F3" else -1)
        else:
            return False
        return True

    def sync(self, pointer: Pointer) -> None:
        """Handle input, then repaint what has changed."""
        if not self._shown:
            return
        left, top = dpg.get_item_rect_min(self.drawlist)
        x, y = pointer.x - left, pointer.y - top
        hovered = dpg.is_item_hovered(self.window) or dpg.is_item_hovered(self.drawlist)
        hint = ""
        if self._dragging:
            self._drag(pointer, x, y)
        elif hovered:
            hint = self._hover(pointer, x, y)
        elif any(event.kind == "press" for event in pointer.events) and not self.find_bar.contains(x, y):
            self.focused = False
        self.tooltip.set_text(hint)
        self.find_bar.sync(pointer, self.page.width)
        self._paint(self.bars.bar_at(x, y) if hovered else "")

    def _hover(self, pointer: Pointer, x: float, y: float) -> str:
        """Follow the pointer over the page; returns the tooltip."""
        for event in pointer.take("wheel"):
            if "Shift" in event.held:
                self.page.scroll_sideways(-event.wheel * self.style.size(60))
            else:
                self.page.scroll(-round(event.wheel * WHEEL_ROWS))
        for event in pointer.take("press", "double"):
            if event.kind == "press":
                self.focused = True
            if event.button == "right":
                if event.kind == "press" and self.on_context is not None:
                    path = self.reader.path_at(self.page.place_at(x, y).line)
                    self.on_context(path, self._short_selection())
            elif event.button == "left" and (bar := self.bars.bar_at(x, y)):
                self._dragging = "bar"
                self.style.controls.act(self.drawlist, NAMES[bar], partial(self.bars.grasp, bar, x, y))
            elif event.button == "left":
                self._press(event, x, y)
        if x >= self.page.width or self.bars.bar_at(x, y):
            return ""
        pressed = press_at(self.page, x, y)
        pointer.shape = "hand" if pressed is not None else "text"
        return hint_at(self.page, x, y)

    def _press(self, event: InputEvent, x: float, y: float) -> None:
        page, now = self.page, time.monotonic()
        place = page.place_at(x, y)
        if event.kind == "double":
            begin, end = page.word_at(place)
            if begin == end and self.on_double is not None:
                self.on_double()
                return
            self._begin_drag("word", begin, end)
            self._doubled = now
            return
        if now - self._doubled < THIRD_PRESS:
            self._begin_drag("line", *page.line_at(place))
            return
        pressed = press_at(page, x, y)
        if pressed is not None:
            self.style.controls.act(self.drawlist, pressed.name, partial(self._act, pressed.act))
            return
        anchor = page.anchor if "Shift" in event.held and page.anchor is not None else place
        self._begin_drag("", anchor, place)

    def _act(self, act: Hashable) -> None:
        match act:
            case ("save", tuple() as path):
                media = self.reader.media_at(path)
                if media is not None:
                    save_media(self.session, media)
            case _:
                if not self.reader.act(act) and self.on_act is not None:
                    self.on_act(act)

    def _parts(self) -> list[Part]:
        """What answers a press, and the scroll bar."""
        parts = [
            Part(
                spot.name,
                "link",
                Area(spot.x0, spot.y0, spot.x1 - spot.x0, spot.y1 - spot.y0),
                spot.hint or spot.name,
                content=True,
            )
            for spot in pressable(self.page)
        ]
        return parts + self.bars.parts()

    def _begin_drag(self, unit: str, anchor: Place, focus: Place) -> None:
        self._dragging, self._unit = "text", unit
        self.page.select(anchor, focus)

    def _drag(self, pointer: Pointer, x: float, y: float) -> None:
        pointer.take("move", "release", "wheel")
        if self._dragging == "bar":
            self.bars.drag(x, y)
        else:
            pointer.shape = "text"
            for event in pointer.take("press", "double"):  # the second press of a double click, before its release
                self._press(event, x, y)
            self._extend(x, y)
        if not pointer.left_down:
            self._dragging = self.bars.held = ""

    def _extend(self, x: float, y: float) -> None:
        """Extend the selection to the pointer; beyond the edge, scroll there."""
        page = self.page
        over = y - page.height if y > page.height else min(y, 0.0)
        now = time.monotonic()
        if over and now - self._scrolled_at > SCROLL_EVERY:
            self._scrolled_at = now
            page.scroll(round(over / page.row_height) or (1 if over > 0 else -1))
        if self._unit:
            return
        page.select(page.anchor, page.place_at(x, min(max(y, 0.0), page.height - 1)))

    # --- painting ----------------------------------------------------------------------------------------------------

    def _paint(self, over_bar: str) -> None:
        page = self.page
        key = (page.revision, self._place, self.style.theme.name, over_bar, self.bars.held)
        if key == self._painted:
            return
        self._painted = key
        rows = page.rows()
        self._follow_rows([(row.line, row.number) for row in rows])
        y = self._base * page.row_height
        self.textures.load()
        look = (page.selection, page.current, page.left, page.width, page.wrap, page.edition, self.style.theme.name)
        if look != self._look:
            self._look = look
            self._kept.clear()
        self._rows.show(draw_rows(page, rows, self.style, y, self.textures, self._kept), alike=True)
        if self.textures.waiting:
            self._painted = None
            self.session.touch()
        dpg.apply_transform(self.rows_node, dpg.create_translation_matrix((0, -y)))
        self._bar.show(self.bars.draw(over_bar), alike=True)

    def _follow_rows(self, rows: list[tuple[int, int]]) -> None:
        """Keep rows that stay on screen at their place in the drawing, so that they are not drawn again."""
        before = self._shown_rows
        # From the last one: the first may be a heading, which stays where it is while the others scroll.
        self._base = next((before[rows[at]] - at for at in reversed(range(len(rows))) if rows[at] in before), 0)
        self._shown_rows = {row: self._base + number for number, row in enumerate(rows)}
