"""The proposal to change a step that was added or edited by hand and is not saved yet, in the run it stands in."""

from __future__ import annotations

from collections.abc import Container, Hashable
from typing import TYPE_CHECKING

from opentine_gui.app.canvas.made_documents import present_record
from opentine_gui.app.canvas.proposals.fork_proposal import LONGEST_SOURCE
from opentine_gui.app.canvas.proposals.step_proposal import StepForm
from opentine_gui.app.document.document import Document
from opentine_gui.app.state.commands import ReplaceRun
from opentine_gui.app.state.payload_form import entry_of
from opentine_gui.app.state.selection import Selection
from opentine_gui.core.edit.change_step import change_step
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

IN_THE_FILE = "Only a step that was added here and is not saved can be changed; of others a fork can be edited."
FOLLOWED = "Steps come after this one: fork and edit it instead."
MERGED = "The run's record names this merge: undo it and merge again."


class ChangeProposal(StepForm, frozen=True, eq=False, dict=True):
    """Other content for `step`."""

    was: str = ""
    """Its kind, as it stands in the run."""
    says_who: bool = False
    """Whether its kind says more than the format's own, such as a person's words: then it stays what it is."""

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals to change one step have the same."""
        return "change", self.document.number, self.step

    @property
    def touched(self) -> bool:
        """Whether the user changed something."""
        return bool(self.changes)

    @property
    def changes(self) -> int:
        """The number of fields that differ from the step's."""
        return self.inputs.changes + self.outputs.changes + (self.kind != self.was)

    @property
    def sentence(self) -> str:
        """What it changes."""
        return f"Corrects this step where it stands · {clean(self.document.title, LONGEST_SOURCE)} is not saved yet"

    def accept(self, session: Session) -> None:
        """Change the step, as an undoable edit; what is written beside it stays with it."""
        document = self.document
        record, changed = change_step(
            present_record(document),
            self.step,
            kind=self.kind,
            inputs=self.inputs.value,
            outputs=self.outputs.value or None,
            now=session.now(),
        )
        session.proposal = None
        session.drafts.pop(self.subject, None)
        document.folding.rename_steps({self.step: changed})
        document.live.rename_steps({self.step: changed})
        session.apply(document, ReplaceRun(record, "Change step", {self.step: changed}))
        document.select(Selection((changed,)))
        document.picture.reveal_when_laid_out = changed


def why_unchangeable(document: Document, step: str) -> str | None:
    """Why a step cannot be changed in place, or None: it was made here, is not saved, and nothing comes after it."""
    record = document.record
    if record is None or step not in record.graph:
        return IN_THE_FILE
    place = record.graph.index(step)
    if record.graph.children_of(place):
        return FOLLOWED
    if step in _given(document):
        return IN_THE_FILE
    return MERGED if len(record.graph.parents[place]) > 1 else None


def _given(document: Document) -> Container[str]:
    """The steps that were not made here by hand: those in the file, or that an unsaved run was made of."""
    record, history = document.record, document.history
    if document.saved_state is not None:
        return document.saved_state.record.graph
    assert record is not None
    if record.lineage.fork_point is not None:
        return {record.graph.ids[position] for position in record.inherited_positions}
    if document.source is not None and document.source.word == "fork":  # of the first step: nothing was inherited
        return ()
    return next(history.states).record.graph if history is not None else record.graph


def propose_change(document: Document, step: str) -> ChangeProposal:
    """The proposal to change a step. LookupFailure for an unknown one."""
    record = present_record(document)
    found = record.graph.step(record.resolve(step))
    kind = found.kind.value
    says_who = found.v3_kind is not None
    inputs, outputs = entry_of(found.inputs), entry_of(found.outputs)
    return ChangeProposal(document, found.id, kind, inputs, outputs, was=kind, says_who=says_who)
