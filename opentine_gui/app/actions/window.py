"""Window actions: tabs, the list of runs, notices, progress bars, the list of keys and the about box.

What is done to a tab or a run of the list need not be the one in front.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_meant
from opentine_gui.app.comparison import several_runs
from opentine_gui.app.comparison.related_runs import member_of
from opentine_gui.app.files import closing, opening, renaming
from opentine_gui.app.folder.demo_runs import copy_demo, demo_folder
from opentine_gui.app.folder.run_order import ORDERS
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.app.state.own_keys import write_keys_file
from opentine_gui.app.state.prompts import Answer, AskText, OpenFolder
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.importers import readers
from opentine_gui.importers.sources.parts import divide
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
RunKey = int | Path
"""A run: the number of an open document, or the path of a file."""


def _exists(session: Session, document: int = 0, number: int = 0, **_arguments: Any) -> str | None:
    return None if session.document(document or number) is not None else "That run is not open any more."


def _several(session: Session, **_arguments: Any) -> str | None:
    return None if len(session.documents) > 1 else "No other run is open."


@declare(ACTIONS, "document.activate", "Go to tab", "Bring an open run to the front.", enabled=_exists, palette=False)
def activate(session: Session, document: int = 0, number: int = 0) -> None:
    """Bring the document with this number to the front; lists pass it as `number`."""
    session.activate(session.document(document or number))


def _turn(session: Session, way: int) -> None:
    if session.active is not None:
        place = session.documents.index(session.active) + way
        session.activate(session.documents[place % len(session.documents)])


@declare(
    ACTIONS,
    "document.next",
    "Next tab",
    "Bring the next open run to the front.",
    enabled=_several,
    menu="Go",
    group=4,
    keys=("Ctrl+Tab", "Ctrl+PageDown"),
)
def next_document(session: Session) -> None:
    """Bring the next tab to the front; after the last one the first."""
    _turn(session, 1)


@declare(
    ACTIONS,
    "document.previous",
    "Previous tab",
    "Bring the previous open run to the front.",
    enabled=_several,
    menu="Go",
    group=4,
    keys=("Ctrl+Shift+Tab", "Ctrl+PageUp"),
)
def previous_document(session: Session) -> None:
    """Bring the previous tab to the front; before the first one the last."""
    _turn(session, -1)


@declare(ACTIONS, "runs.filter", "Filter runs", "Show only the runs that fit a query.", palette=False)
def filter_runs(session: Session, text: str) -> None:
    """Filter the list of runs by a query (the grammar is in `folder.run_query`)."""
    session.runs.set_filter(text)


def _file_of(session: Session, run: RunKey | None, document: int | None) -> Path | None:
    if isinstance(run, Path):
        return run
    found = document_meant(session, document if run is None else run)
    return found.path if found is not None else None


@declare(ACTIONS, "runs.open", "Open", "Open this run in a tab.", palette=False, contexts=("run",))
def open_run(session: Session, run: RunKey) -> None:
    """Open a run of the list, or bring it to the front."""
    if isinstance(run, Path):
        opening.open_path(session, run)
    else:
        session.activate(session.document(run))


def _two_runs(session: Session, run: RunKey | None = None, **_arguments: Any) -> str | None:
    active = session.active
    if active is None or active.members is not None:
        return "Open the run to compare it with first."
    return "This is the run in front." if run is None or run in (active.number, active.path) else None


@declare(
    ACTIONS,
    "runs.compare",
    "Compare with the open run",
    "Show this run and the one in front over each other.",
    enabled=_two_runs,
    palette=False,
    contexts=("run",),
)
def compare_with_active(session: Session, run: RunKey) -> None:
    """Compare the run in front (A) with a run of the list (B), or that with it if it was made from it."""
    if session.active is not None:
        pair = [member_of(session, session.active.number), member_of(session, run)]
        several_runs.open_together(session, pair, comparing=True)


def _in_a_file(
    session: Session, run: RunKey | None = None, document: int | None = None, **_arguments: Any
) -> str | None:
    return None if _file_of(session, run, document) is not None else "This run is in no file yet."


def _has_folder(session: Session, path: Path | None = None, **arguments: Any) -> str | None:
    return None if path is not None else _in_a_file(session, **arguments)


def _can_move(session: Session, run: RunKey | None = None, **_arguments: Any) -> str | None:
    """None for a `.tine` file: what an agent or another program wrote is never moved, whether it is open or not."""
    path = _file_of(session, run, None)
    if path is None or readers.is_run(path.name):
        return _in_a_file(session, run)
    found = session.document_at(path)
    whose = f"the session {found.origin.title} itself keeps" if found is not None and found.origin is not None else ""
    return f"This is {whose or 'the file of another program'}: it stays where it is."


def _known_file(session: Session, run: RunKey | None) -> Path:
    path = _file_of(session, run, None)
    if path is None:
        raise LookupError("This run is in no file yet.")
    return path


def _order_name(session: Session, **_arguments: Any) -> str:
    return ORDERS.get(session.settings.runs_order, ORDERS["family"]).lower()


def _orders(session: Session) -> list[Choice]:
    now = session.settings.runs_order
    return [Choice(title, {"by": order}, here=order == now) for order, title in ORDERS.items()]


@declare(
    ACTIONS,
    "runs.sort",
    "Sort runs",
    "List the runs by family, when they were changed or begun, name, status, failures, cost, time or number of steps.",
    menu="View",
    group=2,
    state=_order_name,
    choices=_orders,
)
def sort(session: Session, by: str | None = None) -> None:
    """Give the list of runs another order, which is remembered; without `by` the next one."""
    orders = list(ORDERS)
    now = session.settings.runs_order
    following = orders[(orders.index(now) + 1) % len(orders)] if now in orders else orders[0]
    session.settings.runs_order = by if by in ORDERS else following
    session.touch()


@declare(
    ACTIONS,
    "runs.rename",
    "Rename file…",
    "Give the run's file another name.",
    enabled=_can_move,
    menu="File/File on disk",
    group=2,
    contexts=("run",),
)
def rename(session: Session, run: RunKey | None = None, name: str | None = None) -> None:
    """Rename a run's file, by default that of the active one, to `name`, or ask for it."""
    path = _known_file(session, run)

    def answered(answer: Answer | None) -> None:
        if isinstance(answer, str):
            renaming.move(session, path, renaming.renamed(path, answer))

    if name is not None:
        answered(name)
    else:
        refusal = partial(renaming.no_name, path)
        session.ask(AskText("Rename file", f"in {path.parent}", "Rename", path.stem, refusal=refusal), answered)


