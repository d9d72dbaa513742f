"""Help over the canvas: all keys by menu, or about this program. Esc or a click outside closes it."""

from __future__ import annotations

import math

import dearpygui.dearpygui as dpg

from opentine_gui import __version__
from opentine_gui.app.inspect.keys import KeyRow, key_list
from opentine_gui.app.session import Session
from opentine_gui.app.state.own_keys import keys_path
from opentine_gui.app.system.licences import licence_lines
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

COLUMN, LINE, PAD, SMALL_LINE = 330.0, 19.0, 24.0, 17.0
NOTCH = 3
"""Lines that a notch of the wheel scrolls."""
SCROLLS = {"Down": 1, "Up": -1, "PageDown": 20, "PageUp": -20, "Space": 20, "Home": -1000, "End": 1000}
ABOUT = (
    "opentine-gui opens the record of an agent's run as a graph, and lets you fork, merge, compare and save it.",
    "It reads .tine files, and agents' sessions without changing them. No file can run code or reach the network.",
    "Licence: Apache-2.0. What it is made with is listed here; the texts are in THIRD_PARTY_LICENSES.txt.",
)


class HelpView:
    """Shown while `view.keys` or `view.about` is True."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.sheet = Sheet(parent, style)
        self._first = self._most = 0
        """The line at the top, and the last one that can be there: in a small window the keys scroll."""
        style.controls.call(self.sheet.window, "HelpView")
        self.sheet.show(False)
        with dpg.theme() as clear, dpg.theme_component(dpg.mvAll):
            dpg.add_theme_color(dpg.mvThemeCol_ChildBg, (0, 0, 0, 0))
        dpg.bind_item_theme(self.sheet.window, clear)

    @property
    def has_keyboard(self) -> bool:
        """True while it is open: no key reaches the views behind it."""
        return self.session.view.keys or self.session.view.about

    def handle_key(self, chord: str) -> None:
        """Close on Esc or the key that opened it; scroll."""
        self._scroll(SCROLLS.get(chord, 0))
        action = self.session.actions.by_key(chord)
        if action is not None and action.id in ("view.dismiss", "help.keys"):
            self.session.invoke(action.id)

    def _scroll(self, lines: int) -> None:
        self._first = min(max(self._first + lines, 0), self._most)

    def sync(self, pointer: Pointer, area: Area) -> None:
        """Follow the session; `area` is the window below its menus."""
        view = self.session.view
        shown = view.keys or view.about
        self.sheet.show(shown)
        if not shown:
            self._first = 0
            return
        style = self.style
        columns = max(1, min(4, int((area.width - style.size(2 * PAD)) // style.size(COLUMN)))) if view.keys else 2
        width = min(columns * style.size(COLUMN) + 2 * style.size(PAD), area.width - style.size(24))
        rows = key_list(self.session.actions) if view.keys else []
        height = self._keys_height(rows, columns) if view.keys else style.size(206 + SMALL_LINE * len(licence_lines()))
        height = min(height, area.height - style.size(24))
        below = math.ceil(len(rows) / columns) - int((height - style.size(2 * PAD + 34)) // style.size(LINE))
        self._most = max(below, 0)
        notches = sum(event.wheel for event in pointer.take("wheel"))
        self._scroll(-round(notches * NOTCH))
        self.sheet.place(area.x + (area.width - width) / 2, area.y + (area.height - height) * 0.3, width, height)
        draw = self._draw_about if not view.keys else lambda pen: self._draw_keys(pen, rows, columns)
        self.sheet.sync(pointer, (view.keys, columns, self._first), draw)
        # A press beside it closes it, and reaches nothing behind it.
        if any(event.kind == "press" for event in pointer.take_inside(area)) and not self.sheet.hovered:
            view.keys = view.about = False
            self.session.touch()

    def _keys_height(self, rows: list[KeyRow], columns: int) -> float:
        style = self.style
        return style.size(2 * PAD + 34) + math.ceil(len(rows) / columns) * style.size(LINE)

    def _ground(self, pen: Pen, title: str) -> float:
        style, theme, sheet = self.style, self.style.theme, self.sheet
        edge, ground = theme.hairline, theme.raised
        pen.items.append(Rect(0, 0, sheet.width - 1, sheet.height - 1, ground, edge, style.size(10)))
        pen.text(style.size(PAD), style.size(PAD), title, theme.text, "title", 15.0)
        pen.text(sheet.width - style.size(PAD), style.size(PAD), "Esc", theme.faint, "mono", right=True)
        return style.size(PAD + 34)

    def _draw_keys(self, pen: Pen, rows: list[KeyRow], columns: int) -> None:
        style, theme = self.style, self.style.theme
        top = self._ground(pen, "Keys")
        left, middle = style.size(PAD + 56), style.size(PAD)
        wrong = self.session.key_complaints
        more = f"; and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        said = wrong[0] + more if wrong else f"Change them in {keys_path(self.session.keys_folder)}"
        color, room = theme.bad if wrong else theme.quiet, self.sheet.width - left - style.size(PAD + 60)
        end = pen.text(left, middle, clean(said, 400), color, size=11.5, room=room, middle_cut=not wrong)
        if wrong:
            pen.zone(left, 0, end, 2 * middle, None, clean("\n".join(wrong), 2_000, lines=True))
        most, pitch = math.ceil(len(rows) / columns), style.size(LINE)
        wide = (self.sheet.width - 2 * style.size(PAD)) / columns
        seen = most - self._most
        for number, (key, title) in enumerate(rows):
            column, line = divmod(number, most)
            if not self._first <= line < self._first + seen:
                continue
            x, middle = style.size(PAD) + column * wide, top + (line - self._first) * pitch
            if not key:
                pen.text(x, middle, title, theme.faint, "title", 12.0)
                continue
            pen.text(x, middle, key, theme.accent, "mono", 11.5, room=style.size(134))
            pen.text(x + style.size(142), middle, title, theme.text, room=wide - style.size(150))
        if self._most:
            right, tall = self.sheet.width - style.size(8), self.sheet.height - top - style.size(PAD)
            start = top + tall * self._first / most
            bar = Rect(right, start, right + style.size(4), start + tall * seen / most, theme.faint)
            pen.items.append(bar)

    def _draw_about(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        middle = self._ground(pen, f"opentine-gui {__version__}")
        for number, paragraph in enumerate(ABOUT):
            for line in wrap(paragraph, self.sheet.width - 2 * style.size(PAD), style):
                pen.text(style.size(PAD), middle, line, theme.text if number == 0 else theme.quiet)
                middle += style.size(20)
            middle += style.size(8)
        for line in licence_lines():
            pen.text(
                style.size(PAD),
                middle,
                clean(line, 200),
                theme.faint,
                size=11.5,
                room=self.sheet.width - style.size(2 * PAD),
            )
            middle += style.size(SMALL_LINE)
