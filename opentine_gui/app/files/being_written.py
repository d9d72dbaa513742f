"""Says of a document that it is being saved, for as long as a job or a question of that save exists.

Closing, quitting and reading the file again wait meanwhile, so a document that stayed "being saved" could never be
closed. Nothing sets a flag back: a save consists of jobs and questions, each of which holds the document, and
`Jobs.submit` and `Session.ask` call `over` whichever way these end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


def being_written(session: Session, document: Document | None) -> Callable[[], None]:
    """Count the document as being saved until the returned function is called, and go on then with what waited.

    To be passed as `over` to the job or question that this is about; a second call does nothing. Without a document
    nothing is counted.
    """
    if document is None:
        return lambda: None
    disk, part = document.on_disk, object()
    disk.writers.add(part)

    def over() -> None:
        if part not in disk.writers:
            return
        disk.writers.remove(part)
        if not disk.writers:
            waiting, disk.after_saving = disk.after_saving, []
            for title, work in waiting:
                session.run_later(title, work)
        session.touch()

    return over
