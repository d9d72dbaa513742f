"""A label among Dear PyGui's own widgets: text in as many fonts as its letters need, wrapped to a width."""

from __future__ import annotations

import math

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Color, Primitive, Text
from opentine_gui.scene.text.clean import LONGEST_DRAWN, clean
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.style import FACE_SIZES, Style, wrap


class Label:
    """Stands where `dpg.add_text` would, which draws all of a text with one font and the rest of it as "?".

    `item` is the Dear PyGui item to place; `width` and `height` are pixels.
    """

    def __init__(
        self,
        style: Style,
        text: str,
        color: Color | None = None,
        *,
        parent: int | str = 0,
        room: float = 0.0,
        face: str = "text",
        pos: tuple[int, int] | None = None,
    ) -> None:
        """Show cleaned text; with `room`, in pixels, broken into lines of at most that width."""
        self._style, self._color, self._room, self._face = style, color, room, face
        self.width = self.height = 1
        self.item = int(dpg.add_drawlist(1, 1, parent=parent, pos=list(pos) if pos is not None else []))
        self._painter = Painter(style)
        self._shown: object = None
        self.set_text(text, color)

    def set_text(self, text: str, color: Color | None = None) -> None:
        """Show another text; cheap when nothing changed."""
        style, size = self._style, FACE_SIZES[self._face]
        text = style.said(text)
        shown = (text, color or self._color or style.theme.text)
        if shown == self._shown:
            return
        self._shown = shown
        text = clean(text, LONGEST_DRAWN, lines=True)
        lines = wrap(text, self._room, style, face=self._face, size=size) if self._room else text.split("\n")
        em = style.size(size)
        pitch = style.metrics.line_height(self._face, em)
        self.width = max(math.ceil(max(style.width(line, self._face, em) for line in lines)), 1)
        self.height = max(math.ceil(pitch * len(lines)), 1)
        items: list[Primitive] = [
            Text(0.0, float(round(number * pitch)), line, self._face, em, shown[1]) for number, line in enumerate(lines)
        ]
        dpg.configure_item(self.item, width=self.width, height=self.height)
        self._painter.repaint(self.item, items)
