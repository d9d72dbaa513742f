"""Decides where a pressed key goes: to the dialog that has focus, to the view it is meant for, or to an action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import dearpygui.dearpygui as dpg

from opentine_gui.app.inspect.keys import action_of
from opentine_gui.app.session import Session
from opentine_gui.ui.input import held_keys
from opentine_gui.ui.input.keys import Keyboard, belongs_to_text, typed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.input.refused_form import RefusedForm
from opentine_gui.ui.panels.inspector.panel import Inspector
from opentine_gui.ui.panels.search.panel import SearchPanel
from opentine_gui.ui.proposals.dock import ProposalDock
from opentine_gui.ui.reading.reading_view import ReadingView
from opentine_gui.ui.reading.slide_view import SlideView
from opentine_gui.ui.toolkit.style import Style

FRAMES_OF_TAB = 4
"""Frames in which Dear ImGui may answer a Tab."""
OPENS_SEARCH = frozenset(("search.open", "search.folder"))


class TakesKeys(Protocol):
    """A dialog, a menu or a dock that can take the keyboard for itself."""

    @property
    def has_keyboard(self) -> bool:
        """Whether it takes every key now."""

    def handle_key(self, chord: str) -> None:
        """Take a pressed chord."""


class Shortcuts:
    """Routes the keys of every frame. `dialogs` come first, the topmost first; `rest` is an item without text."""

    def __init__(
        self,
        session: Session,
        style: Style,
        dialogs: Sequence[TakesKeys],
        *,
        search: SearchPanel,
        reading: ReadingView,
        slide: SlideView,
        inspector: Inspector,
        proposal: ProposalDock,
        rest: int,
    ) -> None:
        self.session, self.style, self._dialogs = session, style, dialogs
        self.search, self.reading, self.inspector, self.proposal = search, reading, inspector, proposal
        self.slide = slide
        self._keyboard = Keyboard()
        self._refused = RefusedForm(session)
        self._rest = rest
        self._hushed_at = (-1.0, -1.0)
        self._tabbed = 0
        self._later: list[str] = []
        """Keys pressed in the same frame after one that did something: they are for the view it opened."""

    def sync(self, pointer: Pointer) -> None:
        """Give this frame's keys to the topmost dialog that has the keyboard, else treat them as shortcuts."""
        owner = next((dialog for dialog in self._dialogs if dialog.has_keyboard), None)
        chords = [*self._later, *self._keyboard.chords(pointer)]
        self._later = []
        if chords or (pointer.events and any(event.kind == "press" for event in pointer.events)):
            # What a press opens is not covered by words about what was pressed, until the pointer moves on.
            self._hushed_at = (pointer.x, pointer.y)
        self.style.hush(self._hushed_at == (pointer.x, pointer.y))
        for box in self.style.typing_boxes:
            box.look()
        if owner is None and not self.session.text_focused and any(chord.endswith("Tab") for chord in chords):
            self._tabbed = FRAMES_OF_TAB
        self._leave_what_tab_entered()
        if owner is not None or self.session.text_focused or any(event.kind == "press" for event in pointer.events):
            self._refused.over()
        for place, chord in enumerate(chords):
            if owner is not None:
                owner.handle_key(_as_typed(chord, pointer) if held_keys.holding() else chord)
            elif not self._caught(chord, pointer) and self._press(chord):
                later = chords[place + 1 :]
                if any(other != chord for other in later):  # a key that is held down does not lag behind
                    self._later = [_without_lifted(other, pointer) for other in later]
                    return

    def _leave_what_tab_entered(self) -> None:
        """Take the focus back from the first text box, where Dear ImGui moves it.

        It takes a quick Ctrl+Tab for a Tab if Ctrl is already up in the frame in which it looks.
        """
        if self._tabbed:
            self._tabbed -= 1
            if self.style.text_focused():
                dpg.focus_item(self._rest)

    def _caught(self, chord: str, pointer: Pointer) -> bool:
        """Whether a key was meant for a box that is about to get the keyboard and cannot take it yet."""
        letter = _without_lifted(chord, pointer)
        return any(box.catches and box.catch(letter) for box in self.style.typing_boxes)

    def _press(self, chord: str) -> bool:
        """Give a key to the view it is meant for, or invoke its action; True for an action."""
        if any(box.gets_keys and box.press(chord) for box in self.style.typing_boxes):
            return False
        if self.session.text_focused and belongs_to_text(chord):
            return False
        if self._refused.keeps(chord) or self.slide.handle_key(chord):
            return False
        lists = self.session.view.list_keys and self.session.actions.of_mode(chord, "list") is not None
        if not lists and (self.reading.handle_key(chord) or self.inspector.handle_key(chord)):
            return False
        if not lists and self.session.proposal is not None and chord in {"Enter", "Ctrl+Enter"}:
            self.proposal.accept_by_key()
            return True
        self.proposal.take_back_first_press()
        if self.proposal.handle_shortcut(chord):
            return True
        action = action_of(self.session, chord)
        if action is None:
            return False
        self.session.invoke(action.id)
        self._refused.expect(action)
        if action.id in OPENS_SEARCH and action.enabled(self.session) is None:
            self.search.box.expect()  # what is typed next is for its box, which does not exist yet
        return True


def _as_typed(chord: str, pointer: Pointer) -> str:
    """The chord of a key that precedes those held for a box: a plain letter, if the shortcut's Ctrl has gone up.

    A Shift that went up with it was part of the shortcut, too.
    """
    letter = _without_lifted(chord, pointer)
    if {"Ctrl", "Shift"} <= pointer.lifted:
        letter = letter.removeprefix("Shift+")
    return letter if typed(letter) else chord


def _without_lifted(chord: str, pointer: Pointer) -> str:
    """The chord without a Ctrl or Alt that went up in this frame.

    After a quick Ctrl+F the next letter seems to be pressed with Ctrl. A Shift belongs to its letter.
    """
    *held, name = chord.split("+")
    return "+".join([*(word for word in held if word == "Shift" or word not in pointer.lifted), name])
