"""What the list of runs shows: the runs of a folder with the open documents among them, and each run in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import is_written
from opentine_gui.app.folder.run_order import changed_at, figure_of
from opentine_gui.app.folder.run_rows import RunSummary, status_of, summary_of
from opentine_gui.app.session import Session
from opentine_gui.core import Fingerprint, RunRecord
from opentine_gui.describe.comparison_words import totals_parts
from opentine_gui.describe.failures.run_status import NO_END, TURN_ENDED, status_words
from opentine_gui.describe.numbers import (
    NOT_PRICED,
    SINCE_FORK,
    counted,
    format_cost,
    format_day,
    format_duration,
    format_time,
    summed_duration,
)
from opentine_gui.scene.text.clean import clean


class Entry(NamedTuple):
    """A row: a file in the folder, an open document from elsewhere, a folder in the folder, or files that are no runs.

    `named_alike`: it has the title of the one above it, as a fork of an agent's session does. `left_out`: files of the
    folder that are not listed, with what is known of them.
    """

    depth: int
    run: RunSummary | None = None
    document: Document | None = None
    folder: Path | None = None
    named_alike: bool = False
    left_out: tuple[tuple[Path, Fingerprint], ...] = ()

    @property
    def goes_on_with(self) -> str:
        """What tells a session from the one above it: what was asked last; "" where that tells nothing."""
        if self.run is None or not self.named_alike or self.run.asked_last == self.run.title:
            return ""
        return self.run.asked_last

    @property
    def is_heading(self) -> bool:
        """Whether it heads the rows below it."""
        return not self.opens and not self.left_out

    @property
    def opens(self) -> bool:
        """Whether it can be opened: a run, or a folder."""
        return self.run is not None or self.document is not None or self.folder is not None

    @property
    def key(self) -> int | Path:
        """What actions know the run by: the number of its open document, else its path."""
        if self.document is not None:
            return self.document.number
        return self.run.path if self.run is not None else 0

    def is_chosen(self, chosen: Sequence[int | Path]) -> bool:
        """Whether it is one of the `WindowState.chosen_runs`; it may have been opened since it was chosen."""
        path = self.document.path if self.document is not None else None
        return self.key in chosen or (path is not None and path in chosen)

    @property
    def row_key(self) -> int | Path:
        """What the mark of the keyboard knows the row by: its `key`, or the folder."""
        return self.folder if self.folder is not None else self.key


OTHERS = Entry(0)
"""The heading of the open runs that are in another folder, in no file, or not among those that were found."""
FOLDERS = Entry(-1)
"""The heading of the folders in the folder."""
HEADINGS = {
    OTHERS.depth: ("Other open runs", "Open, and in another folder or in no file"),
    FOLDERS.depth: ("Folders", "A press lists the runs of one of them"),
}


NO_RUN = "its format is not known"
MOST_NAMED = 12
"""Files that are not shown which are named."""
_summaries: WeakKeyDictionary[Document, tuple[RunRecord, RunSummary]] = WeakKeyDictionary()


def list_entries(session: Session) -> list[Entry]:
    """The rows of the list, in its order: each unsaved document is below the run it came from.

    Where the list is filtered, there are only rows that match, open or not, and what is in no file: nothing else would
    say that it is still there.
    """
    listed = session.runs
    filtered = bool(listed.filter_text.strip())
    documents = [document for document in session.documents if _is_listed(session, document)]
    by_path = {document.path: document for document in documents if document.path is not None}
    unsaved = [document for document in documents if document.path is None]
    entries: list[Entry] = []
    titles: list[str] = []
    for run in listed.ordered(session.settings.runs_order):
        titles[run.depth :] = [run.title]
        named_alike = titles[-2:-1] == [run.title]
        entries.append(Entry(run.depth, run, by_path.pop(run.path, None), named_alike=named_alike))
        for document in [other for other in unsaved if _came_from(other, run)]:
            unsaved.remove(document)
            entries.append(Entry(run.depth + 1, None, document))
    elsewhere = [document for document in documents if document.path in by_path]
    others = [Entry(0, None, document) for document in [*elsewhere, *unsaved]]
    if others and (entries or filtered or listed.above is not None):
        entries.append(OTHERS)
    entries += others
    if entries and listed.around and not filtered:
        entries += [FOLDERS, *(Entry(0, folder=folder) for folder in listed.around)]
    if entries and listed.left_out and not filtered:
        entries.append(Entry(0, left_out=listed.left_out))
    return entries


def _is_listed(session: Session, document: Document) -> bool:
    if document.members is not None:
        return False
    listed = session.runs
    return document.path is None or not listed.filter_text.strip() or listed.matches(summary_of_document(document))


def lists_any(session: Session) -> bool:
    """Whether the list has a row that can be opened; menus and the palette ask it all the time."""
    return bool(session.runs.shown()) or any(_is_listed(session, document) for document in session.documents)


def entries_key(session: Session) -> object:
    """Equal while `list_entries` gives the same rows: they change with an open run only where they are filtered by it.

    What a row says of an open run is not in it.
    """
    runs = session.runs
    filtered = bool(runs.filter_text.strip())
    documents = [
        (one.number, one.path, one.source, (one.content_revision, one.error is None) if filtered else None)
        for one in session.documents
        if one.members is None
    ]
    return runs.revision, runs.filter_text, session.settings.runs_order, documents


def heads_open_runs(session: Session, entries: Sequence[Entry]) -> bool:
    """Whether what heads the list is "Open runs": none of the folder is listed, and the open ones have no heading."""
    return bool(entries) and entries[0].document is not None and not session.runs.rows


def summary_of_document(document: Document) -> RunSummary:
    """What the list knows of an open run, worked out once for a record; of one that is not read only its name."""
    path, record = document.path or Path(document.title), document.record
    if record is None:
        return RunSummary(path, title=document.title, unreadable="" if document.error is None else str(document.error))
    known = _summaries.get(document)
    if known is None or known[0] is not record or known[1].path != path:
        found = summary_of(path, record)
        known = _summaries[document] = record, found if document.path else replace(found, title=document.title)
    return known[1]


def left_out_words(files: Sequence[tuple[Path, Fingerprint]]) -> tuple[str, str]:
    """How many files of the folder are not shown, and which and why, in lines."""
    lines = [f"{clean(path.name, 120)}: {'it is empty' if not known.size else NO_RUN}" for path, known in files]
    more = [f"and {len(lines) - MOST_NAMED:,} more"] if len(lines) > MOST_NAMED else []
    return f"{counted(len(files), 'file')} not shown", "\n".join([*lines[:MOST_NAMED], *more])


def _came_from(document: Document, run: RunSummary) -> bool:
    source = document.source
    return source is not None and (run.path in source.paths or run.run_id in source.run_ids)


STATUS_MEANS = {
    NO_END: "a grey dot: the log just stops, and does not say that the turn ended",
    TURN_ENDED: "a plain dot: the agent's turn ended, which does not say that the task was done",
}
"""What the dots say that are neither green nor red."""


def shown_status(session: Session, run: RunSummary) -> str:
    """The status word of a row: of a run that is open the one that its headline has."""
    for document in session.documents:
        record = document.record
        if record is not None and document.path == run.path and record.run_id == run.run_id:
            return status_words(record, written=is_written(session, document)).word
    return status_of(run)


def run_words(session: Session, run: RunSummary, *, saved: bool = True) -> str:
    """All that is known of a run, in lines: for the tooltip of its row."""
    place = clean(str(run.path), 400) if saved else "an unsaved document"
    status = shown_status(session, run)
    lines = [place, clean(f"{status} · {counted(run.steps, 'step')}", 200), cost_and_time(run)]
    if status in STATUS_MEANS:
        lines.insert(2, STATUS_MEANS[status])
    if run.failures:
        lines.insert(2, f"{counted(run.failures, 'failure')}: the red ring and number")
    if run.since_fork is not None:
        lines.append(f"{SINCE_FORK}: {' · '.join(totals_parts(run.since_fork))}")
    if run.asked_last not in ("", run.title):
        lines.append(f"asked last: {clean(run.asked_last, 200)}")
    if run.agent or run.model:
        lines.append(clean(" · ".join(filter(None, (run.agent, run.model))), 200))
    if run.created_at:
        lines.append(f"begun {format_time(run.created_at, date=True)}")
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


def figure_words(run: RunSummary, order: str, changed: float) -> str:
    """What an order sorts a row by, for a narrow column; `changed` is when its file was."""
    if order == "changed":
        return format_day(changed, year=False) if changed else ""
    figure = figure_of(run, order)
    if figure is None:
        return NOT_PRICED if order == "cost" and run.cost_is_minimum else "not recorded"
    match order:
        case "begun":
            return format_day(figure)
        case "failures":
            return f"{int(figure):,}" if figure else "none"
        case "cost":
            return _short_cost(figure, least=run.cost_is_minimum)
        case "duration":
            return format_duration(figure)
        case _:
            return f"{int(figure):,}"  # what is counted is said by the order


def cost_and_time(run: RunSummary) -> str:
    """Cost and time of a run in words; unknown figures say so and, if known, why."""
    cost = NOT_PRICED if run.cost_is_minimum else "cost not recorded"
    if run.cost is not None:
        cost = ("at least " if run.cost_is_minimum and isfinite(run.cost) else "") + format_cost(run.cost)
    return f"{cost} · {summed_duration(run.duration)}"


def _short_cost(cost: float, *, least: bool) -> str:
    """Dollars for a narrow column: two decimals from one cent up, more below; large sums are abbreviated."""
    words = f"${cost:,.2f}" if 0.01 <= cost < 1e9 or cost == 0 else format_cost(cost)
    return f"≥ {words}" if least and isfinite(cost) else words
