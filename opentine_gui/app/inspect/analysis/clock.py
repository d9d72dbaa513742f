"""How long a run took by the clock, and how much of that was no pause; nothing where times are missing."""

from __future__ import annotations

import numpy as np

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import analysis
from opentine_gui.app.inspect.clock_words import UNKNOWN, Clock
from opentine_gui.app.session import Session
from opentine_gui.core import Graph
from opentine_gui.core.graph.pauses import possible_lengths, waits


def clock_of(session: Session, document: Document) -> Clock | None:
    """The clock of another program's run; `UNKNOWN` where times are missing, None while it is worked out.

    Of a run of our own, whose forks lie days apart, the sum of its steps is said instead.
    """
    record = document.record
    if record is None or not record.is_imported or document.members is not None:
        return UNKNOWN
    return analysis(session, document, "clock", lambda record, _pace, _latest: clock(record.graph))


def clock(graph: Graph) -> Clock:
    """The clock of a run; `UNKNOWN` unless the time of every step is recorded."""
    ends = np.array(graph.timestamps, dtype=np.float64)
    if len(ends) < 2 or not np.isfinite(ends).all() or (ends <= 0).any():
        return UNKNOWN
    starts = ends - possible_lengths(graph.timestamps, graph.durations, graph.parents)
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    whole = float(ends.max() - starts[0])
    if whole < max(graph.durations):  # its times are no ends of steps
        return UNKNOWN
    _, _, paused = waits(starts, ends)
    return Clock(whole, whole - float(paused.sum())) if whole > 0 else UNKNOWN
