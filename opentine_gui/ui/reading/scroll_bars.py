"""The two scroll bars of a page: how far down it is, by lines, and how far sideways."""

from __future__ import annotations

from opentine_gui.app.inspect.reading.page import Page
from opentine_gui.scene.draw_list import Primitive, Rect
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.toolkit.controls import Part
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.row_list import SCROLLBAR
from opentine_gui.ui.toolkit.style import Style

SMALLEST = 24.0
THICK = 6.0
NAMES = {"down": "Scroll bar", "across": "Scroll bar across"}


class ScrollBars:
    """Where the thumbs are, and what a press on them does. Positions are pixels of the page."""

    def __init__(self, page: Page, style: Style) -> None:
        self.page, self.style = page, style
        self.held = ""
        """The bar that is being dragged: "down", "across" or ""."""
        self._grip = 0.0

    def tracks(self) -> dict[str, Area]:
        """The bars that are there, each with its whole length."""
        page, wide = self.page, self.style.whole(SCROLLBAR)
        found: dict[str, Area] = {}
        begin, end = page.scrolled()
        if begin > 0.0 or end < 1.0:
            found["down"] = Area(page.width, 0, wide, page.height)
        if page.left > 0.0 or page.widest() > page.width + 1.0:
            found["across"] = Area(0, page.height - wide, page.width, wide)
        return found

    def bar_at(self, x: float, y: float) -> str:
        """The bar under a pixel, or ""."""
        return next((name for name, track in self.tracks().items() if track.contains(x, y)), "")

    def grasp(self, name: str, x: float, y: float) -> None:
        """Begin to drag a bar; a press beside its thumb brings the thumb there."""
        begin, end = self._thumb(name)
        at = y if name == "down" else x
        self._grip = at - begin if begin <= at <= end else (end - begin) / 2
        self.held = name
        self.drag(x, y)

    def drag(self, x: float, y: float) -> None:
        """Follow the pointer."""
        page = self.page
        if self.held == "down":
            page.scroll_to_share(self._share(y - self._grip, page.height, *page.scrolled()))
        elif self.held == "across":
            page.scroll_sideways((x - self._grip) / page.width * max(page.widest(), page.width) - page.left)

    def _share(self, top: float, height: float, begin: float, end: float) -> float:
        """The share of lines at the top when the thumb begins at `top` pixels, though it may be drawn too large."""
        least = min(SMALLEST * self.style.scale / max(height, 1.0), 1.0)
        shown = end - begin
        room = max(1.0 - max(shown, least), 1e-9)
        return min(max(top / max(height, 1.0) / room, 0.0), 1.0) * (1.0 - shown)

    def _thumb(self, name: str) -> tuple[float, float]:
        """(begin, end) of a thumb in pixels along its bar."""
        page = self.page
        if name == "down":
            begin, end = page.scrolled()
            length = page.height
        else:
            whole = max(page.widest(), page.left + page.width)
            begin, end = page.left / whole, (page.left + page.width) / whole
            length = page.width
        least = min(SMALLEST * self.style.scale, length)
        shown = (end - begin) * length
        if shown >= least:
            return begin * length, end * length
        top = begin / max(1.0 - (end - begin), 1e-9) * (length - least)
        return top, top + least

    def draw(self, over: str) -> list[Primitive]:
        """The thumbs; `over` names the bar under the pointer."""
        theme, size = self.style.theme, self.style.size
        items: list[Primitive] = []
        for name, track in self.tracks().items():
            begin, end = self._thumb(name)
            share = 0.4 if self.held == name else 0.3 if over == name else 0.18
            color = mixed(theme.panel, theme.text, share)
            if name == "down":
                x = track.x + size(2)
                items.append(Rect(x, begin, x + size(THICK), end, color, None, size(3)))
            else:
                y = track.y + size(2)
                items.append(Rect(begin, y, end, y + size(THICK), color, None, size(3)))
        return items

    def parts(self) -> list[Part]:
        """The bars, as something that can be pressed."""
        return [Part(NAMES[name], "scroll bar", track, "Scroll") for name, track in self.tracks().items()]
