"""How long a run took by the clock, with and without pauses; unknown if times are missing."""

from __future__ import annotations

import math
from typing import NamedTuple

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.record import RunRecord
from opentine_gui.core.structure.work_times import work_times


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


UNKNOWN = Clock(0.0, 0.0)
"""Where times are missing."""


def has_clock(record: RunRecord) -> bool:
    """Whether a clock says something of a run: the forks of a `.tine` run may be days apart."""
    return record.is_imported and not record.lineage.fork_point


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
