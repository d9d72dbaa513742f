"""Saving and closing: atomic writes in jobs, and the questions asked before anything is lost."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.files import opening
from opentine_gui.app.files.ask_where import CANCEL, ask_where
from opentine_gui.app.state.prompts import Answer, Confirm, SaveFile
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.core import Cancelled, EditError, RunRecord, StorageError, will_drop_signature
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import Storage
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

Form = Literal["same", "plain", "zlib", "zstd"]
"""How a copy is stored: like the document's own file, as plain text, or compressed."""

SAVE, DISCARD = "Save", "Don't save"
SAVE_ANYWAY, OVERWRITE = "Save without the signature", "Overwrite"


class SaveResult(msgspec.Struct, frozen=True):
    """What a save wrote."""

    fingerprint: storage.Fingerprint | None
    digest: str
    record: RunRecord
    """The run as the file has it, with its new digest."""


class FileChanged(msgspec.Struct, frozen=True):
    """Nothing was written, because the file changed since it was read."""


def save(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Save a document to its file; ask for one if it has none, or one of another program's format.

    `then` runs after the file is written.
    """
    if document.path is None or readers.is_only_read(document.path.name):
        save_as(session, document, then)
        return
    path = document.path
    _confirm_signature(session, document, lambda: _write(session, document, path, then=then, known=True))


def save_as(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Ask for a path and save there; it becomes the document's file."""
    _ask_path(
        session,
        document,
        "Save as",
        lambda path: _confirm_signature(session, document, lambda: _write(session, document, path, then=then)),
    )


def save_copy(session: Session, document: Document, form: Form = "same") -> None:
    """Ask for a path and write a copy there; the document keeps its file, and stays unsaved if it was."""
    _ask_path(session, document, "Save a copy", lambda path: _write_copy(session, document, path, form))


def save_to(session: Session, document: Document, path: Path, *, overwrite: bool = False) -> None:
    """Save to a given path like `save_as`. EditError or StorageError for a file that must not be replaced."""
    path = _tine_path(path)
    _refuse_sources(session, document, path)
    if path.exists() and not overwrite and not _same_file(document.path, path):
        raise StorageError("the file exists and was not replaced", path=path)
    _confirm_signature(session, document, lambda: _write(session, document, path))


def _ask_path(session: Session, document: Document, title: str, chosen: Callable[[Path], None]) -> None:
    folder = document.folder or session.runs.folder or session.working_folder

    def named(path: Path) -> Path:
        path = _tine_path(path)
        _refuse_sources(session, document, path)
        return path

    ask_where(session, SaveFile(title, folder, suggested_name(document, folder)), chosen, named=named)


def suggested_name(document: Document, folder: Path) -> str:
    """A file name that is free in `folder`, made from the name of the document's file or of its source's."""
    if document.path is not None:
        stem, word = document.path.stem, "copy"
    elif document.source and document.source.paths:
        stem, word = document.source.paths[0].stem, document.source.word
    else:
        stem, word = (document.record.run_id if document.record else "run"), ""
    stem = re.sub(r"[^\w.-]+", "-", stem, flags=re.ASCII).strip("-.")[:60] or "run"
    base = f"{stem}-{word}" if word else stem
    name, number = f"{base}.tine", 2
    while (folder / name).exists():
        name, number = f"{base}-{number}.tine", number + 1
    return name


def _refuse_sources(session: Session, document: Document, path: Path) -> None:
    """EditError if the path is a file the run was made from, or another open document's."""
    if document.source is not None and any(_same_file(source, path) for source in document.source.paths):
        raise EditError("this is the file it was made from, and an original is never overwritten", path=path)
    other = session.document_at(path)
    if other is not None and other is not document:
        raise EditError("this file is open in another tab; close it there or choose another name", path=path)


def _confirm_signature(session: Session, document: Document, go: Callable[[], None]) -> None:
    record = document.record
    if record is None or not will_drop_signature(record):
        go()
        return
    question = Confirm(
        "Save without the signature?",
        f"{document.title} is signed. The edits made here are not covered by that signature, so saving removes it.",
        (CANCEL, SAVE_ANYWAY),
        frozenset({SAVE_ANYWAY}),
    )
    session.ask(question, lambda choice: go() if choice == SAVE_ANYWAY else None)


def _write(
    session: Session, document: Document, path: Path, *, then: Callable[[], None] | None = None, known: bool = False
) -> None:
    """Write in a job. With `known`, ask before replacing a file that changed since it was read."""
    if document.saving:
        raise EditError("it is being saved already", path=document.path)
    state = document.state
    if state is None:
        raise EditError("there is nothing to save", path=path)
    expected = document.content_digest if known else ""
    fingerprint = document.fingerprint
    record = state.record

    def work(progress: ReportProgress, cancelled: IsCancelled) -> SaveResult | FileChanged:
        if expected and _differs(path, fingerprint, expected):
            return FileChanged()
        return write_run(record, path, progress, cancelled)

    def done(outcome: SaveResult | FileChanged) -> None:
        document.saving = False
        if isinstance(outcome, FileChanged):
            _ask_overwrite(session, document, path, then)
            return
        document.path = path
        document.mark_saved(state, outcome.record)
        document.fingerprint, document.content_digest = outcome.fingerprint, outcome.digest
        document.changed_on_disk = document.file_is_gone = False
        session.settings.remember_file(path)
        session.notices.dismiss(f"changed:{document.number}")
        session.notices.add("good", f"Saved {path.name}.", detail=str(path), key=f"saved:{document.number}")
        if document.state is not None and not document.dirty:
            session.recovery.forget(document)
        session.watch_files()
        session.runs.scan(session)
        session.touch()
        if then is not None:
            then()

    def failed(error: Exception) -> None:
        document.saving = False
        session.touch()
        if isinstance(error, Cancelled):
            _say_stopped(session, path)
            return
        problem = opening.as_tine_error(error, path)
        session.notices.add(
            "error",
            f"{document.title} was not saved: {problem}",
            actions=(("Save as…", "file.save_as", {"document": document.number}),),
            key=f"saved:{document.number}",
        )

    document.saving = True
    session.jobs.submit(f"save:{document.number}", work, done, failed, title=f"Saving {path.name}")


def write_run(
    record: RunRecord,
    path: Path,
    progress: ReportProgress,
    cancelled: IsCancelled,
    compress: Storage | None = None,
) -> SaveResult:
    """Write a run atomically (in a job). Raises Cancelled if it was stopped; then nothing was written.

    The digest is that of the bytes written: the file itself may be someone else's by the time it could be read back.
    """
    digest, size = hashlib.sha256(), 0

    def record_piece(piece: bytes) -> None:
        nonlocal size
        if cancelled():
            raise Cancelled("saving was stopped")
        digest.update(piece)
        size += len(piece)

    _, kept = storage.write_and_keep(
        path, record, compress=compress, progress=progress, cancelled=cancelled, passed=record_piece
    )
    fingerprint = storage.fingerprint(path)
    ours = fingerprint is not None and fingerprint.size == size
    return SaveResult(fingerprint if ours else None, digest.hexdigest(), kept)


def _write_copy(session: Session, document: Document, path: Path, form: Form) -> None:
    record = document.record
    if record is None:
        return
    compress = None if form == "same" else form
    if _same_file(document.path, path):
        raise EditError("a copy needs another name than the document's own file", path=path)

    def failed(error: Exception) -> None:
        if isinstance(error, Cancelled):
            _say_stopped(session, path)
            return
        session.notices.add("error", f"The copy was not saved: {opening.as_tine_error(error, path)}")

    def done(_written: SaveResult) -> None:
        session.notices.add("good", f"Saved a copy as {path.name}.", detail=str(path))
        session.runs.scan(session)

    session.jobs.submit(
        f"copy:{document.number}",
        lambda progress, cancelled: write_run(record, path, progress, cancelled, compress),
        done,
        failed,
        title=f"Saving {path.name}",
    )


def _say_stopped(session: Session, path: Path) -> None:
    session.notices.add("info", f"Saving {path.name} was stopped; nothing was written.")


def _ask_overwrite(session: Session, document: Document, path: Path, then: Callable[[], None] | None) -> None:
    document.changed_on_disk = True
    question = Confirm(
        f"Overwrite {path.name}?",
        f"{path} was changed by someone else after it was opened here. Saving replaces their version.",
        ("Save as…", CANCEL, OVERWRITE),
        frozenset({OVERWRITE}),
    )

    def answered(choice: Answer) -> None:
        if choice == OVERWRITE:
            _write(session, document, path, then=then)
        elif choice == "Save as…":
            save_as(session, document, then)

    session.ask(question, answered)
    session.touch()


def close(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Close a document; asks about unsaved work first. `then` runs once it is closed, not if the user cancels."""

    def close_now() -> None:
        session.remove_document(document)
        if then is not None:
            then()

    if not _unsaved(document):
        close_now()
        return
    session.activate(document)
    text = "It has changes that are in no file." if document.path else "It is not saved yet."
    if document.file_is_gone:
        text = f"Its file is no longer at {document.path}: what is shown here is in no file."
    question = Confirm(
        f"Save {document.title} before closing?",
        text,
        (SAVE, DISCARD, CANCEL),
        frozenset({DISCARD}),
    )

    def answered(choice: Answer) -> None:
        if choice == SAVE:
            save(session, document, lambda: close(session, document, then))  # asks again if there was an edit meanwhile
        elif choice == DISCARD:
            close_now()

    session.ask(question, answered)


def quit_session(session: Session) -> None:
    """Ask about each unsaved document, then set the session's `quit`, unless the user cancels."""
    unsaved = next((document for document in session.documents if _unsaved(document)), None)
    if unsaved is None:
        session.quit = True
        session.touch()
    else:
        close(session, unsaved, lambda: quit_session(session))


def _unsaved(document: Document) -> bool:
    """True if closing would lose something. Checks that the file still exists, for a watch may miss its deletion."""
    if document.path is not None and document.state is not None and document.members is None:
        document.file_is_gone = storage.fingerprint(document.path) is None
    return document.dirty


def _differs(path: Path, fingerprint: storage.Fingerprint | None, digest: str) -> bool:
    """True if the file exists and its content is not what was read. A missing file does not differ."""
    present = storage.fingerprint(path)
    if present is None or present == fingerprint:
        return False
    return storage.digest(path) != digest


def _tine_path(path: Path) -> Path:
    path = path.expanduser().absolute()
    return path if path.suffix else path.with_name(path.name + ".tine")


def _same_file(one: Path | None, other: Path) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)
