"""Puts unsaved work back into a tab: there is one tab of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.document.on_disk import OnDisk
from opentine_gui.app.document.source import Source
from opentine_gui.app.files import closing, reloading

if TYPE_CHECKING:
    from pathlib import Path

    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session


def make_room(session: Session, path: Path) -> bool:
    """Close the tab of a file if nothing is lost by that; whether no tab has the file now."""
    document = session.document_at(path)
    if document is None:
        return True
    closing.look_at_file(document)
    if document.on_disk.saving or document.dirty or closing.typed_into(session, document):
        return False
    session.remove_document(document)
    if document.path is not None and document.path in session.closed_tabs:  # it is open as what takes its place
        session.closed_tabs.remove(document.path)
    return True


def put_back(session: Session, document: Document) -> None:
    """Open a document again that was closed, without its file where another tab has work in that.

    What happened to the file meanwhile is looked for.
    """
    if document.path is not None and not make_room(session, document.path):
        run_ids = (document.record.run_id,) if document.record is not None else ()
        document.source = Source(document.title, (document.path,), run_ids, "copy")
        document.path, document.on_disk = None, OnDisk()
    session.put_back(document)
    reloading.check_for_change(session, document)
