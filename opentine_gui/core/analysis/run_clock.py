"""How long a run took by the clock, with and without pauses; unknown if times are missing."""

from __future__ import annotations

import math
from array import array
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
    """The clock of a run; `UNKNOWN` unless the time of every step that has run is recorded."""
    work = work_times(graph)
    times, starts, ends = graph.timestamps, work.starts, work.ends
    if work.not_run:
        ran = [step for step in range(len(graph)) if step not in work.not_run]
        times, starts, ends = (array("d", [all_of[step] for step in ran]) for all_of in (times, starts, ends))
    if len(times) < 2 or not all(time > 0 and math.isfinite(time) for time in times):
        return UNKNOWN
    whole = max(ends) - min(starts)
    if whole < max(graph.durations):  # its times are neither the beginnings nor the ends of its steps
        return UNKNOWN
    return Clock(whole, whole - sum(pause.seconds for pause in work.pauses)) if whole > 0 else UNKNOWN
