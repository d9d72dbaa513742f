"""A drawn surface with clickable zones: headers, figures, tabs and buttons painted like the canvas."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Color, Line, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.text.clean import drawable
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import Tooltip

Act = Callable[[], None]
Choose = Callable[[str], None]
Piece = tuple[str, Color, Act | None]
"""(text, colour, what a click does or None)."""

BODY, SMALL, MONO, TITLE = 13.0, 11.5, 12.0, 15.0
"""Em sizes in design pixels: text, secondary text, monospaced text, headings."""
LINE_HEIGHT = 20.0


class Zone(NamedTuple):
    """A rectangle that reacts.

    `act` is what a click does (None: nothing), `context` and `middle` what the right and the middle button do, `hint`
    is the tooltip. `kind` says what it is to a user; of the kind "" without an act it is only a tooltip. Without a
    `name` it is called what is written in it.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    act: Act | None
    hint: str = ""
    name: str = ""
    kind: str = ""
    context: Act | None = None
    middle: Act | None = None


def button_width(style: Style, label: str, key: str = "") -> float:
    """Width of a button in pixels."""
    width = style.width(label, "title", style.size(BODY)) + 2 * style.size(12)
    return width + (style.width(key, "mono", style.size(SMALL)) + style.size(7) if key else 0.0)


def button_rows(widths: Sequence[float], room: float, gap: float) -> list[list[int]]:
    """The numbers of the buttons in each row, so that all of them fit into the room: one row where that is enough."""
    rows: list[list[int]] = [[]]
    used = 0.0
    for number, width in enumerate(widths):
        if rows[-1] and used + gap + width > room:
            rows.append([])
            used = 0.0
        used += width + (gap if rows[-1] else 0.0)
        rows[-1].append(number)
    return rows


class Pen:
    """Collects the primitives and zones of one repaint; positions and sizes are pixels of the sheet."""

    def __init__(self, style: Style, hovered: tuple[float, float] | None) -> None:
        self.style, self.theme, self.hovered = style, style.theme, hovered
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
        """One line of text, its capitals centred on `middle`, elided to `room`; returns the x where it ends.

        With `right`, the text ends at `x`, and the x where it begins is returned.
        """
        em = self.style.size(size or (MONO if face == "mono" else BODY))
        text = shown = self.style.said(drawable(text))
        if room is not None:
            shown = self.style.shortened(text, room, face, em, middle=middle_cut)
        width = self.style.width(shown, face, em)
        left = x - width if right else x
        top = round(self.style.metrics.centered_top(middle, face, em))
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
        context: Act | None = None,
    ) -> float:
        """Clickable text, underlined under the pointer. Returns the x where it ends."""
        color = color or self.theme.tool
        em = self.style.size(MONO if face == "mono" else BODY)
        start = len(self.items)
        end = self.text(x, middle, text, color, face, room=room)
        half = self.style.size(LINE_HEIGHT) / 2
        if self.over(x, middle - half, end, middle + half):
            self.rule(round(x), round(middle + em * 0.62), round(end), color)
        shown = self.items[start]
        full = text if isinstance(shown, Text) and shown.text != text else ""
        self.zone(x, middle - half, end, middle + half, act, hint or full, name=text, kind="link", context=context)
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
        """A button with its key; greyed out when there is a `reason` not to act. Returns the x where it ends."""
        style, theme = self.style, self.theme
        tall, pad = style.size(height), style.size(12)
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
        self.items.append(Rect(x, y, x + width, y + tall, fill, None if filled else theme.hairline, style.size(5)))
        end = self.text(x + pad, y + tall / 2, label, color, "title" if filled else "text")
        if key:
            self.text(end + style.size(7), y + tall / 2, key, quiet, "mono", SMALL)
        act_now = act if reason is None else None
        self.zone(x, y, x + width, y + tall, act_now, reason or hint, name=label, kind="button")
        return x + width

    def button_width(self, label: str, key: str = "") -> float:
        """Width of a button in pixels."""
        return button_width(self.style, label, key)

    def tabs(
        self,
        x: float,
        y: float,
        height: float,
        names: Sequence[tuple[str, str]],
        current: str,
        choose: Choose,
        gap: float | None = None,
        room: float | None = None,
    ) -> float:
        """A row of tabs, the current one underlined; `names` are (value, label). Returns the bottom.

        Where they do not fit into `room`, the gaps between them shrink, then the longest labels.
        """
        style, theme = self.style, self.theme
        gap = style.size(18) if gap is None else gap
        widest: float | None = None
        if room is not None:
            widths = [style.width(label, "text", style.size(BODY)) for _, label in names]
            gap = max(min(gap, (room - sum(widths)) / (len(names) - 0.5)), style.size(5))
            widest = _widest(widths, room - gap * (len(names) - 0.5))
        for name, label in names:
            here = name == current
            end = self.text(x, y + height / 2, label, theme.text if here else theme.quiet, room=widest)
            if here:
                self.rect(x - style.size(2), y + height - style.size(2), end + style.size(2), y + height, theme.accent)
            act = partial(choose, name)
            self.zone(x - gap / 2, y, end + gap / 2, y + height, act, f"Show {label}", name=label, kind="tab")
            x = end + gap
        return y + height

    def paragraph(self, pieces: Sequence[Piece], x: float, y: float, room: float) -> float:
        """Pieces of text in a row, wrapped between words; a piece with an act is a link. Returns the bottom."""
        style = self.style
        em, height = style.size(BODY), style.size(LINE_HEIGHT)
        space, left = style.width(" ", "text", em), x
        for text, color, act in pieces:
            for word in style.said(text).split(" "):
                wide = style.width(word, "text", em)
                if x > left and x + wide > left + room:
                    x, y = left, y + height
                end = (
                    self.link(x, y, word, act, color=color, room=room)
                    if act is not None
                    else self.text(x, y, word, color, room=room)
                )
                x = end + space
        return y + height

    def glyph(self, kind: str, x: float, middle: float, size: float = 13.0) -> float:
        """The glyph of a step kind; returns the x where it ends."""
        pixels = self.style.size(size)
        self.items.extend(draw_glyph(kind, x, middle - pixels / 2, pixels, self.theme.kind(kind)))
        return x + pixels

    def rect(self, x0: float, y0: float, x1: float, y1: float, fill: Color, radius: float = 0.0) -> None:
        """A filled rectangle."""
        self.items.append(Rect(x0, y0, x1, y1, fill, None, radius))

    def rule(self, x0: float, y: float, x1: float, color: Color | None = None) -> None:
        """A horizontal line one pixel thick."""
        y = int(y)
        self.items.append(Line(((x0, y), (x1, y)), color or self.theme.hairline, 1.0))

    def cross(self, x: float, y: float, r: float, color: Color) -> None:
        """A closing mark around (x, y)."""
        thick = max(self.style.size(1.4), 1.2)
        self.items.append(Line(((x - r, y - r), (x + r, y + r)), color, thick))
        self.items.append(Line(((x - r, y + r), (x + r, y - r)), color, thick))

    def zone(
        self,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        act: Act | None,
        hint: str = "",
        *,
        name: str = "",
        kind: str = "",
        context: Act | None = None,
        middle: Act | None = None,
    ) -> None:
        """Make a rectangle clickable; later zones lie above earlier ones."""
        self.zones.append(Zone(x0, y0, x1, y1, act, hint, name, kind, context, middle))


