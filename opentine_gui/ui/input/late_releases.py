"""Delays the release of a modifier until the frame after the key that was pressed with it.

Dear ImGui sees all changes since the last frame at once: if A goes down with Ctrl and Ctrl goes up between two frames,
it sees an A without Ctrl, so that on a busy machine Ctrl+A or Ctrl+C did nothing in a text box. Whatever follows such a
release is delayed as well, in order. If the library does not export the functions of GLFW (Windows, another build),
nothing is delayed.
"""

from __future__ import annotations

import ctypes
from typing import Any

from opentine_gui.ui.input.held_keys import (
    FIRST_MODIFIER,
    LAST_MODIFIER,
    ON_CHARACTER,
    ON_KEY,
    PRESS,
    RELEASE,
    glfw_calls,
)


class _Late:
    """Sits between GLFW and Dear ImGui; GLFW calls it for as long as the (only) window exists."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, ...]] = []
        """Arguments of the callbacks, five for a key and two for a character."""
        self._pressed = False
        """Whether a key that is no modifier went down since the last frame."""
        self._native: tuple[Any, Any] = (None, None)
        # GLFW only keeps the addresses, so these references keep the functions alive.
        self._own = ON_KEY(self._key), ON_CHARACTER(self._character)

    def listen(self) -> None:
        calls = glfw_calls()
        window = calls.window() if calls is not None else None
        if calls is not None and window:
            key, character = calls.on_key(window, self._own[0]), calls.on_character(window, self._own[1])
            self._native = ctypes.cast(key, ON_KEY), ctypes.cast(character, ON_CHARACTER)

    def give(self) -> None:
        self._pressed, kept, self.kept = False, self.kept, []
        for event in kept:
            (self._key if len(event) > 2 else self._character)(*event)

    def _key(self, *event: int) -> None:
        _window, key, _scancode, action, _modifiers = event
        modifier = FIRST_MODIFIER <= key <= LAST_MODIFIER
        if self.kept or (self._pressed and modifier and action == RELEASE):
            self.kept.append(event)
            return
        self._pressed = self._pressed or (action == PRESS and not modifier)
        self._native[0](*event)

    def _character(self, *event: int) -> None:
        if self.kept:
            self.kept.append(event)
        else:
            self._native[1](*event)


_late = _Late()


def listen() -> None:
    """Start listening; call it once the window is on the display."""
    _late.listen()


def give() -> None:
    """Pass what was delayed on to Dear ImGui; called once a frame, before rendering."""
    _late.give()


def waits() -> bool:
    """Whether something is delayed, so that another frame is needed."""
    return bool(_late.kept)
