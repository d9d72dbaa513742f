"""The mouse and keyboard of the window tests reach a Dear PyGui window, at the pixels they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import dearpygui.dearpygui as dpg
import pytest

from tests.ui.real_input import Keyboard, Mouse, find_window, until
from tests.ui.virtual_display import VirtualDisplay

pytestmark = pytest.mark.window
TITLE = "input under test"


@dataclass
class Bench:
    """A bare window that records the events it receives."""

    mouse: Mouse
    keyboard: Keyboard
    seen: list[tuple[object, ...]] = field(default_factory=list)


@pytest.fixture
def bench() -> Iterator[Bench]:
    seen: list[tuple[object, ...]] = []
    dpg.create_context()
    try:
        dpg.configure_app(manual_callback_management=True)
        dpg.create_viewport(title=TITLE, width=640, height=480, x_pos=0, y_pos=0)
        dpg.setup_dearpygui()
        with dpg.handler_registry():
            dpg.add_mouse_down_handler(callback=lambda _, data: seen.append(("down", data[0])))
            dpg.add_mouse_release_handler(callback=lambda _, data: seen.append(("up", data)))
            dpg.add_mouse_double_click_handler(callback=lambda _, data: seen.append(("double", data)))
            dpg.add_mouse_wheel_handler(callback=lambda _, data: seen.append(("wheel", data)))
            dpg.add_mouse_move_handler(callback=lambda _, data: seen.append(("move", tuple(data))))
            dpg.add_key_press_handler(callback=lambda _, data: seen.append(("key", data)))
        with dpg.window(tag="main", no_move=True):
            dpg.add_input_text(tag="words", width=300)
        dpg.set_primary_window("main", True)
        dpg.show_viewport()

        def frame() -> None:
            dpg.render_dearpygui_frame()
            dpg.run_callbacks(dpg.get_callback_queue())

        window = find_window(TITLE, frame)
        tools = Bench(Mouse(window, frame), Keyboard(window, frame), seen)
        tools.keyboard.focus()
        yield tools
    finally:
        dpg.destroy_context()


def positions(bench: Bench) -> list[tuple[float, float]]:
    return [seen[1] for seen in bench.seen if seen[0] == "move"]  # type: ignore[misc]


def test_a_move_lands_on_the_pixel_it_names(bench: Bench) -> None:
    bench.mouse.move(321, 123)
    until(lambda: (321.0, 123.0) in positions(bench), bench.mouse.frame, "the pointer at 321, 123")


def test_a_drag_is_seen_in_parts_with_the_button_held(bench: Bench) -> None:
    bench.mouse.drag((100, 200), (300, 280))
    until(lambda: ("up", 0) in bench.seen, bench.mouse.frame, "the release")
    pressed = bench.seen.index(("down", 0))
    held = [seen for seen in bench.seen[pressed : bench.seen.index(("up", 0))] if seen[0] == "move"]
    assert len(held) >= 4
    assert positions(bench)[-1] == (300.0, 280.0)


@pytest.mark.parametrize(("button", "number"), [("left", 0), ("right", 1), ("middle", 2)])
def test_a_click_arrives_as_its_own_button(bench: Bench, button: str, number: int) -> None:
    bench.mouse.click(200, 300, button)
    until(lambda: ("up", number) in bench.seen, bench.mouse.frame, f"a {button} click")
    assert {seen[1] for seen in bench.seen if seen[0] in ("down", "up")} == {number}


def test_two_quick_clicks_are_a_double_click(bench: Bench) -> None:
    bench.mouse.double_click(200, 300)
    until(lambda: ("double", 0) in bench.seen, bench.mouse.frame, "a double click")


def test_the_wheel_turns_both_ways(bench: Bench) -> None:
    bench.mouse.wheel(2, at=(200, 300))
    bench.mouse.wheel(-1)
    until(lambda: sum(seen[1] for seen in bench.seen if seen[0] == "wheel") == 1, bench.mouse.frame, "three notches")  # type: ignore[misc]


def test_typed_text_and_chords_reach_the_focused_box(bench: Bench) -> None:
    bench.mouse.click(60, 18)
    bench.keyboard.type("Fork it #2")
    until(lambda: dpg.get_value("words") == "Fork it #2", bench.mouse.frame, "the typed words")
    bench.keyboard.press("ctrl+a")
    bench.keyboard.press("BackSpace")
    until(lambda: dpg.get_value("words") == "", bench.mouse.frame, "an empty box")


def test_a_held_shift_is_seen_during_a_click(bench: Bench) -> None:
    with bench.keyboard.holding("shift"):
        bench.mouse.move(200, 300)
        until(lambda: dpg.is_key_down(dpg.mvKey_LShift), bench.mouse.frame, "shift down")
    until(lambda: not dpg.is_key_down(dpg.mvKey_LShift), bench.mouse.frame, "shift up")


def test_a_second_display_gets_its_own_number(display: str) -> None:
    with VirtualDisplay() as other:
        assert other.name.startswith(":")
        assert other.name != display
