"""Holds keys back from Dear ImGui while a text box is about to get focus, then passes them on in order.

Dear PyGui needs a few frames to focus a box. Until then Dear ImGui drops what is typed, and in the frame in which the
box gets focus it inserts before the text what belongs after it. Keys that arrive while `begin` holds are intercepted
where GLFW reports them, before Dear ImGui sees them; `end` passes them on. If the library does not export these
functions (Windows, another build), nothing is held.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import dearpygui._dearpygui as library
import dearpygui.dearpygui as dpg

from opentine_gui.ui.input import box_keys

LET_GO = 3
"""Frames after which held keys are passed on if no box waits any more."""
RELEASE, PRESS = 0, 1
MODIFIERS = {1: dpg.mvKey_ModShift, 2: dpg.mvKey_ModCtrl, 4: dpg.mvKey_ModAlt, 8: dpg.mvKey_ModSuper}
"""GLFW's bits for modifiers, and what Dear ImGui calls them."""
FIRST_MODIFIER, LAST_MODIFIER = 340, 347
"""GLFW's keys that are modifiers: Shift, Ctrl, Alt and Super on the left, then on the right."""

ON_KEY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_int)
ON_CHARACTER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint)


class _Held(NamedTuple):
    """A key that went down or up, with the modifiers held, or a character."""

    key: int = 0
    scancode: int = 0
    down: bool = False
    modifiers: int = 0
    character: int = 0


class Calls(NamedTuple):
    """The library functions we call."""

    window: Any
    on_key: Any
    on_character: Any
    state: Any
    add_key: Any
    add_character: Any
    key_of: Any


class _Hold:
    """The keys being held; there is one window, hence one of these."""

    def __init__(self) -> None:
        self.since: int | None = None
        self.kept: list[_Held] = []
        self.down: set[int] = set()
        """Keys pressed since then: only their releases are held, else Dear ImGui would repeat keys pressed before."""
        self.before: tuple[Any, Any] = (None, None)
        self.key, self.character = ON_KEY(self._key), ON_CHARACTER(self._character)

    def _key(self, window: int, key: int, scancode: int, action: int, modifiers: int) -> None:
        if action == RELEASE and key not in self.down:
            before = self.before[0]
            if before:
                ctypes.cast(before, ON_KEY)(window, key, scancode, action, modifiers)
        elif action in (RELEASE, PRESS):
            (self.down.add if action == PRESS else self.down.discard)(key)
            self.kept.append(_Held(key, scancode, action == PRESS, modifiers))

    def _character(self, _window: int, character: int) -> None:
        self.kept.append(_Held(character=character))


_hold = _Hold()


def begin() -> None:
    """Hold the keys that arrive from now on; called in every frame in which a box waits."""
    calls = glfw_calls()
    window = calls.window() if calls is not None else None
    if calls is None or window is None:
        return
    if _hold.since is None:
        _hold.down.clear()
        _hold.before = calls.on_key(window, _hold.key), calls.on_character(window, _hold.character)
    _hold.since = dpg.get_frame_count()


def end() -> None:
    """Give what was held to the box that now has focus, and stop holding."""
    calls = glfw_calls()
    window = calls.window() if calls is not None else None
    if calls is None or window is None or _hold.since is None:
        return
    _hold.since = None
    on_key, on_character = _hold.before
    calls.on_key(window, ctypes.cast(on_key, ON_KEY) if on_key else None)
    calls.on_character(window, ctypes.cast(on_character, ON_CHARACTER) if on_character else None)
    state, kept = calls.state(), _hold.kept
    _hold.kept = []
    if kept:
        box_keys.expect_frames()
    for held in kept:
        if held.character:
            calls.add_character(state, held.character)
            continue
        for bit, name in MODIFIERS.items():
            calls.add_key(state, name, bool(_modifiers(held) & bit))
        calls.add_key(state, calls.key_of(held.key, held.scancode), held.down)


def holding() -> bool:
    """Whether keys are held."""
    return _hold.since is not None


def let_go_in_time() -> None:
    """Release keys that no box waits for any more; called once a frame."""
    if _hold.since is not None and dpg.get_frame_count() - _hold.since > LET_GO:
        end()


def _modifiers(held: _Held) -> int:
    """The modifiers that are down after an event: X11 reports those before it."""
    if not FIRST_MODIFIER <= held.key <= LAST_MODIFIER:
        return held.modifiers
    bit = 1 << (held.key - FIRST_MODIFIER) % 4
    return held.modifiers | bit if held.down else held.modifiers & ~bit


@cache
def glfw_calls() -> Calls | None:
    """The library functions we call, with their types; None if it does not export them."""
    try:
        symbols = ctypes.CDLL(library.__file__)
        calls = Calls(
            symbols.glfwGetCurrentContext,
            symbols.glfwSetKeyCallback,
            symbols.glfwSetCharCallback,
            symbols["_ZN5ImGui5GetIOEv"],
            symbols["_ZN7ImGuiIO11AddKeyEventE8ImGuiKeyb"],
            symbols["_ZN7ImGuiIO17AddInputCharacterEj"],
            symbols["_Z28ImGui_ImplGlfw_KeyToImGuiKeyii"],
        )
    except (OSError, AttributeError, TypeError):
        return None
    for function, result, arguments in (
        (calls.window, ctypes.c_void_p, []),
        (calls.on_key, ctypes.c_void_p, [ctypes.c_void_p, ON_KEY]),
        (calls.on_character, ctypes.c_void_p, [ctypes.c_void_p, ON_CHARACTER]),
        (calls.state, ctypes.c_void_p, []),
        (calls.add_key, None, [ctypes.c_void_p, ctypes.c_int, ctypes.c_bool]),
        (calls.add_character, None, [ctypes.c_void_p, ctypes.c_uint]),
        (calls.key_of, ctypes.c_int, [ctypes.c_int, ctypes.c_int]),
    ):
        function.restype, function.argtypes = result, arguments
    return calls
