"""Saving: where to, the questions asked before anything is lost, and the jobs that write."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.members import comparison_title
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.document.tab_names import short_title
from opentine_gui.app.files.ask_where import REPLACE, ask_where
from opentine_gui.app.files.going_on import forked_session
from opentine_gui.app.files.marking import confirm_marks
from opentine_gui.app.files.secret_question import SAVE
from opentine_gui.app.files.secret_question import confirm as confirm_secrets
from opentine_gui.app.folder.readable import as_tine_error
from opentine_gui.app.state.prompts import CANCEL, Answer, Confirm, SaveFile
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.write_run import SaveResult, write_run
from opentine_gui.core import Cancelled, EditError, FileChanged, RunRecord, StorageError, will_drop_signature
from opentine_gui.core.analysis.hidden_secrets import SIGN, hide
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import counted
from opentine_gui.importers import readers
from opentine_gui.scene.text.clean import ELLIPSIS, whole_words
from opentine_gui.scene.text.told_apart import from_difference

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

Form = Literal["same", "plain", "zlib", "zstd"]
"""How a copy is stored: like the document's own file, as plain text, or compressed."""

_RESERVED = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Names that Windows keeps for devices, whatever their suffix."""
SAVE_ANYWAY, OVERWRITE, KEEP_BOTH = "Save without the signature", "Overwrite", "Keep both"
LONGEST_TITLE = 400
"""Characters of a title that a file name is made from."""
LONGEST_STEM = 60
"""Characters of a suggested name before its ending."""
_MOST_OF_A_PROMPT = 20_000
_HIDDEN = re.compile(rf"{SIGN}+\[[^\]]*\]{SIGN}*")
SHOW_DIFFERENCE = "Show difference"
READ = "read"
"""Stands for the SHA-256 of the content that the run goes back to."""


def save(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Save a document to its file; ask for one if it has none, or one of another program's format.

    `then` runs after the file is written.
    """
    if document.path is None or document.origin is not None:
        save_as(session, document, then)
        return

    def go() -> None:  # after the questions, during which the file may get another name
        if document.path is not None:
            _write(session, document, document.path, then=then, replaces=READ)

    _confirm_signature(session, document, lambda: _confirm_replacing(session, document, go))


def save_as(session: Session, document: Document, then: Callable[[], None] | None = None) -> None:
    """Ask for a path and save there; it becomes the document's file."""
    _ask_path(
        session,
        document,
        "Save as",
        lambda path: _write_elsewhere(session, document, path, then),
    )


def save_copy(session: Session, document: Document, form: Form = "same") -> None:
    """Ask for a path and write a copy there; the document keeps its file, and stays unsaved if it was."""

    def chosen(path: Path) -> None:
        if document.on_disk.saving:
            document.on_disk.after_saving.append(("Save a copy", lambda: chosen(path)))
        else:
            _confirm_content(session, document, lambda: _write_copy(session, document, path, form))

    _ask_path(session, document, "Save a copy", chosen)


def save_to(session: Session, document: Document, path: Path, *, overwrite: bool = False) -> None:
    """Save to a given path like `save_as`. EditError or StorageError for a file that must not be replaced."""
    path = _tine_path(path)
    refuse_originals(session, document, path)
    if os.path.exists(path) and not overwrite and not _same_file(document.path, path):
        raise StorageError("the file exists and was not replaced", path=path)
    _write_elsewhere(session, document, path)


def start_folder(session: Session, document: Document) -> Path:
    """The folder in which the question for a new file begins: never an agent's own, which is hidden."""
    made_from = document.source.folder if document.source is not None else None
    own = document.path.parent if document.path is not None else made_from
    folder = own or session.runs.folder or session.working_folder
    if document.origin is None or not any(part.startswith(".") for part in folder.parts):
        return folder
    working = session.working_folder
    return working if working != Path(working.anchor) else Path.home()


def _ask_path(session: Session, document: Document, title: str, chosen: Callable[[Path], None]) -> None:
    folder = start_folder(session, document)

    def named(path: Path) -> Path:
        path = _tine_path(path)
        refuse_originals(session, document, path)
        return path

    ask_where(session, SaveFile(title, folder, suggested_name(document, folder)), chosen, named=named)


