"""Which steps of a run hold what looks like a secret: looked for in a job while they are presented."""

from __future__ import annotations

from opentine_gui.app.inspect.analysis.results import Latest, analysis
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.hidden_secrets import STEPS_BETWEEN, hide_in_step
from opentine_gui.core.progress import Pace

NAME = "secrets"


def mark_secrets(session: Session) -> None:
    """Let the cards of a presented document know which steps hold one; cheap, called in every session step."""
    if session.presentation is None:
        return
    document = session.presentation.document
    if document.faces.hides_secrets and document.record is not None:
        found = analysis(session, document, NAME, _look)
        if found is not None and document.faces.know(document.record.graph, found):
            document.faces_changed()


def _look(record: RunRecord, pace: Pace, latest: Latest | None) -> frozenset[int]:
    graph = record.graph
    begin = latest.kept if latest is not None else 0
    found = {step for step in latest.result if step < begin} if latest is not None else set()
    for step in range(begin, len(graph)):
        if step % STEPS_BETWEEN == 0:
            pace.at(step / len(graph))
        if hide_in_step(graph, step).kinds:
            found.add(step)
    return frozenset(found)
