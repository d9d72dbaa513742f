"""What the dock says of a proposal, and the form it has."""

from __future__ import annotations

from opentine_gui.app.canvas.details_proposal import DetailsProposal
from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals import Proposal
from opentine_gui.core import RunStatus, StepKind
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.proposals.form_rows import Part

Said = tuple[str, str]
"""(words, the role of their colour)."""


def title_of(proposal: Proposal) -> str:
    """What is proposed, as a heading."""
    if isinstance(proposal, MergeProposal):
        return f"Merge {len(proposal.parents)} steps into a new one"
    if isinstance(proposal, DetailsProposal):
        return "Edit title and tags"
    return f"{'Fork and edit' if proposal.edit else 'Fork from'} “{clean(proposal.step_title, 100)}”"


def pieces_of(proposal: Proposal) -> tuple[Said, ...]:
    """What a proposal keeps, drops and leaves, and of a form what was changed or prevents it."""
    pieces = [(clean(part, 300), "text") for part in proposal.sentence.split(" · ")]
    if isinstance(proposal, MergeProposal):
        pieces += [(clean(warning, 200), "human") for warning in proposal.warnings[:2]]
        titles = enumerate(proposal.parent_titles, 1)
        note = " · ".join(f"{number} {clean(title, 60)}" for number, title in titles)
    elif isinstance(proposal, DetailsProposal):
        note = _changed(proposal.changes)
    elif proposal.edit:
        note = _changed(proposal.inputs.changes)
    else:
        return tuple(pieces)
    refusal = proposal.refusal
    return (*pieces, (note, "quiet") if refusal is None else (clean(refusal, 300), "bad"))


def _changed(count: int) -> str:
    return f"{counted(count, 'field')} changed" if count else "nothing changed yet"


def hint_of(label: str) -> str:
    """What a button of a proposal does."""
    return {
        "Cancel": "Leave it; what was typed is kept",
        "Swap order": "Turn the order of the parents round",
        "Edit…": "Fork before this step and put one with other inputs in its place",
        "Fork": "Make the fork; the source stays as it is",
        "Merge": "Make the new step",
        "Change": "Change the run; it is written when you save",
    }[label]


def parts_of(proposal: Proposal) -> list[Part]:
    """The form of a proposal; empty for the fork bar."""
    if isinstance(proposal, MergeProposal):
        return [
            Part("kind", "Kind", proposal.kind, tuple(dict.fromkeys(kind.value for kind in StepKind))),
            Part("inputs", "Inputs", proposal.inputs),
            Part("outputs", "Outputs", proposal.outputs),
            *([] if proposal.within_one else [Part("title", "Title of the new run", proposal.title)]),
        ]
    if isinstance(proposal, DetailsProposal):
        return [
            Part("title", "Title", proposal.title),
            Part("tags", "Tags (comma-separated)", proposal.tags),
            Part("status", "Status", proposal.status, tuple(status.value for status in RunStatus)),
        ]
    return _fork_parts(proposal)


def _fork_parts(proposal: ForkProposal) -> list[Part]:
    if not proposal.edit:
        return []
    return [
        Part("inputs", "Inputs", proposal.inputs),
        Part("title", "Title of the fork", proposal.title),
        Part("tags", "Tags (comma-separated)", proposal.tags),
        Part("reset_metrics", "Start the fork's cost and time at zero", proposal.reset_metrics),
    ]
