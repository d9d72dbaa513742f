"""The menu that is open: a context menu, or one of the bar's, with a submenu beside it.

Menus are drawn here because Dear PyGui's menu items have no tooltip that could say why one is greyed out (a tooltip on
an item makes its menu wider with every frame, seen with Dear PyGui 2.3.1).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opentine_gui.app.actions import Action
from opentine_gui.app.session import Session
from opentine_gui.app.state.action_registry import Item, Submenu
from opentine_gui.app.state.window_state import ContextMenu as Wanted
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.dialogs.popup import Entry, Popup
from opentine_gui.ui.input.pointer import Pointer, heads_for
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.style import Style

BAR_HEIGHT = 36.0
MENU = "menu:"
"""Prefix of a context menu's kind for a menu of the bar; the menu's name follows."""
AIM = 0.3
"""Seconds for which a pointer on its way to a submenu may rest on another line before that line counts."""
WALK: dict[str, tuple[int | None, int]] = {"Down": (None, 1), "Up": (None, -1), "Home": (-1, 1), "End": (0, -1)}
"""Keys that walk through a menu: where to begin (None: at the current line), and which way."""
OPEN_GROUP, READ, COPY = "fold.open", "inspect.read", "Copy"


class ContextMenu:
    """Shows the menu that the session has open."""

    def __init__(self, session: Session, style: Style, beside: Callable[[int], None]) -> None:
        """`beside` opens the menu of the bar before (-1) or after (1) the one that is open."""
        self.session, self.style, self._beside = session, style, beside
        self.menu = Popup(style, self._choose, "ContextMenu")
        self.submenu = Popup(style, self._choose_inner, "Submenu")
        self._inner_of = -1
        self._number = 0
        self._hovered: int | None = None
        self._pointed = (0.0, 0.0)
        self._aimed_until = 0.0

    @property
    def visible(self) -> bool:
        """True while a menu is open."""
        return self.menu.shown

    @property
    def waits(self) -> bool:
        """Whether what a line does is about to be shown, or another submenu may be."""
        return self.menu.hint.pending or self.submenu.hint.pending or self._aims

    @property
    def _aims(self) -> bool:
        return time.monotonic() < self._aimed_until

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
            in_bar = wanted.kind.startswith(MENU) or wanted.kind in ("tabs", "order")
            entries = self._entries(wanted)
            self._hide_inner()
            if entries:
                place = (wanted.x, wanted.y) if in_bar else (pointer.x - 4, pointer.y - 4)
                self.menu.open(entries, *place, below=in_bar)
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
        self.menu.sync(pointer, quiet=self.submenu.shown)
        self._follow_pointer(pointer)
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
            elif popup.entries[popup.current].inner:
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
        return not self.submenu.shown and current is not None and bool(self.menu.entries[current].inner)

    def _neighbour(self, way: int) -> None:
        """Open the menu of the bar beside the one that is open, if one of them is."""
        wanted = self.session.context_menu
        if wanted is not None and wanted.kind.startswith(MENU):
            self._beside(way)

    # --- what is in it -----------------------------------------------------------------------------------------------

    def _entries(self, wanted: Wanted) -> list[Entry]:
        registry = self.session.actions
        if wanted.kind == "order":  # what the heading of the list says leads to the orders at once
            return list(self._entry(registry["runs.sort"], {}, ruled=False).inner)
        items: Sequence[Item]
        if wanted.kind.startswith(MENU):
            items = next(menu.items for menu in registry.menus() if menu.title == wanted.kind.removeprefix(MENU))
        else:
            items = registry.context_menu(wanted.kind)
        entries = [
            self._line(item, wanted.arguments, ruled=place > 0 and items[place - 1] is None)
            for place, item in enumerate(items)
            if item is not None
        ]
        if wanted.kind == "step":
            entries = self._of_group(entries)
        if wanted.kind == "tabs":
            entries = [*self._tabs(), *[entry._replace(ruled=entry is entries[0]) for entry in entries]]
        return entries

    def _of_group(self, entries: list[Entry]) -> list[Entry]:
        """The lines of a step's menu. That of a selected group begins with opening it, which Enter does then.

        What it copies is what is selected: all steps of the group.
        """
        document = self.session.active
        place = next((place for place, entry in enumerate(entries) if entry.action == OPEN_GROUP), None)
        if document is None or document.selected_group is None or place is None:
            return entries
        chosen = {"step": document.selection.primary}
        entries = [
            entry._replace(
                inner=[one._replace(arguments={}) if one.arguments == chosen else one for one in entry.inner]
            )
            if entry.title == COPY
            else entry
            for entry in entries
        ]
        opening, *after = entries[place:]
        if after and opening.ruled:
            after[0] = after[0]._replace(ruled=True)
        rest = [entry._replace(key="") if entry.action == READ else entry for entry in (*entries[:place], *after)]
        rest[0] = rest[0]._replace(ruled=True)
        return [opening._replace(key=self.session.actions[READ].key, ruled=False), *rest]

    def _line(self, item: Action | Submenu, arguments: Mapping[str, Any], *, ruled: bool) -> Entry:
        """A line for an action, or for several that stand in a submenu; greyed out where none of them can be chosen."""
        if not isinstance(item, Submenu):
            return self._entry(item, arguments, ruled=ruled)
        inner = [self._entry(action, arguments, ruled=False) for action in item.actions]
        reasons = [entry.reason for entry in inner]
        reason = None if None in reasons else reasons[0]
        return Entry(item.title, "", {}, reason=reason, ruled=ruled, inner=inner)

    def _entry(self, action: Action, arguments: Mapping[str, Any], *, ruled: bool) -> Entry:
        session = self.session
        state = action.state(session, **arguments)
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
            [
                Entry(choice.label, action.id, {**arguments, **choice.arguments}, checked=choice.here)
                for choice in (action.choices(session) if action.choices is not None else ())
            ],
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
        if entry.inner:
            self._open_inner(index)
            return
        self._leave()
        self.session.invoke(entry.action, **entry.arguments)

    def _choose_inner(self, index: int) -> None:
        if index < len(self.submenu.entries):
            entry = self.submenu.entries[index]
            if entry.reason is not None:
                return
            self._leave()
            self.session.invoke(entry.action, **entry.arguments)

    def _open_inner(self, index: int, *, walk: bool = False) -> None:
        area = self.menu.area
        y = area.y + index * self.menu.rows.row_height
        self._inner_of = index
        self.submenu.open(self.menu.entries[index].inner, area.x + area.width - self.style.size(2), y, beside=area)
        if walk:
            self.submenu.walk(-1, 1)

    def _follow_pointer(self, pointer: Pointer) -> None:
        """Open the submenu of the line the pointer came to, and close that of the line it left.

        On its way into a submenu it comes over the lines between, which is no reason to close the one it goes to.
        """
        before, self._pointed = self._pointed, (pointer.x, pointer.y)
        if not self.submenu.shown:
            self._aimed_until = 0.0
        elif before != self._pointed:
            aims = heads_for(before, self._pointed, self.submenu.area)
            self._aimed_until = time.monotonic() + AIM if aims else 0.0
        if self._aims:
            return
        hovered = self.menu.rows.hovered
        if hovered is None or hovered == self._hovered or hovered >= len(self.menu.entries):
            self._hovered = hovered
            return
        self._hovered = hovered
        entry = self.menu.entries[hovered]
        if entry.inner and entry.reason is None:
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
