"""Turns Dear PyGui's key codes into the action registry's key names ("Ctrl+Shift+Z", "Home", "F")."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.input import box_keys
from opentine_gui.ui.input.pointer import MODIFIERS, Pointer

# In Dear PyGui 2.3, mvKey_Prior and mvKey_Next still have the values of an older Dear ImGui.
PAGE_UP, PAGE_DOWN = 517, 518

NAMED = {
    "Home": dpg.mvKey_Home,
    "End": dpg.mvKey_End,
    "PageUp": PAGE_UP,
    "PageDown": PAGE_DOWN,
    "Left": dpg.mvKey_Left,
    "Right": dpg.mvKey_Right,
    "Up": dpg.mvKey_Up,
    "Down": dpg.mvKey_Down,
    "Tab": dpg.mvKey_Tab,
    "Enter": dpg.mvKey_Return,
    "Esc": dpg.mvKey_Escape,
    "Delete": dpg.mvKey_Delete,
    "Backspace": dpg.mvKey_Back,
    "Space": dpg.mvKey_Spacebar,
    "/": dpg.mvKey_Slash,
    "+": dpg.mvKey_Plus,
    "=": dpg.mvKey_Plus,
    "-": dpg.mvKey_Minus,
    ",": dpg.mvKey_Comma,
    ".": dpg.mvKey_Period,
    "[": dpg.mvKey_Open_Brace,
    "]": dpg.mvKey_Close_Brace,
    ";": dpg.mvKey_Colon,
    "'": dpg.mvKey_Quote,
}


def key_names() -> dict[int, str]:
    """Dear PyGui key code to name, without modifiers."""
    names = {code: name for name, code in NAMED.items()}
    for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789":
        names[getattr(dpg, f"mvKey_{letter}")] = letter
    for number in range(1, 13):
        names[getattr(dpg, f"mvKey_F{number}")] = f"F{number}"
    for name, attribute in (("Enter", "mvKey_NumPadEnter"), ("+", "mvKey_Add"), ("-", "mvKey_Subtract")):
        code = getattr(dpg, attribute, None)
        if code is not None:
            names[code] = name
    return names


class Keyboard:
    """Reads chords from the pointer's events."""

    def __init__(self) -> None:
        self._names = key_names()
        self._typed_with_shift = False
        """Whether the Shift that is held has typed a character."""

    def chords(self, pointer: Pointer) -> list[str]:
        """Take this frame's key events and return them as chord names, in order."""
        chords, events = [], pointer.take("key")
        went_down = any(event.key in MODIFIERS["Shift"] for event in events)
        went_up = "Shift" in pointer.lifted
        had_typed = self._typed_with_shift and not went_down
        self._typed_with_shift = had_typed and not went_up
        for event in events:
            name = self._names.get(event.key)
            if name is None or box_keys.take_own(event.key):
                continue
            held = event.held
            plain = not held & {"Ctrl", "Alt"} and bool(typed(name))
            if went_up and not went_down and (plain or had_typed):
                # Dear ImGui hands out the character of a key a frame after it, and what follows later still: a Shift
                # that goes up in the frame of a letter was that of the letter before. So it was if it goes up in that
                # of a Ctrl+A after it typed a character.
                held -= {"Shift"}
            self._typed_with_shift |= plain and "Shift" in held and not went_up
            chords.append("+".join([*(word for word in ("Ctrl", "Shift", "Alt") if word in held), name]))
        return chords


_PUNCTUATION = {"/": "/?", "=": "=+", "-": "-_", ",": ",<", ".": ".>", "[": "[{", "]": "]}", ";": ";:", "'": "'\""}
"""Keys that type something else with Shift, on the keyboard that Dear PyGui's names stand for."""
_DIGITS = ")!@#$%^&*("


def typed(chord: str) -> str:
    """The character a chord types, "" if none. For the moments in which no text box can take it yet."""
    *held, name = chord.split("+") if not chord.endswith("+") else [*chord[:-1].split("+")[:-1], "+"]
    if "Ctrl" in held or "Alt" in held:
        return ""
    shift = "Shift" in held
    if len(name) == 1 and name.isalpha():
        return name if shift else name.lower()
    if len(name) == 1 and name.isdecimal():
        return _DIGITS[int(name)] if shift else name
    if name == "Space":
        return " "
    return _PUNCTUATION[name][shift] if name in _PUNCTUATION else ""


def belongs_to_text(chord: str) -> bool:
    """True if a focused text box handles this chord itself: letters, editing, its own undo and clipboard."""
    name = chord.rpartition("+")[2]
    if chord == "Esc" or (name.startswith("F") and name[1:].isdigit()):
        return False
    if not chord.startswith("Ctrl+"):
        return True
    return chord in {
        "Ctrl+Z",
        "Ctrl+Y",
        "Ctrl+Shift+Z",
        "Ctrl+A",
        "Ctrl+C",
        "Ctrl+V",
        "Ctrl+X",
        "Ctrl+Left",
        "Ctrl+Right",
    }
