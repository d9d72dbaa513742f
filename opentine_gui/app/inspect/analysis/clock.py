"""How long a run took by the clock, with and without pauses; unknown if times are missing."""

from __future__ import annotations

import math

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import analysis
from opentine_gui.app.inspect.clock_words import UNKNOWN, Clock
from opentine_gui.app.session import Session
from opentine_gui.core import Graph
from opentine_gui.core.graph.work_times import work_times


def clock_of(session: Session, document: Document) -> Clock | None:
    """The clock of an imported run; `UNKNOWN` if times are missing, None while it is being computed.

    For a `.tine` run, whose forks may be days apart, the sum of its steps is shown instead.
    """
    record = document.record
    if record is None or not record.is_imported or document.members is not None or record.lineage.fork_point:
        return UNKNOWN
    return analysis(session, document, "clock", lambda record, _pace, _latest: clock(record.graph))


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
