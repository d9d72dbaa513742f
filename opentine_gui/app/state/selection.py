"""Which steps are selected, and which were visited before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from opentine_gui.core import Graph

_MOST_VISITS = 200


class Selection(msgspec.Struct, frozen=True, dict=True):
    """Step ids in the order they were selected; the last one is the primary one, which the inspector shows."""

    ids: tuple[str, ...] = ()

    @cached_property
    def _members(self) -> frozenset[str]:
        return frozenset(self.ids)

    @classmethod
    def of(cls, ids: Iterable[str]) -> Selection:
        """Select these, without repetitions."""
        return cls(tuple(dict.fromkeys(ids)))

    @property
    def primary(self) -> str | None:
        """The step selected last, or None."""
        return self.ids[-1] if self.ids else None

    def __contains__(self, step_id: object) -> bool:
        return step_id in self._members

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def toggled(self, step_id: str) -> Selection:
        """The selection with this step added, or removed if it was selected."""
        if step_id in self._members:
            return Selection(tuple(other for other in self.ids if other != step_id))
        return Selection((*self.ids, step_id))

    def added(self, ids: Iterable[str]) -> Selection:
        """The selection with these steps added; those selected already keep their place."""
        return Selection.of((*self.ids, *ids))

    def kept(self, known: Iterable[str]) -> Selection:
        """Only those that still exist."""
        existing = known if isinstance(known, (set, frozenset, dict)) else set(known)
        return Selection(tuple(step_id for step_id in self.ids if step_id in existing))

    def travelled(self, before: Graph, after: Graph) -> Selection:
        """The selection after undo or redo: the step that came, else what is left, else the nearest steps above it.

        What came stands last, as every step that is added does.
        """
        if len(after) and after.ids[-1] not in before:
            return Selection((after.ids[-1],))
        left = self.kept(after.positions)
        if left.ids or self.primary is None or self.primary not in before:
            return left
        above = before.index(self.primary)
        while before.parents[above]:
            joined = tuple(step for step in map(before.ids.__getitem__, before.parents[above]) if step in after)
            if joined:  # of a merge all: they may be merged in another way
                return Selection(joined)
            above = before.parents[above][0]
        return left


class VisitHistory:
    """The ids of visited steps and the present place among them, for going back and forward as in a browser."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._place = -1

    def visit(self, step_id: str) -> None:
        """Add a step after the present place, unless it is the present step."""
        if self._place >= 0 and self._ids[self._place] == step_id:
            return
        del self._ids[self._place + 1 :]
        self._ids.append(step_id)
        del self._ids[:-_MOST_VISITS]
        self._place = len(self._ids) - 1

    def neighbour(self, direction: int, present: Callable[[str], str | None]) -> str | None:
        """The nearest other step before (-1) or after (+1) the present place that is still there, or None.

        `present` says what a step is called now, None for one that is gone.
        """
        return self._next(direction, present)[1]

    def go(self, direction: int, present: Callable[[str], str | None]) -> str | None:
        """Move to that step and return it; None, without a move, if there is none."""
        self._place, step = self._next(direction, present)
        return step

    def _next(self, direction: int, present: Callable[[str], str | None]) -> tuple[int, str | None]:
        here = present(self._ids[self._place]) if self._place >= 0 else None
        place = self._place + direction
        while 0 <= place < len(self._ids):
            step = present(self._ids[place])
            if step is not None and step != here:
                return place, step
            place += direction
        return self._place, None
