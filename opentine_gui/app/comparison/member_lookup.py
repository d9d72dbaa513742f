"""Finds a run that is to be shown together with others: an open document, or a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.document.members import Member, name_of
from opentine_gui.core import EditError

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


def member_of(session: Session, run: int | Path | str) -> Member:
    """A run by the number of its open document, or by its file. LookupError for a number that is not open."""
    document = session.document(run) if isinstance(run, int) else session.document_at(Path(run).expanduser())
    if document is not None:
        if document.members is not None:
            raise EditError("that is no run: it shows several")
        return Member(name_of(document.title), document.number, document.path, document.record)
    if isinstance(run, int):
        raise LookupError("That run is not open any more.")
    path = Path(run).expanduser().absolute()
    return Member(name_of(path.name), None, path)
