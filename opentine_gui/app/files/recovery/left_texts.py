"""What was typed into a question about a step, a note or the name of a branch, and left without an answer.

It is kept beside what was typed into forms, and is asked about, written and found again as that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.recovery.typed_texts import LeftDraft, RecoveredDraft

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

Subject = tuple[str, int, str]
"""Which question it is, the number of its document, and its step."""


class LeftText(LeftDraft, frozen=True, eq=False):
    """`text` was typed into the question `kind`, as it is called in `typed_forms.FORMS`, about a step."""

    TYPED: ClassVar[tuple[str, ...]] = ("text",)

    kind: str
    document: Document
    step: str
    text: str

    @property
    def subject(self) -> Subject:
        """What it is about: the same question about the same step has the same."""
        return self.kind, self.document.number, self.step

    def concerns(self, document: Document | None) -> bool:
        """Whether it belongs to this document."""
        return document is self.document


class AskedAbout:
    """A question about a step of a document, the answer to which is `present` now: what is typed into it is kept."""

    def __init__(self, session: Session, kind: str, document: Document, step: str, present: str) -> None:
        self._session, self._kind, self._document, self._step = session, kind, document, step
        self._present = present

    @property
    def value(self) -> str:
        """What the question begins with: what was typed when it was left, else the present answer."""
        draft = self._session.drafts.get(self._subject)
        if isinstance(draft, RecoveredDraft):
            text = draft.fields.get("text")
            return text if isinstance(text, str) else self._present
        return draft.text if isinstance(draft, LeftText) else self._present

    def left(self, text: str) -> None:
        """Keep what was typed, unless it is the present answer or its tab is closed."""
        self.answered()
        if text != self._present and self._document in self._session.documents:
            left = LeftText(self._kind, self._document, self._document.present_id(self._step), text)
            self._session.drafts[left.subject] = left

    def answered(self) -> None:
        """Forget what was typed."""
        self._session.drafts.pop(self._subject, None)

    @property
    def _subject(self) -> Subject:
        return self._kind, self._document.number, self._document.present_id(self._step)