def suggested_name(document: Document, folder: Path, ending: str = ".tine") -> str:
    """A file name that is free in `folder`, made from the title that was given, else from the name of a file.

    That is the document's file, or its source's. Words stay parted by spaces, for the tab has the file's name.
    """
    if document.path is not None:
        stem, word = document.path.stem, "copy" if ending == ".tine" else ""
        if document.origin is not None:
            stem, word = document.title, ""
    elif document.source and document.source.paths:
        stem, word = document.source.paths[0].stem, document.source.word
        # An agent's log is named by a number, which nobody would recognise.
        if document.source.paths[0].suffix != ".tine" or _has_title(document):
            stem, word = document.title, ""
    else:
        stem, word = (document.record.run_id if document.record else "run"), ""
    if document.overlay is not None and document.overlay.comparison is not None:
        stem = _compared(document.overlay)
    else:
        stem = _without_secrets(stem[:LONGEST_TITLE], document.record)
    words = re.sub(r"[^\w.\s-]+(?=\s|$)|(?<!\S)[^\w.\s-]+", "", unicodedata.normalize("NFC", stem)).split()
    stem = whole_words(re.sub(r"[^\w. -]+", "-", " ".join(words)).strip("-. "), LONGEST_STEM).rstrip("-. ") or "run"
    base = f"{stem}-{word}" if word else stem
    if _RESERVED.fullmatch(base.split(".")[0]):
        base = f"run-{base}"
    name, number = f"{base}{ending}", 2
    while os.path.lexists(folder / name):  # a link that leads nowhere is taken, too
        name, number = f"{base}-{number}{ending}", number + 1
    return name


def _compared(overlay: Overlay) -> str:
    """The name of a comparison: as much of both runs' names as there is room for, in words that tell them apart."""
    runs = [(overlay.runs[number], overlay.family.records[number]) for number in overlay.pair]
    a, b = (_without_secrets(run.title[:LONGEST_TITLE], record) for run, record in runs)
    most = (LONGEST_STEM - len(comparison_title(("", "")))) // 2
    if a != b and whole_words(a, most) == whole_words(b, most):
        a, b = (from_difference(one, other, LONGEST_TITLE).strip(ELLIPSIS) for one, other in ((a, b), (b, a)))
    return comparison_title((whole_words(a, most), whole_words(b, most)))


def _without_secrets(title: str, record: RunRecord | None) -> str:
    """A title without the words that hold what looks like a secret: a file's name is seen by many.

    Where the title was cut, what is left of a key no longer has its form: the prompt still has the whole of it.
    """
    words = _HIDDEN.sub(" ", hide(title).text).split()
    prompt = record.user_prompt[:_MOST_OF_A_PROMPT] if record is not None else ""
    told = hide(prompt)
    if not told.kinds:
        return " ".join(words)
    return " ".join(word for word in words if (cut := word.rstrip("….")) not in prompt or cut in told.text)


def _has_title(document: Document) -> bool:
    """Whether a fork or a merge was given a title: it inherits none."""
    return document.record is not None and bool(document.record.metadata.get("title"))


def refuse_originals(session: Session, document: Document, path: Path) -> None:
    """EditError if what is saved or exported there would replace what the run was made from, or another tab's file."""
    if document.source is not None and any(_same_file(source, path) for source in document.source.paths):
        raise EditError("this is the file it was made from, and an original is never overwritten", path=path)
    if document.origin is not None and any(_same_file(source, path) for source in document.origin.sources):
        raise EditError("this is the session it was read from, which is never written", path=path)
    other = session.document_at(path)
    if other is not None and other is not document:
        raise EditError("this file is open in another tab; close it there or choose another name", path=path)


def _confirm_content(session: Session, document: Document, go: Callable[[], None]) -> None:
    """Do `go`, once the user agrees to a signature that is dropped and to secrets in what is written.

    While secrets are looked for and asked about the document is being saved: closing and quitting wait.
    """
    _confirm_signature(session, document, lambda: confirm_secrets(session, document, SAVE, go))


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
    session: Session, document: Document, path: Path, *, then: Callable[[], None] | None = None, replaces: str = ""
) -> None:
    """Write in a job; ask first where the run was made from one that did not verify. See `_write_now`."""
    _refuse_while_saving(document)
    _confirm_marks(session, document, path, lambda: _write_now(session, document, path, then=then, replaces=replaces))


def _write_elsewhere(session: Session, document: Document, path: Path, then: Callable[[], None] | None = None) -> None:
    """Write to another file, which becomes the document's, after all that has to be asked."""
    _refuse_while_saving(document)

    def go() -> None:
        _confirm_marks(session, document, path, lambda: _write_now(session, document, path, then=then))

    _confirm_content(session, document, go)


def _refuse_while_saving(document: Document) -> None:
    if document.on_disk.saving:
        raise EditError("it is being saved already", path=document.path)


def _confirm_marks(session: Session, document: Document, path: Path, go: Callable[[], None]) -> None:
    """Do `go`, once the user agrees to the marks that saving adds; closing and quitting wait until that is clear."""

    def failed(error: Exception) -> None:
        _say_not_saved(session, short_title(document), error, path)

    confirm_marks(session, document, go, failed=failed, stopped=lambda: _say_stopped(session, path))


