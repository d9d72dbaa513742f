"""Actions that go on from a step in the agent that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, of_one_run, record_of, step_of, with_step
from opentine_gui.app.canvas.proposals import as_typed, with_fields
from opentine_gui.app.files import handing_back
from opentine_gui.app.files.continue_proposal import ContinueProposal, propose_continuing
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _can_continue(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = of_one_run(session, "continue") or with_step(session, step)
    if reason is not None:
        return reason
    document = document_of(session)
    return handing_back.refusal(session, document, record_of(session).resolve(step_of(session, step)))


@declare(
    ACTIONS,
    "continue.propose",
    "Continue in agent…",
    "Go on from this step in the agent that made it, in a new session; what is written and run is shown first.",
    enabled=_can_continue,
    menu="Run",
    keys=("O",),
    contexts=("step",),
)
def propose(session: Session, step: str | None = None, **fields: Any) -> None:
    """Propose to go on from a step; a prompt is put in another one's place."""
    proposal = propose_continuing(session, document_of(session), step_of(session, step))
    session.proposal = with_fields(as_typed(session, proposal), **fields)


def _is_ready(session: Session, **_arguments: Any) -> str | None:
    proposal = session.proposal
    if not isinstance(proposal, ContinueProposal):
        return "Nothing is proposed to be continued."
    return proposal.refusal


@declare(
    ACTIONS,
    "continue.run",
    "Write and run in terminal",
    "Write the new session that is shown, and run the command that is shown in your terminal.",
    enabled=_is_ready,
    palette=False,
)
def run(session: Session, **fields: Any) -> None:
    """Write what is proposed and run its command."""
    proposal = session.proposal
    if isinstance(proposal, ContinueProposal):
        changed = with_fields(proposal, **fields)
        if isinstance(changed, ContinueProposal):
            changed.accept(session, run=True)


@declare(
    ACTIONS,
    "continue.copy",
    "Copy command",
    "Put the command that goes on in the agent on the clipboard.",
    enabled=_is_ready,
    palette=False,
)
def copy(session: Session) -> None:
    """Copy the command of what is proposed, every word quoted."""
    proposal = session.proposal
    if isinstance(proposal, ContinueProposal) and proposal.handback is not None:
        line = handing_back.command_line(proposal.handback.command, proposal.handback.folder)
        session.invoke("edit.copy_text", text=line, what="the command")


def _has_written(session: Session, **_arguments: Any) -> str | None:
    return None if session.handed_back else "No session was written for an agent."


@declare(
    ACTIONS,
    "continue.start",
    "Run written session in terminal",
    "Go on in your terminal in the session that was written last.",
    enabled=_has_written,
    menu="Run",
)
def start(session: Session) -> None:
    """Run the command of the session that was written last."""
    written = session.handed_back[-1]
    handing_back.start(session, written.command, written.folder)


@declare(
    ACTIONS,
    "continue.undo",
    "Remove written session",
    "Remove the session that was written last, while the agent has not gone on in it.",
    enabled=_has_written,
    menu="Run",
)
def undo(session: Session) -> None:
    """Remove what was written last for an agent."""
    handing_back.undo(session)
