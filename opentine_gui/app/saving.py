"""Saving and closing: atomic writes in a job, and every question that keeps the user from losing something."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from opentine_gui.app import loading
from opentine_gui.app.document import Document
from opentine_gui.app.jobs import IsCancelled, ReportProgress
from opentine_gui.app.prompts import Answer, Confirm, SaveFile
from opentine_gui.core import EditError, RunRecord, StorageError, storage, will_drop_signature
from opentine_gui.core.container import Compression

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

Form = Literal["same", "plain", "zlib", "zstd"]
"""How a copy is stored: as the file it came from, as plain text, or compressed."""

SAVE, DISCARD, CANCEL = "Save", "Don't save", "Cancel"
SAVE_ANYWAY, OVERWRITE, REPLACE = "Save without the signature", "Overwrite", "Replace"


@dataclass(frozen=True)
class Written:
    """What stands on disk after a save."""

    fingerprint: storage.Fingerprint | None
    digest: str


@dataclass(frozen=True)
class ChangedMeanwhile:
    """Nothing was written: the file is not the one that was read."""


def save(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Save a document to its own file, or ask where when it has none. `then` runs after the file is written."""
    if document.path is None:
        save_as(session, document, then)
        return
    path = document.path
    _confirm_signature(session, document, lambda: _write(session, document, path, then=then, known=True))


def save_as(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Ask for a path and save there; from then on that is the document's file."""
    _ask_path(
        session,
        document,
        "Save as",
        lambda path: _confirm_signature(session, document, lambda: _write(session, document, path, then=then)),
    )


def save_copy(session: Session, document: Document, form: Form = "same") -> None:
    """Ask for a path and write the run there; the document keeps its own file and stays unsaved if it was."""
    _ask_path(session, document, "Save a copy", lambda path: _write_copy(session, document, path, form))


def save_to(session: Session, document: Document, path: Path, *, overwrite: bool = False) -> None:
    """Save to a path given by the caller, as Save as does. EditError for a file that must not be replaced."""
    path = _tine_path(path)
    _refuse_sources(session, document, path)
    if path.exists() and not overwrite and not _same_file(document.path, path):
        raise StorageError("the file exists and was not replaced", path=path)
    _confirm_signature(session, document, lambda: _write(session, document, path))


def _ask_path(session: Session, document: Document, title: str, chosen: Callable[[Path], None]) -> None:
    folder = document.folder or session.runs.folder or session.working_folder

    def answered(answer: Answer) -> None:
        if isinstance(answer, str) or not answer:
            return
        path = _tine_path(answer[0])
        _refuse_sources(session, document, path)
        if not path.exists():
            chosen(path)
            return
        question = Confirm(
            f"Replace {path.name}?",
            f"{path} exists already. What is in it will be lost.",
            (REPLACE, CANCEL),
            frozenset({REPLACE}),
        )
        session.ask(question, lambda choice: chosen(path) if choice == REPLACE else None)

    session.ask(SaveFile(title, folder, document.suggested_name(folder)), answered)


def _refuse_sources(session: Session, document: Document, path: Path) -> None:
    """EditError when the path is the file a fork or merge came from, or another open document's file."""
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
        (SAVE_ANYWAY, CANCEL),
        frozenset({SAVE_ANYWAY}),
    )
    session.ask(question, lambda choice: go() if choice == SAVE_ANYWAY else None)


