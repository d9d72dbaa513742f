"""Actions on the archive of kept sessions: keep or not, where, open a copy, remove it all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.files import opening
from opentine_gui.app.inspect.clipboard_text import copy_and_say
from opentine_gui.app.inspect.step.source_records import source_path
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.prompts import CANCEL, Answer, Confirm, OpenFolder
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.describe.numbers import counted, format_bytes

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
REMOVE = "Remove archive"
NOTHING_KEPT = "No session is kept."


def _keeps(session: Session, **_arguments: Any) -> bool:
    return session.settings.keep


def _folder(session: Session) -> Path:
    return session.agent_sessions.keeping.folder(session.settings)


@declare(
    ACTIONS,
    "keep.switch",
    "Keep sessions",
    "Copy the agents' sessions into an archive of yours before the agents delete them; what is kept stays.",
    menu="File/Archive of sessions",
    group=5,
    contexts=("kept",),
    state=_keeps,
)
def switch(session: Session, on: bool | None = None) -> None:
    """Start or stop keeping sessions, and say where they are kept."""
    wanted = not session.settings.keep if on is None else on
    session.agent_sessions.keeping.switch(session, wanted)
    session.notices.dismiss("keep")  # the notice that they are kept
    if wanted:
        session.notices.add(
            "info",
            f"Sessions are kept in {source_path(_folder(session))}. "
            "OpenCode's are not: its database holds credentials.",
            actions=(("Change folder…", "keep.choose_folder", {}),),
            key="keep",
        )


@declare(
    ACTIONS,
    "keep.choose_folder",
    "Keep sessions in…",
    "Choose the folder in which sessions are kept from now on; an archive that lies elsewhere stays as it is.",
    menu="File/Archive of sessions",
    group=5,
    contexts=("kept",),
)
def choose_folder(session: Session, folder: Path | None = None) -> None:
    """Ask for the archive's folder, or take the one that is given."""
    before = _folder(session)

    def chosen(answer: Answer | tuple[Path, ...]) -> None:
        if not isinstance(answer, tuple) or not answer:
            return
        there = session.agent_sessions.keeping.move_to(session, answer[0])
        stays = f" What was kept before stays in {before}." if before != there and before.exists() else ""
        session.notices.add("good", f"Sessions are kept in {there}.{stays}", key="keep")

    if folder is not None:
        chosen((folder,))
    else:
        session.ask(OpenFolder("Keep sessions in", before if before.is_dir() else before.parent, "Keep here"), chosen)


@declare(
    ACTIONS,
    "keep.copy_folder",
    "Copy path of archive",
    "Put the path of the folder in which sessions are kept on the clipboard.",
    palette=False,
    contexts=("kept",),
)
def copy_folder(session: Session) -> None:
    """Copy the archive's path."""
    copy_and_say(session, str(_folder(session)), "the path")


def _has_kept(session: Session, **_arguments: Any) -> str | None:
    return None if session.agent_sessions.keeping.pages else NOTHING_KEPT


@declare(
    ACTIONS,
    "keep.remove",
    "Remove archive of sessions…",
    "Remove all sessions that are kept, and keep no more; the agents' own files are not touched.",
    enabled=_has_kept,
    menu="File/Archive of sessions",
    group=5,
    contexts=("kept",),
)
def remove(session: Session) -> None:
    """Ask, naming size and what is nowhere else, and remove the archive."""
    keeping = session.agent_sessions.keeping
    size, alone = keeping.size, len(keeping.gone)
    only = f"{counted(alone, 'session')} of them {'is' if alone == 1 else 'are'} nowhere else. " if alone else ""
    question = Confirm(
        "Remove the archive of sessions?",
        f"{counted(size.sessions, 'session')}, {format_bytes(size.packed)}, in {_folder(session)}. {only}"
        "The agents' own files are not touched.",
        (CANCEL, REMOVE),
        frozenset({REMOVE}),
    )

    def answered(choice: Answer) -> None:
        if choice == REMOVE:
            keeping.remove(session)

    session.ask(question, answered)


@declare(ACTIONS, "keep.open_copy", "Open kept copy", "Open the copy of this session that is kept.", palette=False)
def open_copy(session: Session, path: Path) -> None:
    """Open the kept copy of a session that is gone."""
    open_kept(session, path)


def open_kept(session: Session, path: Path) -> None:
    """Write the kept copy of a session where it can be opened, in a job, and open it. LookupError without one."""
    keeping = session.agent_sessions.keeping
    page = keeping.page_at(path)
    if page is None:
        raise LookupError(f"There is no kept copy of {path}.")
    settings = session.settings

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> Path:
        return keeping.restore(settings, page)

    def done(opened: Path) -> None:
        opening.open_path(session, opened)

    key, title = f"kept:{page.key}", "Opening a kept session"
    session.jobs.submit(key, work, done, title=title, priority=opening.READ, stopped=leaves_nothing)
