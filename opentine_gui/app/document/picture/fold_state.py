"""What is open in a folded run: an immutable set of borders, by step id, and how they came about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
from msgspec.structs import replace


class Opening(msgspec.Struct, frozen=True):
    """A group that was opened: the step its card begins with, its title, its size, and the borders that were added."""

    name: str
    title: str
    steps: int
    added: frozenset[str]
    walked: bool = False
    """True when a walk to a step opened it: the next walk takes it back."""


class FoldState(msgspec.Struct, frozen=True):
    """`borders` are the steps at which cards begin; `openings` the groups opened by hand, the latest last.

    `heads` are the cards at the heads of the columns, kept so that opening a group moves nothing beside its column.
    It belongs to the view of a document: it is never saved, and undo of edits does not cover it.
    """

    borders: frozenset[str]
    heads: tuple[str, ...] | None = None
    extents: tuple[tuple[float, float], ...] = ()
    """The room the columns had at first, so that opening a group that needs less moves none of them."""
    openings: tuple[Opening, ...] = ()
    abreast: int = 0
    """The most calls side by side, kept so that opening a group does not wrap other rows anew; 0 before a layout."""
    budget: int = 0
    """Number of cards in the first view; a growing run keeps about as many."""

    def opened(self, opening: Opening) -> FoldState:
        """With a group opened; only borders that were not there count as added."""
        added = opening.added - self.borders
        if not added:
            return self
        return replace(self, borders=self.borders | added, openings=(*self.openings, replace(opening, added=added)))

    def closed(self, openings: Iterable[Opening]) -> FoldState:
        """With these openings taken back: exactly the borders they added go."""
        gone = list(openings)
        borders = self.borders.difference(*(opening.added for opening in gone))
        return replace(self, borders=borders, openings=tuple(one for one in self.openings if one not in gone))

    def renamed(self, names: Mapping[str, str]) -> FoldState:
        """The same with new ids of steps by their old ones, as a growing file gives its last steps."""

        def new(step: str) -> str:
            return names.get(step, step)

        return replace(
            self,
            borders=frozenset(map(new, self.borders)),
            heads=None if self.heads is None else tuple(map(new, self.heads)),
            openings=tuple(
                replace(one, name=new(one.name), added=frozenset(map(new, one.added))) for one in self.openings
            ),
        )

    def kept(self, known: Iterable[str]) -> FoldState:
        """Only what still exists in a run with these steps."""
        existing = known if isinstance(known, (set, frozenset, dict)) else set(known)
        borders = frozenset(step for step in self.borders if step in existing)
        openings = tuple(one for one in self.openings if one.name in existing)
        heads = None if self.heads is None else tuple(step for step in self.heads if step in existing)
        return replace(self, borders=borders, openings=openings, heads=heads)
