"""The rows of the list of runs: a run of the folder, an open document, a heading, a folder."""

from __future__ import annotations

from opentine_gui.app.document.tab_names import names_of
from opentine_gui.app.folder.run_order import changed_at, figure_of
from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.inspect.keys import lists_by_key
from opentine_gui.app.inspect.listed_runs import (
    HEADINGS,
    Entry,
    figure_words,
    left_out_words,
    run_words,
    shown_status,
    steps_and_cost,
    summary_of_document,
)  # fmt: skip
from opentine_gui.app.session import Session
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean, cut_in_middle
from opentine_gui.scene.theme import status_role
from opentine_gui.ui.panels.runs.empty_list import folder_name
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.sheet import SMALL
from opentine_gui.ui.toolkit.style import Style

INDENT = 14.0
SORTED_BY_FIGURE = frozenset({"changed", "begun", "failures", "cost", "duration", "steps"})
"""Orders that go by a figure, which each row then shows."""
OF_A_DAY = frozenset({"changed", "begun"})


def not_saved(color: Color) -> Span:
    """What follows the name of a run with changes in no file: in a narrow list the dot that its tab has."""
    return Span("(not saved)", color, size=SMALL, keep=True, short="●")


class RunRows:
    """Makes the row of an entry. `several_agents`: whether the runs of the folder are of more than one agent."""

    def __init__(self, session: Session, style: Style) -> None:
        self.session, self.style = session, style
        self.several_agents = False

    def of(self, entry: Entry) -> Row:
        """The row of an entry of the list."""
        if entry.is_heading:
            said, hint = HEADINGS[entry.depth]
            return Row((Span(said, self.style.theme.faint, "title"),), heading=True, hint=hint)
        if entry.left_out:
            words, hint = left_out_words(entry.left_out)
            return Row((Span(words, self.style.theme.faint, size=SMALL),), hint=hint, still=True)
        if entry.folder is not None:
            hint = f"List the runs in {clean(str(entry.folder), 400)}"
            named = Span(folder_name(self.session, entry.folder), self.style.theme.tool)
            return Row((named,), hint=hint, marked=self._is_marked(entry))
        row = self._plain_row(entry)._replace(marked=self._is_marked(entry))
        if row.left and entry.is_chosen(self.session.view.chosen_runs):
            accent = self.style.theme.accent
            name = tuple(span._replace(color=accent, face="title") if not span.keep else span for span in row.left)
            row = row._replace(left=name, hint=f"chosen, to be shown together\n{row.hint}")
        return row

    def _is_marked(self, entry: Entry) -> bool:
        return lists_by_key(self.session) and entry.opens and entry.row_key == self.session.view.list_mark

    def _plain_row(self, entry: Entry) -> Row:
        theme = self.style.theme
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
            left.append(not_saved(theme.accent))
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
        name = whole = clean(document.title, 400).removesuffix(".tine")
        is_file_name = document.path is not None and document.title == document.path.name
        if sum(one.title == document.title for one in self.session.documents) > 1:  # told apart as their tabs are
            name = names_of(self.session.documents)[document].differing
        left = [Span(name, theme.text, middle=is_file_name or cut_in_middle(name))]
        if document.path is None or document.dirty:
            left.append(not_saved(theme.accent))
        if record is None:
            word = "cannot be read" if document.error is not None else "reading…"
            color = theme.bad if document.error is not None else theme.quiet
            return Row(tuple(left), (Span(word, color, size=SMALL),), indent, dot=theme.hairline, selected=selected)
        summary = summary_of_document(document)
        figures = f"{summary.steps:,}" if document.path is None and not summary.since_fork else steps_and_cost(summary)
        words = run_words(self.session, summary, saved=document.path is not None)
        row = Row(tuple(left), self._figures(summary, figures), indent, selected=selected, hint=f"{whole}\n{words}")
        return self._marked(row, summary)

    def _figures(self, run: RunSummary, words: str) -> tuple[Span, ...]:
        """What stands at the right: the figure the list is sorted by, else steps and cost, where there is room.

        How many steps failed is always there, as a number, so that a title has room beside it.
        """
        theme, order = self.style.theme, self.session.settings.runs_order
        failed = (Span(f"{run.failures:,}", theme.bad, "mono", keep=True),) if run.failures else ()
        if order in SORTED_BY_FIGURE:
            figure = figure_words(run, order, changed_at(run, self.session.runs.files))
            if figure_of(run, order) is None and order != "changed":
                return (Span(figure, theme.faint, size=SMALL),)
            if order == "failures" and failed:
                return failed
            face, size = ("text", SMALL) if order in OF_A_DAY else ("mono", 0.0)  # a day is long, and has words
            return (Span(figure, theme.quiet, face, size=size), *failed) if figure else failed
        figures = [Span(figure, theme.quiet, "mono") for figure in words.split(" · ")]
        if run.agent and self.several_agents:
            figures.insert(0, Span(run.agent, theme.faint, size=SMALL))
        return (*figures, *failed)

    def _marked(self, row: Row, run: RunSummary) -> Row:
        """A row with its dot, in a red ring where steps failed; a figure that it is sorted by is never left out."""
        theme = self.style.theme
        ring = theme.bad if run.failures else None
        dot = theme.role(status_role(shown_status(self.session, run)))
        return row._replace(dot=dot, ring=ring, yielding=self.session.settings.runs_order not in SORTED_BY_FIGURE)
