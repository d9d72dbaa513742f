"""Files that change on disk while they are open: reloads them, or asks if there are edits."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.on_disk import Progress
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.document.picture.step_colours import colours_by_kind
from opentine_gui.app.document.side_stores.remembering import remembered
from opentine_gui.app.document.tab_names import short_title
from opentine_gui.app.files import following, opening
from opentine_gui.app.folder.keeping.offer import offer_copy
from opentine_gui.app.folder.readable import as_tine_error
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Cancelled, RunRecord, StorageError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.graph.outcomes.failures import failures_in
from opentine_gui.importers import readers
from opentine_gui.importers.reader import Growing
from opentine_gui.importers.sources.parts import divide
from opentine_gui.importers.sources.state import fingerprint_of, state_of

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

Found: TypeAlias = "tuple[tuple[Path, Growing] | None, opening.LoadedRun | None, following.Growth | None]"
"""What reads the file on, and what it read, with how it grew; None where nothing has changed."""

NEVER_WRITTEN = (
    "Reload shows what came and drops the edits; Save keeps them, as a run of their own. The session's own file is "
    "never written here."
)


def paths_changed(session: Session, paths: Iterable[Path]) -> None:
    """Check the open files among these changed paths, and update the list of runs."""
    changed = list(paths)
    real = {os.path.realpath(path) for path in changed}
    touched = real | {os.path.dirname(path) for path in real}
    followed: set[str] = set()
    for document in session.documents:
        own = _own_files(document)
        if not own.isdisjoint(touched):
            followed |= own
            check_for_change(session, document)
            if document.origin is not None and not real.isdisjoint(map(str, document.origin.folders_within)):
                session.watch_files()  # a folder of sub-agents has come
    # The row of an open file is made from what the window reads of it.
    session.runs.rescan_files(session, [path for path in changed if os.path.realpath(path) not in followed])


def _own_files(document: Document) -> frozenset[str]:
    """The real paths whose change is a change of the document; worked out once for a source, which may grow often."""
    on_disk, origin = document.on_disk, document.origin
    if origin is not None:
        if on_disk.own_files[0] != origin.sources:
            on_disk.own_files = (origin.sources, frozenset(map(os.path.realpath, origin.files)))
        return on_disk.own_files[1]
    return frozenset() if document.path is None else frozenset({os.path.realpath(document.path)})


def check_for_change(session: Session, document: Document) -> None:
    """Compare the file with what was read, by content, and reload it or ask if it differs.

    While the file is being read or written this waits: `recheck_missed` does it later.
    """
    path = document.path
    if path is None:
        return
    document.on_disk.recheck_pending = _in_use(session, document) or session.clock() < document.on_disk.look_after
    if document.on_disk.recheck_pending:
        return
    known_digest, origin = document.on_disk.digest, document.origin
    if origin is not None and not document.edited and os.path.exists(origin.file):
        reload(session, document, unless=known_digest)  # one job: it looks and reads
        return

    def compare(_progress: ReportProgress, _cancelled: IsCancelled) -> tuple[storage.Fingerprint, str] | None:
        fingerprint = fingerprint_of(divide(path)[0])
        if origin is not None:
            return (fingerprint, state_of(origin.sources)) if fingerprint is not None else None
        try:
            return (fingerprint, storage.digest(path)) if fingerprint is not None else None
        except StorageError:
            return None

    def done(found: tuple[storage.Fingerprint, str] | None) -> None:
        if document not in session.documents:
            return
        if document.on_disk.digest != known_digest or _in_use(session, document):
            document.on_disk.recheck_pending = True
            return
        if found is None:
            _report_missing(session, document)
        elif found[1] == known_digest:
            document.on_disk.note_content(*found)
            session.notices.dismiss(document.key("changed"))
        elif document.edited:
            _ask_about_edits(session, document, found[1])
        else:
            reload(session, document)

    key = document.key("check")
    session.jobs.submit(
        key, compare, done, lambda _error: None, priority=opening.READ, quiet=True, document=document.number
    )


def recheck_missed(session: Session) -> None:
    """Check the files that changed while they were being read or written, as soon as that is over."""
    for document in session.documents:
        on_disk = document.on_disk
        if on_disk.recheck_pending and not _in_use(session, document) and session.clock() >= on_disk.look_after:
            check_for_change(session, document)


def _in_use(session: Session, document: Document) -> bool:
    return document.on_disk.saving or session.jobs.is_running(document.key("open"))


def reload(session: Session, document: Document, *, unless: str = "") -> None:
    """Read the file again; selection, camera and positions are kept, and the old picture until there is a new one.

    A source whose files are in the state `unless` is left alone.
    """
    path = document.path
    if path is None:
        return
    if document.state is None:
        document.loading = Progress(f"Reading {path.name}")
    record, known_digest, origin = document.record, document.on_disk.digest, document.origin
    # The job takes the reader with it: after one that was stopped, the file is read from its beginning.
    growing, document.live.reader = document.live.reader, None
    had_run = document.state is not None
    stores = None if had_run else session.side_stores

    def work(progress: ReportProgress, cancelled: IsCancelled) -> Found:
        reads = growing if growing is not None and growing[0] == path else None
        if unless and origin is not None and state_of(origin.sources) == unless:
            return reads, None, None
        if reads is None and origin is not None and had_run:
            begun = readers.growing_at(path)
            reads = None if begun is None else (path, begun)
        try:
            loaded = opening.read_run(path, stores, progress, cancelled, None if reads is None else reads[1])
        except Cancelled:
            raise
        except TineError:
            if growing is None or reads is None:
                raise
            # What reads a log on knows one of its agent alone: another one may lie there now.
            reads, loaded = None, opening.read_run(path, stores, progress, cancelled)
        _look_through(loaded.record)
        _ = loaded.origin.records_in_steps if loaded.origin is not None else 0
        return reads, loaded, following.growth_of(record, origin, loaded)

    def done(found: Found) -> None:
        document.live.reader, loaded, growth = found
        if loaded is None or growth is None:
            return
        document.loading = None
        if document.path != path or document.on_disk.digest != known_digest:
            return  # saved meanwhile: the file is newer than what was read
        if document.on_disk.saving or (document.edited and document.record is not record):
            _ask_about_edits(session, document, loaded.digest)
            return
        if unless and origin is not None and _is_of_another_agent(origin, loaded):
            text = f"{short_title(document)} was replaced by another session: reload to see it."
            _ask(session, document, text, detail=str(path))
            return
        session.notices.dismiss(document.key("changed"))
        document.on_disk.look_after = session.clock() + following.rest_after(session, document, loaded.seconds)
        if had_run and not document.edited and document.record is record:
            following.take_in(session, document, loaded, growth)
            opening.list_again(session, document)
        else:
            if stores is None:
                loaded = replace(loaded, kept=remembered(session.side_stores, loaded.record))
            opening.show_loaded(session, document, loaded)

    def failed(error: Exception) -> None:
        document.loading = None
        problem = as_tine_error(error, path)
        if document.state is None:
            document.error = problem
        elif fingerprint_of(divide(path)[0]) is None:  # it was there when this began
            _report_missing(session, document)
        else:
            text = f"{short_title(document)} changed on disk and cannot be read now: {problem.reason}"
            _ask(session, document, text, detail=str(problem))
        session.touch()

    def stopped() -> None:
        document.loading = None
        if document.state is None:
            document.error = StorageError("reading it was stopped", path=path)
        session.touch()

    session.jobs.submit(
        document.key("open"),
        work,
        done,
        failed,
        title=f"Reading {path.name}",
        priority=opening.READ,
        stopped=stopped,
        document=document.number,
    )


def _look_through(record: RunRecord) -> None:
    """Work out what the panels ask of every step of a run, so that no frame has to."""
    _ = record.totals
    failures_in(record.graph)
    colours_by_kind(record.graph)


def _is_of_another_agent(origin: Origin, loaded: opening.LoadedRun) -> bool:
    """Whether another program wrote what was read now; a later state of the same one's log is taken in."""
    return loaded.origin is None or loaded.origin.format != origin.format


