"""What the pointer did on the canvas, and what a gesture under way shows: plain values between window and tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

import msgspec

Point = tuple[float, float]
Bounds = tuple[float, float, float, float]
Cursor = Literal["arrow", "hand", "pull", "box", "grab", "move"]
"""Nothing; over a card; over a trailing edge, or pulling a line; opening a box; panning; moving cards."""


class PointerEvent(msgspec.Struct, frozen=True):
    """One event in pixels of the canvas, from its top left. `wheel` in notches, up is positive.

    `kind` is "press", "release", "double", "wheel", "move" or "leave"; other kinds are not for the canvas.

    On the minimap (`area` "minimap") `world` is the world point under the pointer.
    """

    kind: str
    x: float = 0.0
    y: float = 0.0
    button: str = "left"
    shift: bool = False
    space: bool = False
    wheel: float = 0.0
    area: Literal["canvas", "minimap"] = "canvas"
    world: tuple[float, float] | None = None


class PulledLine(msgspec.Struct, frozen=True):
    """A line pulled out of a card: where it starts, the world point it ends at, the card under it, why not that one."""

    source: int
    point: Point
    target: int | None = None
    refusal: str = ""


class ToolState(msgspec.Struct, frozen=True):
    """What the canvas draws of a gesture: everything in world units and card indices.

    `box`: a box selection (x0, y0, x1, y1); `moved` cards are drawn `offset` away from their place; `line`: a pulled
    line; `refused`: cards it cannot be dropped on, dimmed, with the reason; `edge`: the card whose trailing edge is
    under the pointer; `cursor`: what the pointer does or could do there; `hint`: what letting go will do.
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
    """What turns pointer events into actions, as far as the session and the window know it."""

    @property
    def state(self) -> ToolState:
        """What the canvas draws while a gesture goes on."""

    @property
    def busy(self) -> bool:
        """True while a button holds a gesture: events outside the canvas still belong to it."""

    def handle(self, event: PointerEvent) -> None:
        """Take one event."""

    def leave(self) -> None:
        """The pointer left the canvas."""

    def cancel(self) -> None:
        """Drop the gesture under way; nothing of it happens."""