def _write(
    session: Session, document: Document, path: Path, *, then: Callable[[], None] | None = None, known: bool = False
) -> None:
    """Write in a job. With `known` the file must still be the one that was read, else the user is asked."""
    if document.saving:
        raise EditError("it is being saved already", path=document.path)
    state = document.state
    if state is None:
        raise EditError("there is nothing to save", path=path)
    expected = document.content_digest if known else ""
    fingerprint = document.fingerprint
    record = state.record

    def work(progress: ReportProgress, _cancelled: IsCancelled) -> Written | ChangedMeanwhile:
        if expected and _differs(path, fingerprint, expected):
            return ChangedMeanwhile()
        return write_run(record, path, progress, own_compression(record))

    def done(outcome: Written | ChangedMeanwhile) -> None:
        document.saving = False
        if isinstance(outcome, ChangedMeanwhile):
            _ask_overwrite(session, document, path, then)
            return
        document.path = path
        document.saved_state = state
        document.fingerprint, document.content_digest = outcome.fingerprint, outcome.digest
        document.changed_on_disk = False
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
        problem = loading.as_tine_error(error, path)
        session.notices.add(
            "error",
            f"{document.title} was not saved: {problem}",
            actions=(("Save as…", "file.save_as", {"document": document.number}),),
            key=f"saved:{document.number}",
        )
        session.touch()

    document.saving = True
    session.jobs.submit(f"save:{document.number}", work, done, failed, title=f"Saving {path.name}")


def write_run(record: RunRecord, path: Path, progress: ReportProgress, compress: Compression | None = None) -> Written:
    """Write a run atomically and say what stands on disk afterwards (in a job)."""
    storage.write(path, record, compress=compress, overwrite=True, progress=progress)
    return Written(storage.fingerprint(path), loading.file_digest(path))


def own_compression(record: RunRecord) -> Compression | None:
    """How the file it came from was compressed; plain for everything else."""
    return record.container if record.container in ("zlib", "zstd") else None


def _write_copy(session: Session, document: Document, path: Path, form: Form) -> None:
    record = document.record
    if record is None:
        return
    compress = own_compression(record) if form == "same" else None if form == "plain" else form
    if _same_file(document.path, path):
        raise EditError("a copy needs another name than the document's own file", path=path)

    def failed(error: Exception) -> None:
        session.notices.add("error", f"The copy was not saved: {loading.as_tine_error(error, path)}")

    def done(_written: Written) -> None:
        session.notices.add("good", f"Saved a copy as {path.name}.", detail=str(path))
        session.runs.scan(session)

    session.jobs.submit(
        f"copy:{document.number}",
        lambda progress, _cancelled: write_run(record, path, progress, compress),
        done,
        failed,
        title=f"Saving {path.name}",
    )


def _ask_overwrite(session: Session, document: Document, path: Path, then: Callable[[], None] | None) -> None:
    document.changed_on_disk = True
    question = Confirm(
        f"Overwrite {path.name}?",
        f"{path} was changed by someone else after it was opened here. Saving replaces their version.",
        (OVERWRITE, "Save as…", CANCEL),
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
    """Close a document; asks about unsaved work first. `then` runs after it is closed, not when the user cancels."""

    def gone() -> None:
        session.remove_document(document)
        if then is not None:
            then()

    if not document.dirty:
        gone()
        return
    session.activate(document)
    question = Confirm(
        f"Save {document.title} before closing?",
        "It has changes that are in no file." if document.path else "It is not saved yet.",
        (SAVE, DISCARD, CANCEL),
        frozenset({DISCARD}),
    )

    def answered(choice: Answer) -> None:
        if choice == SAVE:
            save(session, document, gone)
        elif choice == DISCARD:
            gone()

    session.ask(question, answered)


def quit_session(session: Session) -> None:
    """Close document after document; the session has `quit` when all went without a Cancel."""
    unsaved = next((document for document in session.documents if document.dirty), None)
    if unsaved is None:
        session.quit = True
        session.touch()
    else:
        close(session, unsaved, lambda: quit_session(session))


def _differs(path: Path, fingerprint: storage.Fingerprint | None, digest: str) -> bool:
    """True when a file is there and its content is not the one that was read. A missing file is not in the way."""
    present = storage.fingerprint(path)
    if present is None or present == fingerprint:
        return False
    return loading.file_digest(path) != digest


def _tine_path(path: Path) -> Path:
    path = path.expanduser().absolute()
    return path if path.suffix else path.with_name(path.name + ".tine")


def _same_file(one: Path | None, other: Path) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)
