"""The text boxes of a form: made when they come into view, kept by key, and read once a frame."""

from __future__ import annotations

from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.describe.content.show_value import EditedFace as Face
from opentine_gui.ui.input import box_keys, held_keys
from opentine_gui.ui.proposals.form_rows import Box, Key
from opentine_gui.ui.toolkit.plate import window_above
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.tooltip import explain

ASK_AGAIN = 5
"""Frames after which a box that did not take the keyboard is given it once more."""
LONGEST_UNSEEN = 20
"""Frames to wait for a box to be scrolled into view."""
SETTLE = 3
"""Frames until Dear PyGui has let go of a box that lost the focus: only then it can be given a text."""


class _Made(NamedTuple):
    """A box on screen: the child window it stands in, the Dear PyGui item, its kind, face and place."""

    window: int
    item: int
    box: Box
    face: Face
    area: Area


class FormBoxes:
    """The boxes in one window. `typed` returns what was typed since the last frame."""

    def __init__(self, style: Style, parent: int) -> None:
        self.style, self.parent = style, parent
        self.made: dict[Key, _Made] = {}
        self._typed: dict[Key, str] = {}
        self._resets: dict[Key, tuple[int, str]] = {}
        self._focus: tuple[Key, int] | None = None
        self._unseen = 0
        """Frames for which the box that was asked for has not been in view."""
        self._ahead = ""
        """What was typed since a box was asked for that could not take it yet."""
        self._hurried = False
        """Whether something was typed ahead since the last frame."""
        self._behind = False
        """Whether the caret goes behind the text of the box that is to get the keyboard."""

    def show(self, key: Key, box: Box, face: Face, area: Area, text: str, called: str) -> None:
        """Make or move the box with this key to a place of the parent, in pixels; a new one gets text and name."""
        old = self.made.get(key)
        if old is not None and (old.box, old.face) == (box, face):
            if old.area != area:
                self.made[key] = old._replace(area=area)
                x, y, width, height = (int(number) for number in area)
                dpg.configure_item(old.window, pos=[x, y], width=width, height=height)
                dpg.configure_item(old.item, width=width, height=height if box != "line" else 0)
            return
        if old is not None:
            self.remove(key)
        window = window_above(self.parent, self.style, area)
        several = box in ("text", "code")
        item = int(
            dpg.add_input_text(
                parent=window,
                default_value=text,
                multiline=several,
                tab_input=several,  # without it, tabs would be lost from what is pasted
                width=int(area.width),
                height=int(area.height) if several else 0,
                callback=lambda _sender, value: self._typed.__setitem__(key, value),
            )
        )
        explain(self.style, item, called)
        self.style.set_font(item, text, face)
        self.style.text_inputs.add(item)
        self.made[key] = _Made(window, item, box, face, area)

    def remove(self, key: Key) -> None:
        """Remove a box."""
        made = self.made.pop(key)
        self.style.text_inputs.discard(made.item)
        self._resets.pop(key, None)
        self._typed.pop(key, None)
        dpg.delete_item(made.window)

    def keep_only(self, keys: set[Key]) -> None:
        """Remove all other boxes, except one that is typed into."""
        busy = self.focused
        for key in [key for key in self.made if key not in keys and key != busy]:
            self.remove(key)

    def clear(self) -> None:
        """Remove all boxes."""
        for key in list(self.made):
            self.remove(key)
        self._focus = None

    def reset(self, key: Key, text: str) -> None:
        """Put a text back into a box that loses the focus in this frame."""
        if key in self.made:
            self._resets[key] = (SETTLE, text)

    def focus(self, key: Key, *, behind: bool = False) -> None:
        """Put the keyboard into a box, as soon as it is there; its caret `behind` its text, else before it."""
        self._focus, self._behind, self._unseen = (key, 0), behind, 0
        self._ahead = ""
        held_keys.begin()

    def catch(self, letter: str) -> None:
        """Keep what was typed for the box that has been asked for and has not got the keyboard yet."""
        if self._focus is not None and letter:
            self._ahead += letter
            self._focus = self._focus[0], 0
            self._hurried = True

    @property
    def focused(self) -> Key | None:
        """The box that has the keyboard or is about to get it, or None."""
        if self._focus is not None:
            return self._focus[0]
        return next((key for key, made in self.made.items() if dpg.is_item_focused(made.item)), None)

    @property
    def waits(self) -> bool:
        """Whether a box is about to get the keyboard, for which frames have to go on."""
        return self._focus is not None

    @property
    def active(self) -> Key | None:
        """The box that is typed into now, or None."""
        return next((key for key, made in self.made.items() if dpg.is_item_active(made.item)), None)

    def typed(self) -> dict[Key, str]:
        """What was typed since the last call, by box."""
        found = {key: text for key, text in self._typed.items() if key in self.made and key not in self._resets}
        self._typed = {}
        return found

    def sync(self) -> None:
        """Give the keyboard to the box that was asked for, and texts back to those that lost it."""
        for key, (frames, text) in list(self._resets.items()):
            if frames > 0 or dpg.is_item_active(self.made[key].item):
                self._resets[key] = (frames - 1, text)
            else:
                dpg.set_value(self.made[key].item, text)
                del self._resets[key]
        if self._focus is None:
            return
        key, frames = self._focus
        made = self.made.get(key)
        if made is not None:
            held_keys.begin()
        hurried, self._hurried = self._hurried, False
        if made is None or (hurried and not dpg.is_item_active(made.item)):
            return  # Dear ImGui drops what is typed while it gives the keyboard to a box
        if frames == 0 and not dpg.is_item_visible(made.item) and self._unseen < LONGEST_UNSEEN:
            self._unseen += 1  # Dear ImGui would give the keyboard to the next box that is in view
            return
        # Asking twice within a frame or two confuses Dear ImGui, and a box that is new may not hear the first time.
        if frames % ASK_AGAIN == 0:
            dpg.focus_item(made.item)
        done = frames > 0 and dpg.is_item_active(made.item)
        if done:
            if self._behind and made.box in ("text", "code"):
                box_keys.to_end()
            box_keys.write(self._ahead)
            self._ahead = ""
            held_keys.end()
        self._focus = (key, frames + 1) if frames < 3 * ASK_AGAIN and not done else None
