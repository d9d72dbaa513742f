"""The proposal of a merge: several steps as the parents of a new one, shown and changed before it is accepted."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import msgspec
from msgspec.structs import replace

from opentine_gui.app.canvas.made_documents import open_result, present_record
from opentine_gui.app.document.camera.arrival import arrival_at
from opentine_gui.app.document.document import Document
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.app.state.payload_form import EMPTY, Entry, entry_of, object_problem
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import EditError, MergePreview, StepKind, merge, preview_merge, short_id
from opentine_gui.describe.numbers import counted, format_count
from opentine_gui.describe.step_titles import title as step_title
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MOST_OF_TITLE = 32
"""Letters of a step's title in a reason why it cannot be merged."""


class MergeProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A merge: steps of one or several documents become the ordered parents of one new step.

    `kind`, the forms `inputs` and `outputs`, and `title` are what the user may change.
    """

    TYPED: ClassVar[tuple[str, ...]] = ("kind", "inputs", "outputs", "title")

    parents: tuple[tuple[Document, str], ...]
    preview: MergePreview
    kind: str = StepKind.MODEL.value
    inputs: Entry = EMPTY
    outputs: Entry = EMPTY
    title: str = ""

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals to merge the same steps have the same, in whichever order these are."""
        return "merge", tuple(sorted((document.number, step) for document, step in self.parents))

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it, or chose a kind."""
        return bool(self.inputs.changes or self.outputs.changes or self.title or self.kind != StepKind.MODEL.value)

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents the parents are in, without repetition."""
        return tuple(dict.fromkeys(document for document, _ in self.parents))

    @property
    def within_one(self) -> bool:
        """Whether it is an edit of one document rather than a new one."""
        return len(self.documents) == 1

    @property
    def parent_titles(self) -> tuple[str, ...]:
        """The parents' titles in order."""
        return tuple(step_title(document.step(step)) for document, step in self.parents)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings that do not prevent the merge."""
        return tuple(self.preview.warnings)

    @property
    def sentence(self) -> str:
        """What the merge makes, as a sentence."""
        count = format_count(len(self.parents))
        if self.within_one:
            return f"Adds 1 step with {count} parents to {self.documents[0].title}"
        count = counted(self.preview.union + 1, "step")
        names = " and ".join(document.title for document in self.documents)
        return f"Makes a new run with {count} · {names} stay as they are"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        if self.preview.refusals:
            return self.preview.refusals[0]
        return self.problem

    @cached_property
    def problem(self) -> str | None:
        """What is wrong with the forms, or None; cached, for it is asked every frame and they may be long."""
        return object_problem(self.inputs, "Inputs") or object_problem(self.outputs, "Outputs")

    def swapped(self) -> MergeProposal:
        """The same merge with its parents in reverse order; what the user typed stays."""
        other = propose_merge(self.parents[::-1])
        inputs = self.inputs if self.inputs.changes else other.inputs
        return replace(other, kind=self.kind, inputs=inputs, outputs=self.outputs, title=self.title)

    def concerns(self, document: Document | None) -> bool:
        """Whether one of the parents is in this document."""
        return any(document is other for other in self.documents)

    def accept(self, session: Session) -> None:
        """Merge: inside one run an undoable edit of its document, across runs a new unsaved document.

        EditError if one of the runs is closed or the merge is refused.
        """
        records = [document.record for document in self.documents]
        present = [record for record in records if record is not None]
        if len(present) != len(records):
            raise EditError("one of the runs is not open any more")
        chosen = [(self.documents.index(document), step) for document, step in self.parents]
        merged = merge(
            present,
            chosen,
            kind=StepKind(self.kind),
            inputs=self.inputs.value,
            outputs=self.outputs.value or None,
            title=self.title.strip() or None,
            now=session.now(),
            nonce=session.nonce(),
        )
        added = next((i for i in reversed(merged.graph.ids) if all(i not in r.graph for r in present)), None)
        if not self.within_one:
            name = self.title.strip() or "Merge of " + " and ".join(
                d.title.removesuffix(".tine") for d in self.documents
            )
            front = next((document for document in self.documents if document is session.active), self.documents[0])
            result = open_result(session, list(self.documents), merged, name, "merged", added)
            result.made_in = front.number
            if added is not None:
                parent = next(step for document, step in self.parents if document is front)
                result.picture.arrival = arrival_at(parent, front.picture, parent, session.viewport)
        else:
            document = self.documents[0]
            session.activate(document)
            session.apply(document, ReplaceRun(merged, "Merge"))
            if added is not None:
                document.select(Selection((added,)))
                document.picture.reveal_when_laid_out = added
        session.proposal = None
        session.drafts.pop(self.subject, None)


def propose_merge(parents: Sequence[tuple[Document, str]]) -> MergeProposal:
    """The proposal to merge these steps, in this order; the default inputs name their titles."""
    chosen = tuple((document, present_record(document).resolve(step)) for document, step in parents)
    documents = tuple(dict.fromkeys(document for document, _ in chosen))
    titles = [step_title(document.step(step)) for document, step in chosen]

    def named(identity: str) -> str:
        """A step as the user knows it; its id as well where another one to merge is called the same."""
        document = next(one for one in documents if identity in present_record(one).graph)
        title = step_title(document.step(identity))
        words = f"“{clean(title, MOST_OF_TITLE)}”"
        alike = {step for other, (_, step) in zip(titles, chosen, strict=True) if other == title} - {identity}
        return f"{words} ({short_id(identity)})" if alike else words

    preview = preview_merge(
        [present_record(document) for document in documents],
        [(documents.index(document), step) for document, step in chosen],
        named=named,
    )
    return MergeProposal(chosen, preview, inputs=entry_of({"prompt": "Compare: " + " / ".join(titles)}))
