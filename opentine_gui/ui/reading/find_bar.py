"""The box for finding a text in a payload: it lies over the upper right corner of what is read."""

from __future__ import annotations

from functools import partial

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.reading.find_text import MOST_MATCHES, Finder
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.plate import Plate
from opentine_gui.ui.toolkit.sheet import BODY, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.typing_box import HEIGHT as BOX_HEIGHT
from opentine_gui.ui.toolkit.typing_box import TypingBox

WIDTH, LEAST, HEIGHT, COUNT, MARGIN = 330.0, 240.0, 38.0, 84.0, 6.0
PAD, BUTTON = 6.0, 22.0
WAYS = (("‹", -1, "Previous", "Shift+Enter"), ("›", 1, "Next", "Enter"))


class FindBar:
    """A box, the number of matches, and buttons to go through them.

    It searches while one types; Enter goes on, Shift+Enter back, Esc closes it.
    """

    def __init__(self, parent: int | str, style: Style, finder: Finder) -> None:
        self.style, self.finder = style, finder
        self.visible = False
        self.plate = Plate(parent, style)
        self.box: TypingBox | None = None
        self.beside: Sheet | None = None
        self._placed: object = None

    @property
    def height(self) -> float:
        """Height in pixels that a view must have so that the box is whole."""
        return self.style.size(HEIGHT + 2 * MARGIN) if self.visible else 0.0

    @property
    def has_keyboard(self) -> bool:
        """Whether its box has the keyboard, or is about to."""
        return self.visible and self.box is not None and self.box.active

    def open(self) -> None:
        """Show the box and let it have the keyboard; what was sought last is selected in it."""
        if self.box is None:
            self.box = TypingBox(self.plate.controls, self.style, "Find here", self._typed, self._press)
            self.beside = Sheet(self.plate.controls, self.style)
        self.visible = True
        self._placed = None
        dpg.configure_item(self.plate.window, show=True)
        self.finder.find(self.box.text)
        self.box.take_keyboard()

    def close(self) -> None:
        """Hide the box and clear the highlighted matches; what was sought stays in it."""
        if self.visible and self.box is not None:
            self.box.leave(self.finder.text)
            self.visible = False
            self.finder.find("")
            dpg.configure_item(self.plate.window, show=False)

    def next(self, step: int) -> None:
        """Go to the next match, or the one before; the box keeps the keyboard."""
        self.finder.next(step)
        if self.box is not None:
            self.box.take_keyboard()

    def _typed(self, text: str) -> None:
        if self.visible:
            self.finder.find(text)

    def _press(self, chord: str) -> bool:
        """Handle a key pressed in the box; False for one that the box took, or the view has a use for."""
        if not self.visible or chord not in ("Enter", "Shift+Enter", "Esc"):
            return False
        if chord == "Esc":
            self.close()
        else:
            self.next(1 if chord == "Enter" else -1)
        return True

    def sync(self, pointer: Pointer, width: float) -> None:
        """Follow the search, at the right of a view `width` pixels wide."""
        box, beside = self.box, self.beside
        if not self.visible or box is None or beside is None:
            return
        style = self.style
        wide = max(min(style.size(WIDTH), width - style.size(2 * MARGIN)), style.size(LEAST))
        placed = (width, style.theme)
        if placed != self._placed:
            self._placed = placed
            self.plate.resize(wide, style.size(HEIGHT))
            self.plate.move(max(width - wide - style.size(8), 0), style.size(MARGIN))
            taken = style.size(COUNT + (len(WAYS) + 1) * BUTTON + PAD)
            box.place(style.size(PAD), style.size((HEIGHT - BOX_HEIGHT) / 2), wide - style.size(PAD) - taken)
            beside.place(wide - taken, style.size(2), taken - 2, style.size(HEIGHT - 4))
        self.finder.follow()
        box.sync(pointer)
        beside.sync(pointer, self._words(), self._draw)

    def _draw(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        sheet = self.beside
        assert sheet is not None
        y, half, right = sheet.height / 2, style.size(BUTTON) / 2, sheet.width - style.size(2)
        words = self._words()
        pen.text(style.size(PAD), y, words, theme.quiet, room=style.size(COUNT - PAD))
        for place, (sign, step, name, key) in enumerate(WAYS):
            middle = right - half * (5 - 2 * place)
            area = (middle - half, y - half, middle + half, y + half)
            paint = theme.text if pen.over(*area) and self.finder.matches else theme.quiet
            wide = style.width(sign, "title", style.size(BODY + 2))
            pen.text(middle - wide / 2, y, sign, paint, "title", BODY + 2)
            pen.zone(*area, partial(self.next, step), f"{name}  {key}", name=name, kind="button")
        area = (right - 2 * half, y - half, right, y + half)
        pen.cross(right - half, y, style.size(4), theme.text if pen.over(*area) else theme.quiet)
        pen.zone(*area, self.close, "Close  Esc", name="Close", kind="button")

    def _words(self) -> str:
        found = self.finder.matches
        if not self.finder.text:
            return ""
        if found is None:
            return "stopped" if self.finder.stopped else "…"
        if not found:
            return "none"
        more = "+" if len(found) >= MOST_MATCHES else ""
        return f"{(self.finder.number or 0) + 1:,} of {len(found):,}{more}"

    def contains(self, x: float, y: float) -> bool:
        """Whether a pixel of the view lies under the box."""
        return self.visible and self.plate.area.contains(x, y)
