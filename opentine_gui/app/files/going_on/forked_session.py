"""The agent's session that a run was forked from: read again when the fork is opened later, to go on in the agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.own_files import path_of
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import RunRecord
from opentine_gui.core.format.metadata import source_run_ids
from opentine_gui.importers import readers
from opentine_gui.importers.reading import Reading

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


def reading_of(session: Session, document: Document) -> Reading | None:
    """The session a document was read from, or its source was if it is a fork made here or one that was read again.

    None for any other run.
    """
    for one in _made_from(session, document):
        origin, state = one.origin, one.saved_state
        if origin is not None:
            return Reading(state.record, origin.places, origin.sources, origin.report) if state is not None else None
        if one.forked_session is not None:
            return one.forked_session
    return None


def is_of_agent(session: Session, document: Document) -> bool:
    """Whether one may go on in an agent: it is a session, or a fork of one that is read or can be found."""
    return reading_of(session, document) is not None or session_path(session, document) is not None


def session_path(session: Session, document: Document) -> Path | None:
    """The path of the session, not read yet, that a fork was made from; None if that is not known.

    It is known by what was remembered when the fork was saved, else by the run's id, from an open document or the
    list of runs, else by what the fork itself knows of its source. The file may be gone.
    """
    for one in _made_from(session, document):
        record = one.record
        if record is None:
            continue
        remembered = session.settings.forked_sessions.get(record.run_id)
        if remembered:
            return Path(path_of(remembered))
        wanted = source_run_ids(record.metadata)
        for other in session.documents if wanted else ():
            if other.origin is not None and other.record is not None and other.record.run_id in wanted:
                return other.origin.path if _is_written(other.record) else None
        rows = session.runs.rows if wanted else ()
        logs = (row for row in rows if row.imported and row.path.suffix != ".tine")  # what is saved is no log
        found = next((row.path for row in logs if row.run_id in wanted), None)
        if found is not None:
            return found
        paths = one.source.paths if one.source is not None else ()  # those of a fork that a crash left, too
        found = next((path for path in paths if not readers.is_run(path.name)), None)
        if found is not None:
            return found
    return None


def remember(session: Session, document: Document) -> None:
    """Remember for a run that is saved now which session it was read from or forked from, if its agent can go on."""
    record = document.record
    known = next((one for one in _made_from(session, document) if one.origin is not None), None)
    if known is not None and known.origin is not None:
        path = known.origin.path if known.record is not None and _is_written(known.record) else None
    else:
        path = session_path(session, document)
    if record is not None and path is not None:
        session.settings.remember_forked_session(record.run_id, path)


def read(session: Session, document: Document, path: Path, then: Callable[[], None], lost: Callable[[], None]) -> None:
    """Read the session at `path` in a job, then call `then`; `lost` if it cannot be read, once the user knows why.

    `lost` as well where it turns out to be a log in whose agent one cannot go on.
    """

    def work(progress: ReportProgress, cancelled: IsCancelled) -> Reading:
        return readers.read_source(path, progress=progress, cancelled=cancelled)

    def done(reading: Reading) -> None:
        if document not in session.documents:
            return
        if not _is_written(reading.record):
            lost()
            return
        document.forked_session = reading
        then()

    def failed(error: Exception) -> None:
        words = f"The session that {document.title} was forked from cannot be read: {error}"
        session.notices.add("warning", words, detail=str(path), key=document.key("session"))
        lost()

    session.jobs.submit(
        document.key("session"),
        work,
        done,
        failed,
        title=f"Reading {path.name}",
        priority=1,
        stopped=leaves_nothing,
        document=document.number,
    )


def _is_written(record: RunRecord) -> bool:
    """Whether sessions can be written for the agent whose log this is, so that it can go on."""
    from opentine_gui.export.sessions import why_not  # no start of the program has to wait for it

    return why_not(record) is None


def _made_from(session: Session, document: Document) -> Iterator[Document]:
    """The document, and those it was made from by forks and merges, as far as they are open."""
    seen: set[int] = set()
    one: Document | None = document
    while one is not None and one.number not in seen:
        yield one
        seen.add(one.number)
        one = session.document(one.made_in or 0)
