"""A menu on screen: lines to choose from, with what each of them does beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.ui.dialogs.side_hint import SideHint
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import BODY, MONO
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import dialog_theme

ROW = 27.0
CHECK = 31.0
"""Left edge of titles, in design pixels, in a menu with check marks."""
CHECK_MARK, MORE_MARK = "\u2713", "\u203a"
WIDEST_TITLE = 420.0
MOST_ROWS = 40


class Entry(NamedTuple):
    """A line of a menu: what it runs with which arguments, or the lines of the submenu it opens.

    `reason` says why it is greyed out; `checked` is None for what is neither on nor off; `note` stands after the title.
    """

    title: str
    action: str
    arguments: Mapping[str, Any]
    key: str = ""
    hint: str = ""
    reason: str | None = None
    checked: bool | None = None
    note: str = ""
    ruled: bool = False
    inner: Sequence[Entry] = ()


class Popup:
    """One menu on screen; `choose` gets the index of the line that was clicked."""

    def __init__(self, style: Style, choose: Callable[[int], None], name: str) -> None:
        self.style, self.choose = style, choose
        self.entries: Sequence[Entry] = ()
        self.current: int | None = None
        """The line the arrow keys are at."""
        self.shown = False
        self._opened = 0
        self.window = int(
            dpg.add_window(
                no_title_bar=True,
                no_move=True,
                no_resize=True,
                no_saved_settings=True,
                no_scrollbar=True,
                show=False,
                min_size=[10, 10],
            )
        )
        style.controls.call(self.window, name)
        self._theme = (style.theme, dialog_theme(style))
        dpg.bind_item_theme(self.window, self._theme[1])
        self.rows = RowList(self.window, style, row_height=ROW, on_click=self._click, tooltips=False)
        self.hint = SideHint(style)

    @property
    def area(self) -> Area:
        """Where it is, in pixels of the window."""
        left, top = dpg.get_item_pos(self.window)
        return Area(left, top, dpg.get_item_width(self.window) or 0, dpg.get_item_height(self.window) or 0)

    def open(
        self, entries: Sequence[Entry], x: float, y: float, *, beside: Area | None = None, below: bool = False
    ) -> None:
        """Show these lines at a pixel, within the window; a submenu moves to the other side of `beside` at its edge.

        If it fits on neither side it is as wide as the wider one: over the line it belongs to, it would take the press
        that is meant for that line. A menu that belongs `below` its name stays there and scrolls: over the bar its
        first lines could not be pressed.
        """
        style = self.style
        self.entries, self.current = entries, None
        self._opened += 1
        em = style.size(BODY)
        titles = max(min(style.width(self._label(entry), "text", em), style.size(WIDEST_TITLE)) for entry in entries)
        titles += style.size(CHECK - 12) if self._has_switches else 0.0
        keys = max(style.width(entry.key, "mono", style.size(MONO)) for entry in entries)
        rows = min(len(entries), MOST_ROWS)
        width = titles + keys + style.size(72 if keys else 48)
        room_x, room_y = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
        room_rows = room_y - style.size(20) - (y - 2 if below else 0.0)
        rows = max(min(rows, int(room_rows // self.rows.row_height)), 1)
        height = self.rows.row_height * rows + style.size(10)
        if beside is not None and x + width > room_x - 4:
            right, left = room_x - 4 - x, beside.x + style.size(2) - 2
            width = min(width, max(right, left))
            x = x if width <= right else beside.x - width + style.size(2)
        x, y = max(min(x, room_x - width - 4), 2), max(min(y, room_y - height - 4), 2)
        if self._theme[0] is not style.theme:
            self._theme = (style.theme, dialog_theme(style))
            dpg.bind_item_theme(self.window, self._theme[1])
        dpg.configure_item(self.window, show=True, pos=[int(x), int(y)], width=int(width), height=int(height))
        dpg.focus_item(self.window)
        self.rows.place(1, style.size(5), width - 2, height - style.size(10))
        self.rows.scroll_to_top()
        self.shown = True

    def hide(self) -> None:
        """Take it off the screen."""
        if self.shown:
            self.shown = False
            self.hint.hide()
            dpg.configure_item(self.window, show=False)

    def sync(self, pointer: Pointer, *, quiet: bool = False) -> None:
        """Handle the pointer and repaint; a `quiet` menu does not explain its lines."""
        self.rows.set_rows(len(self.entries), self._row, (self._opened, self.current))
        self.rows.sync(pointer)
        row = self.rows.hovered
        if not self.shown or quiet or row is None:
            self.hint.hide()
            return
        top = dpg.get_item_rect_min(self.rows.drawlist)[1] + row * self.rows.row_height
        self.hint.show(self.rows.hint, self.area, top)

    def walk(self, start: int | None, way: int) -> None:
        """Go to the next line that is not greyed out, from `start` or from the current one."""
        count = len(self.entries)
        start = start if start is not None else self.current
        start = start if start is not None else -1 if way > 0 else 0
        for step in range(1, count + 1):
            place = (start + way * step) % count
            if self.entries[place].reason is None:
                self.current = place
                self.rows.reveal(place)
                return

    def _click(self, index: int, _event: InputEvent) -> None:
        self.choose(index)

    def _row(self, index: int) -> Row:
        if index >= len(self.entries):
            return Row(())
        entry, theme = self.entries[index], self.style.theme
        enabled = entry.reason is None
        quiet = theme.quiet if enabled else theme.faint
        spans = [Span(entry.title, theme.text if enabled else theme.faint, at=CHECK if self._has_switches else 0.0)]
        if entry.note:
            spans.append(Span(entry.note, quiet))
        if entry.checked:
            spans.insert(0, Span(CHECK_MARK, theme.accent))
        right = (Span(MORE_MARK, quiet),) if entry.inner else (Span(entry.key, quiet, "mono"),) if entry.key else ()
        return Row(
            tuple(spans), right, ruled=entry.ruled, hint=entry.reason or entry.hint, selected=index == self.current
        )

    @property
    def _has_switches(self) -> bool:
        return any(entry.checked is not None for entry in self.entries)

    @staticmethod
    def _label(entry: Entry) -> str:
        """The title, followed by the current state where it has a name."""
        return f"{entry.title}  {entry.note}" if entry.note else entry.title
