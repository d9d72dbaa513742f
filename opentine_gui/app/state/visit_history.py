"""Where the user has been: back and forward over the steps they looked at."""

from __future__ import annotations

from collections.abc import Callable

_MOST = 200


class Visited:
    """A line of step ids with a place in it, as in a browser."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._place = -1

    def visit(self, step_id: str) -> None:
        """Add a step after the present place; the present step again adds nothing."""
        if self._place >= 0 and self._ids[self._place] == step_id:
            return
        del self._ids[self._place + 1 :]
        self._ids.append(step_id)
        del self._ids[:-_MOST]
        self._place = len(self._ids) - 1

    def neighbour(self, direction: int, exists: Callable[[str], bool]) -> str | None:
        """The nearest step before (-1) or after (+1) the present place that still exists, or None."""
        place = self._next(direction, exists)
        return None if place is None else self._ids[place]

    def go(self, direction: int, exists: Callable[[str], bool]) -> str | None:
        """Move to that step and return it."""
        place = self._next(direction, exists)
        if place is None:
            return None
        self._place = place
        return self._ids[place]

    def _next(self, direction: int, exists: Callable[[str], bool]) -> int | None:
        place = self._place + direction
        while 0 <= place < len(self._ids):
            if exists(self._ids[place]):
                return place
            place += direction
        return None
