"""The first keys of a box that was just made: it is given the keyboard, and what was typed until then.

Dear PyGui needs a few frames to give a box the keyboard and drops what is typed meanwhile. Those keys are caught as
chords and pressed again when the box has it.
"""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.input import box_keys
from opentine_gui.ui.input.keys import typed

ASKED = (2, 3)
"""Frames without a key in which the keyboard is asked for: one that is typed then would be dropped."""
MOST_WAITED = 10
"""Frames in which keys that were pressed for the box are waited for."""


class FirstKeys:
    """For one box; `sync` is called once a frame, before its keys are handled."""

    def __init__(self, item: int, *, several: bool = False) -> None:
        """A box of `several` lines is typed on in behind its text; one of one line has all of it selected."""
        self.item, self.several = item, several
        self._kept = ""
        self._quiet = self._active = 0
        self._first: str = str(dpg.get_value(item) or "")
        self._given = False
        self._from_start = not several or not self._first
        """Whether what was kept goes to the start of what the box has taken since: nothing else stands before that."""

    @property
    def kept(self) -> str:
        """What was typed and is not in the box yet."""
        return "" if self._given else self._kept

    @property
    def text(self) -> str:
        """What the box contains once it was given what is kept."""
        text = str(dpg.get_value(self.item) or "")
        if not self.kept:
            return text
        if self.several:
            return text + self.kept
        return self.kept + (text if text != self._first else "")

    def sync(self) -> bool:
        """Ask for the keyboard. Returns whether the box has it now."""
        self._quiet = 0 if box_keys.under_way() and self._active < MOST_WAITED else self._quiet + 1
        if not self._active and self._quiet in ASKED:
            dpg.focus_item(self.item)
        active = bool(dpg.is_item_active(self.item))
        if active:
            self._active += 1
            if self._active == 1 and self.several:
                box_keys.to_end()
            if not self._given and (not self._from_start or (self._active > 1 and self._quiet > 1)):
                self._give()
        return active

    def _give(self) -> None:
        """Type what was kept: before what the box has taken by itself since, when several keys came in a frame."""
        self._given = True
        later = self._from_start and str(dpg.get_value(self.item) or "") != self._first
        if self._kept and later:
            box_keys.to_start()
        box_keys.write(self._kept)
        if self._kept and later:
            box_keys.to_end()

    def catch(self, chord: str) -> None:
        """Keep what a key types that the box could not take."""
        self._quiet = 0
        if self._active > 1:
            return  # the box took it
        letter = "\n" if self.several and chord.replace("Shift+", "") == "Enter" else typed(chord)
        if self._given:
            box_keys.write(letter)  # pressed in the frame in which the box got the keyboard
        else:
            self._kept = self._kept[:-1] if chord == "Backspace" else self._kept + letter
