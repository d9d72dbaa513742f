"""File actions: pick a file that the run touched, walk its steps, read its text, find who wrote a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, record_of, with_steps
from opentine_gui.app.actions.select import show_next, show_step
from opentine_gui.app.inspect.analysis.file_rows import NAME as TOUCHED
from opentine_gui.app.inspect.analysis.file_rows import counts, pick, touched_of
from opentine_gui.app.inspect.analysis.results import GIVEN_UP, was_given_up
from opentine_gui.app.inspect.clipboard_text import copy_and_say
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.app.state.prompts import Answer, AskText, Choose
from opentine_gui.core.analysis.files.blame import blame_line
from opentine_gui.core.analysis.files.file_text import text_at
from opentine_gui.core.analysis.files.touched_files import Touched, TouchedFile
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NO_FILES = "No step of this run reads or changes a file."
LOOKING = "The steps are still being searched for files."
MOST_CHOICES = 200


def _touched(session: Session) -> Touched:
    found = touched_of(session, document_of(session))
    if found is None:
        raise LookupError(LOOKING)
    return found


def _has_files(session: Session, path: str | None = None, **_arguments: Any) -> str | None:
    reason = with_steps(session)
    if reason is not None:
        return reason
    touched = touched_of(session, document_of(session))
    if touched is None:
        return GIVEN_UP if was_given_up(document_of(session), TOUCHED) else LOOKING
    if path is not None and touched.file(path) is None:
        return "No file, or more than one, has that name in this run."
    return None if touched.files else NO_FILES


def _has_picked(session: Session, path: str | None = None, **_arguments: Any) -> str | None:
    reason = _has_files(session, path)
    if reason is None and path is None and document_of(session).picked_file is None:
        return "Pick a file in the list of touched files first."
    return reason


def _file(session: Session, path: str | None) -> TouchedFile:
    """The file with this path, or the one that is picked."""
    picked = document_of(session).picked_file
    wanted = path if path is not None else picked.file.path if picked is not None else ""
    file = _touched(session).file(wanted)
    if file is None:
        raise LookupError(f"this run touches no file {clean(wanted, 120)}, or several of that name")
    return file


def _files_shown(session: Session, **_arguments: Any) -> bool:
    return session.view.files


@declare(
    ACTIONS,
    "view.files",
    "Files touched",
    "Show the files that this run read and changed, or only how many there are.",
    menu="View/Show",
    group=2,
    keys=("Alt+F",),
    state=_files_shown,
)
def show_files(session: Session, shown: bool | None = None) -> None:
    """Unfold or fold the list of touched files."""
    session.view.files = not session.view.files if shown is None else shown


def _choices(session: Session) -> tuple[Choice, ...]:
    document = session.active
    touched = touched_of(session, document) if document is not None else None
    files = touched.files[:MOST_CHOICES] if touched is not None else ()
    picked = document.picked_file if document is not None else None
    here = picked.file.path if picked is not None else None
    return tuple(
        Choice(f"{clean(file.path, 120)}  {counts(file)}", {"path": file.path}, file.path == here) for file in files
    )


@declare(
    ACTIONS,
    "files.pick",
    "Pick a file…",
    "Light up the steps that read, change or check a file.",
    enabled=_has_files,
    menu="Step",
    group=4,
    keys=("J",),
    choices=_choices,
)
def pick_file(session: Session, path: str | None = None) -> None:
    """Pick the file with this path, or ask for one; picking the same file again clears the choice."""
    document, touched = document_of(session), _touched(session)

    def chosen(answer: Answer | None) -> None:
        file = touched.file(answer) if isinstance(answer, str) else None
        if file is not None:
            picked = document.picked_file
            pick(document, None if picked is not None and picked.file.path == file.path else file)
            session.view.files = session.view.files or document.picked_file is not None

    if path is not None:
        chosen(path)
        return
    names = tuple(file.path for file in touched.files[:MOST_CHOICES])
    session.ask(Choose("Pick a file", "Its reads, edits and failing checks light up.", names), chosen)


def _walk(session: Session, path: str | None, way: int) -> None:
    show_next(session, _file(session, path).steps, way)


@declare(
    ACTIONS,
    "files.next_step",
    "Next step of the file",
    "Go to the next step that reads, changes or checks the picked file.",
    enabled=_has_picked,
    menu="Go",
    group=2,
    keys=("Alt+Down",),
    contexts=("file",),
)
def next_step(session: Session, path: str | None = None) -> None:
    """Select the next step of the picked file."""
    _walk(session, path, 1)


@declare(
    ACTIONS,
    "files.previous_step",
    "Previous step of the file",
    "Go to the step before that reads, changes or checks the picked file.",
    enabled=_has_picked,
    menu="Go",
    group=2,
    keys=("Alt+Up",),
    contexts=("file",),
)
def previous_step(session: Session, path: str | None = None) -> None:
    """Select the step of the picked file before the selected one."""
    _walk(session, path, -1)


@declare(
    ACTIONS,
    "files.read",
    "Text of the file",
    "Read the picked file as the selected step left it, with who wrote each line, or what changed in it.",
    enabled=_has_picked,
    menu="Step",
    group=4,
    keys=("Shift+J",),
    contexts=("file",),
)
def read_file(session: Session, path: str | None = None, changes: bool | None = None) -> None:
    """Show a file in the reading view, its text or its changes turn by turn; again closes it."""
    document, view = document_of(session), session.view
    file = _file(session, path)
    picked = document.picked_file
    if picked is None or picked.file.path != file.path:
        pick(document, file)
    if changes is not None:
        view.file_changes = changes
    closes = view.reading and view.file_read and path is None and changes is None
    view.reading, view.file_read = not closes, not closes


def _has_selected(_session: Session, selected: str = "", **_arguments: Any) -> str | None:
    return None if selected else "No text is selected there."


@declare(
    ACTIONS,
    "files.copy_selected",
    "Copy selected text",
    "Copy what is selected of a file's text, as it is seen.",
    enabled=_has_selected,
    contexts=("file_line",),
    palette=False,
)
def copy_selected(
    session: Session, path: str | None = None, line: int | None = None, step: str | None = None, selected: str = ""
) -> None:
    """Copy the text that is selected in the text of a file."""
    copy_and_say(session, selected, "the selected text")


def _may_blame(
    session: Session, path: str | None = None, line: int | None = None, step: str | None = None, selected: str = "",
    **_arguments: Any,
) -> str | None:  # fmt: skip
    reason = _has_picked(session, path)
    if reason is None and line == 0 and step is None:
        return "Which step wrote it is not on record."
    return reason


@declare(
    ACTIONS,
    "files.blame",
    "Who wrote the line",
    "Go to the step that wrote a line of the picked file, if that is recorded.",
    enabled=_may_blame,
    menu="Step",
    group=4,
    contexts=("file_line",),
)
def blame(
    session: Session, path: str | None = None, line: int | None = None, step: str | None = None, selected: str = ""
) -> None:
    """Select the step that wrote a line of the file as the selected step left it; says so where there is no record.

    A `step` that is given is known to have written it.
    """
    if step is not None:
        show_step(session, step)
        return
    file, record, document = _file(session, path), record_of(session), document_of(session)
    primary = document.selection.primary or record.main_tip
    graph = record.graph

    def answered(answer: Answer | None) -> None:
        if not isinstance(answer, str) or primary is None:
            return
        if refused := no_line_number(answer):
            raise LookupError(refused)
        found = blame_line(text_at(graph, file, graph.index(primary)), int(answer))
        if found.writer is None:
            session.notices.add(
                "info", f"Line {int(answer):,}: no record. {found.reason[:1].upper()}{found.reason[1:]}."
            )
        else:
            show_step(session, graph.ids[found.writer])

    if line is not None:
        answered(str(line))
        return
    question = f"A line of {clean(file.path, 200)}, by its number"
    session.ask(AskText("Who wrote the line", question, "Show", refusal=no_line_number), answered)


def no_line_number(text: str) -> str:
    """Why a text is not a line number, as a sentence; "" if it is one."""
    return "" if text.strip().isdecimal() else f"{clean(text, 40)!r} is no number of a line."


@declare(
    ACTIONS, "files.copy_path", "Copy path", "Copy the path of a touched file.", enabled=_has_picked, palette=False,
    contexts=("file", "file_line"),
)  # fmt: skip
def copy_path(
    session: Session, path: str | None = None, line: int | None = None, step: str | None = None, selected: str = ""
) -> None:
    """Copy the path of a file as it was recorded."""
    session.copy(_file(session, path).path)
