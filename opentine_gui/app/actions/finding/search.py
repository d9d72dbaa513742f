"""Search actions: ask, go from match to match, show a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import with_document
from opentine_gui.app.actions.select import show_step
from opentine_gui.app.files import opening
from opentine_gui.app.search.live_search import SCOPES
from opentine_gui.app.search.scan_run import LARGE_STEP
from opentine_gui.app.search.values import content_of
from opentine_gui.app.state.action_registry import Action, declare

if TYPE_CHECKING:
    from opentine_gui.app.search.live_search import Scope
    from opentine_gui.app.session import Session
    from opentine_gui.core import RunRecord

ACTIONS: list[Action] = []
TAB_OF = {"inputs": "Call", "outputs": "Result", "error": "Result"}
"""The inspector's tab that shows a member of a step."""


def _can_search(session: Session, **_arguments: Any) -> str | None:
    if session.presentation is not None:
        return "A run is being presented."
    return None if session.runs.folder is not None else with_document(session)


def _open(session: Session, scope: Scope | None) -> None:
    view = session.view
    view.search = view.panels = session.search.on = True
    view.search_asked += 1
    session.search.ask(session.search.text, scope)


@declare(
    ACTIONS,
    "search.open",
    "Find…",
    "Search everything recorded: texts, tools, errors, figures.",
    enabled=_can_search,
    menu="Edit",
    group=1,
    keys=("Ctrl+F", "/"),
)
def open_search(session: Session, text: str | None = None) -> None:
    """Open the search and put the keyboard into its box; with a text search for it."""
    if text is not None:
        session.search.text = text
    scope: Scope | None = None
    if session.active is None:
        scope = "folder"
    _open(session, scope)


@declare(
    ACTIONS,
    "search.folder",
    "Find in all runs…",
    "Search all runs of the folder, without one all that are open.",
    enabled=_can_search,
    menu="Edit",
    group=1,
    keys=("Ctrl+Shift+F",),
)
def open_folder_search(session: Session) -> None:
    """Open the search on the whole folder, or on the open runs if none is listed."""
    _open(session, "folder" if session.runs.folder is not None else "open")


@declare(ACTIONS, "search.ask", "Search", "Search for something, or somewhere else.", palette=False)
def ask(session: Session, text: str | None = None, scope: str | None = None) -> None:
    """Ask something else, or in another scope: "run", "open" or "folder"."""
    search = session.search
    chosen = next((one for one in SCOPES if one == scope), None)
    search.ask(search.text if text is None else text, chosen)


@declare(
    ACTIONS,
    "search.regex",
    "Search as regular expression",
    "Take the text of the search as a regular expression, after filters like kind:tool, or as words again.",
    enabled=_can_search,
    menu="Edit",
    group=1,
    keys=("Alt+X",),
    state=lambda session: session.search.regex,
)
def switch_regex(session: Session) -> None:
    """Switch between plain text and regular expressions; opens the search."""
    session.search.regex = not session.search.regex
    _open(session, "folder" if session.active is None else None)


def _has_question(session: Session, **_arguments: Any) -> str | None:
    return None if session.search.text.strip() else "Nothing was searched for."


@declare(
    ACTIONS,
    "search.next",
    "Next match",
    "Go to the next step that was found.",
    enabled=_has_question,
    menu="Edit",
    group=1,
    keys=("F3",),
)
def next_match(session: Session) -> None:
    """Go to the next found step; after the last one the first."""
    _step_on(session, 1)


@declare(
    ACTIONS,
    "search.previous",
    "Previous match",
    "Go to the step found before this one.",
    enabled=_has_question,
    menu="Edit",
    group=1,
    keys=("Shift+F3",),
)
def previous_match(session: Session) -> None:
    """Go to the found step before this one; before the first one the last."""
    _step_on(session, -1)


def _step_on(session: Session, way: int) -> None:
    search = session.search
    if not search.on:
        session.view.search = search.on = True
        search.collect()
    search.wanted = way
    go_to_wanted(session)


def go_to_wanted(session: Session) -> None:
    """Go to the next match that was asked for, as soon as there is one."""
    search = session.search
    if not search.wanted or (search.running and not search.steps):
        return
    way, search.wanted = search.wanted, 0
    target = search.next(_here(session), way)
    if target is None:
        if not search.problem:
            session.notices.add("info", "Nothing was found.", key="search")
        return
    run = search.runs[target[0]]
    if run.record is not None:
        _show(session, target[0], run.record.graph.ids[target[1]])
    else:
        shown = next(
            (one for one, found in zip(run.shown, run.found, strict=False) if found.position == target[1]), None
        )
        _show(session, target[0], shown.step if shown is not None else "")


def _here(session: Session) -> tuple[int, int] | None:
    """The (run, position) to go on from: the selected step of the document in front."""
    document = session.active
    if document is None:
        return None
    run = next((place for place, one in enumerate(session.search.runs) if one.document == document.number), None)
    record, primary = document.record, document.selection.primary
    if run is None or record is None:
        return None
    return run, record.graph.index(primary) if primary is not None and primary in record.graph else -1


def _show(session: Session, run: int, step: str) -> None:
    hits = session.search.runs[run]
    document = session.document(hits.document) if hits.document else None
    if document is not None:
        session.activate(document)
        if step:
            _turn_to_match(session, hits.record, step)
            show_step(session, step)
    elif hits.path is not None:
        where = next((one.snippet.where for one in hits.shown if one.step == step and one.snippet is not None), "")
        tab = TAB_OF.get(where.partition(".")[0])
        if tab is not None and session.view.inspector_tab in TAB_OF.values():
            session.view.turned_to = (step, tab)
        opening.open_path(session, hits.path, select=step or None)


def _turn_to_match(session: Session, record: RunRecord | None, step: str) -> None:
    """Show the tab, call or result, that contains the match."""
    lit, view = session.search.lit_text, session.view
    if record is None or lit is None or view.inspector_tab not in TAB_OF.values() or step not in record.graph:
        return
    raw = record.graph.raws[record.graph.index(step)]
    if len(raw) > LARGE_STEP:
        return
    content = content_of(raw)
    has = {tab for member, tab in TAB_OF.items() if lit.stands_in(content.get(member))}
    turns = has and view.inspector_tab not in has
    view.turned_to = (step, "Result" if "Result" in has else "Call") if turns else ("", "")


@declare(ACTIONS, "search.show", "Show result", "Show a step that was found.", palette=False)
def show_result(session: Session, run: int, place: int) -> None:
    """Show a result by the numbers of its run and of itself; those of a question asked meanwhile are gone."""
    search = session.search
    if run < len(search.runs) and place < len(search.runs[run].found):
        _show(session, run, search.describe(run, place).step)


@declare(ACTIONS, "search.stop", "Stop searching", "End a search that is still running.", palette=False)
def stop(session: Session) -> None:
    """Cancel the search; what was found stays."""
    session.search.stop()


@declare(ACTIONS, "search.close", "Close search", "Close the search.", palette=False)
def close(session: Session) -> None:
    """Close the search: steps are no longer lit, and F3 goes on with the same question."""
    session.view.search = False
    session.search.leave()
    session.touch()
