"""What is known of a document's file: the content that was read or written last, and what happened to it since."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import msgspec

if TYPE_CHECKING:
    from opentine_gui.core.files.storage import Fingerprint
    from opentine_gui.core.model import JsonObject


class Progress(msgspec.Struct, frozen=True):
    """What a document without a picture is waiting for; `fraction` is 0..1."""

    label: str
    fraction: float = 0.0


class Host(Protocol):
    """What the end of a write uses of the session."""

    def run_later(self, title: str, work: Callable[[], None]) -> None:
        """Run `work` at the next step; its errors are reported under `title`."""

    def touch(self) -> None:
        """Note that something visible changed."""


@dataclass
class OnDisk:
    """The file behind a document; it knows no path, since that changes with Save as."""

    fingerprint: Fingerprint | None = None
    saved: Fingerprint | None = None
    """That of the file as it was last saved here."""
    digest: str = ""
    """SHA-256, in hex, of the content that was read or written last."""
    disk: int = 0
    """The file system it was read from or written to, 0 if unknown: where a disk is taken away its folder may stay."""
    changed: bool = False
    """True while the file holds something else than what was read or written."""
    gone: bool = False
    """True while the file it was read from is missing."""
    asked_of: str | None = None
    """The state of the file in which it was asked whether the edits made here are kept; None: not asked yet."""
    recheck_pending: bool = False
    """True when the file changed while we were reading or writing it, and it was not compared since."""
    look_after: float = 0.0
    """The session's clock before which the file is not read again: a large one leaves time for other work."""
    own_files: tuple[object, frozenset[str]] = (None, frozenset())
    """The sources of the origin, and the real paths of all files that belong to it."""
    writers: set[object] = field(default_factory=set)
    """The jobs and questions of which a write under way consists; only `being_written` adds and removes them."""
    after_saving: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    """What waits until a write under way has ended: a title for its errors, and the work."""
    accepted_marks: list[JsonObject] = field(default_factory=list)
    """Marks of runs that did not verify which the user agreed to save."""

    @property
    def saving(self) -> bool:
        """True while the file is being written or moved, or a question or check before that is under way."""
        return bool(self.writers)

    def being_written(self, session: Host) -> Callable[[], None]:
        """Count the document as being saved until the returned function is called, and go on then with what waited.

        Closing, quitting and reading the file again wait meanwhile, so a document that stayed "being saved" could never
        be closed. Nothing sets a flag back: a save consists of jobs and questions, and each is given what this returns
        as `over`, which `Jobs.submit` and `Session.ask` call whichever way they end. A second call does nothing.
        """
        part = object()
        self.writers.add(part)

        def over() -> None:
            if part not in self.writers:
                return
            self.writers.remove(part)
            if not self.writers:
                waiting, self.after_saving = self.after_saving, []
                for title, work in waiting:
                    session.run_later(title, work)
            session.touch()

        return over

    def note_content(self, fingerprint: Fingerprint | None, digest: str) -> None:
        """Note that the file was just read or written, and that this is its content."""
        self.fingerprint, self.digest = fingerprint, digest
        self.changed = self.gone = False
        self.asked_of = None
