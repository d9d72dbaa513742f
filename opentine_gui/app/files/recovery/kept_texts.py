"""Writes what is typed into proposals beside the safety copies, a moment after it changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.tab_names import short_title
from opentine_gui.app.features import Proposal
from opentine_gui.app.files.recovery.safety_copies import remove_typed
from opentine_gui.app.files.recovery.typed_texts import LARGEST, SUFFIX, TypedTexts, drafts_in, encoded
from opentine_gui.app.state.own_files import stored_path
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import new_lock
from opentine_gui.core import StorageError, TineError
from opentine_gui.core.files import storage
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

WRITE_AFTER = 0.5
"""Seconds from a key to the copy of what was typed: those of a word share one."""

_WRITE_PRIORITY = 1

Drafts = tuple[Proposal, ...]


class KeptTexts:
    """A file for each document into whose proposals something was typed, until it is done, emptied or closed.

    `own_folder` makes the folder of this session; `left` is called with the folder of a recovered file that went.
    """

    def __init__(self, session: Session, own_folder: Callable[[], Path], left: Callable[[Path], None]) -> None:
        self._session, self._own_folder, self._left = session, own_folder, left
        self._kept: dict[int, Drafts] = {}
        """Document number -> what its file holds, or will when the job is done that writes it."""
        self._since: dict[int, float] = {}
        self._files: dict[int, Path] = {}
        self.origins: dict[int, Path] = {}
        """Document number -> the file of a crashed session, kept until there is a newer one or none is needed."""
        self._writing = new_lock()

    def tick(self, *, after: float = WRITE_AFTER) -> None:
        """Write what changed `after` seconds ago, and delete what nobody needs. Called in every frame."""
        session = self._session
        if session.proposal is None and not session.drafts and not self._kept and not self.origins:
            return
        now = session.clock()
        for document in session.documents:
            number, typed = document.number, self._typed_into(document)
            if not typed:
                if number in self._kept or number in self.origins:
                    self.forget(number)
            elif typed == self._kept.get(number):
                self._since.pop(number, None)
            elif now - self._since.setdefault(number, now) >= after and not (after and self._is_written(document)):
                self._write(document, typed)
        for number in {*self._kept, *self.origins} - {document.number for document in session.documents}:
            self.forget(number)

    def write_all(self) -> None:
        """Begin to write what is not written yet, and delete what nobody needs: the session ends."""
        self.tick(after=0.0)

    def forget(self, number: int) -> None:
        """Delete what is kept about a document."""
        self._since.pop(number, None)
        self._kept.pop(number, None)  # before the file is deleted, so that a job still writing sees it
        if number in self._files:
            remove_typed(self._files.pop(number))
        self._drop_origin(number)

    def recover(self, file: Path, texts: TypedTexts, numbers: dict[int, int]) -> bool:
        """Have what was typed there when the same is proposed again. Whether there was any.

        `numbers`: those of the documents now by those in the crashed session.
        """
        session = self._session
        drafts = list(drafts_in(texts, numbers))
        for draft in drafts:
            session.drafts.setdefault(draft.subject, draft)
        number = numbers.get(int(file.stem)) if file.stem.isdecimal() else None
        if drafts and number is not None:
            self.origins[number] = file
        elif number is not None:
            remove_typed(file)
        return bool(drafts)

    def _typed_into(self, document: Document) -> Drafts:
        session = self._session
        found = {about: draft for about, draft in session.drafts.items() if draft.concerns(document)}
        present = session.proposal
        if present is not None and present.touched and present.concerns(document):
            found[present.subject] = present
        return tuple(found.values())

    def _is_written(self, document: Document) -> bool:
        return self._session.jobs.is_running(document.key("typed"))

    def _write(self, document: Document, typed: Drafts) -> None:
        number, title, path = document.number, clean(document.title, 200), stored_path(str(document.path or ""))
        self._since.pop(number, None)
        self._kept[number] = typed

        def failed(error: Exception) -> None:
            reason = error.reason if isinstance(error, TineError) else str(error)
            text = f"What was typed about {short_title(document)} could not be copied: {reason}"
            self._session.notices.add("warning", text, detail=str(error), key="recovery")

        try:
            file = self._files[number] = self._own_folder() / f"{number}{SUFFIX}"
        except OSError as error:  # filelock's Timeout is one, too
            failed(error)
            return

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            content = encoded(title, path, typed)
            if len(content) > LARGEST:
                raise StorageError("it is too long; do what is proposed to keep it")
            with self._writing:
                try:
                    if self._kept.get(number) is typed:
                        storage.write_bytes_atomic(file, content)
                finally:
                    if number not in self._kept:
                        remove_typed(file)

        key = document.key("typed")
        self._session.jobs.submit(
            key,
            work,
            lambda _nothing: self._drop_origin(number),
            failed,
            priority=_WRITE_PRIORITY,
            must_finish=True,
            quiet=True,
        )

    def _drop_origin(self, number: int) -> None:
        """Delete the file of a crashed session that is not needed any more."""
        file = self.origins.pop(number, None)
        if file is not None:
            remove_typed(file)
            self._left(file.parent)
