"""The calls of a run by tool and phase, for the time strip and the statistics of a tool."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import analysis
from opentine_gui.app.session import Session
from opentine_gui.core.analysis.call_table import CallTable, call_table


def calls_of(session: Session, document: Document) -> CallTable | None:
    """The calls of the present run; None while they are read."""
    return analysis(session, document, "calls", lambda record, pace, _latest: call_table(record.graph, pace))
