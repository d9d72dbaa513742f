"""The first keys of a box that was just made: it is given the keyboard, and what was typed until then.

Dear PyGui needs a few frames to give a box the keyboard and drops what is typed meanwhile. What comes in before the box
waits is caught as chords, what comes in while it does is held; the box gets both when it has the keyboard.
"""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.input import box_keys, held_keys
from opentine_gui.ui.input.keys import typed

ASKED = (3, 4)
"""Frames since the last key in which the keyboard is asked for. Dear ImGui hands out what it has read a key
a frame, with a frame between two of the same; the letters are dropped, the chords are caught."""
LONGEST = 60
"""Frames that a box is waited for: one that has not got the keyboard then is covered."""


class FirstKeys:
    """For one box; `sync` is called once a frame, before its keys are handled."""

    def __init__(self, item: int, *, several: bool = False) -> None:
        """A box of `several` lines is typed on in behind its text; one of one line has all of it selected."""
        self.item, self.several = item, several
        self._kept = ""
        self._quiet = self._waited = 0
        self._given = False
        held_keys.begin()

    @property
    def kept(self) -> str:
        """What was typed and is not in the box yet."""
        return "" if self._given else self._kept

    @property
    def text(self) -> str:
        """What the box contains once it was given what is kept."""
        text = str(dpg.get_value(self.item) or "")
        return (text if self.several else "") + self.kept if self.kept else text

    def sync(self) -> bool:
        """Ask for the keyboard. Returns whether the box has it now."""
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
        """Type what was kept, and what is held behind it."""
        self._given = True
        if self.several:
            box_keys.to_end()
        box_keys.write(self._kept)
        held_keys.end()

    def catch(self, chord: str) -> None:
        """Keep what a key types that the box could not take."""
        if self._given:
            return  # the box took it
        self._quiet = 0
        letter = "\n" if self.several and chord.replace("Shift+", "") == "Enter" else typed(chord)
        self._kept = self._kept[:-1] if chord == "Backspace" else self._kept + letter
