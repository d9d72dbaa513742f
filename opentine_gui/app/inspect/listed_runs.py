"""What the list of runs shows: the runs of a folder with the open documents among them, and each run in words."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.folder.run_order import changed_at, in_order
from opentine_gui.app.folder.run_rows import RunSummary, status_of
from opentine_gui.app.session import Session
from opentine_gui.describe.comparison_words import totals_parts
from opentine_gui.describe.numbers import NOT_PRICED, SINCE_FORK, counted, format_cost, format_duration, format_time
from opentine_gui.scene.text.clean import clean


class Entry(NamedTuple):
    """A row: a file in the folder, an open document from elsewhere, or a folder in the folder.

    `named_alike`: it has the title of the one above it, as a fork of an agent's session does.
    """

    depth: int
    run: RunSummary | None = None
    document: Document | None = None
    folder: Path | None = None
    named_alike: bool = False

    @property
    def goes_on_with(self) -> str:
        """What tells a session from the one above it: what was asked last; "" where that tells nothing."""
        if self.run is None or not self.named_alike or self.run.asked_last == self.run.title:
            return ""
        return self.run.asked_last

    @property
    def is_heading(self) -> bool:
        """Whether it heads the rows below it."""
        return self.run is None and self.document is None and self.folder is None

    @property
    def key(self) -> int | Path:
        """The run's name in `WindowState.chosen_runs`: the number of its open document, else its path."""
        if self.document is not None:
            return self.document.number
        return self.run.path if self.run is not None else 0


OTHERS = Entry(0)
"""The heading of the open runs that are in another folder, in no file, or not among those that were found."""
FOLDERS = Entry(-1)
"""The heading of the folders in the folder."""
HEADINGS = {
    OTHERS.depth: ("Other open runs", "Open, but not in this folder or not what the filter asks for"),
    FOLDERS.depth: ("Folders", "A press lists the runs of one of them"),
}


def list_entries(session: Session) -> list[Entry]:
    """The rows of the list, in its order: each unsaved document is below the run it came from."""
    listed = session.runs
    documents = [document for document in session.documents if document.members is None]
    by_path = {document.path: document for document in documents if document.path is not None}
    unsaved = [document for document in documents if document.path is None]
    entries: list[Entry] = []
    titles: list[str] = []
    for run in in_order(listed.shown(), session.settings.runs_order, listed.files):
        titles[run.depth :] = [run.title]
        named_alike = titles[-2:-1] == [run.title]
        entries.append(Entry(run.depth, run, by_path.pop(run.path, None), named_alike=named_alike))
        for document in [other for other in unsaved if _came_from(other, run)]:
            unsaved.remove(document)
            entries.append(Entry(run.depth + 1, None, document))
    elsewhere = [document for document in documents if document.path in by_path]
    others = [Entry(0, None, document) for document in [*elsewhere, *unsaved]]
    filtered = bool(listed.filter_text.strip())
    if others and (entries or filtered or listed.above is not None):
        entries.append(OTHERS)
    entries += others
    if entries and listed.around and not filtered:
        entries += [FOLDERS, *(Entry(0, folder=folder) for folder in listed.around)]
    return entries


def _came_from(document: Document, run: RunSummary) -> bool:
    source = document.source
    return source is not None and (run.path in source.paths or run.run_id in source.run_ids)


def run_words(session: Session, run: RunSummary, *, saved: bool = True) -> str:
    """All that is known of a run, in lines: for the tooltip of its row."""
    place = clean(str(run.path), 400) if saved else "an unsaved document"
    lines = [place, clean(f"{status_of(run)} · {counted(run.steps, 'step')}", 200), cost_and_time(run)]
    if run.since_fork is not None:
        lines.append(f"{SINCE_FORK}: {' · '.join(totals_parts(run.since_fork))}")
    if run.asked_last not in ("", run.title):
        lines.append(f"asked last: {clean(run.asked_last, 200)}")
    if run.model:
        lines.append(clean(run.model, 120))
    if run.created_at:
        lines.append(f"created {format_time(run.created_at, date=True)}")
    changed = changed_at(run, session.runs.files)
    if changed:
        lines.append(f"changed {format_time(changed, date=True)}")
    if run.tags:
        lines.append("tags " + clean(", ".join(run.tags), 200))
    if run.related:
        lines.append(f"Shares steps with {_parent_name(session, run)}")
    return "\n".join(lines)


def _parent_name(session: Session, run: RunSummary) -> str:
    """The name of the run above a row in the tree."""
    above = None
    for row in session.runs.shown():
        if row.path == run.path:
            break
        if row.depth < run.depth:
            above = row
    return clean(above.title, 120).removesuffix(".tine") if above is not None else "an older run"


def steps_and_cost(run: RunSummary) -> str:
    """Steps and cost for a narrow column; "+3 · $0.02" counts from the fork."""
    since = run.since_fork
    if since is not None:
        cost = f" · {_short_cost(since.cost, least=bool(since.unpriced))}" if since.cost_known else ""
        return f"+{since.steps:,}{cost}"
    if run.cost is None:
        return f"{run.steps:,}"
    return f"{run.steps:,} · {_short_cost(run.cost, least=run.cost_is_minimum)}"


def cost_and_time(run: RunSummary) -> str:
    """Cost and time of a run in words; unknown figures say so and, if known, why."""
    cost = NOT_PRICED if run.cost_is_minimum else "cost not recorded"
    if run.cost is not None:
        cost = ("at least " if run.cost_is_minimum and isfinite(run.cost) else "") + format_cost(run.cost)
    return f"{cost} · {format_duration(run.duration) if run.duration > 0 else 'time not recorded'}"


def _short_cost(cost: float, *, least: bool) -> str:
    """Dollars for a narrow column: two decimals from one cent up, more below; large sums are abbreviated."""
    words = f"${cost:,.2f}" if 0.01 <= cost < 1e9 or cost == 0 else format_cost(cost)
    return f"≥ {words}" if least and isfinite(cost) else words
