"""Copies steps, totals and values of a step to the clipboard, and opens values in an editor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import (
    document_of,
    record_of,
    step_of,
    with_run,
    with_step,
)
from opentine_gui.app.inspect import clipboard_text
from opentine_gui.app.inspect.clipboard_text import copy_and_say, copy_of_steps
from opentine_gui.app.inspect.step.payload_file import payload_file
from opentine_gui.app.inspect.step.values import first_place, value_at, value_json, value_markdown, value_text
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.core.comparison.step_difference import path_label
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []


def _steps(session: Session, step: str | None) -> list[str]:
    """The given step, or the selected ones in traversal order: all of a selected group, but while one step is read."""
    if step is not None:
        return [step_of(session, step)]
    graph, document = record_of(session).graph, document_of(session)
    chosen = document.selection.ids if session.view.reading else document.selected_steps
    return sorted(filter(graph.positions.__contains__, chosen), key=graph.index)


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
    contexts=("step/Copy", "link"),
)
def copy_id(session: Session, step: str | None = None) -> None:
    """Copy full ids."""
    clipboard_text.copy_ids(session, _steps(session, step))


@declare(
    ACTIONS,
    "edit.copy_json",
    "Copy as JSON",
    "Copy the selected steps as the file records them.",
    enabled=with_step,
    menu="Edit",
    group=1,
    keys=("Ctrl+C",),
    contexts=("step/Copy",),
)
def copy_json(session: Session, step: str | None = None) -> None:
    """Copy one step as an object, several as an array."""
    ids, record = _steps(session, step), record_of(session)
    what = _named(len(ids), "step") + " as JSON"
    copy_of_steps(session, record, ids, lambda: clipboard_text.steps_json(record, ids), what, recorded=True)


@declare(
    ACTIONS,
    "edit.copy_markdown",
    "Copy as Markdown",
    "Copy the selected steps as readable text.",
    enabled=with_step,
    menu="Edit",
    group=1,
    keys=("Alt+C",),
    contexts=("step/Copy", "link"),
)
def copy_markdown(session: Session, step: str | None = None) -> None:
    """Copy steps as Markdown."""
    ids, record = _steps(session, step), record_of(session)
    what = _named(len(ids), "step") + " as Markdown"
    copy_of_steps(session, record, ids, lambda: clipboard_text.steps_markdown(record, ids), what)


@declare(
    ACTIONS,
    "edit.copy_totals",
    "Copy totals",
    "Copy the run's steps, cost, time and tokens.",
    enabled=with_run,
    menu="Edit",
    group=1,
    contexts=("canvas",),
)
def copy_totals(session: Session) -> None:
    """Copy the run's totals as text."""
    copy_and_say(session, clipboard_text.totals_text(record_of(session)), "the totals")


@declare(ACTIONS, "edit.copy_text", "Copy text", "Copy a text that is shown.", palette=False)
def copy_text(session: Session, text: str, what: str = "the text") -> None:
    """Copy a text of a panel: a figure, a payload, a path."""
    copy_and_say(session, text, what)


# --- values of a step ------------------------------------------------------------------------------------------------


def _copy_value(
    session: Session, value: ValuePlace | None, words: Callable[[Any], str], what: str, *, recorded: bool = False
) -> None:
    place, record = _place(session, value), record_of(session)
    copy_of_steps(session, record, [place.step], lambda: words(value_at(record, place)), what, recorded=recorded)


def _place(session: Session, value: ValuePlace | None) -> ValuePlace:
    """The value to act on: the one given, else the first of the part that is shown of the selected step."""
    if value is not None:
        return value
    record, step = record_of(session), step_of(session, None)
    return first_place(record, step, session.view.tab_of(step))


def _of_value(session: Session, value: ValuePlace | None = None, **_arguments: Any) -> str | None:
    return with_run(session) if value is not None else with_step(session)


def _recorded(session: Session, value: ValuePlace | None = None, **_arguments: Any) -> str | None:
    reason = _of_value(session, value)
    if reason is None and not _place(session, value).path:
        return "This text is not in the record; it is derived from it."
    return reason


def _selected(_session: Session, value: ValuePlace | None = None, **_arguments: Any) -> str | None:
    return None if value is not None and value.selected else "No text is selected there."


@declare(
    ACTIONS,
    "edit.copy_selected",
    "Copy selected text",
    "Copy what is selected, as it is seen.",
    enabled=_selected,
    contexts=("value",),
    palette=False,
)
def copy_selected(session: Session, value: ValuePlace, step: str | None = None) -> None:
    """Copy the text that is selected in a payload."""
    copy_and_say(session, value.selected, "the selected text")


@declare(
    ACTIONS,
    "edit.copy_value",
    "Copy value",
    "Copy a value as it is: a text with real line ends.",
    enabled=_of_value,
    menu="Step",
    group=3,
    keys=("Y",),
    contexts=("value",),
)
def copy_value(session: Session, value: ValuePlace | None = None, step: str | None = None) -> None:
    """Copy a recorded value; a text without quotation marks, anything else as JSON."""
    _copy_value(session, value, value_text, "the value", recorded=True)


@declare(
    ACTIONS,
    "edit.copy_path",
    "Copy path",
    "Copy where a value stands in the step's record.",
    enabled=_recorded,
    menu="Step",
    group=3,
    contexts=("value",),
)
def copy_path(session: Session, value: ValuePlace | None = None, step: str | None = None) -> None:
    """Copy the path of a value, such as `outputs.tool_calls[0].arguments`."""
    copy_and_say(session, clean(path_label(_place(session, value).path)), "the path")


@declare(
    ACTIONS,
    "edit.copy_value_json",
    "Copy value as JSON",
    "Copy a value as JSON.",
    enabled=_of_value,
    menu="Step",
    group=3,
    contexts=("value",),
)
def copy_value_json(session: Session, value: ValuePlace | None = None, step: str | None = None) -> None:
    """Copy a recorded value as JSON, a text in quotation marks."""
    _copy_value(session, value, value_json, "the value as JSON", recorded=True)


@declare(
    ACTIONS,
    "edit.copy_value_markdown",
    "Copy value as Markdown",
    "Copy a value as a block of code.",
    enabled=_of_value,
    menu="Step",
    group=3,
    contexts=("value",),
)
def copy_value_markdown(session: Session, value: ValuePlace | None = None, step: str | None = None) -> None:
    """Copy a recorded value as a fenced block."""
    _copy_value(session, value, value_markdown, "the value as Markdown")


@declare(
    ACTIONS,
    "edit.open_value",
    "Open in editor",
    "Open a copy of a value in your editor; the copy is removed when this program ends.",
    enabled=_of_value,
    menu="Step",
    group=3,
    keys=("Ctrl+Shift+E",),
    contexts=("value", "step"),
)
def open_value(session: Session, value: ValuePlace | None = None, step: str | None = None) -> None:
    """Write a value, or a whole step, into a private file and open it with the user's editor."""
    place = ValuePlace(step_of(session, step)) if value is None and step is not None else _place(session, value)
    file = payload_file(place, value_at(record_of(session), place))
    path = session.editors.open(file.name, file.suffix, file.data)
    session.notices.add("info", f"Opened a copy, which cannot be changed: {path}", key="opened-value")