def _widest(widths: Sequence[float], room: float) -> float:
    """The width that each may have at most so that all of them fit into `room`."""
    left = room
    for place, width in enumerate(sorted(widths)):
        share = left / (len(widths) - place)
        if width > share:
            return max(share, 1.0)
        left -= width
    return max(widths, default=0.0) + 1.0


class Sheet:
    """A child window that shows what a Pen collected."""

    def __init__(self, parent: int | str, style: Style) -> None:
        self.style = style
        self.window = int(
            dpg.add_child_window(
                parent=parent, border=False, width=10, height=10, no_scrollbar=True, no_scroll_with_mouse=True
            )
        )
        self.drawlist = int(dpg.add_drawlist(10, 10, parent=self.window))
        self.node = int(dpg.add_draw_node(parent=self.drawlist))
        self.painter = Painter(style)
        self.tooltip = Tooltip(self.drawlist, style)
        self.zones: tuple[Zone, ...] = ()
        self._items: Sequence[object] = ()
        style.controls.add(self.drawlist, self._parts)
        self.width = self.height = 10
        self.hovered = False
        self._shown = True
        self._painted: Hashable = object()
        self._place: tuple[int, int, int, int] = (0, 0, 0, 0)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place the sheet in its parent, in pixels."""
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

    def look(self, pointer: Pointer) -> bool:
        """Whether the pointer is over it in this frame; a view that handles presses itself asks before it does."""
        over = dpg.is_item_hovered(self.drawlist) or dpg.is_item_hovered(self.window)
        self.hovered = over and not pointer.covered
        return self.hovered

    def sync(self, pointer: Pointer, key: Hashable, draw: Callable[[Pen], object]) -> None:
        """Handle clicks, then call `draw` if `key`, the size, the theme or the zone under the pointer changed."""
        if not self._shown:
            return
        self.look(pointer)
        inside: tuple[float, float] | None = None
        over: Zone | None = None
        if self.hovered:
            left, top = dpg.get_item_rect_min(self.drawlist)
            inside = (pointer.x - left, pointer.y - top)
            over = self._zone_at(*inside)
            if over is not None and over.act is not None:
                pointer.shape = "hand"
            for event in pointer.take("press", "double"):
                if event.kind == "press" and over is not None:
                    wanted = {"left": over.act, "right": over.context, "middle": over.middle}.get(event.button)
                    if wanted is not None:
                        self.style.controls.act(self.drawlist, self._name(over), wanted)
        hint = over.hint if over is not None else ""
        if hint or self.tooltip.shown:
            self.tooltip.set_text(hint)
        place = over[:4] if over is not None and over.act is not None else None
        painted = (key, self.width, self.height, self.style.theme.name, self.style.veil.on, place)
        if painted == self._painted:
            return
        self._painted = painted
        pen = Pen(self.style, inside)
        draw(pen)
        self.zones, self._items = tuple(pen.zones), pen.items
        self.painter.repaint(self.node, pen.items)

    def _zone_at(self, x: float, y: float) -> Zone | None:
        for zone in reversed(self.zones):
            if zone.x0 <= x < zone.x1 and zone.y0 <= y < zone.y1:
                return zone
        return None

    def _parts(self) -> list[Part]:
        """The zones that react, and the buttons that are greyed out."""
        return [
            Part(
                self._name(zone),
                zone.kind or "zone",
                Area(zone.x0, zone.y0, zone.x1 - zone.x0, zone.y1 - zone.y0),
                zone.hint,
                zone.act is not None,
            )
            for zone in self.zones
            if zone.act is not None or zone.kind
        ]

    def _name(self, zone: Zone) -> str:
        """What a zone is called: its name, what is written in it, or the first line of its tooltip."""
        if zone.name:
            return zone.name
        written = [
            item.text
            for item in self._items
            if isinstance(item, Text) and zone.x0 <= item.x < zone.x1 and zone.y0 <= item.y < zone.y1
        ]
        return " ".join(written) or zone.hint.partition("\n")[0]
