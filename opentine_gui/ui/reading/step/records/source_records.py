"""The records of the step in front as the source of its run has them; read in a job."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.reading.reader import Section, stopped_words
from opentine_gui.app.inspect.step.request_sections import request_sections
from opentine_gui.app.inspect.step.source_records import source_sections
from opentine_gui.app.session import Session
from opentine_gui.core import Step


class SourceRecords:
    """The records of the step in front as its source has them, read in a job."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._of: tuple[int, str, Origin] | None = None
        self._sections: tuple[Section, ...] | None = ()
        self._stopped = False
        self.revision = 0
        """Counts what was read."""

    def of(self, document: Document, step: Step) -> tuple[Section, ...] | None:
        """The sections to read; None while a job reads them, none for a run that was not imported."""
        origin = document.origin
        if origin is None:
            return ()
        wanted = (document.number, step.id, origin)
        if self._of == wanted:
            return self._sections
        same = self._of is not None and self._of[:2] == wanted[:2]
        self._of = wanted
        self._sections = self._sections if same else None  # of a run that grows, the old ones stay till then
        places = origin.places.get(step.id, ())

        def done(found: tuple[Section, ...]) -> None:
            if self._of == wanted:
                self._sections = found
                self.revision += 1
            self.session.touch()

        def stopped() -> None:
            self._stopped = True
            done((Section(stopped_words("Reading the source")),))

        record = document.record

        def read() -> tuple[Section, ...]:
            sent = request_sections(origin, record, step.id) if record is not None else ()
            return (*sent, *source_sections(places))

        self.session.jobs.submit(
            f"source:{id(self)}", lambda _progress, _cancelled: read(), done,
            title="Reading the source", priority=2, stopped=stopped,
        )  # fmt: skip
        return self._sections

    def leave(self) -> None:
        """Note that the records are not on show: what the user stopped is read when they are again."""
        if self._stopped:
            self._of, self._sections, self._stopped = None, (), False
