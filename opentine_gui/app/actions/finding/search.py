"""Search actions: ask, go from match to match, show a result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import record_of, with_document
from opentine_gui.app.actions.select import show_step
from opentine_gui.app.files import opening
from opentine_gui.app.files.closing import typed_into
from opentine_gui.app.inspect.step.section import tabs_that_show
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.app.search.live_search import SCOPES
from opentine_gui.app.search.values import content_of
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.app.state.annotations import NOTHING
from opentine_gui.app.state.prompts import Choose
from opentine_gui.core import TineError
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentine_gui.app.search.host import Scope
    from opentine_gui.app.session import Session
    from opentine_gui.core import RunRecord

ACTIONS: list[Action] = []
LARGEST_LOOKED_AT = 1 << 22
"""Bytes of an encoded step up to which its tabs are looked through while a frame is made."""


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
    "Search all runs of the folder, or all open runs if no folder is listed.",
    enabled=_can_search,
    menu="Edit",
    group=1,
    keys=("Ctrl+Shift+F",),
)
def open_folder_search(session: Session) -> None:
    """Open the search on the whole folder, or on the open runs if none is listed."""
    _open(session, "folder" if session.runs.folder is not None else "open")


def _has_below(session: Session, folder: Path | None = None, **_arguments: Any) -> str | None:
    reason = _can_search(session)
    if reason is not None or folder is not None:
        return reason
    return None if session.runs.below else "There is no folder in the one that is listed."


@declare(
    ACTIONS,
    "search.below",
    "Find in a folder below…",
    "List one of the folders in the listed one and search its runs: a search does not go into them.",
    enabled=_has_below,
    menu="Edit",
    group=1,
)
def search_below(session: Session, folder: Path | str | None = None) -> None:
    """List a folder and search it, or ask which of those in the listed one, if there are several."""
    below = {clean(path.name, 200): path for path in session.runs.below}
    if folder is None and len(below) > 1:
        question = Choose("Find in a folder below", "Its runs are listed, and searched.", tuple(below))
        session.ask(question, lambda answer: search_below(session, below[str(answer)]))
        return
    session.runs.show_folder(session, Path(folder) if folder is not None else session.runs.below[0])
    open_folder_search(session)


def not_searched(session: Session) -> str:
    """Says that folders in the listed one are not searched; "" where there is none, or nothing is asked of it."""
    count = len(session.runs.below)
    search = session.search
    if search.scope != "folder" or not search.text.strip() or search.problem or not count:
        return ""
    return f"{counted(count, 'folder')} below not searched…"


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
    state=lambda session, **_arguments: session.search.regex,
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
    "Next hit",
    "Go to the next hit: in the step that is shown, then in the next one that was found.",
    enabled=_has_question,
    menu="Edit",
    group=1,
    keys=("F3",),
)
def next_hit(session: Session) -> None:
    """Go to the next hit; after the last one the first."""
    _go_on(session, 1)


@declare(
    ACTIONS,
    "search.previous",
    "Previous hit",
    "Go to the hit before this one, in the same step or in one found before.",
    enabled=_has_question,
    menu="Edit",
    group=1,
    keys=("Shift+F3",),
)
def previous_hit(session: Session) -> None:
    """Go to the hit before this one; before the first one the last."""
    _go_on(session, -1)


@declare(
    ACTIONS,
    "search.next_step",
    "Next step found",
    "Go to the next step that was found, past the other hits in this one.",
    enabled=_has_question,
    menu="Edit",
    group=1,
    keys=("Alt+F3",),
)
def next_step_found(session: Session) -> None:
    """Go to the next found step; after the last one the first."""
    _go_on(session, 1, by_step=True)


@declare(
    ACTIONS,
    "search.previous_step",
    "Previous step found",
    "Go to the step found before this one.",
    enabled=_has_question,
    menu="Edit",
    group=1,
    keys=("Shift+Alt+F3",),
)
def previous_step_found(session: Session) -> None:
    """Go to the found step before this one; before the first one the last."""
    _go_on(session, -1, by_step=True)


def _go_on(session: Session, way: int, *, by_step: bool = False) -> None:
    search = session.search
    if not search.on:
        session.view.search = search.on = True
        search.collect()
    if by_step is not search.by_step:
        search.wanted, search.by_step = 0, by_step
    search.wanted += way
    go_to_wanted(session)


def go_to_wanted(session: Session) -> None:
    """Go to the matches that were asked for, as soon as there are some, and turn to the tab of one that was opened."""
    search = session.search
    if search.turning:
        _turn_in_opened(session)
    while search.wanted and not (search.running and not search.steps):
        here = _read_step(session) if _is_found(session) else None
        if here is not None and not search.by_step and search.hits.is_looking(*here, session.clock()):
            return
        way = 1 if search.wanted > 0 else -1
        search.wanted -= way
        if here is None or search.by_step or not _to_hit(session, *here, way):
            _to_step(session, way)


def _is_found(session: Session) -> bool:
    """Whether the selected step is one that was found: in others the same words may stand, but they are no hits."""
    here = _here(session)
    return here is not None and session.search.number_of(here) is not None


def _read_step(session: Session) -> tuple[int, str] | None:
    """(the number of its document, its id) of the step that a view shows for reading."""
    view, document = session.view, session.active
    if document is None or document.record is None or session.presentation is not None:
        return None
    primary = document.selection.primary
    if view.reading:
        shown = view.diff_with is None and not view.file_read
    else:
        shown = view.panels and len(document.selection) == 1 and document.selected_group is None
    return (document.number, primary) if shown and primary is not None and primary in document.record.graph else None


def _to_hit(session: Session, number: int, step: str, way: int) -> bool:
    """Go to the next (-1: the previous) hit of the step that is read, in another of its tabs if need be."""
    hits, record = session.search.hits, record_of(session)
    if hits.move(number, step, way):
        session.touch()
        return True
    if not hits.watched or hits.here[:2] != (number, step):
        return False
    tabs = _tabs_with_hits(session, record, step)
    shown = [place for place, tab in enumerate(tabs) if tab in hits.here.tabs]
    place = (max(shown) + 1 if way > 0 else min(shown) - 1) if shown else -1
    if not 0 <= place < len(tabs):
        return False
    _turn_to(session, step, tabs, place, way)
    session.touch()
    return True


def _to_step(session: Session, way: int) -> None:
    search = session.search
    target = search.next(_here(session), way)
    if target is None:
        search.wanted = 0
        if not search.problem:
            session.notices.add("info", "Nothing was found.", key="search")
        return
    run, way = search.runs[target[0]], 1 if search.by_step else way
    if run.record is not None:
        _show(session, target[0], run.record.graph.ids[target[1]], way, passing=True)
    else:
        shown = next(
            (one for one, found in zip(run.shown, run.found, strict=False) if found.position == target[1]), None
        )
        _show(session, target[0], shown.step if shown is not None else "", way, passing=True)


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


def _show(session: Session, run: int, step: str, way: int = 1, *, passing: bool = False) -> None:
    """Show a hit. A run that is opened for it takes the place of the one that was, where hits are gone through."""
    hits = session.search.runs[run]
    document = session.document(hits.document) if hits.document else None
    if document is not None:
        session.activate(document)
        if step:
            _arrive(session, hits.record, step, way)
            show_step(session, step)
    elif hits.path is not None:
        session.search.turning = step
        was_open = session.document_at(hits.path) is not None
        opened = opening.open_path(session, hits.path, select=step or None)
        if passing and not was_open:
            _leave_passed(session)
            session.search.passing = opened.number


def _leave_passed(session: Session) -> None:
    """Close the run that was opened for the hits in it, if nothing was done there: a folder has hits in many."""
    passed = session.document(session.search.passing)
    if passed is None or passed.dirty or typed_into(session, passed):
        return
    session.remove_document(passed)
    if session.closed_tabs and session.closed_tabs[-1] == passed.path:
        session.closed_tabs.pop()  # nobody closed it


def _turn_in_opened(session: Session) -> None:
    """Show the tab that contains the match in a run that had to be opened for it."""
    document, step = session.active, session.search.turning
    if document is not None and document.record is not None and document.selection.primary == step:
        session.search.turning = ""
        _arrive(session, document.record, step, 1)


def _arrive(session: Session, record: RunRecord | None, step: str, way: int) -> None:
    """Show the tab of a step that contains its first hit, or going back its last one, and have it gone to."""
    if record is None or session.search.lit_text is None or step not in record.graph:
        return
    tabs = _tabs_with_hits(session, record, step)
    _turn_to(session, step, tabs, 0 if way > 0 else len(tabs) - 1, way)


def _turn_to(session: Session, step: str, tabs: Sequence[str], place: int, way: int) -> None:
    """Turn to one of a step's tabs with hits, where there are any, and have its first or last hit gone to."""
    view = session.view
    tab = tabs[place] if tabs else ""
    view.turned_to = (step, tab) if tab and tab != view.inspector_tab else ("", "")
    session.search.hits.arrive(step, tab, way, session.clock(), further=place > 0)


def _tabs_with_hits(session: Session, record: RunRecord, step: str) -> tuple[str, ...]:
    """The tabs in which what is searched for stands, the chosen one first; none where it stands above all of them.

    What no other tab shows is in the record, or in the turn of the conversation that the step is said to have made.
    Of a very large step the chosen tab is looked at alone.
    """
    lit, chosen = session.search.lit_text, session.view.inspector_tab
    if lit is None or chosen == "Record" or len(record.graph.raw(step)) > LARGEST_LOOKED_AT:
        return (chosen,)
    try:
        shown = record.graph.step(step)
    except TineError:
        return ("Record",)
    sections = step_sections(record, shown)
    tabs = tabs_that_show(sections, lit.stands_in, chosen)
    if tabs:
        return tabs
    document = session.active
    note = document.annotations.get(step, NOTHING).note if document is not None else ""
    above = [section.value for section in sections if section.role == "error"]
    if lit.stands_in(title(shown), note, step, *above):
        return ()
    return ("Record",) if lit.stands_in(content_of(record.graph.raw(step))) else ("Conversation",)


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
