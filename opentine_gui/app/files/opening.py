"""Opens files: each is read in a job and shown as a document."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.on_disk import Progress
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.document.side_stores import Remembered, SideStores
from opentine_gui.app.document.side_stores.former_ids import move_to_new_ids
from opentine_gui.app.document.side_stores.remembering import remembered, state_with
from opentine_gui.app.folder.keeping.offer import say_missing
from opentine_gui.app.folder.readable import as_tine_error
from opentine_gui.app.state.selection import Selection
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import BACKGROUND
from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from opentine_gui.importers import readers
from opentine_gui.importers.reader import Growing, Reader
from opentine_gui.importers.sources.parts import divide
from opentine_gui.importers.sources.state import fingerprint_of, state_of

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


READ = 0
"""Priority of jobs that read: before all others."""

_DIGEST_SHARE = 0.15
"""Progress of reading a file once its digest is known."""


class LoadedRun(msgspec.Struct, frozen=True):
    """A file as it was read: the run, the fingerprint, a digest of the bytes, what is remembered of its steps."""

    record: RunRecord
    fingerprint: storage.Fingerprint | None
    digest: str
    kept: Remembered
    origin: Origin | None = None
    seconds: float = 0.0
    """How long reading took, by this thread's processor time."""
    disk: int = 0
    """The number of the file system it was read from; 0 for a source that is never written."""


def load_readers(session: Session) -> None:
    """Load what recognises each format, so that the first folder or log that is opened need not wait for it."""

    def load(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        readers.load_all()

    session.jobs.submit("load:readers", load, lambda _nothing: None, priority=BACKGROUND, quiet=True)


def open_path(session: Session, path: Path, *, select: str | None = None) -> Document:
    """Open a file, or bring it to the front if it is open. `select` is a step id or unique prefix."""
    path = path.expanduser().absolute()
    document = session.document_at(path)
    if document is not None:
        session.activate(document)
        if document.error is None:
            if document.record is None:
                document.select_when_read = select or document.select_when_read
            elif select:
                document.select(Selection((document.record.resolve(select),)))
            return document
    else:
        document = session.add_document(path=path)
    document.error = None
    document.loading = Progress(f"Reading {path.name}")
    document.select_when_read = select
    opened = document

    def done(loaded: LoadedRun) -> None:
        opened.loading = None
        show_loaded(session, opened, loaded)
        session.settings.remember_file(opened.path or path)  # it may have been renamed while it was read
        wanted, opened.select_when_read = opened.select_when_read, None
        if wanted:
            opened.select(Selection((loaded.record.resolve(wanted),)))

    def failed(error: Exception) -> None:
        opened.loading = None
        opened.error = as_tine_error(error, path)
        say_missing(session.agent_sessions.keeping, session.notices, path, opened.error)
        session.runs.rescan_files(session, (path,))
        session.touch()

    def stopped() -> None:
        opened.loading = None
        if opened.state is None:
            session.remove_document(opened)

    stores = session.side_stores
    session.jobs.submit(
        document.key("open"),
        lambda progress, cancelled: read_run(path, stores, progress, cancelled),
        done,
        failed,
        title=f"Reading {path.name}",
        priority=READ,
        stopped=stopped,
        document=document.number,
    )
    session.touch()
    return document


def read_run(
    path: Path,
    stores: SideStores | None,
    progress: ReportProgress,
    cancelled: IsCancelled,
    growing: Growing | None = None,
) -> LoadedRun:
    """Read a file for a document (in a job). TineError or OSError when it cannot be read.

    Without `stores`, nothing is remembered of its steps. `growing` is what has read it before.
    """
    began = time.thread_time()
    reader = readers.reader_for(path)
    if reader is not readers.TINE:
        loaded = _read_foreign(reader, path, stores, progress, cancelled, growing)
        return replace(loaded, seconds=time.thread_time() - began)
    fingerprint = storage.fingerprint(path)
    # Two passes, so that a large file is never in memory as a whole. If it is written to in between, the digest differs
    # from that of the file's next state, and it is read again.
    digest = storage.digest(path, progress=lambda done: progress(_DIGEST_SHARE * done), cancelled=cancelled)
    progress(_DIGEST_SHARE)
    record = readers.read_run(
        path, progress=lambda fraction: progress(_DIGEST_SHARE + (1.0 - _DIGEST_SHARE) * fraction), cancelled=cancelled
    )
    record.graph.decode_large(cancelled)
    seconds = time.thread_time() - began
    return LoadedRun(
        record, fingerprint, digest, remembered(stores, record), seconds=seconds, disk=storage.disk_of(path)
    )


def _read_foreign(
    reader: Reader,
    path: Path,
    stores: SideStores | None,
    progress: ReportProgress,
    cancelled: IsCancelled,
    growing: Growing | None,
) -> LoadedRun:
    """Read a source of another format. Its digest is that of the files' fingerprints: they are never written here."""
    file = divide(path)[0]
    fingerprint = fingerprint_of(file)
    reading = readers.read_source(path, progress=progress, cancelled=cancelled, growing=growing)
    sources = tuple(dict.fromkeys([file, *reading.sources]))
    origin = Origin(reader.name, reader.title or reader.name, path, sources, reading.places, reading.report)
    _ = origin.records_in_steps  # counted here, so that no frame has to
    if stores is not None and reading.former:
        move_to_new_ids(stores, reading.former)
    if growing is None:  # of one that grows, the steps that are new are few
        reading.record.graph.decode_large(cancelled)
    return LoadedRun(reading.record, fingerprint, state_of(sources), remembered(stores, reading.record), origin)


def show_loaded(session: Session, document: Document, loaded: LoadedRun) -> None:
    """Show what was read; selection and camera are kept as far as they still fit."""
    state = state_with(loaded.record, loaded.kept, loaded.digest)
    document.start(state)
    document.saved_state = state
    document.origin = loaded.origin
    document.on_disk.note_content(loaded.fingerprint, loaded.digest)
    document.on_disk.disk = loaded.disk
    if loaded.kept.problem:
        text = f"Notes, bookmarks and colours are not shown: {loaded.kept.problem}"
        session.notices.add("warning", text, key="annotations")
    session.recovery.forget(document)
    list_again(session, document)
    session.watch_files()
    if document.live.follows and len(loaded.record.graph):
        # A session grows at its end, which may be far below the first view.
        document.picture.reveal_when_laid_out = loaded.record.graph.ids[-1]
    session.touch()


def list_again(session: Session, document: Document) -> None:
    """Have the list of runs show a file as it was read now."""
    if document.path is not None:
        session.runs.rescan_files(session, (document.path,))
