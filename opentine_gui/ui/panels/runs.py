"""The runs panel: the folder's runs as a family tree, with each unsaved document below the run it came from."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.folder.run_order import SHORT, changed_at, figure_of
from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.inspect.listed_runs import (
    HEADINGS,
    OTHERS,
    Entry,
    figure_words,
    heads_open_runs,
    left_out_words,
    list_entries,
    run_words,
    shown_status,
    steps_and_cost,
    summary_of_document,
)
from opentine_gui.app.session import Session
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean, cut_in_middle
from opentine_gui.scene.theme import status_role
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap
from opentine_gui.ui.toolkit.tooltip import explain

HEADING = 34.0
FILTER = 30.0
LINE = 20.0
LINK = 24.0
INDENT = 14.0
FILTER_HINT = "Filter runs, status:failed"
FILTER_WORDS = (
    "Words: in the name, id, model, status or tags",
    "tag:x  model:x  harness:x  status:failed",
    "cost:>0.5  cost:<2  cost:0.5..2 (US dollars)",
    "after:2026-01-31  before:2026-02-28",
    '"two words" as one; all must hold',
)
"""The grammar of `app.folder.run_query` in a few lines."""
SORTED_BY_FIGURE = frozenset({"changed", "begun", "failures", "cost", "duration", "steps"})
"""Orders that go by a figure, which each row then shows."""
DOWN, BACK = "\u25be", "\u2039"
FILTER_FROM = 8
"""The filter box appears from this number of runs in the folder on."""


class RunsPanel(Panel):
    """A click opens or activates a run; the filter box takes words and the run query language."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.heading = Sheet(self.pane.window, style)
        self.filter = int(
            dpg.add_input_text(parent=self.pane.window, hint=FILTER_HINT, callback=self._typed, width=100, show=False)
        )
        explain(style, self.filter, "\n".join(FILTER_WORDS))
        style.text_inputs.add(self.filter)
        self.rows = RowList(self.pane.window, style, on_click=self._click, on_context=self._context)
        self.empty = Sheet(self.pane.window, style)
        self.entries: list[Entry] = []
        self._key: object = None
        self._looked = False
        self._followed = 0
        self._heads_open_runs = False
        self._several_agents = False
        """Whether the runs of the folder are of more than one agent."""
        self._mark_shown: int | Path | None = None
        self._arranged: object = None

    @property
    def in_use(self) -> bool:
        """False while several runs are shown together: the list of those runs takes its place."""
        document = self.session.active
        return document is None or document.members is None

    def wanted_height(self, room: float) -> float:
        """The height of all rows, or of what an empty list says and offers; at most half of the side beside others."""
        self._read()
        style, session = self.style, self.session
        alone = session.active is None and not (session.view.sessions and session.agent_sessions.rows)
        said = style.size(8) + len(self._problem_lines()) * style.size(LINE) if self._filters else 0.0
        shown = len(self.entries) * self.rows.row_height if self.entries else style.size(self._empty_height)
        return min(
            style.size(HEADING + (FILTER if self._filters else 0) + 8) + said + shown, room if alone else room * 0.5
        )

    @property
    def _empty_height(self) -> float:
        """How high what `_draw_empty` draws is, with two lines of words and all folders, in design pixels."""
        runs = self.session.runs
        filtered = bool(runs.filter_text.strip())
        folders = 0 if filtered else len(runs.around)
        left_out = LINE if runs.left_out and not filtered else 0.0
        return 14 + 2 * LINE + 4 + 2 * LINK + left_out + (8 + (folders + 2) * LINE if folders else 0)

    def sync(self, pointer: Pointer) -> None:
        """Follow the folder, the open documents and which one is active."""
        self.pane.follow_theme()
        if self.session.view.list_keys and any(event.kind == "press" for event in pointer.events):
            self.session.view.list_keys = False  # the hand is at the mouse
            self.session.touch()
        if not self._looked:
            # The folder is first read when the list is first shown.
            self._looked = True
            self.session.runs.scan(self.session)
        self._read()
        self._arrange()
        runs, order = self.session.runs, self.session.settings.runs_order
        key = (runs.revision, runs.folder, len(self.entries), order, self._heads_open_runs)
        self.heading.sync(pointer, key, self._draw_heading)
        if self.entries:
            self.rows.set_rows(len(self.entries), self._row, self._key)
            self.rows.sync(pointer)
        self.empty.sync(pointer, (runs.revision, runs.filter_text, runs.problem, bool(self.entries)), self._draw_empty)

    @property
    def _filters(self) -> bool:
        return len(self.session.runs.rows) >= FILTER_FROM or bool(self.session.runs.filter_text)

    def forget(self) -> None:
        """Release the open documents."""
        self.entries, self._key = [], None

    def _read(self) -> None:
        session = self.session
        documents = tuple(
            (document.number, document.title, document.dirty, document.content_revision, document.error is None)
            for document in session.documents
        )
        active = session.active.number if session.active is not None else 0
        runs, order = session.runs, session.settings.runs_order
        mark = session.view.list_mark
        if mark is not None and not session.lists_by_key:
            mark = None
        key = (runs.revision, runs.filter_text, documents, active, session.view.chosen_runs, order, mark)
        if key != self._key:
            self._key = key
            self.entries = list_entries(session)
            self._heads_open_runs = heads_open_runs(session, self.entries)
            self._several_agents = len({row.agent for row in runs.rows}) > 1
            if mark != self._mark_shown:
                self._mark_shown = mark
                rows = (n for n, entry in enumerate(self.entries) if entry.opens and entry.row_key == mark)
                if mark is not None and (row := next(rows, None)) is not None:
                    self.rows.reveal(row)
            if active != self._followed:
                self._followed = active
                document = self.session.active
                place = next((n for n, entry in enumerate(self.entries) if entry.document is document), None)
                if document is not None and place is not None:
                    self.rows.reveal(place)

    def _arrange(self) -> None:
        width, height = self.pane.width, self.pane.height
        problem = self._problem_lines()
        plan = (width, height, self._filters, bool(self.entries), len(problem))
        if plan == self._arranged:
            return
        self._arranged = plan
        heading = self.style.size(HEADING)
        self.heading.place(0, 0, width, heading)
        top = heading
        if self._filters:
            pad = self.style.whole(10)
            dpg.configure_item(self.filter, show=True, pos=[pad, int(top)], width=max(int(width) - 2 * pad, 20))
            top += self.style.size(FILTER) + self.style.size(4)
        else:
            dpg.configure_item(self.filter, show=False)
        self.rows.show(bool(self.entries))
        self.empty.show(not self.entries or bool(problem))
        if self.entries and problem:  # open documents are listed whatever the filter says
            said = self.style.size(8) + len(problem) * self.style.size(LINE)
            self.empty.place(0, top, width, said)
            top += said
        target: Any = self.rows if self.entries else self.empty
        target.place(0, top, width, max(height - top, 10))

    def _problem_lines(self) -> list[str]:
        """What is wrong with the filter, wrapped to the width of the panel."""
        words = clean(self.session.runs.filter_problem, 300)
        return wrap(words, self.pane.width - 2 * self.style.size(12), self.style, most=4) if words else []

    def _draw_heading(self, pen: Pen) -> None:
        style, theme, runs = self.style, self.style.theme, self.session.runs
        left, middle = style.size(12), style.size(HEADING) / 2 + style.size(2)
        folder = clean(runs.folder.name, 60) if runs.folder is not None else ""
        words = f"Runs in {folder}" if folder else "Runs"
        if self._heads_open_runs:
            words = "Open runs"
        families = sum(1 for run in runs.rows if run.depth == 0)
        if families and len(runs.rows) > 1:
            words += " · one family" if families == 1 else f" · {families:,} families"
        end = self.heading.width - left
        if len(runs.rows) > 1:
            end = self._draw_order(pen, end, middle) - style.size(8)
        pen.text(left, middle, words, theme.faint, "title", SMALL, room=end - left, middle_cut=False)
        if runs.folder is not None:
            pen.zone(0, 0, end, self.heading.height, None, clean(str(runs.folder), 400))

    def _draw_order(self, pen: Pen, right: float, middle: float) -> float:
        """Draw the order of the list, which a press changes, left of `right`; returns where it begins."""
        style = self.style
        word = f"{SHORT.get(self.session.settings.runs_order, SHORT['family'])} {DOWN}"
        left = right - style.width(word, "text", style.size(13))

        def choose() -> None:
            corner = self.pane.x + left, self.pane.y + self.heading.height
            self.session.open_context_menu("order", *corner)

        pen.link(left, middle, word, choose, color=style.theme.quiet, hint="The order of the list")
        return left

    def _draw_empty(self, pen: Pen) -> None:
        style, theme, runs = self.style, self.style.theme, self.session.runs
        left, y = style.size(12), style.size(14)
        room = self.empty.width - 2 * left
        problem = self._problem_lines()
        for line in problem:
            pen.text(left, y, line, theme.bad)
            y += style.size(LINE)
        if self.entries:
            return
        if problem:
            words = ""
        elif runs.filter_text.strip():
            words = "No run matches the filter."
        elif runs.problem:
            words = clean(runs.problem, 300)
        elif runs.folder is None:
            words = "No folder of runs is open."
        else:
            words = "No runs in this folder."
        for line in wrap(words, room, style, most=4) if words else ():
            pen.text(left, y, line, theme.quiet)
            y += style.size(LINE)
        y += style.size(4)
        for action_id in ("file.open", "file.open_folder"):
            action = self.session.actions[action_id]
            label = "Open file…" if action_id == "file.open" else action.title
            end = pen.link(left, y, label, lambda name=action_id: self.session.invoke(name))  # type: ignore[misc]
            pen.text(end + style.size(8), y, action.key, theme.faint, "mono", SMALL)
            y += style.size(LINK)
        filtered = bool(runs.filter_text.strip())
        if runs.left_out and not filtered:
            said, hint = left_out_words(runs.left_out)
            pen.text(left, y, said, theme.faint, size=SMALL)
            pen.zone(left, y - style.size(LINE) / 2, left + room, y + style.size(LINE) / 2, None, hint)
            y += style.size(LINE)
        if runs.around and not filtered:
            self._draw_below(pen, left, y + style.size(8), room)

    def _draw_below(self, pen: Pen, left: float, y: float, room: float) -> None:
        """Draw the folders in the listed one, as many as there is room for: a press lists one of them."""
        line, around = self.style.size(LINE), self.session.runs.around
        pen.text(left, y, "Folders", self.style.theme.faint, "title", SMALL, room=room)
        fit = max(int((self.empty.height - y) // line) - 1, 0)
        shown = around if len(around) <= fit else around[: max(fit - 1, 0)]
        for folder in shown:
            y += line
            act = partial(self.session.invoke, "file.open_folder", path=folder)
            pen.link(
                left, y, self._folder_name(folder), act, room=room, hint=f"List the runs in {clean(str(folder), 400)}"
            )
        if len(shown) < len(around) and fit:
            choose = partial(self.session.invoke, "file.open_folder")
            pen.link(left, y + line, f"{len(around) - len(shown):,} more…", choose, hint="Choose one of all folders")

    def _folder_name(self, folder: Path) -> str:
        return f"{BACK} {clean(folder.name, 200)}" if folder == self.session.runs.above else clean(folder.name, 200)

    def _row(self, index: int) -> Row:
        if index >= len(self.entries):
            return Row(())
        entry = self.entries[index]
        if entry.is_heading:
            said, hint = HEADINGS[entry.depth]
            return Row((Span(said, self.style.theme.faint, "title"),), heading=True, hint=hint)
        if entry.left_out:
            words, hint = left_out_words(entry.left_out)
            return Row((Span(words, self.style.theme.faint, size=SMALL),), hint=hint, still=True)
        if entry.folder is not None:
            hint = f"List the runs in {clean(str(entry.folder), 400)}"
            named = Span(self._folder_name(entry.folder), self.style.theme.tool)
            return Row((named,), hint=hint, marked=self._is_marked(entry))
        row = self._plain_row(index)._replace(marked=self._is_marked(entry))
        if row.left and self.entries[index].key in self.session.view.chosen_runs:
            accent = self.style.theme.accent
            name = tuple(span._replace(color=accent, face="title") if not span.keep else span for span in row.left)
            row = row._replace(left=name, hint=f"chosen, to be shown together\n{row.hint}")
        return row

    def _is_marked(self, entry: Entry) -> bool:
        return self.session.lists_by_key and entry.opens and entry.row_key == self.session.view.list_mark

    def _plain_row(self, index: int) -> Row:
        entry, theme = self.entries[index], self.style.theme
        selected = entry.document is not None and entry.document is self.session.active
        indent = self.style.size(INDENT) * min(entry.depth, 8)
        if entry.run is None:
            return self._document_row(entry, indent, selected)
        run = entry.run
        name = clean(run.title or run.path.stem, 400).removesuffix(".tine")
        is_file_name = run.title == run.path.stem  # those of one folder often differ at their ends alone
        left = [Span(name, theme.text, middle=is_file_name or cut_in_middle(name))]
        if entry.goes_on_with:
            left = [Span("then", theme.quiet, size=SMALL, keep=True), Span(clean(entry.goes_on_with, 200), theme.text)]
        elif entry.named_alike:
            left.insert(0, Span(counted(run.steps, "step"), theme.quiet, size=SMALL, keep=True))
        if entry.document is not None and entry.document.dirty:
            left.append(Span("(not saved)", theme.accent, size=SMALL, keep=True))
        if run.unreadable:
            right = (Span("cannot be read", theme.bad, size=SMALL),)
            return Row(
                tuple(left), right, indent, dot=theme.hairline, selected=selected, hint=clean(run.unreadable, 400)
            )
        hint = f"{name}\n{run_words(self.session, run)}"
        row = Row(tuple(left), self._figures(run, steps_and_cost(run)), indent, selected=selected, hint=hint)
        return self._marked(row, run)

    def _document_row(self, entry: Entry, indent: float, selected: bool) -> Row:
        document, theme = entry.document, self.style.theme
        if document is None:
            return Row(())
        record = document.record
        name = clean(document.title, 400).removesuffix(".tine")
        is_file_name = document.path is not None and document.title == document.path.name
        left = [Span(name, theme.text, middle=is_file_name or cut_in_middle(name))]
        if document.path is None or document.dirty:
            left.append(Span("(not saved)", theme.accent, size=SMALL, keep=True))
        if record is None:
            word = "cannot be read" if document.error is not None else "reading…"
            color = theme.bad if document.error is not None else theme.quiet
            return Row(tuple(left), (Span(word, color, size=SMALL),), indent, dot=theme.hairline, selected=selected)
        summary = summary_of_document(document)
        figures = f"{summary.steps:,}" if document.path is None and not summary.since_fork else steps_and_cost(summary)
        words = run_words(self.session, summary, saved=document.path is not None)
        row = Row(tuple(left), self._figures(summary, figures), indent, selected=selected, hint=f"{name}\n{words}")
        return self._marked(row, summary)

    def _figures(self, run: RunSummary, words: str) -> tuple[Span, ...]:
        """What stands at the right: the figure the list is sorted by, else steps and cost, where there is room."""
        theme, order = self.style.theme, self.session.settings.runs_order
        if order in SORTED_BY_FIGURE:
            figure = figure_words(run, order, changed_at(run, self.session.runs.files))
            if figure_of(run, order) is None and order != "changed":
                return (Span(figure, theme.faint, size=SMALL),)
            bad = order == "failures" and bool(run.failures)
            return (Span(figure, theme.bad if bad else theme.quiet, "mono"),) if figure else ()
        figures = [Span(figure, theme.quiet, "mono") for figure in words.split(" · ")]
        if run.failures:
            figures.insert(0, Span(counted(run.failures, "failure"), theme.bad, size=SMALL))
        if run.agent and self._several_agents:
            figures.insert(0, Span(run.agent, theme.faint, size=SMALL))
        return tuple(figures)

    def _marked(self, row: Row, run: RunSummary) -> Row:
        """A row with its dot, in a red ring where steps failed; a figure that it is sorted by is never left out."""
        theme = self.style.theme
        ring = theme.bad if run.failures else None
        dot = theme.role(status_role(shown_status(self.session, run)))
        return row._replace(dot=dot, ring=ring, yielding=self.session.settings.runs_order not in SORTED_BY_FIGURE)

    def _typed(self, _sender: Any, text: str, _user: Any) -> None:
        self.session.invoke("runs.filter", text=text)

    def _click(self, index: int, _event: InputEvent) -> None:
        if index >= len(self.entries):
            return
        entry = self.entries[index]
        if entry.is_heading or entry.left_out:
            return
        if entry.folder is not None:
            self.session.invoke("file.open_folder", path=entry.folder)
        elif self._choosing():
            self.session.invoke("family.choose", run=entry.key)
        elif entry.document is not None:
            self.session.invoke("document.activate", document=entry.document.number)
        elif entry.run is not None:
            self.session.invoke("file.open", path=entry.run.path)

    @staticmethod
    def _choosing() -> bool:
        """Whether a click adds a run to the selection of runs instead of opening it."""
        keys = (dpg.mvKey_LControl, dpg.mvKey_RControl, dpg.mvKey_LShift, dpg.mvKey_RShift)
        return any(dpg.is_key_down(key) for key in keys)

    def _context(self, index: int) -> None:
        entry = self.entries[index] if index < len(self.entries) else OTHERS
        if entry.run is not None or entry.document is not None:
            x, y = dpg.get_mouse_pos(local=False)
            self.session.open_context_menu("run", x, y, run=entry.key)
