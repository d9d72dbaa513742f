"""The hits in the step that is read, and which of them one is at. The view that shows the step says how many it has."""

from __future__ import annotations

from typing import NamedTuple

PATIENCE = 0.5
"""Seconds after which a step that was gone to, and that no view shows, is not waited for any longer."""


class Here(NamedTuple):
    """What a view shows: a document by its number, one of its steps, and the tabs whose parts are on its page."""

    document: int = 0
    step: str = ""
    tabs: tuple[str, ...] = ()


class _Arrival(NamedTuple):
    """A step that was gone to: its first hit is wanted (`way` 1) or its last one (-1), in a tab ("": in any)."""

    step: str
    tab: str
    way: int
    further: bool
    at: float


class StepHits:
    """Hits are numbered as they stand below each other on the page. `revision` grows with all that is said of them."""

    def __init__(self) -> None:
        self.here = Here()
        self.count: int | None = None
        """How many there are; None while they are being looked for."""
        self.number = -1
        """The one that was gone to, from 0; -1 for none."""
        self.further = False
        """Whether the page is a further tab of the step: the error above all tabs was walked through before."""
        self.watched = False
        """Whether there is a view that says what it shows: without a window steps are gone to, and no hits in them."""
        self.revision = self.gone = 0
        """`gone` grows whenever a hit was gone to, be it the same one again."""
        self._arrival: _Arrival | None = None

    def arrive(self, step: str, tab: str, way: int, now: float, *, further: bool = False) -> None:
        """Go to the first (`way` 1) or last (-1) hit of a step as soon as a view shows it."""
        self._arrival = _Arrival(step, tab, way, further, now)
        self.number = -1
        self.further = further
        self.revision += 1

    def is_awaited(self, step: str) -> bool:
        """Whether this step was gone to and its hits have not been counted yet."""
        return self._arrival is not None and self._arrival.step == step

    def report(self, here: Here, count: int | None, now: float) -> None:
        """A view shows this, with so many hits; None while it is still looking for them. Asked once a frame."""
        self.watched = True
        arrival = self._arrival
        if here != self.here:
            self.here, self.count, self.number = here, None, -1
            self.further = arrival is not None and arrival.step == here.step and arrival.further
            self.revision += 1
        if count != self.count:
            self.count = count
            if count is not None:
                self.number = min(self.number, count - 1)
            self.revision += 1
        if arrival is None:
            return
        if arrival.step != here.step or (arrival.tab and arrival.tab not in here.tabs):
            if now - arrival.at > PATIENCE:
                self._arrival = None
        elif count is not None:
            self._arrival = None
            self._go(min(0, count - 1) if arrival.way > 0 else count - 1)

    def is_looking(self, document: int, step: str, now: float) -> bool:
        """Whether a view is about to say how many hits a step has."""
        if not self.watched:
            return False
        if self.here[:2] == (document, step) and self.count is None:
            return True
        arrival = self._arrival
        return arrival is not None and arrival.step == step and now - arrival.at <= PATIENCE

    def move(self, document: int, step: str, way: int) -> bool:
        """Go to the next (-1: the previous) hit of a step; False if there is none, or if nothing shows the step.

        Where one is at none of them, the first is the next one, and the previous one is in another step.
        """
        if self.here[:2] != (document, step) or not self.count:
            return False
        number = self.number + way
        if not 0 <= number < self.count:
            return False
        self._go(number)
        return True

    def _go(self, number: int) -> None:
        self.number = number
        self.revision += 1
        self.gone += 1

    def at(self, document: int, step: str) -> tuple[int, int] | None:
        """(the number of the hit one is at, from 1, how many there are) in a step that is shown; None elsewhere."""
        if self.here[:2] != (document, step) or not self.count or self.number < 0:
            return None
        return self.number + 1, self.count