@declare(
    ACTIONS,
    "runs.move",
    "Move to folder…",
    "Put the run's file into another folder.",
    enabled=_can_move,
    menu="File/File on disk",
    group=2,
    contexts=("run",),
)
def move(session: Session, run: RunKey | None = None, folder: Path | str | None = None) -> None:
    """Move a run's file, by default that of the active one, to `folder`, or ask which."""
    path = _known_file(session, run)

    def answered(answer: Answer | None) -> None:
        if isinstance(answer, tuple) and answer:
            renaming.move(session, path, answer[0].expanduser().absolute() / path.name)

    if folder is not None:
        answered((Path(folder),))
    else:
        session.ask(OpenFolder("Move to folder", path.parent, "Move here"), answered)


@declare(
    ACTIONS,
    "runs.trash",
    "Move to trash…",
    "Send the run's file to the trash; asks first.",
    enabled=_can_move,
    menu="File/File on disk",
    group=2,
    contexts=("run",),
)
def trash(session: Session, run: RunKey | None = None) -> None:
    """Ask, and send a run's file to the trash, by default that of the active one."""
    renaming.ask_and_trash(session, _known_file(session, run))


@declare(
    ACTIONS,
    "runs.put_back",
    "Put back",
    "Bring a run's file back from the trash, to where it was.",
    palette=False,
)
def put_back(session: Session, path: Path, trashed: Path, reopen: bool = False) -> None:
    """Bring back what lies at `trashed`, and open it again if its tab was closed."""
    renaming.put_back(session, path, trashed, reopen=reopen)


@declare(
    ACTIONS,
    "runs.copy_path",
    "Copy file path",
    "Copy the path of the run's file.",
    enabled=_in_a_file,
    menu="Edit",
    group=1,
    contexts=("run", "tab"),
)
def copy_path(session: Session, run: RunKey | None = None, document: int | None = None) -> None:
    """Copy the path of a run's file, by default of the run in front."""
    path = _file_of(session, run, document)
    if path is not None:
        session.copy(clean(str(path), 4096))
        session.notices.add("info", "Copied the path.", key="copied")


