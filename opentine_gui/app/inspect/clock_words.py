"""The wording of how long a run took by the clock."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.describe.numbers import format_duration


class Clock(NamedTuple):
    """Seconds from the start of the first step to the end of the last, and those without pauses above 5 min."""

    whole: float
    working: float

    @property
    def paused(self) -> float:
        """Seconds in pauses of more than five minutes each."""
        return self.whole - self.working

    @property
    def words(self) -> str:
        """The clock, and the time without pauses if there were any: "8 h 02 min, 46 min without pauses"."""
        said = format_duration(self.whole)
        return f"{said}, {format_duration(self.working)} without pauses" if self.paused > 0 else said


UNKNOWN = Clock(0.0, 0.0)
"""Where times are missing."""
