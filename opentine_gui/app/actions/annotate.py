"""Annotate actions: notes, bookmarks and colours beside steps, kept by step id and never written into a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, of_one_run, record_of, step_of, with_run, with_step
from opentine_gui.app.actions.select import show_next
from opentine_gui.app.files.ask_where import ask_and_write
from opentine_gui.app.files.recovery.left_texts import AskedAbout
from opentine_gui.app.inspect.annotation_rows import annotated_steps, notes_markdown
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.annotations import COLOURS, LONGEST_NOTE, NOTHING, Annotation
from opentine_gui.app.state.commands import Annotate
from opentine_gui.app.state.prompts import Answer, AskText, Choose
from opentine_gui.core import EditError
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NO_COLOUR = "No colour"
NOTE_LINES = 5
_NAMES = {name.capitalize(): name for name in COLOURS}


def _can_annotate(session: Session, **arguments: Any) -> str | None:
    return with_step(session, **arguments) or of_one_run(session, "write notes")


def _chosen(session: Session, step: str | None) -> list[str]:
    """The given step, or all that are selected."""
    if step is not None:
        return [step_of(session, step)]
    return list(document_of(session).selection)


def _present(document: Document, steps: Sequence[str]) -> list[str]:
    """Those of the steps that are in the run, as they are called now: a call has another id once it has its result."""
    return [step for step in map(document.present_step, steps) if step is not None]


def _of(document: Document, step_id: str) -> Annotation:
    return document.annotations.get(step_id, NOTHING)


def _apply(session: Session, document: Document, changes: dict[str, Annotation], what: str) -> None:
    label = what if len(changes) == 1 else f"{what} of {counted(len(changes), 'step')}"
    session.apply(document, Annotate(changes, label))


@declare(
    ACTIONS,
    "step.note",
    "Note…",
    "Write a note beside a step; an empty one removes it.",
    enabled=_can_annotate,
    menu="Edit",
    group=2,
    keys=("Ctrl+M",),
    contexts=("step",),
)
def note(session: Session, step: str | None = None, text: str | None = None) -> None:
    """Set a step's note to `text`, or ask for it."""
    step_id = step_of(session, step)
    document = document_of(session)

    asked = AskedAbout(session, "note", document, step_id, _of(document, step_id).note)

    def answered(answer: Answer | None) -> None:
        if not isinstance(answer, str):
            return
        asked.answered()
        written = answer.strip()
        if len(written) > LONGEST_NOTE:
            asked.left(answer)
            raise EditError(f"a note has at most {LONGEST_NOTE:,} characters, and this one has {len(written):,}")
        changes = {}
        for present in _present(document, [step_id]):
            old = _of(document, present)
            changes[present] = Annotation(written, old.bookmarked, old.colour)
        if changes:
            session.apply(document, Annotate(changes, "Note" if written else "Remove note"))
        elif written:
            _tell_unkept(session, written)

    if text is not None:
        answered(text)
        return
    name = title(record_of(session).graph.step(step_id))
    session.ask(AskText("Note", name, "Save", asked.value, NOTE_LINES, asked.left), answered)


def _tell_unkept(session: Session, written: str) -> None:
    """Say that a note has no step any more, and offer what was typed."""
    copy = ("Copy the note", "edit.copy_text", {"text": written, "what": "the note"})
    text = "The note was not kept: its step is no longer in the run."
    session.notices.add("warning", text, detail=written, actions=(copy,), key="note")


