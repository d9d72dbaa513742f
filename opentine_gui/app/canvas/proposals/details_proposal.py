"""The proposal of other details: a run's title, tags and status, changed by the user before they are accepted."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec

from opentine_gui.app.canvas.made_documents import present_record
from opentine_gui.app.document.document import Document
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.core import RunRecord, RunStatus
from opentine_gui.core.edit.details import with_details

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


class DetailsProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Another `title`, other `tags` (separated by commas) and another `status` for the run of a document.

    `record` is the run that they were read from: a field that still equals it is not edited.
    """

    TYPED: ClassVar[tuple[str, ...]] = ("title", "tags", "status")

    document: Document
    record: RunRecord
    title: str
    tags: str
    status: str

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals for the same run have the same."""
        return "details", self.document.number

    @cached_property
    def changes(self) -> int:
        """How many of the fields the user changed."""
        before = propose_details(self.document, self.record)
        return sum(getattr(self, name) != getattr(before, name) for name in self.TYPED)

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it."""
        return self.changes > 0

    @property
    def sentence(self) -> str:
        """Which run it changes."""
        return f"Changes {self.document.title}"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        return None if self.status in list(RunStatus) else "This is not a status that a run can have."

    def concerns(self, document: Document | None) -> bool:
        """Whether the proposal belongs to this document."""
        return document is self.document

    def accept(self, session: Session) -> None:
        """Change the run, as an undoable edit; nothing is edited where nothing was changed."""
        before = propose_details(self.document, self.record)
        record = present_record(self.document)
        changed = with_details(
            record,
            title=self.title if self.title != before.title else None,
            tags=self.tags.split(",") if self.tags != before.tags else None,
            status=self.status if self.status != before.status else None,
        )
        if changed is not record:
            session.apply(self.document, ReplaceRun(changed, "Edit title and tags"))
        session.proposal = None
        session.drafts.pop(self.subject, None)


def propose_details(document: Document, record: RunRecord | None = None) -> DetailsProposal:
    """The proposal to change the run of a document, or `record`, with what it says now."""
    record = record or present_record(document)
    title = record.metadata.get("title")
    tags = ", ".join(record.tags)
    return DetailsProposal(document, record, title if isinstance(title, str) else "", tags, record.status.value)