def _ask_about_edits(session: Session, document: Document, state: str) -> None:
    """Ask whether edits are kept that the file in this state has not; once, for the answer holds while nothing is new.

    A session's file is never written here, so that nothing is lost by its growth: of that it is asked once in all.
    """
    on_disk, title = document.on_disk, short_title(document)
    asked, grows = on_disk.asked_of, document.origin is not None
    if asked is not None and (grows or asked == state):
        return
    on_disk.asked_of = state
    if grows:
        _ask(session, document, f"{title} has changed on disk, and it has unsaved edits here.", detail=NEVER_WRITTEN)
    else:
        _ask(session, document, f"{title} was changed by someone else, and it has unsaved edits here.")


def _ask(session: Session, document: Document, text: str, *, detail: str = "") -> None:
    document.on_disk.changed = True
    session.notices.add(
        "warning",
        text,
        detail=detail,
        actions=(
            ("Reload", "file.reload", {"document": document.number, "discard": True}),
            ("Show difference", "compare.with_file", {"document": document.number}),
            ("Keep mine", "notice.dismiss", {"key": document.key("changed")}),
        ),
        key=document.key("changed"),
    )
    session.touch()


def _report_missing(session: Session, document: Document) -> None:
    document.on_disk.changed = document.on_disk.gone = True
    document.on_disk.asked_of = None  # this stands in the place of that question
    session.notices.add(
        "warning",
        f"{short_title(document)} was deleted or moved; what you see is still here. Save it to keep it.",
        detail=f"It is no longer at {document.path}",
        actions=(
            *offer_copy(session.agent_sessions.keeping, document.path),
            ("Save as…", "file.save_as", {"document": document.number}),
        ),
        key=document.key("changed"),
    )
    session.touch()
