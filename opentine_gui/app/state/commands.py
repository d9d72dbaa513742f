"""Undoable edits: the state that undo covers, commands that make a new state from an old one, and the undo history."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import Generic, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from opentine_gui.app.state.annotations import Annotation, Annotations
from opentine_gui.core import RunRecord
from opentine_gui.layout import Direction

Point = tuple[float, float]
"""World coordinates."""

Pins = Mapping[str, Point]
"""Step id -> the centre the user gave its card, in world units."""

State = TypeVar("State")

UNDO_DEPTH = 200
"""Edits that can be undone."""


class DocumentState(msgspec.Struct, frozen=True):
    """What undo covers: the run, the centres of moved cards by step id for each layout direction, and annotations.

    A folded run has positions of its own: there a card stands for several steps, and is named by the first of them.
    """

    record: RunRecord
    pins: Pins = msgspec.field(default_factory=dict)
    pins_left_to_right: Pins = msgspec.field(default_factory=dict)
    folded_pins: Pins = msgspec.field(default_factory=dict)
    folded_pins_left_to_right: Pins = msgspec.field(default_factory=dict)
    annotations: Annotations = msgspec.field(default_factory=dict)
    base: str = ""
    """SHA-256, in hex, of the file's content that the run goes back to; "" if there is none."""

    def placed(self, direction: Direction, folded: bool = False) -> Pins:
        """The user's positions for one direction."""
        found: Pins = getattr(self, pins_field(direction, folded))
        return found

    def with_placed(self, direction: Direction, pins: Pins, folded: bool = False) -> DocumentState:
        """The same run with other positions for one direction."""
        return replace(self, **{pins_field(direction, folded): MappingProxyType(dict(pins))})

    def grown(self, record: RunRecord, renamed: Mapping[str, str]) -> DocumentState:
        """With a later state of the run, in which some steps have new ids, given by their old ones.

        A step has under its new id what it had, and nothing else: a note that was deleted does not come back with an id
        that the step had before. What was said of it under its old id stays as well: other runs may have that step.
        """
        fresh = set(renamed.values())
        kept = {}
        for name in (*PINS_FIELDS, "annotations"):
            values = getattr(self, name)
            if not (renamed.keys().isdisjoint(values) and fresh.isdisjoint(values)):
                others = {step: value for step, value in values.items() if step not in fresh}
                kept[name] = {**others, **{new: values[step] for step, new in renamed.items() if step in values}}
        return replace(self, record=record, **kept)


def pins_field(direction: Direction, folded: bool) -> str:
    """The field of a document's state that holds the positions of one direction."""
    found = "pins" if direction is Direction.TOP_TO_BOTTOM else "pins_left_to_right"
    return f"folded_{found}" if folded else found


def pins_section(direction: Direction, folded: bool) -> str:
    """The section of the store of positions for one direction."""
    return f"{direction.value}, folded" if folded else direction.value


PINS_FIELDS = tuple(pins_field(direction, folded) for direction in Direction for folded in (False, True))


class Command(Protocol):
    """An undoable edit."""

    @property
    def label(self) -> str:
        """Its name in the Edit menu."""

    def apply(self, state: DocumentState) -> DocumentState:
        """The state after the edit; the same object when nothing changes."""


class MoveSteps(msgspec.Struct, frozen=True):
    """Moves cards to these centres; a drag makes one of these."""

    pins: Pins
    direction: Direction = Direction.TOP_TO_BOTTOM
    folded: bool = False

    @property
    def label(self) -> str:
        """Its name in the Edit menu."""
        what = "card" if self.folded else "step"
        return f"Move {what}" if len(self.pins) == 1 else f"Move {len(self.pins):,} {what}s"

    def apply(self, state: DocumentState) -> DocumentState:
        """Add the positions to those of the state."""
        if not self.pins:
            return state
        placed = {**state.placed(self.direction, self.folded), **self.pins}
        return state.with_placed(self.direction, placed, self.folded)


