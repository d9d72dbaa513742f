"""Closing and quitting: asks about unsaved work, and waits for writes in progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.tab_names import short_title
from opentine_gui.app.files.recovery.typed_forms import TypedForm, named, show_form, typed_forms
from opentine_gui.app.files.saving import save
from opentine_gui.app.state.prompts import CANCEL, Answer, Confirm
from opentine_gui.importers.sources.parts import divide
from opentine_gui.importers.sources.state import fingerprint_of

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

SAVE, DISCARD = "Save", "Don't save"
STAY, SHOW, QUIT, FORGET = "Stay", "Show", "Quit", "Close and forget it"


def close(
    session: Session, document: Document, then: Callable[[], None] | None = None, *, forgets: bool = False
) -> None:
    """Close a document; asks about unsaved work first. `then` runs once it is closed, not if the user cancels.

    What was typed into its forms and not done goes with it, which is asked about too, unless it `forgets`.
    """

    def close_now() -> None:
        session.remove_document(document)
        if then is not None:
            then()

    if document not in session.documents:  # closed while it was saved, or by another answer
        close_now()
        return
    if document.on_disk.saving:
        _close_when_saved(session, document, lambda: close(session, document, then, forgets=forgets))
        return
    if not forgets and typed_into(session, document):
        ask_about_typed(session, document, lambda: close(session, document, then, forgets=True))
        return
    look_at_file(document)
    if not document.dirty:
        close_now()
        return
    session.activate(document)
    title = f"Save {document.title} before closing?"
    text = "It has changes that are in no file." if document.path else "It is not saved yet."
    if document.on_disk.gone:
        if not document.edited:
            title = "Its file is gone; keep a copy?"
        text = f"{short_title(document)} is no longer at {document.path}: what is shown here is in no file."
    question = Confirm(
        title,
        text,
        (SAVE, DISCARD, CANCEL),
        frozenset({DISCARD}),
    )

    def answered(choice: Answer) -> None:
        if choice == SAVE:
            # Asks again if there was an edit meanwhile.
            save(session, document, lambda: close(session, document, then, forgets=forgets))
        elif choice == DISCARD:
            close_now()

    session.ask(question, answered)


def typed_into(session: Session, document: Document) -> bool:
    """Whether something was typed into a form about a document, which is open or was left, and was not done."""
    present = session.proposal
    open_form = present is not None and present.touched and present.concerns(document)
    return open_form or any(draft.concerns(document) for draft in session.drafts.values())


def ask_about_typed(session: Session, document: Document, then: Callable[[], None]) -> None:
    """Ask whether what was typed may go; Enter, which may be meant for the form, keeps it."""
    session.activate(document)
    _ask_about_forms(
        session, f"Close {document.title} and forget what was typed?", FORGET, typed_forms(session, document), then
    )


def _ask_about_forms(session: Session, title: str, go: str, forms: list[TypedForm], then: Callable[[], None]) -> None:
    """Ask whether what was typed may go, which form it is in, and bring that up again if it is asked for."""
    text = "typed into a form and is in no file, for it has not been done yet."
    text = f"{named(forms)}: it was {text}" if forms else f"It was {text}"
    if len(forms) > 1:
        text = f"{named(forms)}: they were typed into forms and are in no file, for they have not been done yet."
    there = next((form for form in forms if form.is_there), None)
    question = Confirm(title, text, (STAY, go) if there is None else (STAY, SHOW, go), frozenset({go}))

    def answered(choice: Answer) -> None:
        if choice == go:
            then()
        elif choice == SHOW and there is not None:
            show_form(session, there)

    session.ask(question, answered)


def _close_when_saved(session: Session, document: Document, close_it: Callable[[], None]) -> None:
    """Close once the write under way has ended; if it fails, the user is asked as usual."""
    name = document.path.name if document.path is not None else document.title
    session.notices.add("info", f"Closing when {name} is written…", key=document.key("saved"))
    document.on_disk.after_saving.append(("Close", close_it))


def quit_session(session: Session) -> None:
    """Ask about forms typed into and each unsaved document, then set the session's `quit`, unless the user cancels.

    Writes under way are waited for.
    """
    if session.drafts or (session.proposal is not None and session.proposal.touched):
        _ask_about_form(session)
        return
    for document in session.documents:
        look_at_file(document)
    unsaved = next((document for document in session.documents if document.on_disk.saving or document.dirty), None)
    if unsaved is None:
        session.quit = True
        session.touch()
    else:
        close(session, unsaved, lambda: quit_session(session))


def _ask_about_form(session: Session) -> None:
    """Ask whether to quit although a form was typed into; Enter, which may be meant for the form, does not quit."""

    def forget() -> None:
        session.proposal = None
        session.drafts.clear()
        quit_session(session)

    _ask_about_forms(session, "Quit without what you typed?", QUIT, typed_forms(session), forget)


def look_at_file(document: Document) -> None:
    """Note whether a document's file is still there, for a watch may miss its deletion."""
    if document.path is not None and document.state is not None and document.members is None:
        document.on_disk.gone = fingerprint_of(divide(document.path)[0]) is None
