"""Collects mouse and keyboard input from Dear PyGui into plain events, once a frame."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.ui.input.double_press import DoublePress
from opentine_gui.ui.platform.pointer_shape import Shape
from opentine_gui.ui.toolkit.regions import Area

BUTTONS = {0: "left", 1: "right", 2: "middle"}
EventKind = Literal["press", "release", "double", "wheel", "move", "key"]
ON_A_PLACE: tuple[EventKind, ...] = ("press", "double", "wheel")
"""Events for the view under the pointer; a release goes to the view that got the press."""


# While an event is handled, Dear PyGui's key state is a frame ahead of it: after a quick Ctrl+F, Ctrl is already up. So
# modifiers are tracked by their own events, which arrive in order.
MODIFIERS = {
    "Ctrl": (dpg.mvKey_LControl, dpg.mvKey_RControl),
    "Shift": (dpg.mvKey_LShift, dpg.mvKey_RShift),
    "Alt": (dpg.mvKey_LAlt, dpg.mvKey_RAlt),
    "Space": (dpg.mvKey_Spacebar,),
}
MODIFIER_OF = {code: name for name, codes in MODIFIERS.items() for code in codes}


class InputEvent(NamedTuple):
    """One input event. Positions are pixels of the window, `wheel` is in notches (up is positive), `key` a key code.

    `held` names the modifiers that were down at that moment: "Ctrl", "Shift", "Alt", "Space".
    """

    kind: EventKind
    x: float
    y: float
    button: str = ""
    wheel: float = 0.0
    key: int = 0
    held: frozenset[str] = frozenset()


@dataclass
class Pointer:
    """The input events since the last frame. A view takes its events, which removes them from the queue."""

    events: list[InputEvent] = field(default_factory=list)
    x: float = -1.0
    y: float = -1.0
    left_down: bool = False
    shape: Shape = "arrow"
    """What the pointer is to look like after this frame: a view it is over may say so while it syncs."""
    covered: bool = False
    """Whether a dialog or a menu lies over the views that are synced now: then none of them is under the pointer."""
    lifted: set[str] = field(default_factory=set)
    """Modifiers that went up since the last frame: whether before or after a key that went down since then cannot be
    told."""
    _held: dict[str, bool] = field(default_factory=dict)
    _presses: dict[str, DoublePress] = field(default_factory=lambda: {name: DoublePress() for name in BUTTONS.values()})
    _frame: int = 0
    _frame_began: float = 0.0

    def listen(self) -> None:
        """Register handlers for all mouse and key events."""
        with dpg.handler_registry():
            for code in BUTTONS:
                dpg.add_mouse_click_handler(button=code, callback=self._button, user_data="press")
                dpg.add_mouse_release_handler(button=code, callback=self._button, user_data="release")
            dpg.add_mouse_wheel_handler(callback=self._wheel)
            dpg.add_mouse_move_handler(callback=self._move)
            dpg.add_key_press_handler(callback=self._key)
            dpg.add_key_release_handler(callback=self._key_up)

    def refresh(self) -> None:
        """Read the pointer's position; call it once a frame before the callbacks run."""
        self._frame, self._frame_began = self._frame + 1, time.monotonic()
        self.x, self.y = dpg.get_mouse_pos(local=False)
        self.shape = "arrow"
        self.covered = False
        self.left_down = bool(dpg.is_mouse_button_down(0))
        # A release is lost when the window loses focus: a key found up in two frames counts as up.
        for name, seen_up in list(self._held.items()):
            if any(dpg.is_key_down(code) for code in MODIFIERS[name]):
                self._held[name] = False
            elif seen_up:
                del self._held[name]
            else:
                self._held[name] = True

    def clear(self) -> None:
        self.events.clear()
        self.lifted.clear()

    def take(self, *kinds: EventKind) -> list[InputEvent]:
        """Remove the events of these kinds and return them in order."""
        taken = [event for event in self.events if event.kind in kinds]
        self.events = [event for event in self.events if event.kind not in kinds]
        return taken

    def take_inside(self, area: Area) -> list[InputEvent]:
        """Remove and return mouse events inside an area, so that no view below gets them, too; moves stay."""
        taken = [event for event in self.events if event.kind in ON_A_PLACE and area.contains(event.x, event.y)]
        self.events = [event for event in self.events if event not in taken]
        return taken

    def _happened(self, kind: EventKind, **more: Any) -> None:
        self.events.append(InputEvent(kind, self.x, self.y, held=frozenset(self._held), **more))

    def _button(self, _sender: Any, data: Any, kind: Any) -> None:
        code = data[0] if isinstance(data, (list, tuple)) else data
        button = BUTTONS.get(int(code), "")
        self._happened(kind, button=button)
        if kind == "press" and button:
            press = self._presses[button]
            if press.is_double(self.x, self.y, frame=self._frame, seconds=self._frame_began):
                self._happened("double", button=button)

    def _wheel(self, _sender: Any, data: Any, _user: Any) -> None:
        self._happened("wheel", wheel=float(data))

    def _move(self, _sender: Any, _data: Any, _user: Any) -> None:
        self._happened("move")

    def _key(self, _sender: Any, data: Any, _user: Any) -> None:
        code = int(data[0] if isinstance(data, (list, tuple)) else data)
        modifier = MODIFIER_OF.get(code)
        if modifier is not None:
            self._held[modifier] = False
            self._hold_before(modifier, code)
        self._happened("key", key=code)

    def _hold_before(self, modifier: str, code: int) -> None:
        """Count a modifier as held for keys of this frame that were reported before it.

        Dear PyGui reports the keys that went down in one frame in the order of their codes, so in a quick Ctrl+Enter
        the Enter comes first.
        """
        self.events = [
            event._replace(held=event.held | {modifier}) if event.kind == "key" and event.key < code else event
            for event in self.events
        ]

    def _key_up(self, _sender: Any, data: Any, _user: Any) -> None:
        code = int(data[0] if isinstance(data, (list, tuple)) else data)
        modifier = MODIFIER_OF.get(code)
        if modifier is not None and not any(other != code and dpg.is_key_down(other) for other in MODIFIERS[modifier]):
            self._held.pop(modifier, None)
            self.lifted.add(modifier)


def heads_for(before: tuple[float, float], now: tuple[float, float], goal: Area) -> bool:
    """Whether a pointer that moved from one place to another is heading for the nearer vertical edge of an area.

    It is if it came closer and the straight line through both places meets the edge.
    """
    if goal.x <= before[0] <= goal.x + goal.width:
        return False
    edge = goal.x if before[0] < goal.x else goal.x + goal.width
    share = (now[0] - before[0]) / (edge - before[0])
    if share <= 0:
        return False
    top, bottom = (before[1] + (y - before[1]) * share for y in (goal.y, goal.y + goal.height))
    return top <= now[1] <= bottom
