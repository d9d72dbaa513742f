"""Verifies the present run of a document in a job: every step id, and the digest of the file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.work_queue import error_sentence
from opentine_gui.core import Verification, verify

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

IN_BACKGROUND = 5
"""Priority of a verification nobody asked for: after layouts."""


def request_verification(
    session: Session,
    document: Document,
    *,
    priority: int = IN_BACKGROUND,
    then: Callable[[Verification], None] | None = None,
) -> None:
    """Verify the run in a job, and call `then` with the result unless another run is shown by then."""
    record = document.record
    if record is None:
        return

    def done(verification: Verification) -> None:
        if document.record is record:
            document.set_verification(verification)
            session.touch()
            if then is not None:
                then(verification)

    def unchecked(why: str) -> None:
        if document.record is record:
            document.set_unchecked(why)
            session.touch()

    def check(progress: ReportProgress, cancelled: IsCancelled) -> Verification:
        _ = record.graph.children  # a large table, made here so that no frame has to
        return verify(record, progress=progress, cancelled=cancelled)

    session.jobs.submit(
        document.key("verify"),
        check,
        done,
        lambda error: unchecked(error_sentence(error)),
        title=f"Checking {document.title}",
        priority=priority,
        stopped=lambda: unchecked("it was stopped"),
        document=document.number,
    )
