"""Follows a file that grows while it is open: new steps come at their tips, and nothing the user set up moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.origin import Origin
from opentine_gui.core import RunRecord
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.describe.numbers import counted

if TYPE_CHECKING:
    from opentine_gui.app.files.opening import LoadedRun
    from opentine_gui.app.session import Session

LIVE_SECONDS = 60.0
"""A run that grew within this many seconds is called live."""
LAST_STEPS = 64
COPIED_AFTER = 600.0
"""A log's last step and the time of its file may differ by so many seconds; clocks of two machines do, too."""
QUIET_SECONDS = 2.0
"""Seconds for which a run that grew twice must rest before it is verified."""
SHARE = 0.5
"""After reading a file for a second, it is left alone for so many seconds."""
LEAST_REST, LONGEST_REST = 0.05, 5.0
BETWEEN_READINGS = 0.2
"""Seconds between two readings of a file that grows: each has the picture and the panels made again."""
BETWEEN_MARKS = 0.25
"""Seconds between two looks whether the cards of a run should say that it is being written."""
BETWEEN_LOOKS = 1.0
"""Least seconds between two analyses of the whole of a growing run."""


class Growth(msgspec.Struct, frozen=True):
    """How a later state of a file differs: new ids of steps by their old ones, steps that came, and that went."""

    renamed: Mapping[str, str]
    added: tuple[str, ...]
    lost: tuple[str, ...]
    only_tips: bool = True
    """Whether only tips went: a tip gets another id when the rest of its step is recorded."""


def growth_of(before: RunRecord | None, origin: Origin | None, loaded: LoadedRun) -> Growth:
    """How what was read now differs from the run `before`, which has this origin."""
    if before is None:
        return Growth({}, (), ())
    old, new = before.graph.ids, loaded.record.graph.ids
    same = common_beginning(old, new)
    gone = [step for step in old[same:] if step not in loaded.record.graph]
    came = [step for step in new[same:] if step not in before.graph]
    same_run = same > 0 or any(step in loaded.record.graph for step in old[:1])
    later = loaded.origin
    renamed = origin.renamed(later, gone, came) if same_run and origin is not None and later is not None else {}
    fresh = set(renamed.values())
    added = tuple([step for step in came if step not in fresh])
    lost = tuple([step for step in gone if step not in renamed])
    return Growth(renamed, added, lost, not lost or _only_tips(before, lost))


def take_in(session: Session, document: Document, loaded: LoadedRun, growth: Growth) -> None:
    """Show a later state of an unedited file: quietly if it only grew, else saying what happened to it."""
    before, state = document.record, document.state
    if before is None or state is None:
        return
    document.grow(loaded.record, growth.renamed, loaded.digest)
    document.live.rename_steps(growth.renamed)
    document.origin = loaded.origin
    document.on_disk.note_content(loaded.fingerprint, loaded.digest)
    session.after_edit(document, state)
    news = [growth.renamed.get(step, step) for step in document.live.news]
    known = loaded.record.graph
    document.live.news = tuple(dict.fromkeys([*(step for step in news if step in known), *growth.added]))
    now = session.clock()
    if document.live.grew_at is not None and now - document.live.grew_at < QUIET_SECONDS:
        document.live.verify_after = now + QUIET_SECONDS
    if not before.graph or len(growth.lost) < len(before.graph):
        document.live.grew_again, document.live.grew_at = is_live(session, document), now
    else:  # another run was put in its place: that one is not seen to grow
        document.live.grew_again, document.live.grew_at = False, None
    if not growth.only_tips:
        _say_what_went(session, document, len(growth.lost), len(before.graph))
    if document.live.follows:
        show_newest(session, document)
    session.touch()


def _only_tips(before: RunRecord, lost: Collection[str]) -> bool:
    graph = before.graph
    return len(lost) < len(graph) and set(lost) <= {graph.ids[place] for place in graph.tips}


def _say_what_went(session: Session, document: Document, lost: int, steps: int) -> None:
    what = "was replaced by another run" if lost == steps else f"lost {counted(lost, 'step')}"
    text = f"{document.title} {what} on disk and has been read again."
    session.notices.add("info", text, key=document.key("reloaded"))


def show_newest(session: Session, document: Document) -> None:
    """Bring the newest step into view, as soon as it has a card; nothing is new any more."""
    record = document.record
    if record is None or not len(record.graph):
        return
    newest = document.live.news[-1] if document.live.news else record.graph.ids[-1]
    document.live.news = ()
    if document.picture.index_of(newest) is not None:
        session.bring_into_view(document, newest, centered=False)
    else:
        document.picture.reveal_when_laid_out = newest
    session.touch()


def is_live(session: Session, document: Document) -> bool:
    """Whether the run grew a short while ago."""
    return document.live.grew_at is not None and session.clock() - document.live.grew_at < LIVE_SECONDS


def is_written(session: Session, document: Document) -> bool:
    """Whether the file is being written now: it grew a short while ago, here or just before it was opened.

    A fork or merge without a step since but those of the user's did not grow: it was saved. A log whose last steps are
    much older than its file did not grow either: it was copied, unless it is seen to grow again and again. Nor
    does one grow that was saved here as a run: its agent goes on in the log.
    """
    seen, record = document.on_disk.fingerprint, document.record
    if is_live(session, document):
        if record is None or not record.is_imported or document.live.grew_again:
            return True
        return not _is_old(record, session.now())
    if seen is None or seen == document.on_disk.saved or abs(session.now() - seen.modified_ns / 1e9) >= LIVE_SECONDS:
        return False
    if record is None or record.has_not_run:
        return record is None
    if not record.is_imported:
        return True
    return not _is_old(record, seen.modified_ns / 1e9)


def _is_old(record: RunRecord, written_at: float) -> bool:
    """Whether the last steps of a log are much older than what was written then."""
    last = max(record.graph.timestamps[-LAST_STEPS:], default=0.0)
    return last > 0 and written_at - last >= COPIED_AFTER


def mark_written(session: Session) -> None:
    """Keep the cards of the active document up to date with whether its file is being written, as its headline is."""
    document, now = session.active, session.clock()
    if document is None or document.record is None:
        return
    live = document.live
    if live.marked == document.content_revision and now < live.mark_after:
        return
    live.marked, live.mark_after = document.content_revision, now + BETWEEN_MARKS
    written = is_written(session, document)
    if live.written is not written:
        live.written = written
        document.faces_changed()


def shows_time(session: Session, document: Document) -> bool:
    """Whether a word about it changes by itself after a while: that it is live, or of a log that it is running."""
    imported = document.record is not None and document.record.is_imported
    return is_live(session, document) or (imported and is_written(session, document))


def rest_after(session: Session, document: Document, seconds: float) -> float:
    """Seconds to wait before a file is read again whose last reading took `seconds`."""
    least = BETWEEN_READINGS if is_growing(session, document) else 0.0
    return max(least, min(SHARE * seconds, LONGEST_REST) if seconds >= LEAST_REST else 0.0)


def is_growing(session: Session, document: Document) -> bool:
    """Whether the run grew just now, and may do so again in a moment."""
    return document.live.grew_at is not None and session.clock() - document.live.grew_at < QUIET_SECONDS
