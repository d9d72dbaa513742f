"""Actions on the list of agents' sessions: open one, fold, show more, hide the list."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.agents.keeping import open_kept
from opentine_gui.app.files import opening
from opentine_gui.app.inspect.clipboard_text import copy_and_say
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.prompts import Choose
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.importers.agents.listing import latest_session
from opentine_gui.importers.agents.table import AGENTS, agent_named

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
NO_SESSION = "No agent has held a session in {folder}."


def is_wanted(session: Session) -> bool:
    """Whether the list should be shown if it is not empty: several runs shown together take its place."""
    view, document = session.view, session.active
    return view.panels and view.sessions and (document is None or document.members is None)


def keep_looking(session: Session) -> None:
    """Look for new sessions now and then, but only while the list is shown. Called in every `Session.step`."""
    if is_wanted(session):
        session.agent_sessions.look_now_and_then(session, session.clock())


def _shown(session: Session, **_arguments: Any) -> bool:
    return session.view.sessions


@declare(
    ACTIONS,
    "sessions.show",
    "Sessions of agents",
    "Hide or show the sessions that the agents on this machine keep; nothing of them is read while hidden.",
    menu="View/Show",
    group=2,
    state=_shown,
)
def show(session: Session, shown: bool | None = None) -> None:
    """Hide or show the list of sessions."""
    session.view.sessions = not session.view.sessions if shown is None else shown
    session.settings.sessions = session.view.sessions


@declare(ACTIONS, "sessions.open", "Open", "Open this session in a tab.", palette=False, contexts=("session",))
def open_session(session: Session, path: Path) -> None:
    """Open a session of the list; one that is only kept is written for it first."""
    row = next((row for row in session.agent_sessions.rows if row.path == path), None)
    if row is not None and row.kept:
        open_kept(session, path)
    else:
        opening.open_path(session, path)


@declare(ACTIONS, "sessions.fold", "Fold", "Fold an agent's sessions away, or unfold them.", palette=False)
def fold(session: Session, agent: str) -> None:
    """Fold an agent's sessions away, or unfold them."""
    session.agent_sessions.fold(agent)


@declare(ACTIONS, "sessions.all", "Show all", "Show all sessions of an agent.", palette=False)
def show_all(session: Session, agent: str) -> None:
    """Show all sessions of an agent."""
    session.agent_sessions.show_all(session, agent)


@declare(
    ACTIONS,
    "sessions.copy_path",
    "Copy path",
    "Put the session's path on the clipboard.",
    palette=False,
    contexts=("session",),
)
def copy_path(session: Session, path: Path) -> None:
    """Copy a session's path."""
    copy_and_say(session, str(path), "the path")


def _titles() -> dict[str, str]:
    return {agent.title: agent.name for agent in AGENTS}


@declare(
    ACTIONS,
    "sessions.latest",
    "Open latest session",
    "Open the newest session that an agent held in the working folder.",
    menu="File",
    keys=("Ctrl+Shift+L",),
)
def latest(session: Session, agent: str | None = None) -> None:
    """Open the newest session of the working folder, of one agent (by its name) or of any."""
    chosen = agent_named(agent) if agent else None
    agents = AGENTS if chosen is None else (chosen,)
    folder, places = session.working_folder, session.agent_sessions.places

    def done(found: Any) -> None:
        if found is None:
            session.notices.add("info", NO_SESSION.format(folder=folder), key="latest")
        else:
            opening.open_path(session, found.path)

    session.jobs.submit(
        "latest",
        lambda _progress, _cancelled: latest_session(folder, places, agents),
        done,
        title="Finding sessions",
        stopped=leaves_nothing,
    )


@declare(
    ACTIONS,
    "sessions.latest_of",
    "Open latest session of…",
    "Open the newest session of one agent in the working folder.",
)
def latest_of(session: Session) -> None:
    """Ask for an agent, and open its newest session of the working folder."""
    titles = _titles()
    question = Choose("Open latest session of", f"In {session.working_folder}", tuple(titles))
    session.ask(question, lambda answer: latest(session, titles[str(answer)]))
