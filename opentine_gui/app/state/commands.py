"""Commands: undoable edits, each a small frozen value that makes a new document state out of an old one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

import msgspec
from msgspec.structs import replace

from opentine_gui.core import RunRecord
from opentine_gui.layout import Direction

Point = tuple[float, float]
Pins = Mapping[str, Point]


class DocumentState(msgspec.Struct, frozen=True):
    """Exactly what undo covers: the run, and where the user put cards (step id -> centre) in each direction."""

    record: RunRecord
    pins: Pins = msgspec.field(default_factory=dict)
    pins_left_to_right: Pins = msgspec.field(default_factory=dict)

    def placed(self, direction: Direction) -> Pins:
        """The user's positions for one direction."""
        return self.pins if direction is Direction.TOP_TO_BOTTOM else self.pins_left_to_right

    def with_placed(self, direction: Direction, pins: Pins) -> DocumentState:
        """The same run with other positions for one direction."""
        frozen = MappingProxyType(dict(pins))
        if direction is Direction.TOP_TO_BOTTOM:
            return replace(self, pins=frozen)
        return replace(self, pins_left_to_right=frozen)


class Command(Protocol):
    """An undoable edit."""

    @property
    def label(self) -> str:
        """What the edit menu calls it."""

    def apply(self, state: DocumentState) -> DocumentState:
        """The state after the edit; the same object when nothing changes."""


class MoveSteps(msgspec.Struct, frozen=True):
    """Put cards at these centres; one drag is one of these."""

    pins: Pins
    direction: Direction = Direction.TOP_TO_BOTTOM

    @property
    def label(self) -> str:
        """What the edit menu calls it."""
        return "Move step" if len(self.pins) == 1 else f"Move {len(self.pins):,} steps"

    def apply(self, state: DocumentState) -> DocumentState:
        """Add the positions to those the state has."""
        if not self.pins:
            return state
        return state.with_placed(self.direction, {**state.placed(self.direction), **self.pins})


class ResetLayout(msgspec.Struct, frozen=True):
    """Forget the user's positions of these steps, or of all steps when `ids` is None."""

    ids: frozenset[str] | None = None
    direction: Direction = Direction.TOP_TO_BOTTOM
    label: str = "Reset layout"

    def apply(self, state: DocumentState) -> DocumentState:
        """Drop the positions."""
        placed = state.placed(self.direction)
        kept = {} if self.ids is None else {key: point for key, point in placed.items() if key not in self.ids}
        return state if len(kept) == len(placed) else state.with_placed(self.direction, kept)


class ReplaceRun(msgspec.Struct, frozen=True):
    """Put another value in the run's place: a merge inside the run, an edited title, other tags."""

    record: RunRecord
    label: str

    def apply(self, state: DocumentState) -> DocumentState:
        """Same positions, other run."""
        return state if self.record is state.record else replace(state, record=self.record)
