"""Focuses a text box that was just created, and gives it what was typed before it had focus.

Dear PyGui needs a few frames to focus a box and drops what is typed meanwhile. Keys that arrive before the box waits
for focus are caught as chords, keys that arrive while it waits are held; the box gets both once it has focus.
"""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.input import box_keys, held_keys
from opentine_gui.ui.input.keys import typed

ASKED = (3, 4)
"""Frames after the last key in which focus is asked for. Dear ImGui passes on one key a frame, and waits a frame
between two of the same; meanwhile letters are dropped, and chords are caught."""
LONGEST = 60
"""Frames to wait for a box: one that has no focus by then is covered."""


class FirstKeys:
    """For one box; `sync` is called once a frame, before its keys are handled."""

    def __init__(self, item: int, *, several: bool = False) -> None:
        """In a box of `several` lines the caret goes to the end; in a single-line box all text is selected."""
        self.item, self.several = item, several
        self._behind = several
        """Whether what is kept goes behind the text, or in its place."""
        self._kept = ""
        self._quiet = self._waited = 0
        self._given = False
        held_keys.begin()

    @property
    def kept(self) -> str:
        """What was typed but is not in the box yet."""
        return "" if self._given else self._kept

    @property
    def text(self) -> str:
        """What the box will contain once it has been given what is kept."""
        text = str(dpg.get_value(self.item) or "")
        return (text if self._behind else "") + self.kept if self.kept else text

    def again(self) -> None:
        """Focus the box again behind its text, for Dear ImGui takes the keyboard from a box with Enter.

        Does nothing if the box is gone: Enter was an answer.
        """
        if dpg.does_item_exist(self.item):
            self._kept, self._given, self._behind = "", False, True
            self._quiet = self._waited = 0
            held_keys.begin()

    def sync(self) -> bool:
        """Ask for focus. Returns whether the box has it now."""
        active = bool(dpg.is_item_active(self.item))
        if active and not self._given:
            self._give()
        elif not self._given:
            self._quiet, self._waited = self._quiet + 1, self._waited + 1
            if self._waited <= LONGEST:
                held_keys.begin()
            if self._quiet in ASKED:
                dpg.focus_item(self.item)
        return active

    def _give(self) -> None:
        """Type what was kept, then what is held."""
        self._given = True
        if self._behind:
            box_keys.to_end()
        box_keys.write(self._kept)
        held_keys.end()

    def catch(self, chord: str) -> None:
        """Keep the character of a key that the box could not take."""
        if self._given:
            return  # the box took it
        self._quiet = 0
        letter = "\n" if self.several and chord.replace("Shift+", "") == "Enter" else typed(chord)
        self._kept = self._kept[:-1] if chord == "Backspace" else self._kept + letter
