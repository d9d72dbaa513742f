"""Counts the steps on a path between two entries of a growing tree."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import NamedTuple

from opentine_gui.importers.pi.entries import Entry


class _Place(NamedTuple):
    """An entry's place in the tree: `jump` is an ancestor further up, so that long paths take few hops."""

    parent: str
    jump: str
    depth: int
    steps: int


class Paths:
    """The paths that were asked about. A root is its own parent."""

    def __init__(self) -> None:
        self._places: dict[str, _Place] = {}

    def kept(
        self, last: str | None, first: str, entries: Mapping[str, Entry], steps: Container[str]
    ) -> tuple[int, str]:
        """(number of steps from `first` down to `last`, the uppermost of them); (0, "") if `first` is not above `last`.

        `steps` are the entries that became steps.
        """
        if last is None or last not in entries or first not in entries:
            return 0, ""
        self._learn(last, entries, steps)
        if first not in self._places:
            return 0, ""
        depth = self._places[first].depth
        at = last
        while self._places[at].depth > depth:
            place = self._places[at]
            at = place.jump if self._places[place.jump].depth >= depth else place.parent
        if at != first:
            return 0, ""
        before = self._places[first].steps - (first in steps)
        count = self._places[last].steps - before
        at = last
        while (place := self._places[at]).parent != at and self._places[place.parent].steps > before:
            at = place.jump if self._places[place.jump].steps > before else place.parent
        return (count, at) if count else (0, "")

    def _learn(self, last: str, entries: Mapping[str, Entry], steps: Container[str]) -> None:
        """Compute the places of an entry and of its ancestors."""
        waiting: dict[str, None] = {}
        at: str | None = last
        while at is not None and at in entries and at not in self._places and at not in waiting:
            waiting[at] = None
            at = entries[at].parent
        above = at if at in self._places else None  # None, too, where a cycle is broken
        for name in reversed(waiting):
            step = int(name in steps)
            if above is None:
                self._places[name] = _Place(name, name, 0, step)
            else:
                parent = self._places[above]
                half = self._places[parent.jump]
                is_even = parent.depth - half.depth == half.depth - self._places[half.jump].depth
                self._places[name] = _Place(
                    above, half.jump if is_even else above, parent.depth + 1, parent.steps + step
                )
            above = name
