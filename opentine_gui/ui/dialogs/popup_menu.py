"""The menu that is open: a context menu, or one of the bar's, with a submenu beside it.

Menus are drawn here because Dear PyGui's menu items have no tooltip that could say why one is greyed out (a tooltip on
an item makes its menu wider with every frame, seen with Dear PyGui 2.3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.app.actions import Action
from opentine_gui.app.session import Session
from opentine_gui.app.state.action_registry import Choice
from opentine_gui.app.state.window_state import ContextMenu as Wanted
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.row_list import Row, RowList, Span
from opentine_gui.ui.toolkit.sheet import BODY, MONO
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import dialog_theme

BAR_HEIGHT = 36.0
ROW = 27.0
CHECK = 31.0
"""Left edge of titles, in design pixels, in a menu with check marks."""
CHECK_MARK, MORE_MARK = "\u2713", "\u203a"
MENU = "menu:"
"""Prefix of a context menu's kind for a menu of the bar; the menu's name follows."""
WIDEST_TITLE = 420.0
MOST_ROWS = 24
WALK: dict[str, tuple[int | None, int]] = {"Down": (None, 1), "Up": (None, -1), "Home": (-1, 1), "End": (0, -1)}
"""Keys that walk through a menu: where to begin (None: at the current line), and which way."""


class Entry(NamedTuple):
    """A line of a menu: what it runs with which arguments, or the submenu it opens.

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
    choices: Sequence[Choice] = ()


class ContextMenu:
    """Shows the menu that the session has open."""

    def __init__(self, session: Session, style: Style, beside: Callable[[int], None]) -> None:
        """`beside` opens the menu of the bar before (-1) or after (1) the one that is open."""
        self.session, self.style, self._beside = session, style, beside
        self.menu = _Popup(style, self._choose, "ContextMenu")
        self.submenu = _Popup(style, self._choose_inner, "Submenu")
        self._inner_of = -1
        self._number = 0
        self._hovered: int | None = None

    @property
    def visible(self) -> bool:
        """True while a menu is open."""
        return self.menu.shown

    @property
    def has_keyboard(self) -> bool:
        """True while a menu is open: the arrows walk in it."""
        return self.menu.shown

    @property
    def window(self) -> int:
        """The Dear PyGui window of the menu that was opened last."""
        return self.submenu.window if self.submenu.shown else self.menu.window

    @property
    def current(self) -> int | None:
        """The line that the arrow keys chose in the menu."""
        return self.menu.current

    @property
    def rows(self) -> RowList:
        """The lines of the menu."""
        return self.menu.rows

    @property
    def entries(self) -> Sequence[Entry]:
        """What the lines say."""
        return self.menu.entries

    def sync(self, pointer: Pointer) -> None:
        """Open or close menus as the session says."""
        wanted = self.session.context_menu
        if wanted is not None and wanted.number != self._number:
            self._number = wanted.number
            in_bar = wanted.kind.startswith(MENU) or wanted.kind == "tabs"
            entries = self._entries(wanted)
            self._hide_inner()
            if entries:
                place = (wanted.x, wanted.y) if in_bar else (pointer.x - 4, pointer.y - 4)
                self.menu.open(entries, *place)
            else:
                self._leave()
        elif wanted is None and self.menu.shown:
            self._hide()
        if not self.menu.shown or wanted is None:
            return
        if self._pressed_outside(pointer, in_bar=wanted.kind.startswith(MENU)):
            self._leave()
            return
        if self.submenu.shown:
            self.submenu.sync(pointer)
        self.menu.sync(pointer)
        self._follow_pointer()
        for popup in (self.submenu, self.menu):
            if popup.shown:
                pointer.take_inside(popup.area)

    def handle_key(self, chord: str) -> None:
        """Walk with the arrows, choose with Enter, go back or close with Esc; other keys do nothing."""
        popup = self.submenu if self.submenu.shown else self.menu
        if chord in WALK:
            popup.walk(*WALK[chord])
        elif chord in ("Enter", "Space") and popup.current is not None:
            if popup is self.submenu:
                self._choose_inner(popup.current)
            elif popup.entries[popup.current].choices:
                self._open_inner(popup.current, walk=True)
            else:
                self._choose(popup.current)
        elif chord == "Right" and self._can_go_in:
            self._open_inner(self.menu.current or 0, walk=True)
        elif chord == "Esc" or (chord == "Left" and popup is self.submenu):
            if popup is self.submenu:
                self._hide_inner()
            else:
                self._leave()
        elif chord in ("Left", "Right"):
            self._neighbour(1 if chord == "Right" else -1)

    @property
    def _can_go_in(self) -> bool:
        """Whether the arrows stand at a line with a submenu that is not open yet."""
        current = self.menu.current
        return not self.submenu.shown and current is not None and bool(self.menu.entries[current].choices)

    def _neighbour(self, way: int) -> None:
        """Open the menu of the bar beside the one that is open, if one of them is."""
        wanted = self.session.context_menu
        if wanted is not None and wanted.kind.startswith(MENU):
            self._beside(way)

    # --- what is in it -----------------------------------------------------------------------------------------------

    def _entries(self, wanted: Wanted) -> list[Entry]:
        registry = self.session.actions
        if wanted.kind.startswith(MENU):
            items = next(menu.items for menu in registry.menus() if menu.title == wanted.kind.removeprefix(MENU))
        else:
            items = registry.context_menu(wanted.kind)
        entries = [
            self._entry(action, wanted.arguments, ruled=place > 0 and items[place - 1] is None)
            for place, action in enumerate(items)
            if action is not None
        ]
        if wanted.kind == "tabs":
            entries = [*self._tabs(), *[entry._replace(ruled=entry is entries[0]) for entry in entries]]
        return entries

    def _entry(self, action: Action, arguments: Mapping[str, Any], *, ruled: bool) -> Entry:
        session = self.session
        state = action.state(session)
        return Entry(
            action.title,
            action.id,
            arguments,
            action.key,
            action.description,
            session.enabled(action.id, **arguments),
            state if isinstance(state, bool) else None,
            state if isinstance(state, str) else "",
            ruled,
            tuple(action.choices(session)) if action.choices is not None else (),
        )

    def _tabs(self) -> list[Entry]:
        session = self.session
        return [
            Entry(
                clean(document.title, 120).removesuffix(".tine"),
                "document.activate",
                {"document": document.number},
                checked=document is session.active,
                note="unsaved" if document.dirty else "",
                hint=clean(str(document.path), 400) if document.path is not None else "",
            )
            for document in session.documents
        ]

    # --- choosing ----------------------------------------------------------------------------------------------------

    def _choose(self, index: int) -> None:
        if index >= len(self.menu.entries):
            return
        entry = self.menu.entries[index]
        if entry.reason is not None:
            return
        if entry.choices:
            self._open_inner(index)
            return
        self._leave()
        self.session.invoke(entry.action, **entry.arguments)

    def _choose_inner(self, index: int) -> None:
        if index < len(self.submenu.entries):
            entry = self.submenu.entries[index]
            self._leave()
            self.session.invoke(entry.action, **entry.arguments)

    def _open_inner(self, index: int, *, walk: bool = False) -> None:
        outer = self.menu.entries[index]
        entries = [
            Entry(choice.label, outer.action, {**outer.arguments, **choice.arguments}, checked=choice.here)
            for choice in outer.choices
        ]
        area = self.menu.area
        y = area.y + index * self.menu.rows.row_height
        self._inner_of = index
        self.submenu.open(entries, area.x + area.width - self.style.size(2), y, beside=area)
        self.submenu.current = 0 if walk else None

    def _follow_pointer(self) -> None:
        """Open the submenu of the line the pointer came to, and close that of the line it left."""
        hovered = self.menu.rows.hovered
        if hovered is None or hovered == self._hovered or hovered >= len(self.menu.entries):
            self._hovered = hovered
            return
        self._hovered = hovered
        entry = self.menu.entries[hovered]
        if entry.choices and entry.reason is None:
            if hovered != self._inner_of:
                self._open_inner(hovered)
        else:
            self._hide_inner()

    def _pressed_outside(self, pointer: Pointer, *, in_bar: bool) -> bool:
        """True for a press outside the menu, which is consumed; the bar handles presses on itself."""
        inside = (popup.area.contains(pointer.x, pointer.y) for popup in (self.menu, self.submenu) if popup.shown)
        if any(inside) or (in_bar and pointer.y < self.style.size(BAR_HEIGHT)):
            return False
        return any(event.kind == "press" for event in pointer.take("press", "double", "wheel"))

    def _leave(self) -> None:
        self.session.context_menu = None
        self.session.touch()
        self._hide()

    def _hide(self) -> None:
        self.menu.hide()
        self._hide_inner()
        self._hovered = None

    def _hide_inner(self) -> None:
        self.submenu.hide()
        self._inner_of = -1


