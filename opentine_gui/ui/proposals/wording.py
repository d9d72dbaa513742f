"""What the dock says of a proposal, and the form it has."""

from __future__ import annotations

import shlex

from opentine_gui.app.canvas.proposals.change_proposal import ChangeProposal
from opentine_gui.app.canvas.proposals.current_proposal import Proposal
from opentine_gui.app.canvas.proposals.details_proposal import DetailsProposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.files.going_on.handing_back import command_line
from opentine_gui.app.files.going_on.run_command import CommandProposal
from opentine_gui.app.inspect.reading.reader import Section
from opentine_gui.app.inspect.step.source_records import source_path
from opentine_gui.core import RunStatus, StepKind
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import in_quotes
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.proposals.form_rows import Part

Said = tuple[str, str]
"""(words, the role of their colour)."""
NO_REQUEST = "what was sent for this step is not recorded"
EDIT_PROMPT = "Edit the prompt"
FORK_INSTEAD = "Fork instead"


def title_of(proposal: Proposal) -> str:
    """What is proposed, as a heading."""
    if isinstance(proposal, MergeProposal):
        return f"Merge {len(proposal.parents)} steps into a new one"
    if isinstance(proposal, StepProposal):
        return f"Add a step after {in_quotes(clean(proposal.step_title, 100))}"
    if isinstance(proposal, ChangeProposal):
        return f"Change {in_quotes(clean(proposal.step_title, 100))}"
    if isinstance(proposal, DetailsProposal):
        return "Edit title and tags"
    if isinstance(proposal, ContinueProposal):
        where = "instead of" if proposal.replaces else "after"
        return f"Continue in {clean(proposal.agent, 40)} {where} {in_quotes(clean(proposal.step_title, 100))}"
    if isinstance(proposal, CommandProposal):
        return f"Continue with a command from {in_quotes(clean(proposal.step_title, 100))}"
    return f"{'Fork and edit' if proposal.edit else 'Fork from'} {in_quotes(clean(proposal.step_title, 100))}"


def pieces_of(proposal: Proposal) -> tuple[Said, ...]:
    """What a proposal keeps, drops and leaves, and of a form what was changed or prevents it."""
    pieces = [(clean(part, 300), "text") for part in proposal.sentence.split(" · ")]
    if isinstance(proposal, MergeProposal):
        pieces += [(clean(warning, 200), "human") for warning in proposal.warnings[:2]]
        titles = enumerate(proposal.parent_titles, 1)
        note = " · ".join(f"{number} {clean(title, 60)}" for number, title in titles)
    elif isinstance(proposal, StepProposal):
        note = "nothing written yet" if not proposal.written else ""
    elif isinstance(proposal, ChangeProposal | DetailsProposal):
        note = _changed(proposal.changes)
    elif isinstance(proposal, ContinueProposal):
        remarks = proposal.handback.remarks if proposal.handback is not None else ()
        pieces += [(clean(remark, 300), "human") for remark in remarks[:4]]
        if not proposal.problem:
            return tuple(pieces)  # that it is still being worked out is no error
        note = ""
    elif isinstance(proposal, CommandProposal):
        note = ""
    elif proposal.edit:
        note = NO_REQUEST if proposal.lacks_request else _changed(proposal.inputs.changes)
    else:
        return tuple(pieces)
    refusal = proposal.refusal
    if refusal == proposal.sentence:
        pieces = []  # it is said once
    said = (note, "quiet") if refusal is None else (clean(refusal, 300), "bad")
    return (*pieces, said) if said[0] else tuple(pieces)


def _changed(count: int) -> str:
    return f"{counted(count, 'field')} changed" if count else "nothing changed yet"


def hint_of(label: str) -> str:
    """What a button of a proposal does."""
    return {
        "Cancel": "Leave it; what was typed is kept",
        "Swap order": "Reverse the order of the parents",
        "Edit…": "Fork before this step and put one with other inputs in its place",
        EDIT_PROMPT: "Fork before what was asked last instead, by a person or of a sub-agent, and change that",
        "Fork": "Make the fork; the source stays as it is",
        "Merge": "Make the new step",
        "Add step": "Add the step; undo takes it away",
        "Change step": "Put what is written here in its place; undo brings it back",
        FORK_INSTEAD: "Leave this run as it is, and make another fork with the changed step",
        "Copy command": "Put the command on the clipboard; nothing is written or run",
        "Write and run": "Write the session and run the command in your terminal",
        "Run": "Run the command in your terminal",
        "Write": "Write the session and open it here; it is followed as it grows",
        "Change": "Change the run; it is written when you save",
    }[label]


def parts_of(proposal: Proposal) -> list[Part]:
    """The form of a proposal; empty for the fork bar."""
    if isinstance(proposal, ChangeProposal) and proposal.says_who:
        return [Part("inputs", "Inputs", proposal.inputs)]
    if isinstance(proposal, MergeProposal | StepProposal | ChangeProposal):
        form = [
            Part("kind", "Kind", proposal.kind, tuple(dict.fromkeys(kind.value for kind in StepKind))),
            Part("inputs", "Inputs", proposal.inputs),
            Part("outputs", "Outputs", proposal.outputs),
        ]
        if isinstance(proposal, MergeProposal) and not proposal.within_one:
            form.append(Part("title", "Title of the new run", proposal.title))
        return form
    if isinstance(proposal, DetailsProposal):
        return [
            Part("title", "Title", proposal.title),
            Part("tags", "Tags (comma-separated)", proposal.tags),
            Part("status", "Status", proposal.status, tuple(status.value for status in RunStatus)),
        ]
    if isinstance(proposal, ContinueProposal):
        label = "Say instead" if proposal.replaces else "Say next (leave it empty to type it in the agent)"
        return [Part("said", label, proposal.said, plain=True)]
    if isinstance(proposal, CommandProposal):
        return [
            Part(
                "said",
                "Command, with {file}, {step} and {run} where they belong",
                proposal.said,
                plain=True,
                hint="bash",
            )
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


def sections_of(proposal: Proposal) -> tuple[Section, ...]:
    """What is run and what is written, in full; nothing for a proposal that does neither."""
    if isinstance(proposal, CommandProposal):
        if proposal.refusal is not None or proposal.document.path is None:
            return ()
        command = Section(shlex.join(proposal.words), "Command", hint="bash", role="accent")
        return (command, Section(str(proposal.document.path.parent), "In the folder", role="quiet"))
    if not isinstance(proposal, ContinueProposal):
        return ()
    handback = proposal.handback
    if handback is None:
        return ()
    found = [Section(command_line(handback.command, None, handback.takes_in), "Command", hint="bash", role="accent")]
    if handback.folder is not None:
        found.append(Section(str(handback.folder), "In the folder", role="quiet"))
    for file in handback.files:
        text = file.content.decode("utf-8", "replace")
        size = f"{len(file.content):,} bytes"
        found.append(Section(text, f"Writes {source_path(file.path)}", note=size, role="quiet", opened=False))
    if handback.removal:
        found.append(Section(handback.removal, "To remove it again", role="quiet"))
    return tuple(found)
