"""Which steps are selected, in the order they were chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import msgspec


class Selection(msgspec.Struct, frozen=True, dict=True):
    """Step ids in order of choice without repetition; the last one is the primary one, which the inspector shows."""

    ids: tuple[str, ...] = ()

    @cached_property
    def _members(self) -> frozenset[str]:
        return frozenset(self.ids)

    @classmethod
    def of(cls, ids: Iterable[str]) -> Selection:
        """Select these, dropping repetitions."""
        return cls(tuple(dict.fromkeys(ids)))

    @property
    def primary(self) -> str | None:
        """The step chosen last, or None."""
        return self.ids[-1] if self.ids else None

    def __contains__(self, step_id: object) -> bool:
        return step_id in self._members

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def toggled(self, step_id: str) -> Selection:
        """Add the step, or take it out when it is selected."""
        if step_id in self._members:
            return Selection(tuple(other for other in self.ids if other != step_id))
        return Selection((*self.ids, step_id))

    def added(self, ids: Iterable[str]) -> Selection:
        """Add all of these; those selected already keep their place."""
        return Selection.of((*self.ids, *ids))

    def kept(self, known: Iterable[str]) -> Selection:
        """Only those that still exist."""
        existing = known if isinstance(known, (set, frozenset, dict)) else set(known)
        return Selection(tuple(step_id for step_id in self.ids if step_id in existing))
