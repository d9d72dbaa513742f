"""The record of the step in front as the file has it, decoded once."""

from __future__ import annotations

from typing import Any

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.reading.reader import stopped_words
from opentine_gui.app.inspect.step.values import stored_step
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord, Step

LARGE_RECORD = 2_000_000
"""A record of more bytes is decoded in a job."""


class StoredRecords:
    """The record of the step in front, decoded once; a large one in a job."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._of: tuple[RunRecord, str] | None = None
        self._stored: Any = None

    def of(self, document: Document, record: RunRecord, step: Step) -> Any:
        """The record, as decoded JSON; None while a job decodes it, words where the user stopped that."""
        if self._of is not None and self._of[0] is record and self._of[1] == step.id:
            return self._stored
        wanted = self._of = (record, step.id)
        self._stored = None
        if len(record.graph.raw(step.id)) <= LARGE_RECORD:
            self._stored = stored_step(record, step.id)
            return self._stored

        def done(found: Any) -> None:
            if self._of is wanted:
                self._stored = found
            self.session.touch()

        def stopped() -> None:
            done(stopped_words("Reading the record"))

        self.session.jobs.submit(
            f"record:{id(self)}", lambda _progress, _cancelled: stored_step(record, step.id), done,
            title="Reading the record", priority=2, stopped=stopped, document=document.number,
        )  # fmt: skip
        return None

    def forget(self) -> None:
        """Let go of the record, which may be large."""
        self._of = self._stored = None
