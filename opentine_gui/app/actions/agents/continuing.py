"""Actions that go on from a step in the agent that made it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, of_one_run, record_of, step_of, with_step
from opentine_gui.app.actions.edit.copying import copy_text
from opentine_gui.app.canvas.proposals.current_proposal import as_typed, with_fields
from opentine_gui.app.files.going_on import forked_session, handing_back, run_command
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal, propose_continuing
from opentine_gui.app.files.going_on.run_command import CommandProposal, propose_command
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _can_continue(session: Session, step: str | None = None, **_arguments: Any) -> str | None:
    reason = of_one_run(session, "continue") or with_step(session, step)
    if reason is not None:
        return reason
    document = document_of(session)
    if forked_session.reading_of(session, document) is None:
        return None  # its session is read again, or a command of the user's own goes on with it
    return handing_back.refusal(session, document, record_of(session).resolve(step_of(session, step)))


@declare(
    ACTIONS,
    "continue.propose",
    "Continue…",
    "Go on from this step: in the agent that made it, or with a command of yours; all of it is shown first.",
    enabled=_can_continue,
    menu="Run",
    keys=("O",),
    contexts=("step",),
)
def propose(session: Session, step: str | None = None, **fields: Any) -> None:
    """Propose to go on from a step; a prompt is put in another one's place. A `.tine` run goes on with a command.

    The session that a fork was made from is read first where it is not open.
    """
    document, chosen = document_of(session), step_of(session, step)

    def with_command() -> None:
        session.proposal = with_fields(as_typed(session, propose_command(session, document, chosen)), **fields)

    def in_agent() -> None:
        reason = handing_back.refusal(session, document, chosen)
        if session.active is not document or session.proposal is not None:
            return
        if reason is not None:
            session.notices.add("warning", reason, key=document.key("session"))
            return
        session.proposal = with_fields(as_typed(session, propose_continuing(session, document, chosen)), **fields)

    if forked_session.reading_of(session, document) is not None:
        session.proposal = with_fields(as_typed(session, propose_continuing(session, document, chosen)), **fields)
        return
    path = forked_session.session_path(session, document)
    if path is None:
        with_command()
    else:
        forked_session.read(session, document, path, in_agent, with_command)


def _is_ready(session: Session, **_arguments: Any) -> str | None:
    proposal = session.proposal
    if not isinstance(proposal, ContinueProposal | CommandProposal):
        return "There is nothing to continue."
    return proposal.refusal


def _can_run(session: Session, **_arguments: Any) -> str | None:
    reason, proposal = _is_ready(session), session.proposal
    return proposal.run_refusal if reason is None and isinstance(proposal, ContinueProposal) else reason


@declare(
    ACTIONS,
    "continue.run",
    "Write and run in terminal",
    "Write the new session that is shown, and run the command that is shown in your terminal.",
    enabled=_can_run,
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
        line = handing_back.command_line(
            proposal.handback.command, proposal.handback.folder, proposal.handback.takes_in
        )
        waits = bool(proposal.handback.files)
        copy_text(session, line, "the command, which works once the session is written" if waits else "the command")
    elif isinstance(proposal, CommandProposal):
        copy_text(session, shlex.join(proposal.words), "the command")


def _runs(session: Session, **_arguments: Any) -> str | None:
    return None if session.command is not None and session.command.status is None else "No command is running."


@declare(
    ACTIONS,
    "continue.stop",
    "Stop command",
    "End the command that runs, and all that it started.",
    enabled=_runs,
    menu="Run/Written session",
)
def stop(session: Session) -> None:
    """Ask the command to end; it is ended if it does not."""
    if session.command is not None:
        session.command.stop(session.clock())


def _has_output(session: Session, **_arguments: Any) -> str | None:
    return None if session.command is not None else "No command was run."


@declare(
    ACTIONS,
    "continue.close_output",
    "Close output",
    "Close the output of the command; one that still runs goes on.",
    enabled=_has_output,
    palette=False,
)
def close_output(session: Session) -> None:
    """Close the output panel."""
    run_command.close(session)


def _has_written(session: Session, **_arguments: Any) -> str | None:
    return None if session.handed_back else "No session was written for an agent."


@declare(
    ACTIONS,
    "continue.start",
    "Run written session in terminal…",
    "Go on in your terminal in the session that was written last; the command is shown first.",
    enabled=_has_written,
    menu="Run/Written session",
)
def start(session: Session) -> None:
    """Show the command of the session that was written last, and run it if the user says so."""
    handing_back.ask_to_start(session, session.handed_back[-1])


@declare(
    ACTIONS,
    "continue.undo",
    "Remove written session",
    "Remove the session that was written last, while the agent has not gone on in it.",
    enabled=_has_written,
    menu="Run/Written session",
)
def undo(session: Session) -> None:
    """Remove what was written last for an agent."""
    handing_back.undo(session)
