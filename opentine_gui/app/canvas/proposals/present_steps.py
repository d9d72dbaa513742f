"""Keeps what is proposed to steps that are there: it follows one that gets another id, and goes when its step goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.canvas.proposals.current_proposal import Proposal, current_proposal, follow_drafts, with_typed
from opentine_gui.app.canvas.proposals.details_proposal import DetailsProposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal, propose_fork
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal, propose_merge
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal, propose_step
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session


def steps_of(proposal: Proposal) -> tuple[tuple[Document, str], ...]:
    """The steps that a proposal needs in their runs; none where it holds the run itself, or is about all of it."""
    if isinstance(proposal, DetailsProposal | ContinueProposal):
        return ()
    if isinstance(proposal, MergeProposal):
        return proposal.parents
    return ((proposal.document, proposal.step),)


def keep_to_present_steps(session: Session) -> None:
    """Follow the steps of a proposal and of drafts that have other ids now; leave a proposal whose step is gone.

    Undo, another program, or a run put in the place of this one take steps away. What was typed stays as a draft: it is
    there when the same is proposed again, once the step is back.
    """
    follow_drafts(session)
    proposal = current_proposal(session)
    if proposal is None or not _gone(steps_of(proposal)):
        return
    followed = _followed(proposal)
    session.proposal = followed
    if followed is not None:
        session.drafts.pop(proposal.subject, None)  # it was not left, so it is no draft
        return
    which = "its step" if len(steps_of(proposal)) == 1 else "one of its steps"
    typed = " What was typed is kept until this tab closes." if proposal.touched else ""
    session.notices.add("info", f"What was proposed is closed: {which} is no longer in the run.{typed}", key="draft")


def _gone(steps: tuple[tuple[Document, str], ...]) -> list[str]:
    return [step for document, step in steps if document.record is not None and step not in document.record.graph]


def _followed(proposal: Proposal) -> Proposal | None:
    """The same proposed of the steps as they are called now, with what was typed; None if one of them is gone."""
    steps = tuple([(document, document.present_id(step)) for document, step in steps_of(proposal)])
    if _gone(steps):
        return None
    fresh: Proposal | None = None
    if isinstance(proposal, ForkProposal) and proposal.origin is None:
        fresh = propose_fork(*steps[0], edit=proposal.edit)
    elif isinstance(proposal, StepProposal):
        fresh = propose_step(*steps[0])
    elif isinstance(proposal, MergeProposal):
        fresh = propose_merge(steps)
    return with_typed(fresh, proposal) if fresh is not None and proposal.touched else fresh
