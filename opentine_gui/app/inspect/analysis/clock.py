"""How long a run took by the clock, with and without pauses, also in words; unknown if times are missing."""

from __future__ import annotations

import math
from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import analysis, latest_analysis
from opentine_gui.app.session import Session
from opentine_gui.core import Graph
from opentine_gui.core.graph.work_times import work_times
from opentine_gui.describe.numbers import format_duration


class Clock(NamedTuple):
    """Seconds from the start of the first step to the end of the last, and those without pauses above 5 min."""

    whole: float
    working: float
    so_far: bool = False
    """Whether the run has grown since, and its new steps are not counted yet."""

    @property
    def paused(self) -> float:
        """Seconds in pauses of more than five minutes each."""
        return self.whole - self.working

    @property
    def words(self) -> str:
        """The clock, and the time without pauses if there were any: "8 h 02 min, 46 min without pauses"."""
        said = format_duration(self.whole)
        return f"{said}, {format_duration(self.working)} without pauses" if self.paused > 0 else said


NAME = "clock"
UNKNOWN = Clock(0.0, 0.0)
"""Where times are missing."""


def clock_of(session: Session, document: Document) -> Clock | None:
    """The clock of an imported run; `UNKNOWN` if times are missing, None while it is being computed.

    Of a run that grows it is that of the last state until the new one is known.
    For a `.tine` run, whose forks may be days apart, the sum of its steps is shown instead.
    """
    record = document.record
    if record is None or not record.is_imported or document.members is not None or record.lineage.fork_point:
        return UNKNOWN
    found = analysis(session, document, NAME, lambda record, _pace, _latest: clock(record.graph))
    if found is not None or document.live.grew_at is None:
        return found
    before = latest_analysis(document, NAME)
    return before._replace(so_far=True) if isinstance(before, Clock) and before.whole > 0 else None


def clock(graph: Graph) -> Clock:
    """The clock of a run; `UNKNOWN` unless the time of every step is recorded."""
    times = graph.timestamps
    if len(times) < 2 or not all(time > 0 and math.isfinite(time) for time in times):
        return UNKNOWN
    work = work_times(graph)
    whole = max(work.ends) - min(work.starts)
    if whole < max(graph.durations):  # its times are neither the beginnings nor the ends of its steps
        return UNKNOWN
    return Clock(whole, whole - sum(pause.seconds for pause in work.pauses)) if whole > 0 else UNKNOWN
