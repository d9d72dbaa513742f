"""File actions: open, reload, save, export, close, quit, recover."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import (
    NO_DOCUMENT,
    document_meant,
    document_of,
    with_document,
    with_run,
    with_steps,
)
from opentine_gui.app.comparison import several_runs
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.members import ShownTogether
from opentine_gui.app.files import choosing_part, closing, exporting, opening, reloading, saving
from opentine_gui.app.files.recovery import putting_back
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.app.state.prompts import Answer, Choose, Confirm, OpenFile, OpenFolder
from opentine_gui.importers import readers
from opentine_gui.importers.sources.parts import divide, is_there
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
RELOAD, KEEP_MINE = "Reload", "Keep mine"
MOST_RECENT = 12
"""Recent files that a menu lists."""
DISCARD_RECOVERED, KEEP_RECOVERED = "Discard", "Keep it"
NOTHING_TO_SAVE = "There is nothing to save: what is shown here is in the files of its runs."


def _start_folder(session: Session) -> Path:
    remembered = Path(session.settings.last_folder) if session.settings.last_folder else None
    if remembered is not None and os.path.isdir(remembered):
        return remembered
    return session.runs.folder or session.working_folder


@declare(ACTIONS, "file.open", "Open…", "Open .tine files, each in a tab of its own.", menu="File", keys=("Ctrl+O",))
def open_file(session: Session, path: Path | str | None = None, select: str | None = None) -> None:
    """Open one path (file, folder, or FILE#STEP when no such file exists), or ask for files."""
    if path is None:
        question = OpenFile("Open", _start_folder(session))
        session.ask(question, lambda answer: _open_all(session, answer))
        return
    _open_one(session, Path(path), select)


def _open_all(session: Session, answer: Answer) -> None:
    for path in answer if isinstance(answer, tuple) else ():
        _open_one(session, path, None)


def _open_one(session: Session, path: Path, select: str | None) -> None:
    if select is None:
        path, select = readers.divide_step(path)
    if os.path.isdir(path) and not readers.is_recognised(path):
        session.runs.show_folder(session, path.absolute())
        return
    if choosing_part.may_hold_several(path):
        choosing_part.open_part_of(session, path, select=select)
    elif session.openings:  # behind files that are looked into, so that tabs stand in the order that was asked for
        session.openings.ready(session.openings.take(), lambda: _open_file(session, path, select))
    else:
        _open_file(session, path, select)


def _open_file(session: Session, path: Path, select: str | None) -> None:
    opening.open_path(session, path, select=select)
    if session.runs.folder is None and (readers.is_run(path.name) or not readers.may_be_run(divide(path)[0].name)):
        session.runs.show_folder(session, path.expanduser().absolute().parent)


@declare(ACTIONS, "file.open_folder", "Open folder…", "List the runs of another folder.", menu="File")
def open_folder(session: Session, path: Path | str | None = None) -> None:
    """List a folder, or ask for one."""
    if path is not None:
        session.runs.show_folder(session, Path(path).expanduser().absolute())
        return

    def answered(answer: Answer) -> None:
        if isinstance(answer, tuple) and answer:
            session.runs.show_folder(session, answer[0].absolute())

    session.ask(OpenFolder("Open folder", _start_folder(session)), answered)


def _recent(session: Session, path: str | None = None, **_arguments: Any) -> str | None:
    return None if path is not None or session.settings.recent else "No file was opened before."


def _recent_files(session: Session) -> list[Choice]:
    return [Choice(clean(path, 90), {"path": path}) for path in session.settings.recent[:MOST_RECENT]]


@declare(
    ACTIONS,
    "file.open_recent",
    "Recent files",
    "Open one of the files that were opened before.",
    enabled=_recent,
    menu="File",
    choices=_recent_files,
)
def open_recent(session: Session, path: str | None = None) -> None:
    """Open a recent file, or ask which."""
    if path is not None:
        opening.open_path(session, Path(path))
        return
    paths = {clean(recent, 200): recent for recent in session.settings.recent}
    question = Choose("Recent files", "The file opened last comes first.", tuple(paths))
    session.ask(question, lambda answer: open_recent(session, paths[str(answer)]))


def _saved_somewhere(session: Session, document: int | None = None, **_arguments: Any) -> str | None:
    target = document_meant(session, document)
    if target is None:
        return NO_DOCUMENT if document is not None or session.runs.folder is None else None
    if target.members is not None:
        return "It updates by itself when its runs change."
    return None if target.path is not None else "This run is not saved yet, so there is no file to read."


@declare(
    ACTIONS,
    "file.reload",
    "Reload",
    "Read the file again, keeping selection, view and positions, and list the folder again.",
    enabled=_saved_somewhere,
    menu="File",
    group=1,
    keys=("Ctrl+R",),
    contexts=("tab",),
)
def reload(session: Session, document: int | None = None, discard: bool = False) -> None:
    """Read the file and the folder again; asks before edits are lost, unless `discard` is set."""
    session.runs.scan(session)
    target = document_meant(session, document)
    if target is None:
        return
    if not target.edited or discard:
        reloading.reload(session, target)
        return
    question = Confirm(
        f"Reload {target.title}?",
        "The edits made here are in no file and will be lost.",
        (KEEP_MINE, RELOAD),
        frozenset({RELOAD}),
    )
    session.ask(question, lambda choice: reloading.reload(session, target) if choice == RELOAD else None)


def _to_save(session: Session, document: int | None = None, **_arguments: Any) -> str | None:
    target = document_meant(session, document)
    if target is None:
        return NO_DOCUMENT
    if target.members is not None:
        return NOTHING_TO_SAVE
    if target.state is None:
        return with_run(session)
    return "It is being saved already." if target.on_disk.saving else None


def _needs_saving(session: Session, document: int | None = None, **_arguments: Any) -> str | None:
    reason = _to_save(session, document)
    target = document_meant(session, document)
    if reason is None and target is not None and target.origin is not None:
        return None  # what is saved is a .tine file, beside the session
    if reason is None and target is not None and not target.dirty and not target.on_disk.changed:
        return "There is nothing to save: the file has everything."
    return reason


@declare(
    ACTIONS,
    "file.save",
    "Save",
    "Write the run to its file, whole or not at all.",
    enabled=_needs_saving,
    menu="File",
    group=2,
    keys=("Ctrl+S",),
    contexts=("tab",),
)
def save(session: Session, document: int | None = None) -> None:
    """Save; asks for a path if the run has no file, and before anything is lost."""
    target = document_meant(session, document)
    if target is not None:
        saving.save(session, target)


@declare(
    ACTIONS,
    "file.save_as",
    "Save as…",
    "Write the run to another file and go on with that one.",
    enabled=_to_save,
    menu="File",
    group=2,
    keys=("Ctrl+Shift+S",),
)
def save_as(
    session: Session, document: int | None = None, path: Path | str | None = None, overwrite: bool = False
) -> None:
    """Save to a given path, or ask for one."""
    target = document_meant(session, document)
    if target is None:
        return
    if path is None:
        saving.save_as(session, target)
    else:
        saving.save_to(session, target, Path(path), overwrite=overwrite)


@declare(
    ACTIONS,
    "file.save_copy",
    "Save a copy…",
    "Write the run to another file and go on with this one.",
    enabled=_to_save,
    menu="File",
    group=2,
)
def save_copy(session: Session, document: int | None = None, form: saving.Form = "same") -> None:
    """Ask for a path and write there."""
    target = document_meant(session, document)
    if target is not None:
        saving.save_copy(session, target, form)


@declare(
    ACTIONS,
    "file.export",
    "Export…",
    "Write what is on show as a picture, a page, a graph or data: all steps, the selected ones, or those in view.",
    enabled=with_steps,
    menu="File",
    group=2,
    keys=("Ctrl+E",),
)
def export(session: Session, path: Path | str | None = None, part: exporting.Part | None = None) -> None:
    """Ask what to export and where to, or write to `path`; its suffix names the format."""
    exporting.ask_and_export(session, document_of(session), path=None if path is None else Path(path), part=part)


def _compared(session: Session, **_arguments: Any) -> str | None:
    document = session.active
    overlay = document.overlay if document is not None else None
    return None if overlay is not None and overlay.comparison is not None else "Compare two runs first."


@declare(
    ACTIONS,
    "file.export_card",
    "Export card…",
    "Write what sets the two runs apart on one card.",
    enabled=_compared,
    menu="File",
    group=2,
)
def export_card(session: Session, path: Path | str | None = None) -> None:
    """Ask where to, or write to `path` (.svg, .png or .md)."""
    exporting.ask_and_export(session, document_of(session), card=True, path=None if path is None else Path(path))


@declare(
    ACTIONS,
    "file.close",
    "Close",
    "Close the tab; asks about unsaved work.",
    enabled=with_document,
    menu="File",
    group=3,
    keys=("Ctrl+W",),
    contexts=("tab",),
)
def close(session: Session, document: int | None = None) -> None:
    """Close a document, the active one by default."""
    target = document_meant(session, document)
    if target is not None:
        closing.close(session, target)


def _closed(session: Session, **_arguments: Any) -> str | None:
    return None if session.closed_tabs or _not_open(session) else "No tab was closed."


def _not_open(session: Session) -> list[Path]:
    """The recent files that no tab shows, the newest first."""
    opened = {document.path for document in session.documents}
    return [Path(path) for path in session.settings.recent if Path(path) not in opened]


@declare(
    ACTIONS,
    "file.reopen",
    "Reopen closed tab",
    "Open the tab again that was closed last, unsaved work included, or else a recent file.",
    enabled=_closed,
    menu="File",
    group=3,
    keys=("Ctrl+Shift+T", "Ctrl+Shift+O"),
    contexts=("tab", "tabs"),
)
def reopen(session: Session, document: int | None = None) -> None:
    """Open what was closed last, else the newest file that is not open; the tab pointed at does not matter."""
    while session.closed_tabs:
        last = session.closed_tabs[-1]
        if isinstance(last, Document):
            putting_back.put_back(session, last)
            return
        session.closed_tabs.pop()
        if isinstance(last, ShownTogether):
            if several_runs.open_again(session, last):
                return
        elif session.document_at(last) is None and is_there(last):
            opening.open_path(session, last)
            return
    recent = next((path for path in _not_open(session) if is_there(path)), None)
    if recent is not None:
        opening.open_path(session, recent)
    else:
        session.notices.add("info", "What was open before is not there any more.", key="reopen")


@declare(
    ACTIONS,
    "file.quit",
    "Quit",
    "Close everything; asks about each unsaved document.",
    menu="File",
    group=9,
    keys=("Ctrl+Q",),
)
def quit_application(session: Session) -> None:
    """Ask about each unsaved document, then quit."""
    closing.quit_session(session)


@declare(
    ACTIONS, "file.recover", "Open recovered work", "Open what a session that crashed had not saved.", palette=False
)
def recover(session: Session, key: str) -> None:
    """Open the documents a crashed session left."""
    session.recovery.open(key)


@declare(
    ACTIONS,
    "file.discard_recovered",
    "Discard recovered work",
    "Delete what a session that crashed had not saved.",
    palette=False,
)
def discard_recovered(session: Session, key: str) -> None:
    """Delete the copies a crashed session left; asks first."""
    titles = session.recovery.titles(key)
    if not titles:
        return
    question = Confirm(
        "Discard the recovered work?",
        f"{', '.join(titles)}: these copies are the only ones and will be deleted.",
        (KEEP_RECOVERED, DISCARD_RECOVERED),
        frozenset({DISCARD_RECOVERED}),
    )
    session.ask(question, lambda choice: session.recovery.discard(key) if choice == DISCARD_RECOVERED else None)
