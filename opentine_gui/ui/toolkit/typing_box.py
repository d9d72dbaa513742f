"""A text box that loses no key typed between the command that gives it the keyboard and the moment it has it.

Dear PyGui needs a few frames until a box takes keys, and drops those pressed until then. They are caught as chords and
kept as `ahead`, which is drawn in front of the box as if it were its first letters; the box takes it over as soon as it
loses the keyboard, for its text cannot be set while it has it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.input.keys import typed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.plate import window_above
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import BODY, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import explain

HEIGHT = 28.0
PADDING = 8.0
LONGEST_WAIT = 60
"""Frames after which a box that still has not got the keyboard will not get it."""


class TypingBox:
    """One line of text. `on_text` is called with the whole text whenever it changed.

    `on_key` is given the keys that are pressed in it, which says whether it acts on them; `words` are its tooltip.
    """

    def __init__(
        self,
        parent: int | str,
        style: Style,
        hint: str,
        on_text: Callable[[str], None],
        on_key: Callable[[str], bool],
        words: str = "",
    ) -> None:
        self.style, self.hint, self._on_text, self._on_key = style, hint, on_text, on_key
        self.sheet = Sheet(parent, style)
        self._above = window_above(parent, style, Area(0, 0, 10, 10))
        self.item = int(
            dpg.add_input_text(
                parent=self._above, hint=hint, callback=self._edited, width=10, pos=[0, 0], auto_select_all=True
            )
        )
        explain(style, self.item, words or hint)
        style.text_inputs.add(self.item)
        style.typing_boxes.append(self)
        self.ahead = ""
        self._value = self._value_before = ""
        self._stale = False
        """True while the box still shows a text that the letters ahead have replaced."""
        self._next: str | None = None
        self._last: str | None = None
        """The text reported as the box lost the keyboard: after Esc, the one from before all typing."""
        self._waiting = 0
        self._active = self._takes = self._left = False
        self._themed: Theme | None = None
        self._theme_item = 0
        self._area = Area(0, 0, 0, 0)
        self._placed: object = None

    @property
    def text(self) -> str:
        """The whole text."""
        if self._next is not None:
            return self._next
        return self.ahead if self._stale else self.ahead + self._value

    @property
    def active(self) -> bool:
        """Whether it has the keyboard, or is about to."""
        return self._active or self._waiting > 0

    @property
    def gets_keys(self) -> bool:
        """Whether the keys of this frame were pressed in it: Enter, Esc and Tab take the keyboard away from it."""
        return self.active or self._left

    @property
    def catches(self) -> bool:
        """Whether keys must be given to `catch`: the box cannot take them yet."""
        return self._waiting > 0 and not self._takes

    def expect(self) -> None:
        """The keyboard will be asked for in this frame or the next: catch keys from now on."""
        self._waiting = max(self._waiting, LONGEST_WAIT)

    def take_keyboard(self) -> None:
        """Get the keyboard; what is typed next replaces the text, unless the box has the keyboard already."""
        if self._active:
            self._waiting = 0  # it never lost it, and takes what is typed itself
            return
        if not self._waiting:
            self._join()
        self._waiting = LONGEST_WAIT
        dpg.focus_item(self.item)

    def set_text(self, text: str) -> None:
        """Show another text; without effect on a box that has the keyboard, which `take_keyboard` must follow."""
        self.ahead, self._value, self._stale = "", text, False
        dpg.set_value(self.item, text)

    def replace(self, text: str) -> None:
        """Show another text and go on typing after it."""
        self._next = text
        if self._active:
            dpg.focus_item(self.sheet.window)  # a text cannot be set while the box has the keyboard
        else:
            self._go_on()

    def _go_on(self) -> None:
        """Go on typing after the next text, in front of the box: inside the box all of it would be selected."""
        text, self._next = self._next or "", None
        self.set_text("")
        self.ahead = text
        self._waiting = LONGEST_WAIT
        dpg.focus_item(self.item)

    def look(self) -> None:
        """Find out whether the box took the keys of the last frame; once a frame, before keys are handled."""
        if not dpg.does_item_exist(self.item):
            self._active = self._left = False  # its view is gone
            return
        now = bool(dpg.is_item_active(self.item))
        self._takes, self._left, self._active = now and self._active, self._active and not now, now
        if self._next is not None and not now:
            self._go_on()
        elif self._waiting:
            self._waiting = 0 if self._takes else self._waiting - 1
        elif not now and self.ahead:
            self._join()
        self._value_before, self._value = self._value, str(dpg.get_value(self.item) or "")

    def catch(self, chord: str) -> bool:
        """Take a key that the box could not take itself. False if it types nothing."""
        letter = typed(chord)
        if chord == "Backspace":
            self.ahead = self.ahead[:-1]
        elif not letter:
            return False
        else:
            if not self.ahead and self._value:
                self._stale = True  # everything is selected: the first letter replaces it
                if not self._active:
                    dpg.set_value(self.item, "")
                    self._value, self._stale = "", False
            self.ahead += letter
        self._on_text(self.text)
        return True

    def press(self, chord: str) -> bool:
        """Handle a key that was pressed in it; False if the view has no use for it, or the box took it."""
        self._take_in(chord)
        return self._on_key(chord)

    def _take_in(self, chord: str) -> None:
        """Handle a key that the box has taken itself: it does not know of the letters in front of it."""
        if chord == "Esc":
            self._last = None  # what was typed is not taken back
        if not self.ahead:
            return
        if chord == "Backspace" and not self._value_before:
            self.ahead = self.ahead[:-1]
            self._on_text(self.text)
        elif chord in ("Ctrl+A", "Home"):
            self._join()
            self._waiting = LONGEST_WAIT
            dpg.focus_item(self.sheet.window)
            dpg.focus_item(self.item)

    def place(self, x: float, y: float, width: float) -> None:
        """Place it in its parent, in pixels."""
        self._area = Area(x, y, width, self.style.size(HEIGHT))
        self._placed = None

    def leave(self, text: str) -> None:
        """Give up the keyboard and show `text`: after Esc the box has one from before all typing."""
        self._waiting, self._last = 0, None
        dpg.focus_item(self.sheet.window)
        self.set_text(text)

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        self.sheet.show(visible)
        dpg.configure_item(self._above, show=visible)

    def sync(self, pointer: Pointer) -> None:
        """Draw its frame and the letters ahead."""
        if self._last is not None:
            text, self._last = self._last, None
            self._take(text)
        self._follow_theme()
        style, (x, y, width, height) = self.style, self._area
        shift = round(style.width(self.ahead, "text", style.size(BODY))) if self.ahead else 0
        placed = (self._area, shift)
        if placed != self._placed:
            self._placed = placed
            self.sheet.place(x, y, width, height)
            inside = max(int(width) - shift, 20)
            dpg.configure_item(self._above, pos=[int(x) + shift, int(y)], width=inside, height=int(height))
            room = inside - style.size(2 * PADDING)
            hint = "" if self.ahead else style.shortened(self.hint, room, "text", style.size(BODY))
            dpg.configure_item(self.item, width=inside, hint=hint)
        self.sheet.sync(pointer, (self.ahead, self.active), self._draw)

    def _draw(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        edge = theme.accent if self.active else theme.hairline
        width, height = self._area.width - 1, self._area.height - 1
        pen.items.append(Rect(0, 0, width, height, theme.canvas, edge, style.size(5), 1.0))
        if self.ahead:
            pen.text(style.size(PADDING), height / 2, clean(self.ahead), theme.text)

    def _edited(self, _sender: Any, text: str, _user: Any) -> None:
        if not dpg.is_item_active(self.item):
            self._last = text  # the key that ended it is only known later in this frame
            return
        self._take(text)

    def _take(self, text: str) -> None:
        self._value, self._stale = text, False
        self._on_text(self.text)

    def _join(self) -> None:
        """Put the letters ahead into the box."""
        if self.ahead or self._stale:
            self.set_text(self.text)

    def _follow_theme(self) -> None:
        theme = self.style.theme
        if theme is self._themed:
            return
        self._themed, old = theme, self._theme_item
        with dpg.theme() as item, dpg.theme_component(dpg.mvInputText):
            dpg.add_theme_style(dpg.mvStyleVar_FrameBorderSize, 0.0)  # it has a frame of its own
            for role in (dpg.mvThemeCol_FrameBg, dpg.mvThemeCol_FrameBgHovered, dpg.mvThemeCol_FrameBgActive):
                dpg.add_theme_color(role, (0, 0, 0, 0))
            dpg.add_theme_color(dpg.mvThemeCol_NavHighlight, (0, 0, 0, 0))
            dpg.add_theme_style(dpg.mvStyleVar_FramePadding, self.style.size(PADDING), self.style.size(5))
        self._theme_item = int(item)
        dpg.bind_item_theme(self.item, self._theme_item)
        if old:
            dpg.delete_item(old)
