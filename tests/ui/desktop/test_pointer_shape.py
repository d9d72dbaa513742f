"""The shape of the pointer, as the display has it, under a real mouse."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import write
from opentine_gui.ui.platform import pointer_shape
from tests.conftest import MakeRun, named
from tests.ui.opened import Opened

ARROW, HAND, UP_DOWN, LEFT_RIGHT, TEXT = "left_ptr", "hand2", "sb_v_double_arrow", "sb_h_double_arrow", "xterm"


class CursorImage(ctypes.Structure):
    """`XFixesCursorImage`, whose last member is the name of the shape."""

    _fields_ = [
        *[(name, ctypes.c_short) for name in ("x", "y")],
        *[(name, ctypes.c_ushort) for name in ("width", "height", "xhot", "yhot")],
        ("serial", ctypes.c_ulong),
        ("pixels", ctypes.POINTER(ctypes.c_ulong)),
        ("atom", ctypes.c_ulong),
        ("name", ctypes.c_char_p),
    ]


class Display:
    """A connection of its own to the X server, which knows the shape of the pointer."""

    def __init__(self, name: str) -> None:
        self.x11, self.fixes = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXfixes.so.3")
        self.x11.XOpenDisplay.restype, self.x11.XOpenDisplay.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        self.x11.XFree.argtypes = [ctypes.c_void_p]
        self.fixes.XFixesGetCursorImage.restype = ctypes.POINTER(CursorImage)
        self.fixes.XFixesGetCursorImage.argtypes = [ctypes.c_void_p]
        self.connection = self.x11.XOpenDisplay(name.encode())

    def shape(self) -> str:
        """The name of the pointer's shape, as the cursor font and themes call it."""
        image = self.fixes.XFixesGetCursorImage(self.connection)
        name: bytes = image.contents.name
        self.x11.XFree(image)
        return name.decode()


@pytest.fixture
def opened(tmp_path: Path, make_run: MakeRun) -> Iterator[Opened]:
    write(tmp_path / "first.tine", make_run({"find": "", "plan": "find", "left": "plan", "right": "plan"}))
    window = Opened(tmp_path)
    window.keyboard.focus()
    window.open(tmp_path / "first.tine")
    yield window
    window.close()


def settled(opened: Opened, display: Display) -> str:
    """The shape once what the last event did has reached the display."""
    for _ in range(4):
        opened.frame()
    return display.shape()


def card(opened: Opened, name: str, down: float = 0.0) -> tuple[float, float]:
    assert opened.document.record is not None
    return opened.point(named(opened.document.record, name), down)


def handles(opened: Opened) -> list[tuple[float, float]]:
    """The dots drawn over the canvas by which a link is pulled, in pixels of the window."""
    area, found = opened.window.canvas.area, []
    for item in dpg.get_item_children(opened.window.canvas.hints.node, 2) or ():
        if dpg.get_item_type(item).endswith("DrawCircle"):
            x, y = dpg.get_item_configuration(item)["center"][:2]
            found.append((area.x + x, area.y + y))
    return found


def test_the_pointer_says_what_a_press_on_the_canvas_takes_hold_of(opened: Opened, display: str) -> None:
    pointer, mouse = Display(display), opened.mouse
    free = opened.free_point()
    mouse.move(*free)
    assert settled(opened, pointer) == ARROW
    mouse.move(*card(opened, "plan"))
    assert settled(opened, pointer) == HAND
    canvas = opened.window.canvas
    assert handles(opened) == [] and "plan" in canvas.tooltip.shown
    mouse.move(*card(opened, "plan", down=0.95))
    assert settled(opened, pointer) == UP_DOWN
    x, y = card(opened, "plan", down=1.0)
    assert [(round(at[0]), round(at[1])) for at in handles(opened)] == [(round(x), round(y))]
    merge, fork = canvas.tooltip.shown.splitlines()
    assert merge == "Drag to another step to merge the two  M" and fork.startswith("Drag to the empty canvas to fork")
    mouse.move(*card(opened, "plan"))
    settled(opened, pointer)
    assert handles(opened) == [], "it is there only where a link can be pulled"
    opened.session.invoke("view.direction")
    opened.rest()
    x, y = card(opened, "plan")
    index = opened.document.picture.index_of(named(opened.document.record, "plan"))  # type: ignore[arg-type]
    area, tools = opened.window.canvas.area, opened.session.tools
    right = next(at for at in range(200) if tools.edge_at(opened.document, x + at - area.x, y - area.y) == index)
    mouse.move(x + right + 4, y)
    assert settled(opened, pointer) == LEFT_RIGHT


def test_the_hand_stays_while_the_picture_or_a_card_is_pulled_and_goes_when_it_is_let_go(
    opened: Opened, display: str
) -> None:
    pointer, mouse = Display(display), opened.mouse
    x, y = opened.free_point()
    mouse.move(x, y)
    mouse.press()
    mouse.travel(x + 30, y - 30)
    assert settled(opened, pointer) == HAND
    # what lies under it meanwhile has no say
    mouse.travel(5, y)
    assert settled(opened, pointer) == HAND
    mouse.release()
    assert settled(opened, pointer) == ARROW


def test_the_pointer_over_a_panels_edge_says_that_it_can_be_pulled(opened: Opened, display: str) -> None:
    pointer, mouse = Display(display), opened.mouse
    regions = opened.regions
    edge, y = regions.left_edge.x + regions.left_edge.width / 2, regions.left_edge.y + 200
    mouse.move(edge, y)
    assert settled(opened, pointer) == LEFT_RIGHT
    mouse.press()
    mouse.travel(edge + 60, y)
    assert settled(opened, pointer) == LEFT_RIGHT
    mouse.release()
    mouse.move(edge + 200, y)
    assert settled(opened, pointer) != LEFT_RIGHT
    opened.session.invoke("view.palette")
    opened.rest()
    moved = opened.regions
    mouse.move(moved.left_edge.x + 3, y)
    assert settled(opened, pointer) == ARROW


def test_what_acts_in_a_panel_shows_the_hand_and_a_text_box_keeps_its_own_shape(opened: Opened, display: str) -> None:
    pointer, mouse = Display(display), opened.mouse
    mouse.move(opened.window.menus.titles[0][0] + 8, 15)
    assert settled(opened, pointer) == HAND
    opened.session.invoke("view.palette")
    opened.rest()
    box = opened.window.palette.window
    left, top = dpg.get_item_pos(box)
    mouse.move(left + 60, top + 20)
    assert settled(opened, pointer) == TEXT


def test_where_the_library_does_not_export_the_function_the_pointer_stays_an_arrow(
    opened: Opened, display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointer_shape, "_SYMBOL", "no_such_function")
    pointer_shape._function.cache_clear()
    opened.mouse.move(*card(opened, "plan"))
    assert settled(opened, Display(display)) == ARROW
    assert opened.document.picture.hovered is not None
