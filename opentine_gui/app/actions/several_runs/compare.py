"""Comparison actions: compare two runs, look at one side, go from divergence to divergence."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from opentine_gui.app.actions.conditions import (
    NO_DOCUMENT,
    document_meant,
    document_of,
    overlay_of,
    with_document,
    with_run,
)
from opentine_gui.app.actions.several_runs.choose_run import another_is_known, ask_other_run, is_run
from opentine_gui.app.comparison import comparison_view, several_runs
from opentine_gui.app.comparison.related_runs import member_of, shown_member
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.members import Member, name_of
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.files import closing
from opentine_gui.app.inspect.clipboard_text import comparison_markdown, copy_and_say
from opentine_gui.app.inspect.outcome import accounts_of, look_through
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.system.jobs import COPYING, leaves_nothing
from opentine_gui.core import EditError
from opentine_gui.core.format.metadata import source_run_ids
from opentine_gui.core.progress import Pace
from opentine_gui.describe.comparison_words import Accounts

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
RunKey = int | Path | str
"""A run: the number of an open document, or the path of a file."""

ONE_RUN = "Only one run is known: open another one, or a folder of runs."
COMPARED = "These two are compared here."
NO_COMPARISON = "Two runs are not being compared here."


# --- opening ---------------------------------------------------------------------------------------------------------


def _can_compare(
    session: Session, a: RunKey | None = None, b: RunKey | None = None, run: RunKey | None = None, **_arguments: Any
) -> str | None:
    if a is not None and b is not None:
        return None
    given = next((key for key in (a, b, run) if key is not None), None)
    if session.active is None and given is None:
        return NO_DOCUMENT
    try:
        chosen = _run_meant(session, given)
    except (LookupError, EditError):  # it was closed, or nothing is shown of it yet
        return with_run(session) or "That run is not open any more."
    return None if another_is_known(session, chosen) else ONE_RUN


def _run_meant(session: Session, run: RunKey | None) -> Member:
    """The run that is compared: the given or the active one; of several that are shown the lit, else the first one."""
    document = session.active
    if run is not None or document is None or document.overlay is None:
        return member_of(session, run if run is not None else document_of(session).number)
    overlay = document.overlay
    return shown_member(session, overlay, overlay.lit if overlay.lit is not None else (overlay.shown or (0,))[0])


def _can_open(session: Session, a: RunKey | None = None, b: RunKey | None = None, **_arguments: Any) -> str | None:
    document = session.active
    if a is None and b is None and document is not None and document.members is not None and document.members.comparing:
        return COMPARED
    return _can_compare(session, a, b)


@declare(
    ACTIONS,
    "compare.open",
    "Compare with its source",
    "Show this run and the one it was forked from over each other, and where they diverge.",
    enabled=_can_open,
    menu="Run/Compare",
    group=2,
    keys=("Ctrl+D",),
)
def open_comparison(session: Session, a: RunKey | None = None, b: RunKey | None = None) -> None:
    """Compare two runs. Given one, ask for the other; given none, compare the active run with its source."""
    if a is not None and b is not None:
        pair = [member_of(session, a), member_of(session, b)]
        several_runs.open_together(session, pair, comparing=True)
    elif a is not None or b is not None:
        ask_other_run(session, member_of(session, a if a is not None else b or 0), first=a is not None)
    else:
        chosen = _default(session, document_of(session))
        if chosen is not None:
            several_runs.open_together(session, chosen, comparing=True)
        else:
            pick(session)


@declare(
    ACTIONS,
    "compare.pick",
    "Compare with…",
    "Choose a run to show over this one.",
    enabled=_can_compare,
    menu="Run/Compare",
    group=2,
    keys=("Ctrl+Shift+D",),
    contexts=("run", "canvas"),
)
def pick(session: Session, run: RunKey | None = None) -> None:
    """Ask which run to compare a run with, by default the active one; in a family the lit run, else the first."""
    ask_other_run(session, _run_meant(session, run), first=True)


def _with_file(session: Session, document: int | None = None, **_arguments: Any) -> str | None:
    found = document_meant(session, document)
    if found is None or found.record is None or found.members is not None:
        return with_run(session) or "This run is not open."
    if found.path is None or found.origin is not None:
        return "It has no file of its own."
    if found.on_disk.gone:
        return "Its file is gone."
    return None if found.edited or found.on_disk.changed else "It is as its file has it."


@declare(
    ACTIONS,
    "compare.with_file",
    "Compare with its file",
    "Compare the open run with its file as it is now.",
    enabled=_with_file,
    menu="Run/Compare",
    group=2,
)
def compare_with_file(session: Session, document: int | None = None) -> None:
    """Compare what the file holds (A), also when it is written again, with the document as it is open (B)."""
    found = document_meant(session, document)
    if found is not None and found.path is not None:
        on_disk = Member(f"{name_of(found.path.name)} on disk", path=found.path, on_disk=True)
        pair = [on_disk, member_of(session, found.number)]
        several_runs.open_together(session, pair, comparing=True, in_order=True)


def _default(session: Session, document: Document) -> list[Member] | None:
    """The source and the active run. In a family the two runs switched on, or the lit run and its source."""
    overlay = document.overlay
    if overlay is not None:
        return _of_family(session, overlay)
    record = document.record
    mine = member_of(session, document.number)
    if record is not None:
        for wanted in source_run_ids(record.metadata):
            source = _run_with_id(session, wanted, document)
            if source is not None:
                return [source, mine]
    others = [other for other in session.documents if other is not document and is_run(other)]
    if len(others) == 1:
        other = member_of(session, others[0].number)
        came_from_here = record is not None and other.record is not None and (
            record.run_id in source_run_ids(other.record.metadata)
        )  # fmt: skip
        return [mine, other] if came_from_here else [other, mine]
    return None


def _run_with_id(session: Session, run_id: str, but: Document) -> Member | None:
    for document in session.documents:
        record = document.record if document is not but and is_run(document) else None
        if record is not None and record.run_id == run_id:
            return member_of(session, document.number)
    path = next((row.path for row in session.runs.rows if row.run_id == run_id and row.path != but.path), None)
    return member_of(session, path) if path is not None else None


def _of_family(session: Session, overlay: Overlay) -> list[Member] | None:
    chosen: Iterable[int] = overlay.shown if len(overlay.shown) == 2 else ()
    if overlay.lit is not None and not chosen:
        parent = overlay.family.lineage[overlay.lit].parent
        chosen = (parent, overlay.lit) if parent is not None else ()
    found = [shown_member(session, overlay, number) for number in chosen]
    return found if len(found) == 2 else None


# --- looking ---------------------------------------------------------------------------------------------------------


def with_comparison(session: Session, **_arguments: Any) -> str | None:
    """None if the active document is a finished comparison."""
    document = session.active
    if document is None or document.members is None or not document.members.comparing:
        return NO_COMPARISON
    return with_run(session)


@declare(
    ACTIONS,
    "compare.swap",
    "Swap A and B",
    "Swap the two runs of the comparison.",
    enabled=with_comparison,
    menu="Run/Compare",
    group=3,
)
def swap(session: Session) -> None:
    """Swap A and B; nothing on the canvas moves."""
    several_runs.swap(document_of(session))


@declare(
    ACTIONS,
    "compare.flip",
    "Flip A and B",
    "Look at A alone, then at B alone: the other side is dimmed and shared steps stay where they are. Esc shows both.",
    enabled=with_comparison,
    menu="Run/Compare",
    group=3,
    mode="compare",
    mode_keys=("Tab",),
    contexts=("canvas",),
)
def flip(session: Session, side: str | None = None) -> None:
    """Show the other side, or "A", "B" or "both". LookupError for any other side."""
    document, overlay = document_of(session), overlay_of(session)
    sides = {"A": overlay.pair[0], "B": overlay.pair[1], "both": None}
    if side is not None and side not in sides:
        raise LookupError(f"There is no side {side!r}; there are A, B and both.")
    facing = comparison_view.flipped(overlay) if side is None else sides[side]
    document.show_overlay(replace(overlay, facing=facing, hidden=frozenset()))


def _parts(session: Session, **_arguments: Any) -> str | None:
    reason = with_comparison(session)
    if reason is None and not overlay_of(session).divergences:
        return "The two runs do not part."
    return reason


@declare(
    ACTIONS,
    "compare.next",
    "Next divergence",
    "Go to the next place where the two runs diverge.",
    enabled=_parts,
    menu="Run/Compare",
    group=3,
    mode="compare",
    mode_keys=("N",),
)
def next_divergence(session: Session) -> None:
    """Fly to the next root divergence; after the last one the first."""
    document = document_of(session)
    comparison_view.show_divergence(session, document, comparison_view.next_divergence(document, 1))


@declare(
    ACTIONS,
    "compare.previous",
    "Previous divergence",
    "Go to the place before this one where the two runs diverge.",
    enabled=_parts,
    menu="Run/Compare",
    group=3,
    mode="compare",
    mode_keys=("Shift+N",),
)
def previous_divergence(session: Session) -> None:
    """Fly to the previous root divergence; before the first one the last."""
    document = document_of(session)
    comparison_view.show_divergence(session, document, comparison_view.next_divergence(document, -1))


@declare(
    ACTIONS, "compare.show", "Show divergence", "Go to one of the divergences.", enabled=_parts, palette=False
)  # fmt: skip
def show(session: Session, divergence: int) -> None:
    """Fly to a root divergence, counted from 1. LookupError if there is no such one."""
    comparison = overlay_of(session).comparison
    if comparison is None or not 1 <= divergence <= len(comparison.root_divergences):
        raise LookupError("There is no such divergence.")
    comparison_view.show_divergence(session, document_of(session), divergence - 1)


@declare(
    ACTIONS,
    "compare.copy_markdown",
    "Copy the comparison as Markdown",
    "Copy what the panel says: where the two runs diverge, the figures of both, and the first difference.",
    enabled=with_comparison,
    menu="Run/Compare",
    group=3,
)
def copy_markdown(session: Session) -> None:
    """Copy the present divergence as Markdown."""
    document, overlay = document_of(session), overlay_of(session)
    subject, comparison = comparison_view.subject_of(document), overlay.comparison
    if subject is None or comparison is None:
        return
    accounts = accounts_of(session, document)

    def copy(accounts: Accounts | None) -> None:
        copy_and_say(session, comparison_markdown(overlay, subject, accounts), "the comparison as Markdown")

    if accounts is not None or not subject.whole:
        copy(accounts)
        return
    # What is copied stays as it is, so it waits for what came of the runs, even if that was stopped before.
    session.jobs.submit(
        COPYING,
        lambda progress, cancelled: look_through(comparison, Pace(progress, cancelled)),
        copy,
        title="Copying the comparison as Markdown",
        stopped=leaves_nothing,
    )


def _shows_several(session: Session, **_arguments: Any) -> str | None:
    reason = with_document(session)
    if reason is None and document_of(session).members is None:
        return "One run is shown here."
    return reason


@declare(
    ACTIONS,
    "compare.close",
    "Close the comparison",
    "Close the tab that shows several runs; the runs stay open.",
    enabled=_shows_several,
    menu="Run/Compare",
    group=3,
)
def close(session: Session) -> None:
    """Close the active comparison or family."""
    closing.close(session, document_of(session))