def _write_now(
    session: Session, document: Document, path: Path, *, then: Callable[[], None] | None = None, replaces: str = ""
) -> None:
    """Write in a job. With `replaces`, a SHA-256 in hex or `READ`, ask before replacing a file with other content."""
    state = document.state
    if state is None:
        raise EditError("there is nothing to save", path=path)
    record, expected = state.record, state.base if replaces == READ else replaces
    disk = document.on_disk.disk if path == document.path else 0

    def work(progress: ReportProgress, cancelled: IsCancelled) -> SaveResult:
        if disk and storage.fingerprint(path) is None and storage.disk_of(path) not in (0, disk):
            raise StorageError("the disk with this file is not connected; connect it, or use Save as", path=path)
        return write_run(record, path, progress, cancelled, replaces=expected or None)

    def done(outcome: SaveResult) -> None:
        forked_session.remember(session, document)
        if document.origin is not None:
            document.live = document.live.ended()
        document.path, document.origin = path, None
        document.mark_saved(state, outcome.record, outcome.digest)
        document.on_disk.note_content(outcome.fingerprint, outcome.digest)
        document.on_disk.disk, document.on_disk.saved = outcome.disk, outcome.fingerprint
        if then is not None:
            document.on_disk.after_saving.append((f"Saving {path.name}", then))
        session.settings.remember_file(path)
        session.notices.dismiss(document.key("changed"))
        session.notices.add("good", f"Saved {path.name}.", detail=str(path), key=document.key("saved"))
        if document.state is not None and not document.dirty:
            session.recovery.forget(document)
        session.watch_files()
        session.runs.scan(session)

    def failed(error: Exception) -> None:
        if isinstance(error, Cancelled):
            _say_stopped(session, path)
            return
        if isinstance(error, FileChanged):
            _ask_overwrite(session, document, path, error.found, then)
            return
        problem = as_tine_error(error, path)
        session.notices.add(
            "error",
            f"{document.title} was not saved: {problem}",
            actions=(("Save as…", "file.save_as", {"document": document.number}),),
            key=document.key("saved"),
        )

    session.jobs.submit(
        document.key("save"),
        work,
        done,
        failed,
        title=f"Saving {path.name}",
        must_finish=True,
        over=document.on_disk.being_written(session),
    )


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
        _say_not_saved(session, "The copy", error, path)

    def done(_written: SaveResult) -> None:
        session.notices.add("good", f"Saved a copy as {path.name}.", detail=str(path))
        session.runs.scan(session)

    def write() -> None:
        session.jobs.submit(
            f"copy:{path}",
            lambda progress, cancelled: write_run(record, path, progress, cancelled, compress),
            done,
            failed,
            title=f"Saving {path.name}",
            must_finish=True,
        )

    _confirm_marks(session, document, path, write)


def _say_not_saved(session: Session, what: str, error: Exception, path: Path) -> None:
    """Say why something was not saved; where is in the detail, for a long path would take the lines of the reason."""
    problem = as_tine_error(error, path)
    session.notices.add("error", f"{what} was not saved: {problem.reason}", detail=str(problem))


def _say_stopped(session: Session, path: Path) -> None:
    session.notices.add("info", f"Saving {path.name} was stopped; nothing was written.")


def _ask_overwrite(
    session: Session, document: Document, path: Path, found: str, then: Callable[[], None] | None
) -> None:
    """Ask what becomes of a file that has other content, with the SHA-256 `found`, than what was read."""
    document.on_disk.changed = True
    question = Confirm(
        f"Overwrite {path.name}?",
        f"{path} was changed by someone else after it was opened here. Saving replaces their version.",
        (KEEP_BOTH, SHOW_DIFFERENCE, "Save as…", CANCEL, OVERWRITE),
        frozenset({OVERWRITE}),
    )

    def answered(choice: Answer) -> None:
        now = document.path or path  # it may have another name since it was asked
        if choice == OVERWRITE:
            _write(session, document, now, then=then, replaces=found)
        elif choice == KEEP_BOTH:
            _write(session, document, now.with_name(suggested_name(document, now.parent)), then=then)
        elif choice == "Save as…":
            save_as(session, document, then)
        elif choice == SHOW_DIFFERENCE:
            session.invoke("compare.with_file", document=document.number)

    session.ask(question, answered)
    session.touch()


def _confirm_replacing(session: Session, document: Document, go: Callable[[], None]) -> None:
    """Ask before replacing a file that is read-only, or that has other names, which would keep the old content."""
    path = document.path
    if path is None:
        return
    try:
        status = path.stat()
    except OSError:
        go()
        return
    if not status.st_mode & stat.S_IWUSR:
        why = f"{path} is read-only. Saving replaces it all the same; it stays read-only."
    elif status.st_nlink > 1 and os.name != "nt":
        names = counted(status.st_nlink - 1, "other name")
        why = f"{path} has {names} (hard links). Saving changes it under this name; the others keep the old content."
    else:
        go()
        return
    question = Confirm(f"Replace {path.name}?", why, (CANCEL, REPLACE), frozenset({REPLACE}))
    session.ask(question, lambda choice: go() if choice == REPLACE else None)


def _tine_path(path: Path) -> Path:
    """The path with the ending of a run; what only looks like an ending, as in "claude-2.1", belongs to the name."""
    path = path.expanduser().absolute()
    return path if path.name.lower().endswith(readers.suffixes()) else path.with_name(path.name + ".tine")


def _same_file(one: Path | None, other: Path) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)
