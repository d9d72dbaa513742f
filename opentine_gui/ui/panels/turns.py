"""Whose turn it is: while a run grows, one panel in a frame is brought up to date, so that no frame bears them all."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

Panel = TypeVar("Panel")
MOST_WAITED = 3
"""Frames in a row in which no panel has its turn because the picture of the run is made again."""


class Turns:
    """Panels take turns in the order of their table."""

    def __init__(self) -> None:
        self._next = self._owed = self._waited = 0
        self._asked: Hashable = None
        self._news: Hashable = None
        self._picture: Hashable = None

    def of(
        self, shown: Sequence[Panel], *, grows: bool, asked: Hashable, news: Hashable, picture: Hashable
    ) -> Sequence[Panel]:
        """The panels to sync in this frame: all of them unless the run `grows`, else one or none.

        When what the user `asked` for changes, all of them follow at once. `news` is what they all have to see: until
        then some are owed a turn. A frame with a new `picture` of the run has enough to do without a panel, but only a
        few of these come one after the other.
        """
        same, self._asked = asked == self._asked, asked
        if not grows or not same or not shown:
            self._owed, self._news, self._picture = 0, news, picture
            return shown
        if news != self._news:
            self._news, self._owed = news, len(shown)
        drawn, self._picture = picture != self._picture, picture
        if drawn and self._waited < MOST_WAITED:
            self._waited += 1
            return ()
        self._waited = 0
        self._owed = max(self._owed - 1, 0)
        self._next = (self._next + 1) % len(shown)
        return (shown[self._next],)

    @property
    def pending(self) -> bool:
        """Whether some panels have not seen the last news: further frames are needed."""
        return self._owed > 0
