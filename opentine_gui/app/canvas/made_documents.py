"""Documents made by a fork or a merge: opened unsaved, taken back by undo while nobody changed them, brought back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.side_stores.remembering import remembered, state_with
from opentine_gui.app.document.source import Source
from opentine_gui.app.document.tab_names import short_title
from opentine_gui.app.files.closing import ask_about_typed, typed_into
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import EditError, RunRecord

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


class MadeFrom(NamedTuple):
    """A run that another is made of: its files, and the run, or None if it is not open any more."""

    paths: Sequence[Path]
    record: RunRecord | None


def made_from(document: Document) -> MadeFrom:
    """What a run made of a document's run comes from: a document in no file comes from what it was made of."""
    own = [document.path] if document.path is not None else document.source.paths if document.source else ()
    return MadeFrom(own, document.record)


def open_made(
    session: Session,
    sources: Sequence[MadeFrom],
    record: RunRecord,
    title: str,
    word: str,
    select: str | None,
    behind: Document | None = None,
) -> Document:
    """Open a fork or merge of runs as an unsaved document with a step selected; every step is shown if all sources do.

    With `behind` it stands beside that document and not in front, which a notice says.
    """
    paths = dict.fromkeys(path for made in sources for path in made.paths)
    run_ids = [made.record.run_id for made in sources if made.record is not None]
    source = Source(title, tuple(paths), tuple(run_ids), word)
    if run_ids and set(run_ids) <= set(session.settings.every_step):
        session.settings.remember_every_step(record.run_id, shown=True)
    state = state_with(record, remembered(session.side_stores, record))
    result = session.add_document(state=state, source=source, behind=behind)
    if behind is not None:
        show = ("Show", "document.activate", {"document": result.number})
        session.notices.add("good", f"{short_title(result)} is ready.", actions=(show,), key=result.key("ready"))
    if select is not None and select in record.graph:
        result.select(Selection((select,)))
    if record.run_id in session.settings.every_step:
        result.folding.every_step = True
    return result


def present_record(document: Document) -> RunRecord:
    """The document's run. EditError if it was closed or is not read yet."""
    if document.record is None:
        raise EditError("the run is not open any more")
    return document.record


def can_take_back(session: Session, document: Document) -> bool:
    """Whether undo removes the whole document: a fork or a merge made here, neither saved nor edited.

    Only while the document it was made in is open: redo there brings it back.
    """
    history = document.history
    untouched = history is not None and history.undo_label is None
    made_here = document.made_in is not None and session.document(document.made_in) is not None
    return made_here and document.path is None and untouched and not document.on_disk.saving


def take_back(session: Session, document: Document) -> None:
    """Close a document that `can_take_back`, and go back to where it was made; redo there brings it back.

    What was typed into its forms does not come back, which is asked about.
    """
    if typed_into(session, document):
        ask_about_typed(session, document, lambda: _take_back_now(session, document))
    else:
        _take_back_now(session, document)


def _take_back_now(session: Session, document: Document) -> None:
    if not can_take_back(session, document):  # it was edited or saved before the answer came
        return
    source = session.document(document.made_in or 0)
    session.remove_document(document)
    if source is None:
        return
    session.activate(source)
    source.taken_back.append((document, _place(source)))


def can_bring_back(source: Document) -> bool:
    """Whether redo opens a document again that undo closed: whatever was undone after it is there again."""
    return bool(source.taken_back) and source.taken_back[-1][1] == _place(source)


def bring_back(session: Session, source: Document) -> None:
    """Open the document again that undo closed last in `source`."""
    document, _ = source.taken_back.pop()
    document.requested_verification = None
    session.put_back(document)


def _place(document: Document) -> int:
    return document.history.number if document.history is not None else 0
