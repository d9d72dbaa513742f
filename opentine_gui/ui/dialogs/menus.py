"""The menu bar: menu titles, tabs of the open documents, and the search box."""

from __future__ import annotations

from functools import partial

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.tab_names import TabName, names_of
from opentine_gui.app.session import Session
from opentine_gui.scene.draw_list import Circle, Rect
from opentine_gui.scene.text.clean import ELLIPSIS, clean
from opentine_gui.ui.dialogs.popup_menu import BAR_HEIGHT, MENU
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.sheet import BODY, MONO, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

SEARCH_WIDTH = 300.0
TAB_WIDEST, TAB_NARROWEST, MORE = 190.0, 104.0, 44.0
MOST_NAMED = 12
"""Runs that the tooltip of a tab names."""


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
        self._pointed = (0.0, 0.0)
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
        documents = tuple((one.number, one.title, one.path, one.dirty) for one in self.session.documents)
        active = self.session.active.number if self.session.active else 0
        self.sheet.sync(pointer, (documents, active, self._open_menu()), self._draw)
        self._slide(pointer)

    def _open_menu(self) -> str:
        menu = self.session.context_menu
        return menu.kind.removeprefix(MENU) if menu is not None and menu.kind.startswith(MENU) else ""

    def _slide(self, pointer: Pointer) -> None:
        """While a menu is open, open another one when the pointer moves to its title; a pointer at rest opens none."""
        opened, at = self._open_menu(), (pointer.x, pointer.y)
        moved, self._pointed = at != self._pointed, at
        if opened and moved and 0 <= pointer.y < self.height:
            for x0, x1, name in self.titles:
                if x0 <= pointer.x < x1 and name != opened:
                    self._show(name, x0)

    def _show(self, name: str, x: float) -> None:
        if self._open_menu() == name:
            self.session.context_menu = None
        else:
            self.session.open_context_menu(MENU + name, x, self.height)

    def show_beside(self, way: int) -> None:
        """Open the menu before (-1) or after (1) the one that is open."""
        names = [name for _, _, name in self.titles]
        if self._open_menu() in names:
            x, _, name = self.titles[(names.index(self._open_menu()) + way) % len(names)]
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
        key = self.session.actions["view.palette"].key
        pen.text(right - style.size(10), height / 2, key, theme.faint, "mono", MONO - 1, right=True)
        room = search - style.size(76)
        pen.text(left + style.size(10), height / 2, "Find a step, an id or a command", theme.faint, room=room)
        pen.zone(left, 0, right, height, lambda: self.session.invoke("view.palette"), f"Search everything  {key}")

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
        names = names_of(documents)
        for document in shown:
            x = self._draw_tab(pen, document, names[document], x, each)
        if hidden:
            middle, bottom = self.sheet.height / 2, self.height
            hint = f"{hidden} more tabs: list all"
            pen.link(
                x + style.size(6),
                middle,
                f"+{hidden}",
                lambda at=x: self.session.open_context_menu("tabs", at, bottom),  # type: ignore[misc]
                hint=hint,
            )

    def _around_active(self, most: int) -> list[Document]:
        """The active document and as many neighbours as there is room for."""
        documents, active = self.session.documents, self.session.active
        place = documents.index(active) if active in documents else 0
        first = min(max(place - most // 2, 0), len(documents) - most)
        return documents[first : first + most]

    def _draw_tab(self, pen: Pen, document: Document, named: TabName, x: float, each: float) -> float:
        style, theme, height = self.style, self.style.theme, self.sheet.height
        active, number = document is self.session.active, document.number
        pad, cross, dot = style.size(10), style.size(16), style.size(14) if document.dirty else 0.0
        around = 2 * pad + cross + dot + 1
        wide = min(each, style.width(named.whole, "text", style.size(BODY)) + around)
        # Of several runs together the first name is seen: what all of them begin with is what they have in common.
        name = self._shown_name(named, each - around) if document.members is None else named.whole
        over = pen.over(x, 0, x + wide, height)
        if over and not active:
            pen.rect(x, 0, x + wide, height, theme.raised)
        color = theme.text if active else theme.quiet
        room = wide - 2 * pad - cross - dot + 0.5
        # It differs from the others where it begins, so only its end is cut, and no sign takes room before it.
        cut = style.width(name, "text", style.size(BODY)) > room
        name = named.mark + name[len(named.mark) :].removeprefix(ELLIPSIS) if cut else name
        end = pen.text(x + pad, height / 2, name, color, room=room, middle_cut=False)

        def menu() -> None:
            self.session.open_context_menu("tab", x, height, document=number)

        act = partial(self.session.invoke, "document.activate", document=number)
        close = partial(self.session.invoke, "file.close", document=number)
        words = self._tab_words(document, named)
        pen.zone(x, 0, x + wide, height, act, words, context=menu, kind="tab", middle=close)
        if document.dirty:
            pen.items.append(Circle(end + style.size(9), height / 2, style.size(4), theme.accent))
        if over or active:
            at = x + wide - style.size(11)
            pen.cross(at, height / 2, style.size(3), theme.quiet)
            left, words = at - style.size(8), f"Close  {self.session.actions['file.close'].key}"
            pen.zone(left, 0, x + wide, height, close, words, context=menu, middle=close)
        if active:
            pen.rect(x, height - style.size(2), x + wide, height, theme.accent)
        self.tabs.append((x, x + wide, number))
        return x + wide + style.size(4)

    def _shown_name(self, named: TabName, room: float) -> str:
        """The whole name, else as much of its end as fits with the part that sets it apart."""
        style, em = self.style, self.style.size(BODY)
        if style.width(named.whole, "text", em) <= room:
            return named.whole
        shown, mark = named.differing, named.mark
        for cut in range(len(named.whole) - len(shown), len(mark), -1):
            longer = mark + ELLIPSIS + named.whole[cut:]
            if style.width(longer, "text", em) > room:
                break
            shown = longer
        return shown

    @staticmethod
    def _tab_words(document: Document, named: TabName) -> str:
        """The tooltip of a tab: its whole name and where its run is saved, or which runs it shows."""
        if document.members is not None:
            titles = [clean(member.title, 120) for member in document.members.members]
            what = "Compares" if document.members.comparing else "Shows together"
            more = f"\nand {len(titles) - MOST_NAMED} more" if len(titles) > MOST_NAMED else ""
            return f"{what}\n" + "\n".join(titles[:MOST_NAMED]) + more
        if document.path is None:
            return f"{named.whole}, not saved yet"
        place = clean(str(document.path), 400)
        return place if document.title == document.path.name else f"{named.whole}\n{place}"
