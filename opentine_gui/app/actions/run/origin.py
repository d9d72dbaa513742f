"""Verify a run, and go to the run it came from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, with_run
from opentine_gui.app.canvas.verifying import request_verification
from opentine_gui.app.files import opening
from opentine_gui.app.inspect import integrity
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.core import Verdict, Verification
from opentine_gui.core.format.metadata import source_run_ids

if TYPE_CHECKING:
    from opentine_gui.app.session import Session
    from opentine_gui.app.state.notices import Level

ACTIONS: list[Action] = []


@declare(
    ACTIONS,
    "run.verify",
    "Verify",
    "Compute every step id and the digest again and say what holds.",
    enabled=with_run,
    menu="Run",
    group=1,
    keys=("V",),
    contexts=("canvas",),
)
def verify_run(session: Session) -> None:
    """Verify the run again and show the result in a notice."""
    document = document_of(session)

    def say(verification: Verification) -> None:
        # A union of runs has no digest, each file has its own: only the ids are checked.
        fine = verification.ok or (document.members is not None and verification.verdict is not Verdict.CONTRADICTED)
        said = [sentence for sentence, _role in integrity.statements(document)]
        level: Level = "info" if integrity.is_log(document) else "good" if fine else "warning"
        session.notices.add(
            level,
            f"{document.title}: {said[0]}",
            detail="\n".join(said),
            key=document.key("verify"),
        )

    request_verification(session, document, priority=opening.READ, then=say)


def _source_path(session: Session) -> Path | None:
    """The file of the run this one was made from: the remembered one, an open one, or one of the folder."""
    document, record = document_of(session), record_of(session)
    if document.source is not None:
        existing = next((path for path in document.source.paths if os.path.exists(path)), None)
        if existing is not None:
            return existing
    wanted = source_run_ids(record.metadata)
    for other in session.documents:
        if other.path is not None and other is not document and other.record and other.record.run_id in wanted:
            return other.path
    return next((row.path for row in session.runs.rows if row.run_id in wanted and row.path != document.path), None)


def _has_source(session: Session, **_arguments: Any) -> str | None:
    reason = with_run(session)
    if reason is not None:
        return reason
    if document_of(session).source is None and not source_run_ids(record_of(session).metadata):
        return "This run was not forked or merged from another."
    return None if _source_path(session) is not None else "The run it came from is not in the listed folder."


@declare(
    ACTIONS,
    "run.reveal_source",
    "Go to the source",
    "Open the run this one came from, at the step where they diverge.",
    enabled=_has_source,
    menu="Run",
    group=1,
    contexts=("canvas",),
)
def reveal_source(session: Session) -> None:
    """Open the source and select the fork point."""
    path = _source_path(session)
    if path is not None:
        opening.open_path(session, path, select=record_of(session).lineage.fork_point)
