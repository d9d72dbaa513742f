"""What a session needs to know of the features that work in it; `app.application` makes them and puts them in."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec

from opentine_gui.app.document.document import Document


class Proposal(Protocol):
    """A fork, a merge or another edit that is shown before it happens."""

    TYPED: ClassVar[tuple[str, ...]]
    """Its fields that the user may change."""

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals to do the same have the same."""

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it that must not be lost."""

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""

    def concerns(self, document: Document | None) -> bool:
        """Whether it belongs to this document."""


class Presentation(Protocol):
    """The steps of a document, shown one after the other."""

    @property
    def document(self) -> Document:
        """The document whose steps are presented."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps in order."""

    @property
    def position(self) -> int:
        """The index of the present step in `steps`."""

    @property
    def step(self) -> str:
        """The present step."""

    @property
    def hides(self) -> bool:
        """Whether what looks like a secret is hidden."""

    @property
    def told(self) -> frozenset[str]:
        """The steps presented so far, the present one included."""

    def stop(self, session: Any) -> None:
        """End it and restore the panels and the camera. (The type Session is not known here: it imports this.)"""


class Written(msgspec.Struct, frozen=True):
    """A session that was written for an agent, kept so that it can be run and removed again.

    `files`: (file, SHA-256 of its bytes), none where the agent has taken them in; `command` goes on in it; `removal`:
    how the user removes it in the agent. `takes_in` is the command that has to be run before, () when it was. `opens`:
    what shows it here. `at`: the Unix time at which its file was written.
    """

    title: str
    files: tuple[tuple[Path, str], ...]
    command: tuple[str, ...]
    folder: Path | None
    removal: str
    takes_in: tuple[str, ...] = ()
    opens: Path | None = None
    at: float = 0.0


class SafetyCopies(Protocol):
    """Copies of unsaved documents that survive a crash; a `key` names what one crashed session left."""

    def forget(self, document: Document) -> None:
        """Delete the copy of a document that is saved or closed."""

    def copy_all(self) -> None:
        """Begin a copy of every unsaved document that has none of its present state."""

    def titles(self, key: str) -> tuple[str, ...]:
        """The titles of the documents the crashed session left."""

    def open(self, key: str) -> None:
        """Open what the crashed session left."""

    def discard(self, key: str) -> None:
        """Delete what the crashed session left."""

    def close(self) -> None:
        """End with the session."""
