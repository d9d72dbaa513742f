"""Proposals: what a fork, a merge or another edit will do, shown and changed by the user before it is accepted."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from opentine_gui.app.canvas.proposals.change_proposal import ChangeProposal
from opentine_gui.app.canvas.proposals.details_proposal import DetailsProposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal, first_inputs
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.files.going_on.run_command import CommandProposal
from opentine_gui.app.files.recovery.left_texts import LeftText
from opentine_gui.app.files.recovery.typed_texts import RecoveredDraft
from opentine_gui.app.state.payload_form import form_of_json, with_text
from opentine_gui.core import EditError

if TYPE_CHECKING:
    from opentine_gui.app.features import Proposal as TypedProposal
    from opentine_gui.app.session import Session

Proposal = (
    ForkProposal | MergeProposal | StepProposal | ChangeProposal | DetailsProposal | ContinueProposal | CommandProposal
)


def current_proposal(session: Session) -> Proposal | None:
    """The session's proposal, or None."""
    return session.proposal if isinstance(session.proposal, Proposal) else None


def with_fields(proposal: Proposal, **fields: Any) -> Proposal:
    """The proposal with fields the user changed; inputs and outputs are forms, or JSON text, what is said next a text.

    EditError for a field it does not have.
    """
    for name in fields:
        if name not in proposal.TYPED:
            raise EditError(f"a proposal has no field {name!r} to change")
    forms = {
        name: form_of_json(getattr(proposal, name), text)
        for name, text in fields.items()
        if name in ("inputs", "outputs") and isinstance(text, str)
    }
    if isinstance(proposal, ContinueProposal | CommandProposal) and isinstance(fields.get("said"), str):
        forms["said"] = with_text(proposal.said, (), fields["said"])
    kind = fields.get("kind", "") if isinstance(proposal, StepProposal) and "inputs" not in fields else ""
    if isinstance(proposal, StepProposal) and kind not in ("", proposal.kind) and not proposal.inputs.changes:
        forms["inputs"] = first_inputs(kind)  # what was typed stays
    result = replace(proposal, **{**fields, **forms})
    if not forms and fields.keys().isdisjoint(("inputs", "outputs")) and "problem" in vars(proposal):
        vars(result)["problem"] = vars(proposal)["problem"]
    return result


def as_typed(session: Session, proposal: Proposal) -> Proposal:
    """The proposal with what was typed into it before, if it was left without being done."""
    follow_drafts(session)
    present = current_proposal(session)
    before = present if present is not None and present.subject == proposal.subject else None
    typed = before or session.drafts.get(proposal.subject)
    if isinstance(typed, RecoveredDraft):
        return with_fields(proposal, **typed.fields_for(proposal))
    return with_typed(proposal, typed) if isinstance(typed, type(proposal)) else proposal


def follow_drafts(session: Session) -> None:
    """Keep what was typed with the steps that it is about, where these have other ids now.

    Where something else was typed about the same step under its new id, both stay as they are.
    """
    for subject, draft in tuple(session.drafts.items()):
        followed = _followed(session, draft)
        if followed is not None and followed.subject not in session.drafts:
            del session.drafts[subject]
            session.drafts[followed.subject] = followed


def _followed(session: Session, draft: TypedProposal) -> TypedProposal | None:
    """The draft about its steps as they are called now; None for one that is about all of a run."""
    if isinstance(draft, RecoveredDraft):
        return replace(draft, subject=_followed_subject(session, draft.subject))
    if isinstance(draft, MergeProposal):
        return replace(draft, parents=tuple([(of, of.present_id(step)) for of, step in draft.parents]))
    if isinstance(draft, ForkProposal | StepProposal | ChangeProposal | ContinueProposal | CommandProposal | LeftText):
        return replace(draft, step=draft.document.present_id(draft.step))
    return None


def _followed_subject(session: Session, subject: Hashable) -> Hashable:
    """What a form is about, with each step, which stands after the number of its document, as it is called now."""
    if not isinstance(subject, tuple):
        return subject
    parts = [_followed_subject(session, part) for part in subject]
    for place, (number, step) in enumerate(pairwise(parts)):
        document = session.document(number) if isinstance(number, int) else None
        if document is not None and isinstance(step, str):
            parts[place + 1] = document.present_id(step)
    return tuple(parts)


def with_typed(proposal: Proposal, typed: Proposal) -> Proposal:
    """The proposal with what was typed into `typed`, another of its kind."""
    return with_fields(proposal, **{name: getattr(typed, name) for name in proposal.TYPED})
