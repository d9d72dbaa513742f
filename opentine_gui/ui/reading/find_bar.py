"""The box for finding a text in a payload: it lies over the upper right corner of what is read."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.reading.find_text import MOST_MATCHES, Finder
from opentine_gui.ui.toolkit.plate import Plate
from opentine_gui.ui.toolkit.style import Style

WIDTH, HEIGHT, COUNT, MARGIN = 260.0, 38.0, 76.0, 6.0


class FindBar:
    """A box and the number of matches. It searches while one types; Enter goes on, Esc closes it."""

    def __init__(self, parent: int | str, style: Style, finder: Finder) -> None:
        self.style, self.finder = style, finder
        self.visible = False
        self.plate = Plate(parent, style)
        self._box = self._count = 0
        self._said = ""

    @property
    def height(self) -> float:
        """Height in pixels that a view must have so that the box is whole."""
        return self.style.size(HEIGHT + 2 * MARGIN) if self.visible else 0.0

    def open(self) -> None:
        """Show the box, empty or with what was sought last, and let it have the keyboard."""
        style = self.style
        if not self._box:
            self._box = int(
                dpg.add_input_text(
                    parent=self.plate.controls, hint="Find here", width=style.whole(WIDTH - COUNT - 20), on_enter=True,
                    callback=lambda: self.next(1), pos=[style.whole(8), style.whole(6)],
                )
            )  # fmt: skip
            place = [style.whole(WIDTH - COUNT - 4), style.whole(6)]
            self._count = int(dpg.add_text("", parent=self.plate.controls, pos=place))
            style.text_inputs.add(self._box)
        self.visible = True
        self.plate.resize(style.size(WIDTH), style.size(HEIGHT))
        dpg.configure_item(self.plate.window, show=True)
        dpg.focus_item(self._box)

    def close(self) -> None:
        """Hide the box and clear the highlighted matches."""
        if self.visible:
            self.visible = False
            self.finder.find("")
            dpg.configure_item(self.plate.window, show=False)

    def next(self, step: int) -> None:
        """Go to the next match, or the one before; the box keeps the keyboard."""
        self.finder.next(step)
        dpg.focus_item(self._box)

    def sync(self, width: float) -> None:
        """Search for what is in the box, at the right of a view `width` pixels wide."""
        if not self.visible:
            return
        style = self.style
        self.plate.move(max(width - style.size(WIDTH) - style.size(8), 0), style.size(MARGIN))
        text = str(dpg.get_value(self._box))
        if text != self.finder.text:
            self.finder.find(text)
        self.finder.follow()
        said = self._words()
        if said != self._said:
            self._said = said
            dpg.set_value(self._count, said)

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
