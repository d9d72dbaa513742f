"""Family actions: show several runs as one graph, switch runs on and off, highlight one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import NOT_TOGETHER, document_meant, document_of, overlay_of, with_run
from opentine_gui.app.actions.several_runs.choose_run import is_run, known_runs
from opentine_gui.app.actions.several_runs.compare import RunKey
from opentine_gui.app.comparison import session_families, several_runs
from opentine_gui.app.comparison.related_runs import member_of, shown_member
from opentine_gui.app.document.camera.framing import camera_of_steps
from opentine_gui.app.document.members import Member
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import EditError

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
MOST_RUNS = 1_000
"""Files of a folder that are shown together at most; nobody could read a larger family."""


def _chosen(session: Session) -> list[Member]:
    """The runs to show together: those chosen in the list, else all open ones, else the files of the folder."""
    chosen = [_member(session, run) for run in session.view.chosen_runs]
    picked = [member for member in chosen if member is not None]
    if len(picked) > 1:
        return picked
    opened = [member for member in known_runs(session) if member.document is not None]
    return opened if len(opened) > 1 else _folder(session)


def _names(session: Session, run: int | Path) -> set[int | Path]:
    """What a run may be called among those chosen: it may have been opened, or saved, since."""
    document = session.document(run) if isinstance(run, int) else session.document_at(run)
    if document is None:
        return {run}
    return {run, document.number} if document.path is None else {run, document.number, document.path}


def _member(session: Session, run: int | Path) -> Member | None:
    try:
        return member_of(session, run)
    except (LookupError, EditError):
        return None


def _folder(session: Session) -> list[Member]:
    return [member_of(session, row.path) for row in session.runs.rows[:MOST_RUNS] if not row.unreadable]


def _can_open(session: Session, runs: Sequence[RunKey] | None = None, **_arguments: Any) -> str | None:
    if runs is not None:
        return None if len(runs) > 1 else "Choose two runs or more."
    if sum(is_run(document) for document in session.documents) > 1 or len(session.view.chosen_runs) > 1:
        return None
    return _has_folder(session)


def _has_folder(session: Session, **_arguments: Any) -> str | None:
    readable = (row for row in session.runs.rows if not row.unreadable)
    if len(tuple(islice(readable, 2))) < 2:
        return "At least two runs are needed: open another one, or a folder of runs."
    return None if len(session.runs.rows) <= MOST_RUNS else f"The folder has more than {MOST_RUNS:,} runs: choose some."


@declare(
    ACTIONS,
    "family.open",
    "Show family",
    "Show runs together: those chosen in the list, else all open ones, else the folder. Shared steps are drawn once.",
    enabled=_can_open,
    menu="Run/Family",
    group=2,
    keys=("Shift+F",),
    contexts=("run", "canvas"),
)
def open_family(session: Session, runs: Sequence[RunKey] | None = None, run: int | Path | None = None) -> None:
    """Open a family of these runs, by default of those `_chosen` finds; `run` was pointed at in the list."""
    if run is not None and session.view.chosen_runs and not _names(session, run) & {*session.view.chosen_runs}:
        session.view.chosen_runs = (*session.view.chosen_runs, run)
    members = _chosen(session) if runs is None else [member_of(session, key) for key in runs]
    several_runs.open_together(session, members, comparing=False)
    session.view.chosen_runs = ()


@declare(
    ACTIONS,
    "family.open_folder",
    "Show family of the folder",
    "Show all runs of the folder together; shared steps are drawn once.",
    enabled=_has_folder,
    menu="Run/Family",
    group=2,
)
def open_folder(session: Session) -> None:
    """Open a family of every file in the folder."""
    several_runs.open_together(session, _folder(session), comparing=False)


@declare(
    ACTIONS,
    "family.choose",
    "Choose for a family",
    "Choose this run of the list, or drop it, to show several together.",
    palette=False,
    contexts=("run",),
)
def choose(session: Session, run: int | Path) -> None:
    """Choose a run, or drop it if it is chosen already."""
    chosen = session.view.chosen_runs
    names = _names(session, run)
    rest = tuple(other for other in chosen if other not in names)
    session.view.chosen_runs = rest if len(rest) < len(chosen) else (*chosen, run)


def _with_overlay(session: Session, run: int | None = None, **_arguments: Any) -> str | None:
    document = session.active
    if document is None or document.members is None:
        return NOT_TOGETHER
    reason = with_run(session)
    overlay = document.overlay
    if reason is None and (overlay is None or (run is not None and not 0 <= run < len(overlay.runs))):
        return "There is no such run."
    return reason


@declare(
    ACTIONS, "family.toggle_run", "Switch a run on or off", "Show a run, or not.", enabled=_with_overlay, palette=False
)
def toggle_run(session: Session, run: int) -> None:
    """Switch a run off or on; the last one that is on stays on."""
    document_of(session).show_overlay(overlay_of(session).toggled(run))


@declare(ACTIONS, "family.solo_run", "Show one run alone", "Only this run.", enabled=_with_overlay, palette=False)
def solo_run(session: Session, run: int) -> None:
    """Show only this run, or all again if it is alone already."""
    document_of(session).show_overlay(overlay_of(session).solo(run))


@declare(
    ACTIONS, "family.light_run", "Highlight a run", "Show a run's path in the accent colour.", enabled=_with_overlay,
    palette=False,
)  # fmt: skip
def light_run(session: Session, run: int) -> None:
    """Highlight a run, or stop highlighting it."""
    _light(session, None if overlay_of(session).lit == run else run)


def _light(session: Session, run: int | None) -> None:
    """Highlight a run, and move the camera to its tip if that is out of view."""
    document, overlay = document_of(session), overlay_of(session)
    document.show_overlay(overlay.lighting(run))
    tip = overlay.family.records[run].main_tip if run is not None else None
    if tip is not None:
        session.bring_into_view(document, tip)


@declare(
    ACTIONS,
    "family.select_steps",
    "Select a group of steps",
    "Select steps that have something in common, such as being in one run only, and show them.",
    enabled=_with_overlay,
    palette=False,
)
def select_steps(session: Session, steps: Iterable[str]) -> None:
    """Select these steps and fly to where all of them are in view."""
    document, overlay = document_of(session), overlay_of(session)
    chosen = [step for step in steps if step in overlay.family.graph]
    document.select(Selection.of(chosen[::-1]))
    camera = camera_of_steps(document.picture, chosen, session.viewport)
    if camera is not None:
        document.picture.fly(camera, session.clock(), session.settings.motion)


@declare(
    ACTIONS,
    "family.next_run",
    "Highlight next run",
    "Highlight the next of the runs that are shown together.",
    enabled=_with_overlay,
    menu="Run/Family",
    group=3,
    keys=("L",),
)
def next_run(session: Session) -> None:
    """Highlight the run after the lit one, in the order of the list; after the last one none."""
    overlay = overlay_of(session)
    order = [run for run, _ in overlay.family.tree if run not in overlay.hidden]
    place = order.index(overlay.lit) + 1 if overlay.lit in order else 0
    _light(session, order[place] if place < len(order) else None)


@declare(
    ACTIONS,
    "family.show_all",
    "Switch all runs on",
    "Show all runs again, none highlighted and none alone.",
    enabled=_with_overlay,
    menu="Run/Family",
    group=3,
)
def show_all(session: Session) -> None:
    """Switch all runs on and highlight none."""
    overlay = overlay_of(session)
    document_of(session).show_overlay(overlay.all_on())


def _has_relatives(session: Session, document: int | None = None, **_arguments: Any) -> str | None:
    target = document_meant(session, document)
    if target is None or target.origin is None:
        return "This is not a session of an agent."
    return None if target.relatives else "No other session belongs together with this one."


@declare(
    ACTIONS,
    "family.sessions",
    "Show session's family",
    "Show a session with its forks, resumes and rollouts: shared steps once, each run a line of its own.",
    enabled=_has_relatives,
    menu="Run/Family",
    group=3,
    contexts=("tab",),
)
def show_sessions(session: Session, document: int | None = None) -> None:
    """Show all sessions that belong together with this one."""
    target = document_meant(session, document)
    if target is not None:
        session_families.show_together(session, target)


@declare(
    ACTIONS,
    "family.add_run",
    "Add a run",
    "Show another run of the family too; in a comparison, compare with it instead.",
    enabled=_with_overlay,
    palette=False,
)
def add_run(session: Session, other: RunKey) -> None:
    """Open a family with one more run, or a comparison of A with another run."""
    document, overlay = document_of(session), overlay_of(session)
    members = document.members
    assert members is not None
    added = member_of(session, other)
    if members.comparing:
        first = shown_member(session, overlay, overlay.pair[0])
        several_runs.open_together(session, [first, added], comparing=True)
    else:
        several_runs.open_together(session, [*members.members, added], comparing=False)
