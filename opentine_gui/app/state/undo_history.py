"""Undo and redo as a list of values: an entry is the state after an edit, and what the edit was called."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

State = TypeVar("State")

DEPTH = 200


class History(Generic[State]):
    """A bounded line of states with a place in it. Recording after an undo drops the states that were undone."""

    def __init__(self, first: State, depth: int = DEPTH) -> None:
        self._entries: list[tuple[str, State]] = [("", first)]
        self._place = 0
        self._depth = depth

    @property
    def current(self) -> State:
        """The state at the present place."""
        return self._entries[self._place][1]

    @property
    def undo_label(self) -> str | None:
        """What undo would take back, or None when there is nothing."""
        return self._entries[self._place][0] if self._place else None

    @property
    def redo_label(self) -> str | None:
        """What redo would do again, or None when there is nothing."""
        return self._entries[self._place + 1][0] if self._place + 1 < len(self._entries) else None

    def record(self, label: str, state: State) -> None:
        """Add a state after the present one. The very same state again is not an edit and adds nothing."""
        if state is self.current:
            return
        del self._entries[self._place + 1 :]
        self._entries.append((label, state))
        if len(self._entries) > self._depth + 1:
            del self._entries[0]
            self._entries[0] = ("", self._entries[0][1])
        self._place = len(self._entries) - 1

    def undo(self) -> State:
        """Go one state back; at the beginning the state stays."""
        self._place = max(0, self._place - 1)
        return self.current

    def redo(self) -> State:
        """Go one state forward; at the end the state stays."""
        self._place = min(len(self._entries) - 1, self._place + 1)
        return self.current

    def rewrite(self, change: Callable[[State], State]) -> None:
        """Put another value for the same content in every place; labels and the present place stay."""
        self._entries = [(label, change(state)) for label, state in self._entries]

    @property
    def states(self) -> Iterator[State]:
        """All states that undo and redo can reach, oldest first."""
        return (state for _, state in self._entries)

    def __len__(self) -> int:
        """Number of edits that can be undone from the last state."""
        return len(self._entries) - 1
