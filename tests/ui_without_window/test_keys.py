"""Key chords follow the order of events: modifiers count as they were when a key went down."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.ui.input.keys import Keyboard, belongs_to_text, typed
from opentine_gui.ui.input.pointer import Pointer


@pytest.fixture
def down(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """The keys that Dear PyGui reports as down, without a window."""
    held: set[int] = set()
    monkeypatch.setattr(dpg, "is_key_down", lambda code: code in held)
    monkeypatch.setattr(dpg, "get_mouse_pos", lambda **_more: (0.0, 0.0))
    monkeypatch.setattr(dpg, "is_mouse_button_down", lambda _button: False)
    return held


def press(pointer: Pointer, code: Any) -> None:
    pointer._key(0, code, None)


def release(pointer: Pointer, code: Any) -> None:
    pointer._key_up(0, code, None)


def test_a_chord_counts_as_one_when_its_modifier_is_up_again_by_the_time_it_is_handled(down: set[int]) -> None:
    pointer, keyboard = Pointer(), Keyboard()
    press(pointer, dpg.mvKey_LControl)
    press(pointer, dpg.mvKey_F)
    release(pointer, dpg.mvKey_LControl)
    assert not down
    assert keyboard.chords(pointer) == ["Ctrl+F"]
    press(pointer, dpg.mvKey_F)
    assert keyboard.chords(pointer) == ["F"]


def test_a_key_before_and_after_a_modifier_is_plain(down: set[int]) -> None:
    pointer, keyboard = Pointer(), Keyboard()
    press(pointer, dpg.mvKey_Z)
    press(pointer, dpg.mvKey_LShift)
    press(pointer, dpg.mvKey_Z)
    release(pointer, dpg.mvKey_LShift)
    press(pointer, dpg.mvKey_Z)
    assert keyboard.chords(pointer) == ["Z", "Shift+Z", "Z"]


def test_a_modifier_whose_release_was_lost_is_up_after_two_frames(down: set[int]) -> None:
    pointer, keyboard = Pointer(), Keyboard()
    down.add(dpg.mvKey_RControl)
    press(pointer, dpg.mvKey_RControl)
    pointer.refresh()
    press(pointer, dpg.mvKey_Z)
    down.clear()
    pointer.refresh()
    pointer.refresh()
    press(pointer, dpg.mvKey_Z)
    assert keyboard.chords(pointer) == ["Ctrl+Z", "Z"]


def test_a_modifier_is_held_while_either_of_its_keys_is(down: set[int]) -> None:
    pointer, keyboard = Pointer(), Keyboard()
    down.update((dpg.mvKey_LControl, dpg.mvKey_RControl))
    press(pointer, dpg.mvKey_LControl)
    press(pointer, dpg.mvKey_RControl)
    down.discard(dpg.mvKey_LControl)
    release(pointer, dpg.mvKey_LControl)
    press(pointer, dpg.mvKey_S)
    assert keyboard.chords(pointer) == ["Ctrl+S"]


@pytest.mark.parametrize(
    ("chord", "letter"),
    [("A", "a"), ("Shift+A", "A"), ("7", "7"), ("Space", " "), ("/", "/"), ("Shift+;", ":"), ("Shift+'", '"')],
)
def test_a_key_that_comes_before_its_box_types_what_it_would_type_in_it(chord: str, letter: str) -> None:
    assert typed(chord) == letter


@pytest.mark.parametrize("chord", ["Ctrl+A", "Alt+A", "Enter", "F3", "Left", "Ctrl++"])
def test_a_command_types_nothing(chord: str) -> None:
    assert typed(chord) == ""


@pytest.mark.parametrize(
    ("chord", "is_text"),
    [
        ("F3", False),
        ("Shift+F3", False),
        ("Alt+F3", False),
        ("Shift+Alt+F3", False),
        ("Esc", False),
        ("Shift+F", True),
        ("Alt+F", True),
    ],
)
def test_function_keys_are_commands_even_while_a_box_has_the_keyboard(chord: str, is_text: bool) -> None:
    assert belongs_to_text(chord) is is_text


def test_a_letter_is_no_capital_because_the_shift_of_the_one_before_goes_up_in_its_frame(down: set[int]) -> None:
    pointer, keyboard = Pointer(), Keyboard()
    press(pointer, dpg.mvKey_LShift)
    press(pointer, dpg.mvKey_W)
    assert keyboard.chords(pointer) == ["Shift+W"]
    pointer.clear()
    press(pointer, dpg.mvKey_H)
    release(pointer, dpg.mvKey_LShift)
    assert keyboard.chords(pointer) == ["H"]


@pytest.mark.parametrize(("key", "chord"), [(dpg.mvKey_A, "Ctrl+A"), (dpg.mvKey_F, "Ctrl+F")])
def test_a_shift_that_typed_a_character_is_no_part_of_the_command_in_whose_frame_it_goes_up(
    down: set[int], key: Any, chord: str
) -> None:
    """Ctrl+Shift+A clears the selection of the canvas, also from a box."""
    pointer, keyboard = Pointer(), Keyboard()
    press(pointer, dpg.mvKey_LShift)
    press(pointer, dpg.mvKey_W)
    assert keyboard.chords(pointer) == ["Shift+W"]
    pointer.clear()
    press(pointer, dpg.mvKey_LControl)
    press(pointer, key)
    release(pointer, dpg.mvKey_LShift)
    assert keyboard.chords(pointer) == [chord]


def test_a_shift_that_typed_nothing_is_part_of_a_command_although_it_goes_up_in_its_frame(down: set[int]) -> None:
    pointer, keyboard = Pointer(), Keyboard()
    press(pointer, dpg.mvKey_LShift)
    press(pointer, dpg.mvKey_W)
    assert keyboard.chords(pointer) == ["Shift+W"]
    release(pointer, dpg.mvKey_LShift)
    assert keyboard.chords(pointer) == []
    pointer.clear()
    press(pointer, dpg.mvKey_LControl)
    press(pointer, dpg.mvKey_LShift)
    assert keyboard.chords(pointer) == []
    press(pointer, dpg.mvKey_A)
    release(pointer, dpg.mvKey_LShift)
    assert keyboard.chords(pointer) == ["Ctrl+Shift+A"]
