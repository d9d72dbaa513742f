"""A drawn surface with places to click: headers, figures, tabs and buttons in the exact look of the canvas."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Line, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.text.clean import shortened_end, shortened_middle
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.look import Look
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.tooltip import Hint

Color = tuple[int, int, int, int]
Act = Callable[[], None]

BODY, SMALL, MONO, TITLE = 13.0, 11.5, 12.0, 15.0
"""Em sizes in design pixels."""


class Zone(NamedTuple):
    """A place that reacts: what a click does (None: nothing), and what the tooltip says."""

    x0: float
    y0: float
    x1: float
    y1: float
    act: Act | None
    hint: str = ""


class Pen:
    """Collects primitives and zones of one repaint; positions and sizes in pixels of the sheet."""

    def __init__(self, look: Look, hovered: tuple[float, float] | None) -> None:
        self.look, self.theme, self.hovered = look, look.theme, hovered
        self.items: list[object] = []
        self.zones: list[Zone] = []

    def over(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """True when the pointer is over the rectangle."""
        return self.hovered is not None and x0 <= self.hovered[0] < x1 and y0 <= self.hovered[1] < y1

    def text(
        self,
        x: float,
        middle: float,
        text: str,
        color: Color,
        face: str = "text",
        size: float = 0.0,
        *,
        room: float | None = None,
        right: bool = False,
        middle_cut: bool = False,
    ) -> float:
        """One line whose capitals are centred on `middle`, elided to `room`; answers where it ends.

        With `right`, the text ends at `x`, and the answer is where it begins.
        """
        em = self.look.size(size or (MONO if face == "mono" else BODY))
        shown = text
        if room is not None:
            shorten = shortened_middle if middle_cut else shortened_end
            shown = shorten(text, room, face, em, self.look.metrics)
        width = self.look.width(shown, face, em)
        left = x - width if right else x
        top = round(self.look.metrics.centered_top(middle, face, em))
        self.items.append(Text(round(left), top, shown, face, em, color))
        if shown != text:
            self.zone(left, middle - em, left + width, middle + em, None, text)
        return left if right else left + width

    def link(
        self,
        x: float,
        middle: float,
        text: str,
        act: Act,
        *,
        hint: str = "",
        room: float | None = None,
        color: Color | None = None,
        face: str = "text",
    ) -> float:
        """A text that acts; underlined under the pointer. Answers where it ends."""
        color = color or self.theme.tool
        em = self.look.size(MONO if face == "mono" else BODY)
        start = len(self.items)
        end = self.text(x, middle, text, color, face, room=room)
        if self.over(x, middle - em, end, middle + em):
            self.rule(round(x), round(middle + em * 0.62), round(end), color)
        shown = self.items[start]
        full = text if isinstance(shown, Text) and shown.text != text else ""
        self.zone(x, middle - em, end, middle + em, act, hint or full)
        return end

    def button(
        self,
        x: float,
        y: float,
        label: str,
        act: Act,
        *,
        key: str = "",
        primary: bool = False,
        reason: str | None = None,
        hint: str = "",
        height: float = 28.0,
        danger: bool = False,
    ) -> float:
        """A button with its key; greyed with a reason when it cannot act. Answers where it ends."""
        look, theme = self.look, self.theme
        tall, pad = look.size(height), look.size(12)
        width = self.button_width(label, key)
        over = reason is None and self.over(x, y, x + width, y + tall)
        filled = primary and reason is None
        if filled:
            fill: Color = mixed(theme.accent, theme.text, 0.25) if over else theme.accent
            color = quiet = theme.on_accent
        else:
            fill = mixed(theme.raised, theme.text, 0.1) if over else theme.raised
            color, quiet = (theme.text, theme.quiet) if reason is None else (theme.faint, theme.faint)
            color = theme.bad if danger else color
        self.items.append(Rect(x, y, x + width, y + tall, fill, None if filled else theme.hairline, look.size(5)))
        end = self.text(x + pad, y + tall / 2, label, color, "title" if filled else "text")
        if key:
            self.text(end + look.size(7), y + tall / 2, key, quiet, "mono", SMALL)
        self.zone(x, y, x + width, y + tall, act if reason is None else None, reason or hint)
        return x + width

    def button_width(self, label: str, key: str = "") -> float:
        """Width of a button in pixels."""
        look = self.look
        width = look.width(label, "title", look.size(BODY)) + 2 * look.size(12)
        return width + (look.width(key, "mono", look.size(SMALL)) + look.size(7) if key else 0.0)

    def glyph(self, kind: str, x: float, middle: float, size: float = 13.0) -> float:
        """A kind's mark; answers where it ends."""
        pixels = self.look.size(size)
        self.items.extend(draw_glyph(kind, x, middle - pixels / 2, pixels, self.theme.kind(kind)))
        return x + pixels

    def rect(self, x0: float, y0: float, x1: float, y1: float, fill: Color, radius: float = 0.0) -> None:
        """A filled rectangle."""
        self.items.append(Rect(x0, y0, x1, y1, fill, None, radius))

    def rule(self, x0: float, y: float, x1: float, color: Color | None = None) -> None:
        """A line one pixel thin from left to right."""
        y = int(y)
        self.items.append(Line(((x0, y), (x1, y)), color or self.theme.hairline, 1.0))

    def cross(self, x: float, y: float, r: float, color: Color) -> None:
        """A closing mark around (x, y)."""
        thick = max(self.look.size(1.4), 1.2)
        self.items.append(Line(((x - r, y - r), (x + r, y + r)), color, thick))
        self.items.append(Line(((x - r, y + r), (x + r, y - r)), color, thick))

    def zone(self, x0: float, y0: float, x1: float, y1: float, act: Act | None, hint: str = "") -> None:
        """Make a place react; later zones lie above earlier ones."""
        self.zones.append(Zone(x0, y0, x1, y1, act, hint))


