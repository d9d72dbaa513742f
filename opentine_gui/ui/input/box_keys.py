"""Synthetic keys for the focused text box: moving its caret to the end, and typing what came before it had focus.

Dear PyGui has no call for either: it puts the caret before a box's initial text, and drops what is typed before a box
has focus. So the keys go to the Dear ImGui inside its library, which passes them to the box in the next frames. Dear
PyGui reports them as well, and `take_own` tells them from the user's. If the library does not export the functions
(Windows, another build), nothing happens.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import dearpygui._dearpygui as library
import dearpygui.dearpygui as dpg

_STATE = "_ZN5ImGui5GetIOEv"
_KEY, _TEXT = "_ZN7ImGuiIO11AddKeyEventE8ImGuiKeyb", "_ZN7ImGuiIO22AddInputCharactersUTF8EPKc"

FRAMES = 6
"""Frames until keys pressed here are handled and drawn: Dear ImGui takes keys and letters one after the other."""

_own: list[int] = []
"""Keys pressed here that Dear PyGui has not reported yet."""
_drawn_at = 0
"""The number of the frame in which what was pressed here is drawn."""


def take_own(key: int) -> bool:
    """Whether a key that Dear PyGui reports was pressed here, so that no view should act on it."""
    if key not in _own:
        return False
    _own.remove(key)
    return True


def expect_frames() -> None:
    """Note that something is on its way to a box."""
    global _drawn_at
    _drawn_at = dpg.get_frame_count() + FRAMES


def under_way() -> bool:
    """Whether keys pressed here may not be drawn yet, so that more frames are needed."""
    return bool(dpg.get_frame_count() < _drawn_at)


def to_end() -> None:
    """Move the caret to the end of the text, as Ctrl+End does."""
    _press(dpg.mvKey_End)


def _press(name: int) -> None:
    """Press Ctrl and a key."""
    symbols = _symbols()
    if symbols is None:
        return
    _own.append(name)
    expect_frames()
    for down in (True, False):
        for key in (dpg.mvKey_ModCtrl, name):
            symbols[_KEY](symbols[_STATE](), key, down)


def write(text: str) -> None:
    """Type a text, which may have several lines if the box does."""
    symbols = _symbols()
    if symbols is not None and text:
        expect_frames()
        symbols[_TEXT](symbols[_STATE](), text.encode())


@cache
def _symbols() -> Any:
    """The library with the types of `ImGui::GetIO` and the functions we call, or None if it does not export them."""
    try:
        symbols = ctypes.CDLL(library.__file__)
        loaded = {name: symbols[name] for name in (_STATE, _KEY, _TEXT)}
    except (OSError, AttributeError, TypeError):
        return None
    loaded[_STATE].argtypes, loaded[_STATE].restype = [], ctypes.c_void_p
    loaded[_KEY].argtypes, loaded[_KEY].restype = [ctypes.c_void_p, ctypes.c_int, ctypes.c_bool], None
    loaded[_TEXT].argtypes, loaded[_TEXT].restype = [ctypes.c_void_p, ctypes.c_char_p], None
    return loaded
