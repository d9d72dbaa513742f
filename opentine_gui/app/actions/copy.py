"""Copying to the clipboard: every number and every id on the screen can be taken along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.actions.conditions import document_of, record_of, step_of, with_run, with_step
from opentine_gui.app.inspect import clipboard_text
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.describe.numbers import counted

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _steps(session: Session, step: str | None) -> list[str]:
    """The given step, or all selected ones in traversal order."""
    if step is not None:
        return [step_of(session, step)]
    graph = record_of(session).graph
    return sorted(document_of(session).selection, key=graph.index)


def _copied(session: Session, text: str, what: str) -> None:
    session.clipboard(text)
    session.notices.add("info", f"Copied {what}.", key="copied")


def _named(count: int, word: str) -> str:
    return word if count == 1 else counted(count, word)


@declare(
    ACTIONS,
    "edit.copy_id",
    "Copy id",
    "Copy the full ids of the selected steps, one a line.",
    enabled=with_step,
    menu="Edit",
    group=1,
    keys=("Ctrl+Shift+C",),
    contexts=("step",),
)
def copy_id(session: Session, step: str | None = None) -> None:
    """Copy full ids."""
    ids = _steps(session, step)
    _copied(session, "\n".join(ids), _named(len(ids), "id"))


@declare(
    ACTIONS,
    "edit.copy_json",
    "Copy as JSON",
    "Copy the selected steps as the file records them.",
    enabled=with_step,
    menu="Edit",
    group=1,
    keys=("Ctrl+C",),
    contexts=("step",),
)
def copy_json(session: Session, step: str | None = None) -> None:
    """Copy one step as an object, several as an array."""
    ids = _steps(session, step)
    _copied(session, clipboard_text.steps_json(record_of(session), ids), _named(len(ids), "step") + " as JSON")


@declare(
    ACTIONS,
    "edit.copy_markdown",
    "Copy as Markdown",
    "Copy the selected steps as readable text.",
    enabled=with_step,
    menu="Edit",
    group=1,
    keys=("Alt+C",),
    contexts=("step",),
)
def copy_markdown(session: Session, step: str | None = None) -> None:
    """Copy steps as Markdown."""
    ids = _steps(session, step)
    _copied(session, clipboard_text.steps_markdown(record_of(session), ids), _named(len(ids), "step") + " as Markdown")


@declare(
    ACTIONS,
    "edit.copy_totals",
    "Copy totals",
    "Copy the run's steps, cost, time and tokens.",
    enabled=with_run,
    menu="Edit",
    group=1,
    contexts=("canvas", "run"),
)
def copy_totals(session: Session) -> None:
    """Copy the run's totals as text."""
    _copied(session, clipboard_text.totals_text(record_of(session)), "the totals")


@declare(ACTIONS, "edit.copy_text", "Copy text", "Copy a text that is shown.", palette=False)
def copy_text(session: Session, text: str, what: str = "the text") -> None:
    """Copy any text a panel offers: a figure, a payload, a path."""
    _copied(session, text, what)
