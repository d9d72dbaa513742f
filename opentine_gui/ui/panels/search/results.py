"""The results of a search as rows, by run, with the matching words marked."""

from __future__ import annotations

from bisect import bisect_right

import dearpygui.dearpygui as dpg

from opentine_gui.app.search.scan_run import Described
from opentine_gui.app.search.search_job import RunHits
from opentine_gui.app.search.step_search import Snippet
from opentine_gui.app.session import Session
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean, cut_in_middle
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL
from opentine_gui.ui.toolkit.style import Style

ROW = 42.0
BEFORE_MATCH = 18
"""Characters of a snippet shown before the match."""
AROUND = 64.0
"""Design pixels of a row that no snippet gets: its glyph, its edges, the scroll bar, and a letter or two after it."""


class Results:
    """The list of results. A click on one goes to its step; the list follows the selection."""

    def __init__(self, parent: int | str, session: Session, style: Style) -> None:
        self.session, self.style = session, style
        self.rows = RowList(parent, style, row_height=ROW, on_click=self._click, on_context=self._context)
        self._starts: list[int] = []
        """The row with which each of the runs in `_having` begins, and the number of rows."""
        self._having: list[int] = []
        """The numbers of the runs in which something was found."""
        self._counted = -1
        self._followed: object = None
        self._places: tuple[RunHits | None, int, dict[int, int]] = (None, 0, {})

    @property
    def runs(self) -> int:
        """In how many runs something was found."""
        return len(self._having)

    def sync(self, pointer: Pointer) -> None:
        """Follow the selection, handle input, and repaint what changed."""
        document = self.session.active
        selected = (document.number, document.selection_revision) if document is not None else (0, 0)
        self._follow(selected)
        key = (self.session.search.revision, selected)
        self.rows.set_rows(self._starts[-1] if self._starts else 0, self._row, key)
        self.rows.sync(pointer)

    def forget(self) -> None:
        """Release the runs that were searched."""
        self._places = (None, 0, {})

    def count_rows(self) -> None:
        """Work out which row belongs to which run: with several runs, each begins with a heading row."""
        if self._counted == self.session.search.revision:
            return
        self._counted = self.session.search.revision
        runs = self.session.search.runs
        self._having = [number for number, run in enumerate(runs) if run.times]
        head = 0 if self.session.search.scope == "run" else 1
        self._starts = [0]
        for number in self._having:
            run = runs[number]
            listed = len(run.found) if run.record is not None else len(run.shown)
            self._starts.append(self._starts[-1] + head + listed)

    def _at(self, index: int) -> tuple[int, int]:
        """(number of the run, place of the result in it) for a row; place -1 for the run's heading."""
        group = bisect_right(self._starts, index) - 1
        head = 0 if self.session.search.scope == "run" else 1
        return self._having[group], index - self._starts[group] - head

    def _row(self, index: int) -> Row:
        search, theme = self.session.search, self.style.theme
        if not self._starts or index >= self._starts[-1]:
            return Row(())
        number, place = self._at(index)
        run = search.runs[number]
        if place < 0:
            words = f"{run.times:,} in {counted(run.steps, 'step')}" if run.steps else f"{run.times:,}"
            name = clean(run.name, 400).removesuffix(".tine")
            cut = cut_in_middle(name)
            few = Span(f"{run.times:,}×", theme.faint, size=SMALL)
            return Row(
                (Span(name, theme.faint, "title", middle=cut),),
                (Span(words, theme.faint, size=SMALL),) if cut else (few,),
                ruled=index > 0,
                hint=f"{clean(str(run.path), 400)}\n{words}" if run.path is not None else words,
                yielding=cut,
            )
        shown, found = search.describe(number, place), run.found[place]
        title = self._marked(clean(shown.title, 160), theme.text)
        right = (Span(f"{found.times:,}×", theme.faint, "mono", size=SMALL),) if found.times > 1 else ()
        often = [f"{found.times:,} times in its record"] if found.times > 1 else []
        where = clean(shown.snippet.where, 120) if shown.snippet is not None else ""
        return Row(
            title,
            right,
            glyph=shown.kind,
            selected=self._is_selected(run, shown),
            hint="\n".join([clean(shown.title, 160), *([where] if where else []), *often]),
            below=self._snippet(shown.snippet),
        )

    def _is_selected(self, run: RunHits, shown: Described) -> bool:
        document = self.session.active
        if document is None or not shown.step:
            return False
        return run.document == document.number and shown.step == document.selection.primary

    def _marked(self, text: str, color: Color) -> tuple[Span, ...]:
        """A text with the search words marked."""
        search, theme = self.session.search.search, self.style.theme
        spans: list[Span] = []
        at = 0
        for start, end in search.spans(text) if search is not None else ():
            if start > at:
                spans.append(Span(text[at:start], color, tight=True))
            spans.append(Span(text[start:end], theme.text, tight=True, background=self._mark))
            at = end
        return (*spans, Span(text[at:], color))

    def _snippet(self, snippet: Snippet | None) -> tuple[Span, ...]:
        theme = self.style.theme
        if snippet is None:
            return (Span("", theme.quiet),)
        before = clean(snippet.text[: snippet.start], 400)
        if len(before) > BEFORE_MATCH:
            before = "…" + before[-BEFORE_MATCH:].lstrip("…")
        spaced = snippet.text[: snippet.start].endswith((" ", "\n", "\t"))
        match = clean(snippet.text[snippet.start : snippet.end], 200)
        style, em = self.style, self.style.size(SMALL + 0.5)
        room = self.rows.width - style.size(AROUND) - style.width(match, "text", em)
        while before.strip("…") and style.width(before, "text", em) > room:  # keep the whole match visible
            before = "…" + before.lstrip("…")[1:]
        after = clean(snippet.text[snippet.end :], 300)
        gap = snippet.text[snippet.end : snippet.end + 1].isspace()
        return (
            Span(before + (" " if spaced and before else ""), theme.quiet, size=SMALL + 0.5, tight=True),
            Span(match, theme.text, size=SMALL + 0.5, tight=True, background=self._mark),
            Span((" " if gap else "") + after, theme.quiet, size=SMALL + 0.5),
        )

    @property
    def _mark(self) -> Color:
        theme = self.style.theme
        return mixed(theme.panel, theme.accent, 0.38)

    def _follow(self, selected: tuple[int, int]) -> None:
        """Scroll to the selected step when the selection changes."""
        if selected == self._followed:
            return
        self._followed = selected
        document = self.session.active
        if document is None or document.record is None or document.selection.primary not in document.record.graph:
            return
        position = document.record.graph.index(document.selection.primary or "")
        for group, number in enumerate(self._having):
            run = self.session.search.runs[number]
            if run.document == document.number and run.lit and run.lit[position]:
                place = self._place_of(run, position)
                if place is not None:
                    head = 0 if self.session.search.scope == "run" else 1
                    self.rows.reveal(self._starts[group] + head + place)

    def _place_of(self, run: RunHits, position: int) -> int | None:
        if self._places[0] is not run or self._places[1] != len(run.found):
            self._places = (run, len(run.found), {one.position: place for place, one in enumerate(run.found)})
        return self._places[2].get(position)

    def _click(self, index: int, _event: InputEvent) -> None:
        if not self._starts or index >= self._starts[-1]:
            return
        number, place = self._at(index)
        if place >= 0:
            self.session.invoke("search.show", run=number, place=place)
        elif self.session.search.runs[number].found:
            self.session.invoke("search.show", run=number, place=0)

    def _context(self, index: int) -> None:
        """The menu of a found step if its run is active, else of its run."""
        if not self._starts or index >= self._starts[-1]:
            return
        number, place = self._at(index)
        search, active = self.session.search, self.session.active
        run, at = search.runs[number], dpg.get_mouse_pos(local=False)
        step = search.describe(number, place).step if place >= 0 else ""
        if step and active is not None and run.document == active.number:
            self.session.invoke("select.step", step=step)
            self.session.open_context_menu("step", *at, step=step)
        else:
            self.session.open_context_menu("run", *at, run=run.document or run.path)
