"""How long the run of a document took by the clock."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import analysis, latest_analysis, stands_so_far, was_given_up
from opentine_gui.app.session import Session
from opentine_gui.core.analysis.run_clock import UNKNOWN, Clock, clock, has_clock

NAME = "clock"


def clock_of(session: Session, document: Document) -> Clock | None:
    """The clock of an imported run; `UNKNOWN` if times are missing or nobody looks, None while it is being computed.

    Of a run that grows it is that of the last state until the new one is known (`stands_so_far`).
    For a `.tine` run, whose forks may be days apart, the sum of its steps is shown instead.
    """
    record = document.record
    if record is None or document.members is not None or not has_clock(record):
        return UNKNOWN
    found = analysis(session, document, NAME, lambda record, _pace, _latest: clock(record.graph))
    if was_given_up(document, NAME):
        return UNKNOWN
    if found is not None or not stands_so_far(document, NAME):
        return found
    before = latest_analysis(document, NAME)
    return before._replace(so_far=True) if isinstance(before, Clock) and before.whole > 0 else None