@declare(
    ACTIONS,
    "runs.show_folder",
    "Open its folder",
    "Show the run's file where it lies, in the file manager.",
    enabled=_has_folder,
    menu="File/File on disk",
    group=2,
    contexts=("run", "tab"),
)
def show_folder(
    session: Session, run: RunKey | None = None, document: int | None = None, path: Path | None = None
) -> None:
    """Show a file in its folder: the one at `path`, else that of a run, by default of the run in front."""
    found = path or _file_of(session, run, document)
    if found is None:
        return
    file = divide(found)[0]
    try:
        program = session.editors.show_folder(file)
    except (LookupError, OSError) as error:
        session.notices.error(f"The folder cannot be shown: {error}")
        return

    def done(failure: str) -> None:
        if failure:
            session.notices.error(f"The folder cannot be shown: {failure}. The file is {file}")
            session.touch()

    session.jobs.submit("show folder", lambda _progress, _cancelled: program.failure(), done, quiet=True)


def _has_others(session: Session, **_arguments: Any) -> str | None:
    return None if len(session.documents) > 1 else "No other tab is open."


@declare(
    ACTIONS,
    "document.close_others",
    "Close other tabs",
    "Close every tab but this one; asks about unsaved work.",
    enabled=_has_others,
    menu="File",
    group=3,
    contexts=("tab", "tabs"),
)
def close_others(session: Session, document: int | None = None) -> None:
    """Close all tabs but one (by default the one in front), one after the other; cancelling stops that."""
    kept = document_meant(session, document)

    def close_next() -> None:
        other = next((one for one in session.documents if one is not kept), None)
        if other is not None:
            closing.close(session, other, close_next)
        elif kept is not None:
            session.activate(kept)

    close_next()


@declare(ACTIONS, "notice.dismiss", "Dismiss notice", "Take a notice away.", palette=False)
def dismiss_notice(session: Session, key: str) -> None:
    """Remove a notice."""
    session.notices.dismiss(key)


@declare(ACTIONS, "job.cancel", "Stop", "Stop something that takes long.", palette=False)
def cancel_job(session: Session, key: str) -> None:
    """Stop a job; a callback given when it was submitted does what that means for its document."""
    session.jobs.stop(key)
    session.touch()


@declare(ACTIONS, "help.keys", "Keys", "Show all keys and what the pointer does.", menu="Help", keys=("F1", "Shift+/"))
def keys(session: Session, shown: bool | None = None) -> None:
    """Open or close the list of keys."""
    session.view.keys = not session.view.keys if shown is None else shown


@declare(
    ACTIONS,
    "help.change_keys",
    "Change keys…",
    "Open the file in which you give actions other keys; they hold when the program is started again.",
    menu="Help",
)
def change_keys(session: Session) -> None:
    """Open `keys.json` in the user's editor, made with the list of all actions where there is none."""
    path = write_keys_file(session.actions, session.keys_folder)
    session.editors.open_file(path)
    session.notices.add("info", f"Keys changed in {path} hold when the program is started again.", key="own-keys")


@declare(
    ACTIONS,
    "help.demo",
    "Open the demo",
    "Open a run that failed, beside its repair: copies of your own, to try things on.",
    menu="Help",
)
def demo(session: Session) -> None:
    """Open the run of the demo that failed, copied to the user's data folder in a job."""

    def done(path: Path) -> None:
        opening.open_path(session, path)
        session.runs.show_folder(session, path.parent, leads_back=True)

    def failed(error: Exception) -> None:
        session.notices.add("error", f"The demo could not be copied to {demo_folder()}: {error}", key="demo")

    session.jobs.submit("demo", lambda *_: copy_demo(), done, failed, title="Copying the demo", stopped=leaves_nothing)


@declare(ACTIONS, "help.about", "About", "Show the version and what this is.", menu="Help")
def about(session: Session, shown: bool | None = None) -> None:
    """Open or close the about box."""
    session.view.about = not session.view.about if shown is None else shown
