"""Follows a file that grows while it is open: new steps come at their tips, and nothing the user set up moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.core import RunRecord
from opentine_gui.describe.numbers import counted

if TYPE_CHECKING:
    from opentine_gui.app.files.opening import LoadedRun
    from opentine_gui.app.session import Session

LIVE_SECONDS = 60.0
"""A run that grew within so many seconds is called live."""
QUIET_SECONDS = 2.0
"""Seconds for which a run that grew twice must rest before it is verified."""
SHARE = 1.0
"""After reading a file for a second, it is left alone for so many seconds."""
LEAST_REST, LONGEST_REST = 0.05, 5.0


def take_in(session: Session, document: Document, loaded: LoadedRun) -> None:
    """Show a later state of an unedited file: quietly if it only grew, else saying what happened to it."""
    before = document.record
    if before is None:
        return
    origin, later = document.origin, loaded.origin
    same_run = any(step in loaded.record.graph for step in before.graph.ids[:1])
    renamed = origin.renamed(later) if same_run and origin is not None and later is not None else {}
    fresh = set(renamed.values())
    added = tuple([step for step in loaded.record.graph.ids if step not in before.graph and step not in fresh])
    lost = [step for step in before.graph.ids if step not in loaded.record.graph and step not in renamed]
    before_state = document.state
    document.grow(loaded.record, renamed)
    document.fingerprint, document.content_digest, document.origin = loaded.fingerprint, loaded.digest, later
    document.changed_on_disk = document.file_is_gone = False
    if before_state is not None:
        session.after_edit(document, before_state)
    known = document.record.graph if document.record is not None else before.graph
    news = [renamed.get(step, step) for step in document.news]
    document.news = tuple(dict.fromkeys([*(step for step in news if step in known), *added]))
    now = session.clock()
    if document.grew_at is not None and now - document.grew_at < QUIET_SECONDS:
        document.verify_after = now + QUIET_SECONDS
    document.grew_at = now
    if lost and not _only_tips(before, lost):
        _say_what_went(session, document, len(lost), len(before.graph))
    if document.follows:
        show_newest(session, document)
    session.touch()


def _only_tips(before: RunRecord, lost: list[str]) -> bool:
    """Whether only tips went, as one does (for another with another id) when the rest of its step is recorded."""
    graph = before.graph
    return len(lost) < len(graph) and set(lost) <= {graph.ids[place] for place in graph.tips}


def _say_what_went(session: Session, document: Document, lost: int, steps: int) -> None:
    what = "was replaced by another run" if lost == steps else f"lost {counted(lost, 'step')}"
    text = f"{document.title} {what} on disk and has been read again."
    session.notices.add("info", text, key=f"reloaded:{document.number}")


def show_newest(session: Session, document: Document) -> None:
    """Bring the newest step into view, as soon as it has a card; nothing is new any more."""
    record = document.record
    if record is None or not len(record.graph):
        return
    newest = document.news[-1] if document.news else record.graph.ids[-1]
    document.news = ()
    if document.index_of(newest) is not None:
        session.bring_into_view(document, newest, centered=False)
    else:
        document.reveal_when_laid_out = newest
    session.touch()


def is_live(session: Session, document: Document) -> bool:
    """Whether the run grew a short while ago."""
    return document.grew_at is not None and session.clock() - document.grew_at < LIVE_SECONDS


def rest_after(seconds: float) -> float:
    """Seconds for which a file is left alone that took so long to read; none for a small one."""
    return min(SHARE * seconds, LONGEST_REST) if seconds >= LEAST_REST else 0.0
