"""The lit places of a step's views as one sequence: says how many there are, and goes to the one that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.app.inspect.reading.find_text import Finder, Match
from opentine_gui.app.inspect.reading.reader import Reader
from opentine_gui.app.search.step_hits import Here, StepHits


class LitView(NamedTuple):
    """A view of a part of a step; what is lit in one that is not `walked` is no hit to go to."""

    reader: Reader
    finder: Finder
    walked: bool = True


class LitHits:
    """Follows `StepHits` with the views of a step, in the order in which they stand below each other."""

    def __init__(self, hits: StepHits) -> None:
        self._hits = hits
        self._of: tuple[list[Match] | None, ...] = ()
        self._places: list[tuple[int, Match]] = []
        """(number of the view, place on its page) of each hit."""
        self._marked: tuple[Match | None, ...] = ()
        self._gone = 0

    def sync(self, here: Here, views: Sequence[LitView], now: float) -> None:
        """Say what `views` show of a step, without parts that another step recorded; then follow to the wanted hit."""
        nothing: list[Match] = []
        found = tuple([None if view.reader.busy else view.finder.lit if view.walked else nothing for view in views])
        same = len(found) == len(self._of) and all(map(_same, found, self._of))
        if not same:
            self._of = found
            self._places = [
                (number, match)
                for number, matches in enumerate(found)
                for match in matches or ()
                if not views[number].reader.is_of_another(match.line)
            ]
        hits, counted = self._hits, None not in found
        hits.report(here, len(self._places) if counted else None, now)
        at = self._places[hits.number] if counted and 0 <= hits.number < len(self._places) else None
        marked = tuple([at[1] if at is not None and at[0] == view else None for view in range(len(views))])
        if same and (marked, hits.gone) == (self._marked, self._gone):
            return
        goes = counted and hits.gone != self._gone
        self._marked, self._gone = marked, hits.gone if counted else self._gone
        for match, view in zip(marked, views, strict=True):
            view.finder.mark(match, goes=goes)


def _same(one: list[Match] | None, other: list[Match] | None) -> bool:
    return one is other or (one is not None and not one and other is not None and not other)