def _has_note(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = _can_annotate(session, step=step)
    if reason is not None:
        return reason
    document = document_of(session)
    return None if any(_of(document, one).note for one in _chosen(session, step)) else "There is no note here."


@declare(
    ACTIONS,
    "step.delete_note",
    "Delete note",
    "Delete the notes of the selected steps; undo brings them back.",
    enabled=_has_note,
    menu="Edit",
    group=2,
    contexts=("step",),
)
def delete_note(session: Session, step: str | None = None) -> None:
    """Take the notes off the given step, or off all that are selected; bookmarks and colours stay."""
    document = document_of(session)
    noted = {one: old for one in _chosen(session, step) if (old := _of(document, one)).note}
    changes = {one: Annotation("", old.bookmarked, old.colour) for one, old in noted.items()}
    _apply(session, document, changes, "Delete note")
    notes = [f"“{clean(old.note, 60)}”" for old in noted.values()]
    said = f"note {notes[0]}" if len(notes) == 1 else counted(len(notes), "note")
    session.notices.add(
        "info", f"Deleted the {said}. Undo brings {'it' if len(notes) == 1 else 'them'} back.", key="note"
    )


def _bookmarked(session: Session, step: str | None = None, **_arguments: Any) -> bool | str:
    document = session.active
    meant = step if step is not None or document is None else document.selection.primary
    return document is not None and meant is not None and _of(document, meant).bookmarked


@declare(
    ACTIONS,
    "step.bookmark",
    "Bookmark",
    "Bookmark the selected steps, or take their bookmarks away.",
    enabled=_can_annotate,
    menu="Edit",
    group=2,
    keys=("Ctrl+B",),
    contexts=("step",),
    state=_bookmarked,
)
def bookmark(session: Session, step: str | None = None) -> None:
    """Bookmark steps; if all of them are bookmarked, remove their bookmarks."""
    document, chosen = document_of(session), _chosen(session, step)
    wanted = not all(_of(document, step_id).bookmarked for step_id in chosen)
    changes = {}
    for step_id in chosen:
        old = _of(document, step_id)
        changes[step_id] = Annotation(old.note, wanted, old.colour)
    _apply(session, document, changes, "Bookmark" if wanted else "Remove bookmark")


@declare(
    ACTIONS,
    "step.colour",
    "Colour…",
    "Give the selected steps' cards a colour, or none.",
    enabled=_can_annotate,
    menu="Edit",
    group=2,
    contexts=("step",),
)
def colour(session: Session, step: str | None = None, name: str | None = None) -> None:
    """Set the colour of steps to `name` ("" for none), or ask for it. EditError for an unknown colour."""
    document, chosen = document_of(session), _chosen(session, step)

    def set_to(wanted: str) -> None:
        changes = {}
        for step_id in _present(document, chosen):
            old = _of(document, step_id)
            changes[step_id] = Annotation(old.note, old.bookmarked, wanted)
        _apply(session, document, changes, "Colour")

    def answered(answer: Answer | None) -> None:
        if isinstance(answer, str):
            set_to(_NAMES.get(answer, ""))

    if name is not None:
        if name and name not in COLOURS:
            raise EditError(f"{name!r} is no colour; there are {', '.join(COLOURS)}")
        set_to(name)
        return
    what = title(record_of(session).graph.step(chosen[0])) if len(chosen) == 1 else counted(len(chosen), "step")
    session.ask(Choose("Colour", what, (*_NAMES, NO_COLOUR), (*COLOURS.values(), "")), answered)


# --- bookmarks -------------------------------------------------------------------------------------------------------


def _bookmarks(session: Session) -> list[int]:
    document = document_of(session)
    return [
        step.position
        for step in annotated_steps(record_of(session), document.annotations)
        if step.annotation.bookmarked
    ]


def _has_bookmarks(session: Session, **_arguments: Any) -> str | None:
    return with_run(session) or (None if _bookmarks(session) else "No step is bookmarked.")


@declare(
    ACTIONS,
    "go.next_bookmark",
    "Next bookmark",
    "Go to the next bookmarked step.",
    enabled=_has_bookmarks,
    menu="Go",
    group=2,
    keys=("Alt+B",),
)
def next_bookmark(session: Session) -> None:
    """Select the next bookmarked step."""
    show_next(session, _bookmarks(session), 1)


@declare(
    ACTIONS,
    "go.previous_bookmark",
    "Previous bookmark",
    "Go to the bookmarked step before.",
    enabled=_has_bookmarks,
    menu="Go",
    group=2,
    keys=("Shift+Alt+B",),
)
def previous_bookmark(session: Session) -> None:
    """Select the bookmarked step before."""
    show_next(session, _bookmarks(session), -1)


# --- notes as a file -------------------------------------------------------------------------------------------------


def _has_annotations(session: Session, **_arguments: Any) -> str | None:
    reason = with_run(session)
    if reason is not None:
        return reason
    found = annotated_steps(record_of(session), document_of(session).annotations)
    return None if found else "Nothing is written beside a step of this run."


@declare(
    ACTIONS,
    "file.export_notes",
    "Export notes…",
    "Write the notes, bookmarks and colours of this run as Markdown.",
    enabled=_has_annotations,
    menu="File",
    group=2,
)
def export_notes(session: Session) -> None:
    """Ask where, and write them."""
    document, record = document_of(session), record_of(session)
    steps = annotated_steps(record, document.annotations)
    stem = document.title.removesuffix(".tine")
    ask_and_write(
        session, "Export notes", f"{stem}-notes.md", ".md", lambda: notes_markdown(record, steps).encode("utf-8")
    )
