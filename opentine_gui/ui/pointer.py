"""The mouse and the keyboard as Dear PyGui reports them, gathered once a frame into plain events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import dearpygui.dearpygui as dpg

BUTTONS = {0: "left", 1: "right", 2: "middle"}
Button = Literal["left", "right", "middle"]
EventKind = Literal["press", "release", "double", "wheel", "move", "key"]


@dataclass(frozen=True)
class InputEvent:
    """One thing that happened, in pixels of the window; `wheel` in notches, up is positive; `key` a Dear PyGui code."""

    kind: EventKind
    x: float
    y: float
    button: str = ""
    wheel: float = 0.0
    key: int = 0


@dataclass
class Pointer:
    """What the pointer and the keyboard did since the last frame. A view takes its events; what it took is gone."""

    events: list[InputEvent] = field(default_factory=list)
    x: float = -1.0
    y: float = -1.0
    left_down: bool = False
    last_activity: float = 0.0

    def listen(self) -> None:
        """Register for everything the window can report."""
        with dpg.handler_registry():
            for code in BUTTONS:
                dpg.add_mouse_click_handler(button=code, callback=self._button, user_data="press")
                dpg.add_mouse_release_handler(button=code, callback=self._button, user_data="release")
                dpg.add_mouse_double_click_handler(button=code, callback=self._button, user_data="double")
            dpg.add_mouse_wheel_handler(callback=self._wheel)
            dpg.add_mouse_move_handler(callback=self._move)
            dpg.add_key_press_handler(callback=self._key)

    def refresh(self) -> None:
        """Read the pointer's place; call once a frame before the callbacks run."""
        self.x, self.y = dpg.get_mouse_pos(local=False)
        self.left_down = bool(dpg.is_mouse_button_down(0))

    def clear(self) -> None:
        self.events.clear()

    def take(self, *kinds: EventKind) -> list[InputEvent]:
        """Remove and answer the events of these kinds, in order."""
        taken = [event for event in self.events if event.kind in kinds]
        self.events = [event for event in self.events if event.kind not in kinds]
        return taken

    @property
    def shift(self) -> bool:
        return bool(dpg.is_key_down(dpg.mvKey_LShift) or dpg.is_key_down(dpg.mvKey_RShift))

    @property
    def ctrl(self) -> bool:
        return bool(dpg.is_key_down(dpg.mvKey_LControl) or dpg.is_key_down(dpg.mvKey_RControl))

    @property
    def alt(self) -> bool:
        return bool(dpg.is_key_down(dpg.mvKey_LAlt) or dpg.is_key_down(dpg.mvKey_RAlt))

    @property
    def space(self) -> bool:
        return bool(dpg.is_key_down(dpg.mvKey_Spacebar))

    def _button(self, _sender: Any, data: Any, kind: Any) -> None:
        code = data[0] if isinstance(data, (list, tuple)) else data
        self.events.append(InputEvent(kind, self.x, self.y, button=BUTTONS.get(int(code), "")))

    def _wheel(self, _sender: Any, data: Any, _user: Any) -> None:
        self.events.append(InputEvent("wheel", self.x, self.y, wheel=float(data)))

    def _move(self, _sender: Any, _data: Any, _user: Any) -> None:
        self.events.append(InputEvent("move", self.x, self.y))

    def _key(self, _sender: Any, data: Any, _user: Any) -> None:
        code = data[0] if isinstance(data, (list, tuple)) else data
        self.events.append(InputEvent("key", self.x, self.y, key=int(code)))