class _Popup:
    """One menu on screen; `choose` gets the index of the line that was clicked."""

    def __init__(self, style: Style, choose: Callable[[int], None], name: str) -> None:
        self.style, self.choose = style, choose
        self.entries: Sequence[Entry] = ()
        self.current: int | None = None
        """The line the arrows stand at."""
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
        self.rows = RowList(self.window, style, row_height=ROW, on_click=self._click)

    @property
    def area(self) -> Area:
        """Where it is, in pixels of the window."""
        left, top = dpg.get_item_pos(self.window)
        return Area(left, top, dpg.get_item_width(self.window) or 0, dpg.get_item_height(self.window) or 0)

    def open(self, entries: Sequence[Entry], x: float, y: float, *, beside: Area | None = None) -> None:
        """Show these lines at a pixel, within the window; a submenu moves to the other side of `beside` at its edge."""
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
        rows = max(min(rows, int((room_y - style.size(20)) // self.rows.row_height)), 1)
        height = self.rows.row_height * rows + style.size(10)
        if beside is not None and x + width > room_x - 4:
            x = beside.x - width + style.size(2)
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
            dpg.configure_item(self.window, show=False)

    def sync(self, pointer: Pointer) -> None:
        """Handle the pointer and repaint."""
        self.rows.set_rows(len(self.entries), self._row, (self._opened, self.current))
        self.rows.sync(pointer)

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
        right = (Span(MORE_MARK, quiet),) if entry.choices else (Span(entry.key, quiet, "mono"),) if entry.key else ()
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
