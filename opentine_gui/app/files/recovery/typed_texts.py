"""What was typed into proposals, as it is written beside the safety copies: a file for each document, read as hostile.

It is a file of its own and not a part of the sidecar: it changes far more often than the copy, is there for a document
that is saved as well, and nothing in it can keep a copy from being recovered.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.features import Proposal
from opentine_gui.app.state.payload_form import Entry, text_of
from opentine_gui.core import TineError
from opentine_gui.core.files import storage
from opentine_gui.core.model import SHOWN_KINDS

SUFFIX = ".typed"
LARGEST = 16 << 20
"""Bytes of such a file; what would be larger is not written."""
MOST_DRAFTS = 500
_TITLE = 200

Part: TypeAlias = "str | bool | int | list[tuple[int, str]]"
Typed: TypeAlias = "str | bool"


class Draft(msgspec.Struct, frozen=True):
    """What was typed into one proposal: the parts of its `subject`, and its fields; a form as JSON text.

    The numbers in `about` are those that the documents had in the session that wrote it.
    """

    about: list[Part]
    fields: dict[str, Typed]


class TypedTexts(msgspec.Struct, frozen=True):
    """All that was typed about one document. `path` is its file, "" for one that was never saved."""

    title: str
    path: str = ""
    drafts: list[Draft] = []


class LeftDraft(msgspec.Struct, frozen=True, eq=False):
    """What was typed and left, and is no proposal yet: it becomes one, or an answer, when the same is asked again."""

    @property
    def touched(self) -> bool:
        """It was typed."""
        return True

    @property
    def refusal(self) -> str | None:
        """It is not proposed yet."""
        return None


class RecoveredDraft(LeftDraft, frozen=True, eq=False):
    """What was typed into a proposal in a session that crashed."""

    TYPED: ClassVar[tuple[str, ...]] = ()

    subject: Hashable
    documents: frozenset[int]
    fields: Mapping[str, Typed]

    def concerns(self, document: Document | None) -> bool:
        """Whether it belongs to this document."""
        return document is not None and document.number in self.documents

    def fields_for(self, proposal: Proposal) -> dict[str, Typed]:
        """Those of its fields that the proposal has and that can stand there."""
        return {name: value for name, value in self.fields.items() if _fits(proposal, name, value)}


def _fits(proposal: Proposal, name: str, value: Typed) -> bool:
    if name not in proposal.TYPED:
        return False
    present = getattr(proposal, name)
    if isinstance(present, bool) or isinstance(value, bool):
        return isinstance(present, bool) and isinstance(value, bool)
    return name != "kind" or value in SHOWN_KINDS


def encoded(title: str, path: str, typed: Iterable[Proposal]) -> bytes:
    """The bytes of the file for what was typed; a form that is no JSON yet is kept as the text that it is."""
    drafts = [Draft(_about(one), _fields(one)) for one in typed]
    return msgspec.json.encode(TypedTexts(title, path, drafts))


def _about(proposal: Proposal) -> list[Any]:
    subject = proposal.subject
    return list(subject) if isinstance(subject, tuple) else [str(subject)]


def _fields(proposal: Proposal) -> dict[str, Typed]:
    if isinstance(proposal, RecoveredDraft):
        return dict(proposal.fields)
    found: dict[str, Typed] = {}
    for name in proposal.TYPED:
        value = getattr(proposal, name)
        if isinstance(value, Entry):
            value = value.text if name == "said" else text_of(value)
        found[name] = value if isinstance(value, bool) else str(value).encode("utf-8", "replace").decode()
    return found


def read_typed(folder: Path) -> Iterator[tuple[Path, TypedTexts]]:
    """The files of what was typed in a folder of safety copies; one that cannot be read is passed over."""
    for file in sorted(folder.glob(f"*{SUFFIX}")):
        if file.is_symlink():
            continue
        try:
            texts = msgspec.json.decode(storage.read_bytes(file, limit=LARGEST), type=TypedTexts)
        except (TineError, OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        yield file, msgspec.structs.replace(texts, title=texts.title[:_TITLE])


def drafts_in(texts: TypedTexts, numbers: Mapping[int, int]) -> Iterator[RecoveredDraft]:
    """The drafts of a file; `numbers` are those of the documents now by those they had. One of another is left out."""
    for draft in texts.drafts[:MOST_DRAFTS]:
        try:
            parts = [_renumbered(part, numbers) for part in draft.about]
        except KeyError:
            continue
        known = set(numbers.values())
        concerned = frozenset(number for number in _numbers(parts) if number in known)
        if concerned:
            yield RecoveredDraft(tuple(parts), concerned, draft.fields)


def _renumbered(part: Part, numbers: Mapping[int, int]) -> Hashable:
    if isinstance(part, list):
        return tuple(sorted((numbers[number], step) for number, step in part))  # as a merge has it
    return part if isinstance(part, str | bool) else numbers[part]


def _numbers(parts: Sequence[Hashable]) -> Iterator[int]:
    for part in parts:
        if isinstance(part, tuple):
            yield from (number for number, _ in part)
        elif isinstance(part, int) and not isinstance(part, bool):
            yield part
