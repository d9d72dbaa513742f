"""Pointer events from the window to the canvas tools, and the state of a gesture the other way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

from opentine_gui.app.state.commands import Point
from opentine_gui.scene.space.camera import Bounds

Cursor = Literal["arrow", "hand", "pull", "box", "grab", "move"]
"""Nothing; over a card; over a trailing edge, or pulling a line; opening a box; panning; moving cards."""


class PointerEvent(msgspec.Struct, frozen=True):
    """One event; `x`, `y` in pixels from the canvas's top left, `wheel` in notches, up is positive.

    `kind` is "press", "release", "double", "wheel", "move" or "leave". On the minimap (`area` "minimap") `world` is the
    world point under the pointer.
    """

    kind: str
    x: float = 0.0
    y: float = 0.0
    button: str = "left"
    shift: bool = False
    space: bool = False
    wheel: float = 0.0
    area: Literal["canvas", "minimap"] = "canvas"
    world: Point | None = None


class PulledLine(msgspec.Struct, frozen=True):
    """A line pulled out of a card: its source, the world point it ends at, the card there, and why that refuses it."""

    source: int
    point: Point
    target: int | None = None
    refusal: str = ""


class ToolState(msgspec.Struct, frozen=True):
    """What the canvas draws of a gesture, in world units and card indices.

    `box`: the selection box (x0, y0, x1, y1). `moved`: the dragged cards, drawn `offset` from their place. `line`: the
    pulled line. `refused`: cards it cannot be dropped on and why; they are dimmed. `edge`: the card whose trailing edge
    is under the pointer. `cursor`: what the pointer does or could do there. `hint`: what releasing the button does.
    """

    box: Bounds | None = None
    moved: frozenset[int] = frozenset()
    offset: Point = (0.0, 0.0)
    line: PulledLine | None = None
    refused: Mapping[int, str] = msgspec.field(default_factory=dict)
    edge: int | None = None
    cursor: Cursor = "arrow"
    hint: str = ""


class PointerTools(Protocol):
    """What the session and the window use of the canvas tools, which turn pointer events into actions."""

    @property
    def state(self) -> ToolState:
        """What the canvas draws during a gesture."""

    @property
    def busy(self) -> bool:
        """True during a gesture: events outside the canvas belong to it as well."""

    def handle(self, event: PointerEvent) -> None:
        """Process one event."""

    def leave(self) -> None:
        """The pointer left the canvas."""

    def cancel(self) -> None:
        """Cancel the gesture without effect."""

    def follow(self, document: Any) -> None:
        """The picture of a document has other cards. (The type Document is not known here: it imports this room.)"""
