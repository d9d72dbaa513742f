"""The menu bar (menus, tabs of the open documents, search box) and the menu that opens from it or at the pointer.

Menus are drawn here because Dear PyGui's menu items have no tooltip that could say why one is greyed out (a tooltip on
an item makes its menu wider with every frame, seen with Dear PyGui 2.3.1).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.actions import Action
from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.scene.draw_list import Circle, Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.row_list import Row, RowList, Span
from opentine_gui.ui.toolkit.sheet import BODY, MONO, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import dialog_theme

BAR_HEIGHT = 36.0
SEARCH_WIDTH = 300.0
TAB_WIDEST, TAB_NARROWEST, MORE = 190.0, 104.0, 44.0
ROW = 27.0
CHECK = 31.0
"""Left edge of titles, in design pixels, in a menu with check marks."""
CHECK_MARK = "\u2713"
WALK: dict[str, tuple[int | None, int]] = {"Down": (None, 1), "Up": (None, -1), "Home": (-1, 1), "End": (0, -1)}
"""Keys that walk through a menu: where to begin (None: at the current row), and which way."""
TURN = {"Left": -1, "Right": 1}
MENU = "menu:"
"""Prefix of `ContextMenu.kind` for a menu of the bar; the menu's name follows."""


class MenuBar:
    """Menu titles, a tab per document, and the box that opens the palette."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.height = style.whole(BAR_HEIGHT)
        self.pane = Pane(parent, style)
        style.controls.call(self.pane.window, "MenuBar")
        self.sheet = Sheet(self.pane.window, style)
        self.titles: list[tuple[float, float, str]] = []
        self.tabs: list[tuple[float, float, int]] = []
        self._names = [menu.title for menu in session.actions.menus() if menu.items]

    def show(self, visible: bool) -> None:
        """Show or hide the bar."""
        self.pane.show(visible)

    def sync(self, pointer: Pointer, width: float) -> None:
        """Follow the open documents and the open menu; `width` is the window's, in pixels."""
        self.pane.follow_theme()
        if self.pane.width != width or self.pane.height != self.height:
            self.pane.place(0, 0, width, self.height)
            self.sheet.place(0, 0, width, self.height)
        documents = tuple((document.number, document.title, document.dirty) for document in self.session.documents)
        active = self.session.active.number if self.session.active else 0
        self.sheet.sync(pointer, (documents, active, self._open_menu()), self._draw)
        self._slide(pointer)

    def _open_menu(self) -> str:
        menu = self.session.context_menu
        return menu.kind.removeprefix(MENU) if menu is not None and menu.kind.startswith(MENU) else ""

    def _slide(self, pointer: Pointer) -> None:
        """While a menu is open, open another one when the pointer moves to its title."""
        opened = self._open_menu()
        if opened and 0 <= pointer.y < self.height:
            for x0, x1, name in self.titles:
                if x0 <= pointer.x < x1 and name != opened:
                    self._show(name, x0)

    def _show(self, name: str, x: float) -> None:
        if self._open_menu() == name:
            self.session.context_menu = None
        else:
            self.session.open_context_menu(MENU + name, x, self.height)

    def turn(self, by: int) -> None:
        """Open the menu so many titles to the right of the open one, if one of the bar's is open."""
        names = [name for _, _, name in self.titles]
        opened = self._open_menu()
        if opened in names:
            x, _, name = self.titles[(names.index(opened) + by) % len(names)]
            self._show(name, x)

    def _draw(self, pen: Pen) -> None:
        x = self._draw_titles(pen, self.style.size(4))
        width, height = self.sheet.width, self.sheet.height
        style, theme = self.style, self.style.theme
        search = min(style.size(SEARCH_WIDTH), width * 0.25)
        self._draw_tabs(pen, x + style.size(16), width - search - style.size(28))
        left, top = width - search - style.size(10), style.size(4)
        right, bottom = width - style.size(10), height - style.size(4)
        edge = theme.faint if pen.over(left, top, right, bottom) else theme.hairline
        pen.items.append(Rect(left, top, right, bottom, theme.canvas, edge, style.size(5)))
        pen.text(right - style.size(10), height / 2, "Ctrl+K", theme.faint, "mono", MONO - 1, right=True)
        room = search - style.size(76)
        pen.text(left + style.size(10), height / 2, "Find a step, an id or a command", theme.faint, room=room)
        pen.zone(left, 0, right, height, lambda: self.session.invoke("view.palette"), "Search everything  Ctrl+K")

    def _draw_titles(self, pen: Pen, x: float) -> float:
        style, theme, height = self.style, self.style.theme, self.sheet.height
        opened = self._open_menu()
        self.titles = []
        for name in self._names:
            wide = style.width(name, "text", style.size(BODY)) + style.size(16)
            if name == opened or pen.over(x, 0, x + wide, height):
                pen.items.append(
                    Rect(x, style.size(5), x + wide, height - style.size(5), theme.raised, None, style.size(4))
                )
            pen.text(x + style.size(8), height / 2, name, theme.text)
            act = partial(self._show, name, x)
            pen.zone(x, 0, x + wide, height, act, f"Everything under {name}", name=name, kind="tab")
            self.titles.append((x, x + wide, name))
            x += wide
        return x

    def _draw_tabs(self, pen: Pen, x: float, end: float) -> None:
        style, documents = self.style, self.session.documents
        self.tabs = []
        if not documents:
            return
        most = max(1, int((end - x - style.size(MORE)) // style.size(TAB_NARROWEST)))
        shown = documents if len(documents) <= most else self._around_active(most)
        hidden = len(documents) - len(shown)
        room = end - x - (style.size(MORE) if hidden else 0.0)
        each = min(style.size(TAB_WIDEST), room / len(shown) - style.size(4))
        for document in shown:
            x = self._draw_tab(pen, document, x, each)
        if hidden:
            middle = self.sheet.height / 2
            hint = f"{hidden} more open runs  Ctrl+Tab"
            pen.link(x + style.size(6), middle, f"+{hidden}", lambda: self.session.invoke("document.next"), hint=hint)

    def _around_active(self, most: int) -> list[Document]:
        """The active document and as many neighbours as there is room for."""
        documents, active = self.session.documents, self.session.active
        place = documents.index(active) if active in documents else 0
        first = min(max(place - most // 2, 0), len(documents) - most)
        return documents[first : first + most]

    def _draw_tab(self, pen: Pen, document: Document, x: float, each: float) -> float:
        style, theme, height = self.style, self.style.theme, self.sheet.height
        active, number = document is self.session.active, document.number
        name = clean(document.title, 120)
        pad, cross, dot = style.size(10), style.size(16), style.size(14) if document.dirty else 0.0
        wide = min(each, style.width(name, "text", style.size(BODY)) + 2 * pad + cross + dot + 1)
        over = pen.over(x, 0, x + wide, height)
        if over and not active:
            pen.rect(x, 0, x + wide, height, theme.raised)
        color = theme.text if active else theme.quiet
        room = wide - 2 * pad - cross - dot + 0.5
        end = pen.text(x + pad, height / 2, name, color, room=room, middle_cut=True)
        full = clean(str(document.path), 400) if document.path else f"{name}, not saved yet"
        pen.zone(x, 0, x + wide, height, lambda: self.session.invoke("document.activate", document=number), full)
        if document.dirty:
            pen.items.append(Circle(end + style.size(9), height / 2, style.size(4), theme.accent))
        if over or active:
            at = x + wide - style.size(11)
            pen.cross(at, height / 2, style.size(3), theme.quiet)
            left = at - style.size(8)
            pen.zone(
                left, 0, x + wide, height, lambda: self.session.invoke("file.close", document=number), "Close  Ctrl+W"
            )
        if active:
            pen.rect(x, height - style.size(2), x + wide, height, theme.accent)
        self.tabs.append((x, x + wide, number))
        return x + wide + style.size(4)


class ContextMenu:
    """Shows the menu that the session has open: a context menu, or one of the bar's."""

    def __init__(self, session: Session, style: Style, bar: MenuBar) -> None:
        """`bar` is asked for its next menu by Left and Right."""
        self.session, self.style, self.bar = session, style, bar
        self.actions: list[tuple[Action, bool]] = []
        self.current: int | None = None
        """The row that the arrow keys chose."""
        self._arguments: dict[str, Any] = {}
        self._reasons: dict[str, str | None] = {}
        self._states: dict[str, bool | str] = {}
        self._number = 0
        self._shown = False
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
        style.controls.call(self.window, "ContextMenu")
        self._theme = (style.theme, dialog_theme(style))
        dpg.bind_item_theme(self.window, self._theme[1])
        self.rows = RowList(self.window, style, row_height=ROW, on_click=self._click)

    @property
    def visible(self) -> bool:
        """True while a menu is open."""
        return self._shown

    @property
    def has_keyboard(self) -> bool:
        """True while a menu is open: no key reaches the views behind it."""
        return self._shown

    def handle_key(self, chord: str) -> None:
        """Walk with the arrow keys, choose with Enter, leave with Esc."""
        if chord == "Esc":
            self._leave()
        elif chord in WALK:
            self._walk(*WALK[chord])
        elif chord in TURN:
            self.bar.turn(TURN[chord])
        elif chord in ("Enter", "Space") and self.current is not None:
            self._choose(self.current)

    def _walk(self, start: int | None, by: int) -> None:
        """Go to the next row that can be chosen, from `start` or from the current one (None: from none)."""
        count = len(self.actions)
        place = start if start is not None else self.current
        place = place if place is not None else -1 if by > 0 else 0
        for _ in range(count):
            place = (place + by) % count
            if self._reasons.get(self.actions[place][0].id) is None:
                self.current = place
                return

    def sync(self, pointer: Pointer) -> None:
        """Open or close menus as the session says."""
        wanted = self.session.context_menu
        if wanted is not None and wanted.number != self._number:
            self._number = wanted.number
            in_bar = wanted.kind.startswith(MENU)
            place = (wanted.x, wanted.y) if in_bar else (pointer.x - 4, pointer.y - 4)
            arguments: dict[str, Any] = {"step": wanted.step} if wanted.step else {}
            self._open(wanted.kind, *place, arguments | ({"value": wanted.value} if wanted.value else {}))
        elif wanted is None and self._shown:
            self._hide()
        if not self._shown or wanted is None:
            return
        if self._pressed_outside(pointer, in_bar=wanted.kind.startswith(MENU)):
            self._leave()
            return
        self.rows.set_rows(len(self.actions), self._row, (self._number, self.current))
        self.rows.sync(pointer)
        pointer.take_inside(self._area)

    def _open(self, kind: str, x: float, y: float, arguments: dict[str, Any]) -> None:
        style, registry = self.style, self.session.actions
        if kind.startswith(MENU):
            items = next(menu.items for menu in registry.menus() if menu.title == kind.removeprefix(MENU))
        else:
            items = registry.context_menu(kind)
        self.actions = [
            (action, place > 0 and items[place - 1] is None) for place, action in enumerate(items) if action is not None
        ]
        if not self.actions:
            self._leave()
            return
        self._arguments, self.current = arguments, None
        self._reasons = {action.id: self.session.enabled(action.id, **arguments) for action, _ in self.actions}
        self._states = {action.id: action.state(self.session) for action, _ in self.actions}
        em = style.size(BODY)
        titles = max(style.width(self._label(action), "text", em) for action, _ in self.actions)
        titles += style.size(CHECK - 12) if self._has_switches else 0.0
        keys = max(style.width(action.key, "mono", style.size(MONO)) for action, _ in self.actions)
        width, height = titles + keys + style.size(72), self.rows.row_height * len(self.actions) + style.size(10)
        x = max(min(x, dpg.get_viewport_client_width() - width - 4), 2)
        y = max(min(y, dpg.get_viewport_client_height() - height - 4), 2)
        if self._theme[0] is not style.theme:
            self._theme = (style.theme, dialog_theme(style))
            dpg.bind_item_theme(self.window, self._theme[1])
        dpg.configure_item(self.window, show=True, pos=[int(x), int(y)], width=int(width), height=int(height))
        dpg.focus_item(self.window)
        self.rows.place(1, style.size(5), width - 2, height - style.size(10))
        self._shown = True

    def _row(self, index: int) -> Row:
        if index >= len(self.actions):
            return Row(())
        (action, ruled), theme = self.actions[index], self.style.theme
        reason = self._reasons.get(action.id)
        color = theme.text if reason is None else theme.faint
        key = (Span(action.key, theme.quiet if reason is None else theme.faint, "mono"),) if action.key else ()
        state = self._states.get(action.id, "")
        spans = [Span(action.title, color, at=CHECK if self._has_switches else 0.0)]
        if isinstance(state, str) and state:
            spans.append(Span(state, theme.quiet if reason is None else theme.faint))
        if state is True:
            spans.insert(0, Span(CHECK_MARK, theme.accent))
        return Row(tuple(spans), key, ruled=ruled, selected=index == self.current, hint=reason or action.description)

    @property
    def _has_switches(self) -> bool:
        return any(isinstance(state, bool) for state in self._states.values())

    def _label(self, action: Action) -> str:
        """The title, followed by the current state where it has a name."""
        state = self._states.get(action.id, "")
        return f"{action.title}  {state}" if isinstance(state, str) and state else action.title

    def _click(self, index: int, _event: InputEvent) -> None:
        self._choose(index)

    def _choose(self, index: int) -> None:
        if index < len(self.actions):
            action, _ = self.actions[index]
            if self._reasons.get(action.id) is None:
                self._leave()
                self.session.invoke(action.id, **self._arguments)

    def _pressed_outside(self, pointer: Pointer, *, in_bar: bool) -> bool:
        """True for a press outside the menu, which is consumed; the bar handles presses on itself."""
        if self._area.contains(pointer.x, pointer.y):
            return False
        if in_bar and pointer.y < self.style.size(BAR_HEIGHT):
            return False
        return any(event.kind == "press" for event in pointer.take("press", "double", "wheel"))

    @property
    def _area(self) -> Area:
        left, top = dpg.get_item_pos(self.window)
        return Area(left, top, dpg.get_item_width(self.window) or 0, dpg.get_item_height(self.window) or 0)

    def _leave(self) -> None:
        self.session.context_menu = None
        self.session.touch()
        self._hide()

    def _hide(self) -> None:
        self._shown = False
        dpg.configure_item(self.window, show=False)