class ResetLayout(msgspec.Struct, frozen=True):
    """Drops the user's positions of these steps, or of all steps if `ids` is None."""

    ids: frozenset[str] | None = None
    direction: Direction = Direction.TOP_TO_BOTTOM
    folded: bool = False
    label: str = "Reset layout"

    def apply(self, state: DocumentState) -> DocumentState:
        """Drop the positions."""
        placed = state.placed(self.direction, self.folded)
        kept = {} if self.ids is None else {key: point for key, point in placed.items() if key not in self.ids}
        return state if len(kept) == len(placed) else state.with_placed(self.direction, kept, self.folded)


class Annotate(msgspec.Struct, frozen=True):
    """Writes beside steps; an empty annotation removes what was there."""

    changes: Mapping[str, Annotation]
    label: str

    def apply(self, state: DocumentState) -> DocumentState:
        """Change the annotations of these steps."""
        changed = {**state.annotations, **self.changes}
        kept = {key: annotation for key, annotation in changed.items() if not annotation.empty}
        return state if kept == state.annotations else replace(state, annotations=MappingProxyType(kept))


class ReplaceRun(msgspec.Struct, frozen=True):
    """Replaces the run: a merge inside it, an edited title, other tags. `renamed` are new ids of steps by their old."""

    record: RunRecord
    label: str
    renamed: Mapping[str, str] = MappingProxyType({})

    def apply(self, state: DocumentState) -> DocumentState:
        """Replace the run and keep the positions."""
        return state if self.record is state.record else state.grown(self.record, self.renamed)


class _Entry(NamedTuple, Generic[State]):
    """A state, the label of the edit that led to it, and its number."""

    label: str
    state: State
    number: int


class UndoHistory(Generic[State]):
    """A bounded list of states and the present place in it; a new state after an undo drops those undone."""

    def __init__(self, first: State, depth: int = UNDO_DEPTH) -> None:
        self._entries: list[_Entry[State]] = [_Entry("", first, 0)]
        self._place = 0
        self._depth = depth
        self._numbers = count(1)

    @property
    def current(self) -> State:
        """The present state."""
        return self._entries[self._place].state

    @property
    def number(self) -> int:
        """The number of the present state: undo and redo come back to it, and no other state ever has it."""
        return self._entries[self._place].number

    @property
    def undo_label(self) -> str | None:
        """The edit that undo would take back, or None."""
        return self._entries[self._place].label if self._place else None

    @property
    def redo_label(self) -> str | None:
        """The edit that redo would do again, or None."""
        return self._entries[self._place + 1].label if self._place + 1 < len(self._entries) else None

    def record(self, label: str, state: State) -> None:
        """Add a state after the present one; the same object again is no edit and adds nothing."""
        if state is self.current:
            return
        del self._entries[self._place + 1 :]
        self._entries.append(_Entry(label, state, next(self._numbers)))
        if len(self._entries) > self._depth + 1:
            del self._entries[0]
            self._entries[0] = self._entries[0]._replace(label="")
        self._place = len(self._entries) - 1

    def undo(self) -> State:
        """Go one state back, if there is one; returns the present state."""
        self._place = max(0, self._place - 1)
        return self.current

    def redo(self) -> State:
        """Go one state forward, if there is one; returns the present state."""
        self._place = min(len(self._entries) - 1, self._place + 1)
        return self.current

    def rewrite(self, change: Callable[[State], State]) -> None:
        """Replace every state by `change(state)`, a value with the same content."""
        self._entries = [entry._replace(state=change(entry.state)) for entry in self._entries]

    @property
    def states(self) -> Iterator[State]:
        """All states that undo and redo can reach, oldest first."""
        return (entry.state for entry in self._entries)

    def __len__(self) -> int:
        """Number of edits that can be undone from the last state."""
        return len(self._entries) - 1