class Sheet:
    """A child window that shows what a Pen collected."""

    def __init__(self, parent: int | str, look: Look) -> None:
        self.look = look
        self.window = int(
            dpg.add_child_window(
                parent=parent, border=False, width=10, height=10, no_scrollbar=True, no_scroll_with_mouse=True
            )
        )
        self.drawlist = int(dpg.add_drawlist(10, 10, parent=self.window))
        self.node = int(dpg.add_draw_node(parent=self.drawlist))
        self.painter = Painter(look)
        self.hint = Hint(self.drawlist, look)
        self.zones: tuple[Zone, ...] = ()
        self.width = self.height = 10
        self.hovered = False
        self._shown = True
        self._painted: Hashable = object()
        self._place: tuple[int, int, int, int] = (0, 0, 0, 0)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Put the sheet at a place of its parent, in pixels."""
        place = (int(x), int(y), max(int(width), 1), max(int(height), 1))
        if place == self._place:
            return
        self._place = place
        self.width, self.height = place[2], place[3]
        dpg.configure_item(self.window, pos=[place[0], place[1]], width=self.width, height=self.height)
        dpg.configure_item(self.drawlist, width=self.width, height=self.height)

    def show(self, visible: bool) -> None:
        if visible != self._shown:
            self._shown = visible
            dpg.configure_item(self.window, show=visible)

    def sync(self, pointer: Pointer, key: Hashable, draw: Callable[[Pen], object]) -> None:
        """Take clicks, then call `draw` if `key`, the size, the theme or the zone under the pointer is new."""
        if not self._shown:
            return
        self.hovered = dpg.is_item_hovered(self.drawlist) or dpg.is_item_hovered(self.window)
        inside: tuple[float, float] | None = None
        over: Zone | None = None
        if self.hovered:
            left, top = dpg.get_item_rect_min(self.drawlist)
            inside = (pointer.x - left, pointer.y - top)
            over = self._zone_at(*inside)
            for event in pointer.take("press", "double"):
                if event.kind == "press" and event.button == "left" and over is not None and over.act is not None:
                    over.act()
        self.hint.say(over.hint if over is not None else "")
        place = over[:4] if over is not None and over.act is not None else None
        painted = (key, self.width, self.height, id(self.look.theme), place)
        if painted == self._painted:
            return
        self._painted = painted
        pen = Pen(self.look, inside)
        draw(pen)
        self.zones = tuple(pen.zones)
        self.painter.repaint(self.node, pen.items)

    def _zone_at(self, x: float, y: float) -> Zone | None:
        for zone in reversed(self.zones):
            if zone.x0 <= x < zone.x1 and zone.y0 <= y < zone.y1:
                return zone
        return None
