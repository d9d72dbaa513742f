"""Follows a file that grows while it is open: new steps come at their tips, and nothing the user set up moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.origin import Origin
from opentine_gui.core import RunRecord
from opentine_gui.describe.numbers import counted

if TYPE_CHECKING:
    from opentine_gui.app.files.opening import LoadedRun
    from opentine_gui.app.session import Session

LIVE_SECONDS = 60.0
"""A run that grew within so many seconds is called live."""
QUIET_SECONDS = 2.0
"""Seconds for which a run that grew twice must rest before it is verified."""
SHARE = 0.5
"""After reading a file for a second, it is left alone for so many seconds."""
LEAST_REST, LONGEST_REST = 0.05, 5.0


class Growth(msgspec.Struct, frozen=True):
    """How a later state of a file differs: new ids of steps by their old ones, steps that came, and that went."""

    renamed: Mapping[str, str]
    added: tuple[str, ...]
    lost: tuple[str, ...]
    only_tips: bool = True
    """Whether only tips went, as one does (for another with another id) when the rest of its step is recorded."""


def growth_of(before: RunRecord | None, origin: Origin | None, loaded: LoadedRun) -> Growth:
    """What became of the run `before`, with its origin, in what was read now (in a job: it looks at every step)."""
    if before is None:
        return Growth({}, (), ())
    old, new = before.graph, loaded.record.graph
    same_run = any(step in new for step in old.ids[:1])
    later = loaded.origin
    renamed = origin.renamed(later) if same_run and origin is not None and later is not None else {}
    fresh = set(renamed.values())
    added = tuple([step for step in new.ids if step not in old and step not in fresh])
    lost = tuple([step for step in old.ids if step not in new and step not in renamed])
    return Growth(renamed, added, lost, not lost or _only_tips(before, lost))


def take_in(session: Session, document: Document, loaded: LoadedRun, growth: Growth) -> None:
    """Show a later state of an unedited file: quietly if it only grew, else saying what happened to it."""
    before, state = document.record, document.state
    if before is None or state is None:
        return
    document.grow(loaded.record, growth.renamed)
    document.fingerprint, document.content_digest, document.origin = loaded.fingerprint, loaded.digest, loaded.origin
    document.changed_on_disk = document.file_is_gone = False
    session.after_edit(document, state)
    news = [growth.renamed.get(step, step) for step in document.news]
    known = loaded.record.graph
    document.news = tuple(dict.fromkeys([*(step for step in news if step in known), *growth.added]))
    now = session.clock()
    if document.grew_at is not None and now - document.grew_at < QUIET_SECONDS:
        document.verify_after = now + QUIET_SECONDS
    document.grew_at = now
    if not growth.only_tips:
        _say_what_went(session, document, len(growth.lost), len(before.graph))
    if document.follows:
        show_newest(session, document)
    session.touch()


def _only_tips(before: RunRecord, lost: Collection[str]) -> bool:
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
