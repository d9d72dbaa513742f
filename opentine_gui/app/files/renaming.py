"""Gives a run's file another name or folder, or sends it to the trash; an open document follows its file."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from opentine_gui.app.files.closing import typed_into
from opentine_gui.app.files.opening import open_path
from opentine_gui.app.folder.readable import as_tine_error
from opentine_gui.app.state.notices import NoticeAction
from opentine_gui.app.state.prompts import CANCEL, Confirm
from opentine_gui.app.system.desktop.trash import from_trash
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.write_run import only_writer
from opentine_gui.core import EditError, StorageError
from opentine_gui.core.files.atomic_write import is_in_other_case, move_file

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session

TRASH = "Move to trash"


def renamed(path: Path, name: str) -> Path:
    """The path with another file name, which keeps the suffix. EditError for an invalid name."""
    name = name.strip()
    if not name or name in (".", "..") or "/" in name or "\\" in name or "\0" in name:
        raise EditError("a file's name has no slash and is not empty", path=path)
    return path.with_name(name if name.lower().endswith(path.suffix.lower()) else name + path.suffix)


def no_name(path: Path, name: str) -> str:
    """Why a file cannot have this name, as a sentence; "" if it can."""
    try:
        target = renamed(path, name)
    except EditError as error:
        return f"{error.message[:1].upper()}{error.message[1:]}."
    return f"There is a file {target.name} already." if _is_taken(path, target) else ""


def _is_taken(path: Path, target: Path) -> bool:
    """Whether another file has this name; where case does not count, the file's own in other case is not taken."""
    return target != path and os.path.lexists(target) and not is_in_other_case(path, target)


def _refuse_in_use(session: Session, path: Path) -> None:
    """EditError if the file is being written, or shown together with others."""
    document = session.document_at(path)
    if document is not None and document.on_disk.saving:
        raise EditError("it is being saved; try again when that is done", path=path)
    for other in session.documents:
        if other.members is not None and path in other.members.paths:
            raise EditError(f"it is shown in “{other.title}”; close that first", path=path)


def ask_and_trash(session: Session, path: Path) -> None:
    """Ask, then send a file to the trash in a job; its tab is closed, unless it has edits: these stay, unsaved."""
    _refuse_in_use(session, path)
    document = session.document_at(path)
    text = str(path)
    if document is not None:
        text += "\nIts tab stays open with the unsaved edits." if document.edited else "\nIts tab will be closed."
        if not document.edited and typed_into(session, document):
            text += " What was typed into its forms and has not been done goes with it."
    question = Confirm(f"Move {path.name} to the trash?", text, (CANCEL, TRASH), frozenset({TRASH}))
    session.ask(question, lambda choice: _trash(session, path) if choice == TRASH else None)


def _trash(session: Session, path: Path) -> None:
    _refuse_in_use(session, path)  # the answer may have taken a while
    document = session.document_at(path)

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> Path | None:
        with only_writer(path):
            return session.trash(path)

    def done(trashed: Path | None) -> None:
        closed = False
        if document is not None:
            if document.edited:
                document.on_disk.changed = document.on_disk.gone = True
            elif document in session.documents:
                session.remove_document(document)
                closed = True
        session.settings.recent = [other for other in session.settings.recent if other != str(path)]
        back: NoticeAction = ("Undo", "runs.put_back", {"path": path, "trashed": trashed, "reopen": closed})
        said, actions = f"Moved {path.name} to the trash.", (back,) if trashed is not None else ()
        session.notices.add("good", said, detail=str(path), actions=actions, key="moved")
        if trashed is not None:
            session.file_moves.moved(path, trashed, back, edits_of(session))
        else:
            session.file_moves.lost(path)
        session.watch_files()
        session.runs.scan(session)

    _submit(session, path, document, work, done)


def put_back(session: Session, path: Path, trashed: Path, *, reopen: bool) -> None:
    """Bring a file back from the trash in a job, and open it again if its tab was closed."""

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        with only_writer(path):
            from_trash(trashed, path)

    def done(_nothing: object) -> None:
        session.notices.add("good", f"Brought {path.name} back from the trash.", detail=str(path), key="moved")
        session.file_moves.moved(trashed, path, None, edits_of(session))
        session.watch_files()
        session.runs.scan(session)
        if reopen:
            open_path(session, path)

    _submit(session, path, session.document_at(path), work, done)


def move(session: Session, path: Path, target: Path) -> None:
    """Move a file in a job. EditError or StorageError, with nothing done, for what cannot be moved there."""
    if target == path:
        return
    if _is_taken(path, target):
        raise StorageError("there is a file of this name already", path=target)
    if session.document_at(target) not in (None, session.document_at(path)):
        raise EditError("a run that is open belongs to a file of this name", path=target)
    _refuse_in_use(session, path)
    document = session.document_at(path)

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        with only_writer(path):
            move_file(path, target)

    def done(_nothing: object) -> None:
        if document is not None:
            document.path = target
            if document.edited:
                session.recovery.forget(document)  # its safety copy names the old file: the next one names the new
        for one in session.documents:
            if one.source is not None and path in one.source.paths:
                paths = tuple(target if other == path else other for other in one.source.paths)
                one.source = replace(one.source, paths=paths)
        recent = session.settings.recent
        session.settings.recent = [str(target) if other == str(path) else other for other in recent]
        _say_moved(session, path, target)
        session.watch_files()
        session.runs.scan(session)

    _submit(session, path, document, work, done)


def _say_moved(session: Session, path: Path, target: Path) -> None:
    """Say where a file is now, with a button that brings it back, as undo does while no run is edited."""
    back: NoticeAction
    if path.parent == target.parent:
        text, back = (
            f"Renamed {path.name} to {target.name}.",
            ("Undo", "runs.rename", {"run": target, "name": path.name}),
        )
    else:
        folder = str(path.parent)
        text, back = f"Moved {path.name} to {target.parent}.", ("Undo", "runs.move", {"run": target, "folder": folder})
    session.notices.add("good", text, detail=str(target), actions=(back,), key="moved")
    session.file_moves.moved(path, target, back, edits_of(session))


def edits_of(session: Session) -> dict[int, Hashable]:
    """Where the histories of all open runs are: a file that was moved is undone until one of them is edited or made."""

    def place(document: Document) -> Hashable:
        history = document.history
        if history is None or (history.undo_label is None and document.made_in is None):
            return None
        return history.number

    return {document.number: place(document) for document in session.documents}


def _submit(
    session: Session,
    path: Path,
    document: Document | None,
    work: Callable[[ReportProgress, IsCancelled], Path | None],
    done: Callable[[Path | None], None],
) -> None:
    """Run a job that moves a file; its document counts as being written until then."""

    def failed(error: Exception) -> None:
        session.notices.add("error", f"{path.name} was not moved: {as_tine_error(error, path)}", key="moved")

    session.jobs.submit(
        f"move:{path}",
        work,
        done,
        failed,
        title=f"Moving {path.name}",
        must_finish=True,
        over=document.on_disk.being_written(session) if document is not None else None,
    )
