"""Help over the canvas: all keys by menu, and what this program is. Esc or a click outside ends it."""

from __future__ import annotations

import math

import dearpygui.dearpygui as dpg

from opentine_gui import __version__
from opentine_gui.app.session import Session
from opentine_gui.app.system.licences import licence_lines
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.line_break import wrap
from opentine_gui.ui.toolkit.look import Look
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet

COLUMN, LINE, PAD, SMALL_LINE = 330.0, 22.0, 24.0, 17.0
GESTURES = (
    ("wheel", "zoom about the pointer"),
    ("Shift+wheel", "move sideways"),
    ("drag, Space+drag", "pan"),
    ("click, Shift+click", "select, add"),
    ("Shift+drag", "select a box"),
    ("double-click", "open the inspector wide"),
    ("drag a card", "move it"),
    ("drag a lower edge", "fork; on a card, merge"),
)
ABOUT = (
    "opentine-gui opens the record of an agent's run as a graph, and lets you fork, merge, compare and save it.",
    "It reads and writes .tine files and nothing else: a file that is opened cannot run code or reach the network.",
    "Licence: Apache-2.0. What it is made with is listed here; the texts are in THIRD_PARTY_LICENSES.txt.",
)


class HelpView:
    """Shows `view.keys` or `view.about`; keeps no truth of its own."""

    def __init__(self, session: Session, look: Look, parent: int | str) -> None:
        self.session, self.look = session, look
        self.sheet = Sheet(parent, look)
        self.sheet.show(False)
        with dpg.theme() as clear, dpg.theme_component(dpg.mvAll):
            dpg.add_theme_color(dpg.mvThemeCol_ChildBg, (0, 0, 0, 0))
        dpg.bind_item_theme(self.sheet.window, clear)

    @property
    def has_keyboard(self) -> bool:
        """True while it is open: no key reaches what lies behind it."""
        return self.session.view.keys or self.session.view.about

    def handle_key(self, chord: str) -> None:
        """Esc closes it, and so does the key that opened it."""
        action = self.session.actions.by_key(chord)
        if action is not None and action.id in ("view.dismiss", "help.keys"):
            self.session.invoke(action.id)

    def sync(self, pointer: Pointer, area: Area) -> None:
        """Follow the session; `area` is the window below its menus."""
        view = self.session.view
        shown = view.keys or view.about
        self.sheet.show(shown)
        if not shown:
            return
        look = self.look
        columns = max(1, min(4, int((area.width - look.size(2 * PAD)) // look.size(COLUMN)))) if view.keys else 2
        width = min(columns * look.size(COLUMN) + 2 * look.size(PAD), area.width - look.size(24))
        rows = self._rows() if view.keys else []
        height = self._keys_height(rows, columns) if view.keys else look.size(206 + SMALL_LINE * len(licence_lines()))
        height = min(height, area.height - look.size(24))
        self.sheet.place(area.x + (area.width - width) / 2, area.y + (area.height - height) * 0.3, width, height)
        draw = self._draw_about if not view.keys else lambda pen: self._draw_keys(pen, rows, columns)
        self.sheet.sync(pointer, (view.keys, columns), draw)
        # What was done beside it is done to nothing else.
        if any(event.kind == "press" for event in pointer.take_inside(area)) and not self.sheet.hovered:
            view.keys = view.about = False
            self.session.touch()

    def _rows(self) -> list[tuple[str, str]]:
        """(key, title) rows; an empty key makes a heading."""
        rows: list[tuple[str, str]] = []
        for menu in self.session.actions.menus():
            keyed = [action for action in menu.items if action is not None and action.key]
            if keyed:
                rows.append(("", menu.title))
                rows += [(action.key, action.title) for action in keyed]
        return [*rows, ("", "Pointer"), *GESTURES]

    def _keys_height(self, rows: list[tuple[str, str]], columns: int) -> float:
        look = self.look
        return look.size(2 * PAD + 34) + math.ceil(len(rows) / columns) * look.size(LINE)

    def _ground(self, pen: Pen, title: str) -> float:
        look, theme, sheet = self.look, self.look.theme, self.sheet
        edge, ground = theme.hairline, theme.raised
        pen.items.append(Rect(0, 0, sheet.width - 1, sheet.height - 1, ground, edge, look.size(10)))
        pen.text(look.size(PAD), look.size(PAD), title, theme.text, "title", 15.0)
        pen.text(sheet.width - look.size(PAD), look.size(PAD), "Esc", theme.faint, "mono", right=True)
        return look.size(PAD + 34)

    def _draw_keys(self, pen: Pen, rows: list[tuple[str, str]], columns: int) -> None:
        look, theme = self.look, self.look.theme
        top = self._ground(pen, "Keys")
        most = math.ceil(len(rows) / columns)
        pitch = min(look.size(LINE), (self.sheet.height - top - look.size(PAD) / 2) / most)
        wide = (self.sheet.width - 2 * look.size(PAD)) / columns
        for number, (key, title) in enumerate(rows):
            x = look.size(PAD) + (number // most) * wide
            middle = top + (number % most) * pitch
            if not key:
                pen.text(x, middle, title, theme.faint, "title", 12.0)
                continue
            pen.text(x, middle, key, theme.accent, "mono", 11.5, room=look.size(134))
            pen.text(x + look.size(142), middle, title, theme.text, room=wide - look.size(150))

    def _draw_about(self, pen: Pen) -> None:
        look, theme = self.look, self.look.theme
        middle = self._ground(pen, f"opentine-gui {__version__}")
        for number, paragraph in enumerate(ABOUT):
            for line in wrap(paragraph, self.sheet.width - 2 * look.size(PAD), look):
                pen.text(look.size(PAD), middle, line, theme.text if number == 0 else theme.quiet)
                middle += look.size(20)
            middle += look.size(8)
        for line in licence_lines():
            pen.text(
                look.size(PAD),
                middle,
                clean(line, 200),
                theme.faint,
                size=11.5,
                room=self.sheet.width - look.size(2 * PAD),
            )
            middle += look.size(SMALL_LINE)
