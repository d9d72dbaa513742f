"""The calls of a run by tool and phase, for the time strip and the statistics of a tool."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import Latest, analysis
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.call_table import CallTable, call_table
from opentine_gui.core.progress import Pace


def calls_of(session: Session, document: Document) -> CallTable | None:
    """The calls of the current run; None while they are being read."""
    return analysis(session, document, "calls", _look)


def _look(record: RunRecord, pace: Pace, latest: Latest | None) -> CallTable:
    known = (latest.result, latest.kept) if latest is not None else (None, 0)
    return call_table(record.graph, pace, *known)
