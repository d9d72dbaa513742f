"""The calls of a run by tool and phase, for the time strip and the statistics of a tool."""

from __future__ import annotations

from collections.abc import Sequence

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import Latest, analysis, latest_analysis, latest_ids
from opentine_gui.app.session import Session
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.analysis.call_table import CallTable, Phase, call_table
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.core.progress import Pace

NAME = "calls"


def calls_of(session: Session, document: Document) -> CallTable | None:
    """The calls of the current run; None while they are being read."""
    return analysis(session, document, NAME, _look)


def phases_of(session: Session, document: Document, graph: Graph) -> bytes | None:
    """The phase of each step of `graph`, the state of the run that is shown; None before anything is known.

    Of a run that grows the calls of another state may be known: what both begin with has its phases, and the rest none.
    """
    found, record = calls_of(session, document), document.record
    if found is None or record is None:
        latest = latest_analysis(document, NAME)
        return _begun(latest, latest_ids(document, NAME), graph) if isinstance(latest, CallTable) else None
    return found.phases if graph is record.graph else _begun(found, record.graph.ids, graph)


def _begun(found: CallTable, ids: Sequence[str], graph: Graph) -> bytes:
    return found.phases[: common_beginning(ids, graph.ids)].ljust(len(graph), bytes([Phase.NONE]))


def _look(record: RunRecord, pace: Pace, latest: Latest | None) -> CallTable:
    known = (latest.result, latest.kept) if latest is not None else (None, 0)
    return call_table(record.graph, pace, *known)
