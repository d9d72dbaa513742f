"""Takes chosen entries out of parallel columns, at the speed of C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

from opentine_gui.core.progress import Pace

PART = 5_000
"""Steps per batch while the GIL is held: 4 ms or less."""
_SHORT_STRETCH = 4
"""Entries that take as long to pick one by one as one slice takes to copy."""


class Selection:
    """Positions in some order; stretches of consecutive ones, as most of a fork are, are copied as slices."""

    def __init__(self, positions: Sequence[int]) -> None:
        self.positions = positions
        self._stretches = _stretches(positions)
        scattered = len(self._stretches) * _SHORT_STRETCH > len(positions)
        self._pick = picked(positions) if scattered else None

    def of(self, column: Any) -> Any:
        """The chosen entries of a list, array or bytearray, as a new one; it must have every position."""
        found = column[:0]
        if self._pick is not None:
            found.extend(self._pick(column))
        else:
            for stretch in self._stretches:
                found += column[stretch]
        return found

    def places(self, count: int) -> list[int]:
        """For each of `count` old positions, its place in the selection; -1 if it is not chosen."""
        found = [-1] * count
        done = 0
        for stretch in self._stretches:
            end = done + stretch.stop - stretch.start
            found[stretch] = range(done, end)
            done = end
        return found


def _stretches(positions: Sequence[int]) -> list[slice]:
    """The positions as slices of consecutive ones."""
    if isinstance(positions, range) and positions.step == 1:
        return [slice(positions.start, positions.stop)]
    if not positions:
        return []
    begins = [place for place, (before, here) in enumerate(pairwise(positions), 1) if here != before + 1]
    ends = (*begins, len(positions))
    return [slice(positions[begin], positions[end - 1] + 1) for begin, end in zip((0, *begins), ends, strict=True)]


def picked(positions: Sequence[int]) -> Callable[[Any], Sequence[Any]]:
    """A function that returns the items of a list at these positions, in this order; runs at C speed."""
    if len(positions) < 2:
        return lambda source: [source[position] for position in positions]
    return itemgetter(*positions)


def picked_in_parts(positions: Sequence[int], pace: Pace) -> Callable[[Any, float], list[Any]]:
    """As `picked`, in batches of `PART`, so that other threads wait for one batch at most.

    The second argument of the function is the fraction to report to `pace` after each batch.
    """
    parts = [picked(positions[start : start + PART]) for start in range(0, len(positions), PART)]

    def pick(source: Any, done: float) -> list[Any]:
        taken: list[Any] = []
        for part in parts:
            taken += part(source)
            pace.at(done)
        return taken

    return pick
