"""The stored transcript of the run in front, decoded once."""

from __future__ import annotations

from typing import Any

from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord

LARGE_TRANSCRIPT = 2_000_000
"""A stored transcript of at least so many bytes is decoded in a job."""


class Transcripts:
    """The stored transcript of the run in front, decoded once; a large one in a job."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._record: RunRecord | None = None
        self._items: list[Any] | None = None
        self.stopped = False
        """Whether the user stopped the job: there will be no turns."""

    def of(self, document: Document, record: RunRecord) -> list[Any] | None:
        """The turns; None while a job decodes them."""
        if self._record is record:
            return self._items
        self._record, self._items, self.stopped = record, None, False
        if len(record.transcript_text) <= LARGE_TRANSCRIPT:
            self._items = record.transcript
            return self._items

        def done(found: list[Any]) -> None:
            if self._record is record:
                self._items = found
            self.session.touch()

        def stopped() -> None:
            self.stopped = self._record is record
            self.session.touch()

        self.session.jobs.submit(
            document.key("transcript"), record.read_transcript, done,
            title="Reading the transcript", priority=4, stopped=stopped, document=document.number,
        )  # fmt: skip
        return None

    def leave(self) -> None:
        """Note that the turns are not on show: what the user stopped is read when they are again."""
        if self.stopped:
            self._record, self.stopped = None, False
