"""The proposal of a step that is added by hand after another, shown and changed before it is accepted."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from opentine_gui.app.canvas.made_documents import present_record
from opentine_gui.app.document.document import Document
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.app.state.payload_form import EMPTY, Entry, entry_of, object_problem
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import StepKind
from opentine_gui.core.edit.add_step import add_step
from opentine_gui.describe.step_titles import title as step_title

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


FIRST_INPUTS: Mapping[str, Mapping[str, Any]] = {
    "tool": {"name": "", "arguments": {}},
    "think": {"text": ""},
    "done": {"text": ""},
    "error": {"message": ""},
}
"""The inputs that a form begins with, by the kind of the step; others begin with a prompt."""


class StepForm(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What a person writes for one step at `step`: its `kind`, and the forms of its `inputs` and `outputs`."""

    TYPED: ClassVar[tuple[str, ...]] = ("kind", "inputs", "outputs")

    document: Document
    step: str
    kind: str = StepKind.MODEL.value
    inputs: Entry = EMPTY
    outputs: Entry = EMPTY

    @property
    def step_title(self) -> str:
        """The title of the step that is there."""
        return step_title(self.document.step(self.step))

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        return self.problem

    @cached_property
    def problem(self) -> str | None:
        """What is wrong with the forms, or None; cached, for it is asked every frame and they may be long."""
        return object_problem(self.inputs, "Inputs") or object_problem(self.outputs, "Outputs")

    def concerns(self, document: Document | None) -> bool:
        """Whether the proposal belongs to this document."""
        return document is self.document


class StepProposal(StepForm, frozen=True, eq=False, dict=True):
    """A new step after `step`."""

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals to add a step at one place have the same."""
        return "step", self.document.number, self.step

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it, or chose a kind."""
        return self.written or self.kind != StepKind.MODEL.value

    @property
    def written(self) -> bool:
        """Whether the user typed something into its inputs or outputs."""
        return bool(self.inputs.changes or self.outputs.changes)

    @property
    def parents(self) -> tuple[tuple[Document, str], ...]:
        """The step it comes after, as a merge has its parents."""
        return ((self.document, self.step),)

    @property
    def sentence(self) -> str:
        """What it makes."""
        return f"Adds 1 step to {self.document.title}"

    def accept(self, session: Session) -> None:
        """Add the step, as an undoable edit; it is selected, and comes into view when it is laid out."""
        document = self.document
        record, added = add_step(
            present_record(document),
            self.step,
            kind=self.kind,
            inputs=self.inputs.value,
            outputs=self.outputs.value or None,
            now=session.now(),
        )
        session.apply(document, ReplaceRun(record, "Add step"))
        document.select(Selection((added,)))
        document.picture.reveal_when_laid_out = added
        session.proposal = None
        session.drafts.pop(self.subject, None)


def first_inputs(kind: str) -> Entry:
    """The form of the inputs of a step of this kind, with nothing typed yet."""
    return entry_of(dict(FIRST_INPUTS.get(kind, {"prompt": ""})))


def propose_step(document: Document, step: str) -> StepProposal:
    """The proposal to add a step after `step`. LookupFailure for an unknown step."""
    return StepProposal(document, present_record(document).resolve(step), inputs=first_inputs(StepKind.MODEL.value))
