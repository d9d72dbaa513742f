"""Fork, merge, add or change a step, edit the details: each is proposed, changed by the user, and accepted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, of_one_run, record_of, step_of, with_run, with_step
from opentine_gui.app.canvas.made_documents import present_record
from opentine_gui.app.canvas.proposals.change_proposal import propose_change, why_unchangeable
from opentine_gui.app.canvas.proposals.current_proposal import as_typed, current_proposal, with_fields
from opentine_gui.app.canvas.proposals.details_proposal import propose_details
from opentine_gui.app.canvas.proposals.fork_proposal import PROMPTS, ForkProposal, prompt_of, propose_fork
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal, propose_merge
from opentine_gui.app.canvas.proposals.step_proposal import propose_step
from opentine_gui.app.state.action_registry import SILENT, Action, declare
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import EditError, StepKind
from opentine_gui.describe.payload_text import has_text

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session
    from opentine_gui.core import RunRecord

ACTIONS: list[Action] = []
SELECT_SECOND = "Select a second step to merge this one with (Shift+click)."
NO_SECOND = "select a second step to merge this one with (Shift+click)"
SELECT_TWO = "Select two or more steps first (Shift+click)."
NO_INPUTS = "This step recorded no inputs"
Parent = tuple[int, str]
"""Document number and step id."""


@declare(
    ACTIONS,
    "run.fork",
    "Fork from here",
    "Make a new run of this step and all it rests on; the source stays as it is.",
    enabled=with_step,
    menu="Run",
    keys=("F",),
    contexts=("step",),
)
def fork_here(
    session: Session, step: str | None = None, run: int | None = None, accept: bool = False, **fields: Any
) -> None:
    """Propose a fork at a step; with `accept`, or if it is proposed already, make it.

    Where several runs are shown, `run` is the one to fork, else the one whose fork at this step is proposed already.
    """
    document, present = document_of(session), session.proposal
    step = present_record(document).resolve(step_of(session, step))
    if run is None and isinstance(present, ForkProposal) and (present.document, present.step) == (document, step):
        run = present.origin.run if present.origin is not None else None
    proposal = with_fields(propose_fork(document, step, run=run), **fields)
    again = present is not None and present.subject == proposal.subject and not fields
    if not again:
        session.proposal = proposal
    if accept or again:
        accept_proposal(session)


def _can_edit(session: Session, **arguments: Any) -> str | None:
    return with_step(session, **arguments) or of_one_run(session, "edit a step")


@declare(
    ACTIONS,
    "run.fork_edit",
    "Fork and edit…",
    "Fork before this step and put a step with other inputs beside it.",
    enabled=_can_edit,
    menu="Run",
    keys=("E",),
    contexts=("step",),
)
def fork_edit(
    session: Session, step: str | None = None, accept: bool = False, instead: bool = False, **fields: Any
) -> None:
    """Propose a fork with edited inputs; with `accept` make it.

    A step that was made here and is not saved yet is changed where it is, unless a fork is wanted `instead`. An agent's
    log has no inputs of an answer: what can be edited is the call if it only makes one, else the prompt it came from.
    """
    chosen, record = step_of(session, step), record_of(session)
    plain = not accept and not fields
    if plain and not instead and why_unchangeable(document_of(session), chosen) is None:
        change_step(session, chosen)
        return
    if plain and not record.graph.step(chosen).inputs:
        call, prompt = _only_call(record, chosen), prompt_of(record, chosen)
        if call is not None:
            session.notices.add(
                "info", "This answer only makes a call: edit that call's inputs instead.", key="no inputs"
            )
            document_of(session).select(Selection((call,)))
            chosen = call
        elif prompt is not None and prompt != chosen:
            calls = bool(record.graph.step(chosen).outputs.get("tool_calls"))
            said = "This answer has no inputs of its own; only its calls do" if calls else NO_INPUTS
            session.notices.add("info", f"{said}: edit the prompt it came from.", key="no inputs")
            edit_prompt(session, prompt)
            return
    proposal = propose_fork(document_of(session), chosen, edit=True)
    session.proposal = with_fields(as_typed(session, proposal), **fields)
    if accept:
        accept_proposal(session)


def _only_call(record: RunRecord, step: str) -> str | None:
    """The call that an answer without words makes, if it is the only one and follows in the run: cards show its inputs
    as those of the answer.
    """
    graph = record.graph
    place = graph.index(step)
    answer = graph.step(place)
    if answer.kind is not StepKind.MODEL or answer.v3_kind or has_text(answer.outputs.get("text")):
        return None
    calls = [child for child in graph.children_of(place) if graph.kinds[child] is StepKind.TOOL]
    return graph.ids[calls[0]] if len(calls) == 1 and graph.step(calls[0]).inputs else None


def _can_change(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = with_step(session, step=step) or of_one_run(session, "change a step")
    return reason or why_unchangeable(document_of(session), step_of(session, step))


@declare(
    ACTIONS,
    "run.change_step",
    "Change step…",
    "Change a step that was made here by hand and is not saved yet, without another fork.",
    enabled=_can_change,
    menu="Run",
)
def change_step(session: Session, step: str | None = None, accept: bool = False, **fields: Any) -> None:
    """Propose other content for a step that nothing comes after; with `accept` change it."""
    proposal = propose_change(document_of(session), step_of(session, step))
    session.proposal = with_fields(as_typed(session, proposal), **fields)
    if accept:
        accept_proposal(session)


def _has_prompts(session: Session, **arguments: Any) -> str | None:
    reason = _can_edit(session, **arguments)
    if reason is None and not any(kind in PROMPTS for kind in record_of(session).graph.v3_kinds.values()):
        return "This run has no prompt."
    return reason


@declare(
    ACTIONS,
    "run.edit_prompt",
    "Edit the prompt…",
    "Fork before what was asked last, by a person or of a sub-agent, and change that.",
    enabled=_has_prompts,
    menu="Run",
    keys=("Shift+E",),
    contexts=("step",),
)
def edit_prompt(session: Session, step: str | None = None) -> None:
    """Propose a fork with another prompt in place of the one that a step came from, and show that.

    EditError if nobody asked anything before the step.
    """
    prompt = prompt_of(record_of(session), step_of(session, step))
    if prompt is None:
        raise EditError("nobody asked anything before this step")
    document_of(session).select(Selection((prompt,)))
    fork_edit(session, prompt)


def _parents(
    session: Session, steps: Sequence[str] | None, parents: Sequence[Parent] | None
) -> list[tuple[Document, str]]:
    """The steps to merge: those given, else the selected ones, else the selected one and that of the other open run.

    What is selected in other tabs is not in view, so it counts only where it can be meant: beside one selected step,
    if it is the only one, and not a step of the active run, where it could be selected. Where several runs are shown
    together, both steps are in view.
    """
    if parents is not None:
        found = [(session.document(number), step) for number, step in parents]
        return [(document, step) for document, step in found if document is not None]
    active = document_of(session)
    if steps is not None:
        return [(active, step) for step in steps]
    here = [(active, step) for step in active.selection]
    if len(here) != 1 or active.members is not None:
        return here
    elsewhere: dict[str, Document] = {}
    for document in session.documents:
        primary = document.selection.primary
        if document is not active and document.record is not None and document.members is None and primary is not None:
            elsewhere.setdefault(primary, document)
    own = active.record.graph if active.record is not None else ()
    others = [(document, primary) for primary, document in elsewhere.items() if primary not in own]
    return here + others if len(others) == 1 else here


def _can_merge(session: Session, **arguments: Any) -> str | None:
    reason = with_run(session)
    if reason is not None:
        return reason
    if len(_parents(session, arguments.get("steps"), arguments.get("parents"))) < 2:
        return SELECT_SECOND if len(document_of(session).selection) == 1 else SELECT_TWO
    return None


@declare(
    ACTIONS,
    "run.merge",
    "Merge…",
    "Make one new step that has the selected steps as its parents.",
    enabled=_can_merge,
    menu="Run",
    keys=("M",),
    contexts=("step",),
)
def merge_steps(
    session: Session,
    step: str | None = None,
    steps: Sequence[str] | None = None,
    parents: Sequence[Parent] | None = None,
    accept: bool = False,
    **fields: Any,
) -> None:
    """Propose a merge; with `accept` make it. EditError if it is refused."""
    chosen = _parents(session, steps, parents)
    proposal = with_fields(as_typed(session, propose_merge(chosen)), **fields)
    across = len({document.number for document, _ in chosen}) > 1
    if across and parents is None and proposal.refusal is not None:  # it was not meant
        raise EditError(NO_SECOND)
    if isinstance(proposal, MergeProposal) and proposal.preview.refusals:
        raise EditError(proposal.preview.refusals[0])
    session.proposal = proposal
    if accept:
        accept_proposal(session)


def _can_add(session: Session, **arguments: Any) -> str | None:
    return with_step(session, **arguments) or of_one_run(session, "add a step")


@declare(
    ACTIONS,
    "run.add_step",
    "Add step after…",
    "Add a step by hand that comes after this one.",
    enabled=_can_add,
    menu="Run",
    keys=("A",),
    contexts=("step",),
)
def add_step(session: Session, step: str | None = None, accept: bool = False, **fields: Any) -> None:
    """Propose a new step after a step; with `accept` add it."""
    proposal = propose_step(document_of(session), step_of(session, step))
    session.proposal = with_fields(as_typed(session, proposal), **fields)
    if accept:
        accept_proposal(session)


def _can_edit_details(session: Session, **_arguments: Any) -> str | None:
    return with_run(session) or of_one_run(session, "edit title and tags")


@declare(
    ACTIONS,
    "run.edit_details",
    "Edit title and tags…",
    "Change the title, the tags and the status of this run.",
    enabled=_can_edit_details,
    menu="Run",
    keys=("F2",),
    contexts=("canvas",),
)
def edit_details(session: Session, accept: bool = False, **fields: Any) -> None:
    """Propose other details; with `accept` change them."""
    session.proposal = with_fields(as_typed(session, propose_details(document_of(session))), **fields)
    if accept:
        accept_proposal(session)


def _has_proposal(session: Session, **_arguments: Any) -> str | None:
    return None if session.proposal is not None else SILENT


def _can_accept(session: Session, **fields: Any) -> str | None:
    proposal = current_proposal(session)
    return with_fields(proposal, **fields).refusal if proposal is not None else SILENT


@declare(
    ACTIONS,
    "proposal.change",
    "Change the proposal",
    "Change a field of what is proposed.",
    enabled=_has_proposal,
    palette=False,
)
def change_proposal(session: Session, **fields: Any) -> None:
    """Set fields of the proposal: title, inputs; tags, reset_metrics, kind, outputs, status."""
    proposal = current_proposal(session)
    if proposal is not None:
        session.proposal = with_fields(proposal, **fields)


def _is_merge(session: Session, **_arguments: Any) -> str | None:
    return None if isinstance(session.proposal, MergeProposal) else "No merge is proposed."


@declare(
    ACTIONS,
    "proposal.swap",
    "Swap the order",
    "Reverse the order of the proposed merge's parents.",
    enabled=_is_merge,
    palette=False,
)
def swap_parents(session: Session) -> None:
    """Reverse the parents: their order is part of the new step's id."""
    if isinstance(session.proposal, MergeProposal):
        session.proposal = session.proposal.swapped()


@declare(
    ACTIONS,
    "proposal.accept",
    "Accept the proposal",
    "Do what is proposed. In a box of several lines Enter starts a new line, and Ctrl+Enter accepts.",
    enabled=_can_accept,
    palette=False,
    mode="propose",
    mode_keys=("Enter", "Ctrl+Enter"),
)
def accept_proposal(session: Session, **fields: Any) -> None:
    """Set these fields and accept the proposal; if that fails it stays, so that it can be corrected.

    EditError with the reason if it is refused.
    """
    present = current_proposal(session)
    if present is None:
        return
    proposal = with_fields(present, **fields)
    if proposal.refusal is not None:
        raise EditError(proposal.refusal)
    session.proposal = proposal
    proposal.accept(session)


@declare(
    ACTIONS,
    "proposal.cancel",
    "Drop the proposal",
    "Close what is proposed without doing it.",
    enabled=_has_proposal,
    palette=False,
)
def cancel_proposal(session: Session) -> None:
    """Drop the proposal; what was typed into it is there again when the same is proposed."""
    proposal = session.proposal
    session.proposal = None
    if proposal is not None and proposal.touched:
        session.notices.add("info", "What was typed is kept until this tab closes.", key="draft")
