"""The search panel: the box, the scope, and the results by run, with the matching words marked."""

from __future__ import annotations

from bisect import bisect_right
from weakref import ReferenceType, ref

import dearpygui.dearpygui as dpg

from opentine_gui.app.search.completion import Completion, completions, phrase_of, values_in
from opentine_gui.app.search.live_search import SCOPES
from opentine_gui.app.search.scan_run import Described
from opentine_gui.app.search.search_job import RunHits
from opentine_gui.app.search.step_search import Snippet
from opentine_gui.app.session import Session
from opentine_gui.core import Graph
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean, cut_in_middle
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import BODY, LINE_HEIGHT, SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap
from opentine_gui.ui.toolkit.typing_box import HEIGHT as BOX_HEIGHT
from opentine_gui.ui.toolkit.typing_box import TypingBox

_JOB = "values"
PAD = 12.0
TABS = 26.0
ROW = 42.0
SHARE, KEPT_SHARE = 0.55, 0.5
"""What it takes of the room of the side, and what it keeps of that beside other panels."""
KEPT_ROWS = 3
BEFORE_MATCH = 18
"""Characters of a snippet shown before the match."""
AROUND = 64.0
"""Design pixels of a row that no snippet gets: its glyph, its edges, the scroll bar, and a letter or two after it."""
SCOPE_WORDS = {"run": "This run", "open": "Open runs", "folder": "Folder"}
SHORT_WORDS = {"run": "Run", "open": "Open", "folder": "Folder"}
GAP = 14.0
SWITCH, REGEX = 34.0, ".*"
"""The switch beside the box: its width with the gap before it, and what stands on it."""
HINT = "Find words, kind:tool, error:, /regex/"


class SearchPanel(Panel):
    """Results appear as the user types; a click goes to the step. Open while `view.search` is True."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.head = Sheet(self.pane.window, style)
        self.box = TypingBox(self.pane.window, style, HINT, self._typed)
        self.switch = Sheet(self.pane.window, style)
        self.rows = RowList(self.pane.window, style, row_height=ROW, on_click=self._click, on_context=self._context)
        self._asked = 0
        self._starts: list[int] = []
        self._having: list[int] = []
        self._counted = -1
        self._arranged: object = None
        self._followed: object = None
        self._places: tuple[RunHits | None, int, dict[int, int]] = (None, 0, {})
        self._values: tuple[ReferenceType[Graph] | None, dict[str, tuple[str, ...]]] = (None, {})

    @property
    def in_use(self) -> bool:
        """Whether the search is open."""
        return self.session.view.search

    def wanted_height(self, room: float) -> float:
        """More than half of the side."""
        return room * SHARE

    def kept_height(self, room: float) -> float:
        """The box and a few results: they were asked for a moment ago, and the other lists were not."""
        whole = 10 + BOX_HEIGHT + 4 + TABS + LINE_HEIGHT + 8 + KEPT_ROWS * ROW
        return min(self.style.size(whole), room * KEPT_SHARE)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        self._arranged = None

    def sync(self, pointer: Pointer) -> None:
        """Follow the search, and focus the box whenever the search was invoked."""
        self.pane.follow_theme()
        session, search = self.session, self.session.search
        if self._asked != session.view.search_asked:
            self._asked = session.view.search_asked
            if not self.box.active and self.box.text != search.text:
                self.box.set_text(search.text)
            self.box.take_keyboard()
        self._arrange()
        self.box.sync(pointer)
        self._count_rows()
        key = (search.revision, search.scope, self.box.active and search.text, self._values[0], search.running)
        self.head.sync(pointer, key, self._draw_head)
        self.switch.sync(pointer, search.regex, self._draw_switch)
        document = session.active
        selected = (document.number, document.selection_revision) if document is not None else (0, 0)
        self._follow(selected)
        self.rows.set_rows(self._starts[-1] if self._starts else 0, self._row, (search.revision, selected))
        self.rows.sync(pointer)

    # --- keys --------------------------------------------------------------------------------------------------------

    def handle_key(self, chord: str) -> bool:
        """Handle a key pressed while the box has the focus. False if it means something else or the box took it."""
        self.box.handle_key(chord)
        if chord in ("Enter", "Down"):
            self.session.invoke("search.next")
            self.box.take_keyboard()
        elif chord in ("Shift+Enter", "Up"):
            self.session.invoke("search.previous")
            self.box.take_keyboard()
        elif chord == "Esc":
            self.box.set_text(self.session.search.text)  # the box has reverted its text; the search has not
            self.session.invoke("search.close")
        elif chord == "Tab":
            found = self._completions()
            if found:
                self._complete(found[0])
        elif (action := self.session.action_of(chord)) is not None and action.id == "search.regex":
            self._switch_regex()
        else:
            return False
        return True

    def _typed(self, text: str) -> None:
        if self.session.view.search:
            self.session.invoke("search.ask", text=text)

    # --- the head: scope, number of results, problems --------------------------------------------------------------

    def _arrange(self) -> None:
        width, height = self.pane.width, self.pane.height
        lines = len(self._said()) + self._phrase_below
        plan = (width, height, lines, self.style.theme)
        if plan == self._arranged:
            return
        self._arranged = plan
        style = self.style
        pad, top = style.size(PAD), style.size(10)
        beside = style.size(SWITCH)
        self.box.place(pad, top, width - 2 * pad - beside)
        self.switch.place(width - pad - beside, top, beside, style.size(BOX_HEIGHT))
        below = top + style.size(BOX_HEIGHT) + style.size(4)
        tall = style.size(TABS) + style.size(LINE_HEIGHT) * lines + style.size(8)
        self.head.place(0, below, width, tall)
        self.rows.place(0, below + tall, width, max(height - below - tall, 10))

    def _said(self) -> list[tuple[str, Color]]:
        """The lines below the tabs; suggestions are drawn separately."""
        search, theme = self.session.search, self.style.theme
        room = self.pane.width - 2 * self.style.size(PAD)
        if search.problem:
            return [(line, theme.bad) for line in wrap(clean(search.problem, 300), room, self.style, most=4)]
        said = self._sum()
        key = " · F3 next"
        fits = self.style.width(said + key, "text", self.style.size(SMALL + 0.5)) <= room
        more = fits and search.times and not search.running
        return [(said + key if more else said, theme.quiet)]

    def _sum(self) -> str:
        search = self.session.search
        if not search.text.strip():
            return ""
        if not search.times:
            return "Searching…" if search.running else "Nothing found"
        runs = len(self._having)
        steps = counted(search.steps, "step")
        words = f"{search.times:,} in {steps}" if search.steps else f"{search.times:,}"
        words += f" of {runs:,} runs" if runs > 1 else ""
        return f"{words}{'…' if search.running else ''}"

    def _draw_head(self, pen: Pen) -> None:
        style, theme, search = self.style, self.style.theme, self.session.search
        left, y = style.size(PAD), 0.0
        shown = [scope for scope in SCOPES if scope != "folder" or self.session.runs.folder]
        wide = sum(style.width(SCOPE_WORDS[scope], "text", style.size(BODY)) + style.size(GAP) for scope in shown)
        words = SCOPE_WORDS if wide <= self.head.width - 2 * left else SHORT_WORDS
        names = [(scope, words[scope]) for scope in shown]
        right = self.head.width - left
        pen.tabs(left, y, style.size(TABS), names, search.scope, self._choose_scope, style.size(GAP), right - left)
        if search.running:
            pen.cross(right - style.size(4), style.size(TABS) / 2, style.size(4), theme.quiet)
            stop = (right - style.size(12), 0, right + style.size(4), style.size(TABS))
            pen.zone(*stop, lambda: self.session.invoke("search.stop"), "Stop searching", name="Stop", kind="button")
        y += style.size(TABS) + style.size(LINE_HEIGHT) / 2 + style.size(2)
        ways = self._completions() if self.box.active else []
        if ways and not search.problem:
            self._draw_ways(pen, left, y, right, ways)
            return
        for line, color in self._said():
            end = pen.text(left, y, line, color, size=SMALL + 0.5, room=right - left)
            if self._phrase_below:
                y += style.size(LINE_HEIGHT)
                end = left - style.size(GAP)
            self._draw_phrase(pen, end + style.size(GAP), y)
            y += style.size(LINE_HEIGHT)

    def _draw_switch(self, pen: Pen) -> None:
        """Draw the switch beside the box that makes its text a regular expression."""
        style, theme, action = self.style, self.style.theme, self.session.actions["search.regex"]
        left, width, height = style.size(4), self.switch.width, self.switch.height
        on = self.session.search.regex
        fill = theme.accent if on else mixed(theme.raised, theme.text, 0.1 if pen.over(left, 0, width, height) else 0.0)
        pen.rect(left, 0, width, height, fill, style.size(5))
        middle = left + (width - left - style.width(REGEX, "mono", style.size(BODY))) / 2
        pen.text(middle, height / 2, REGEX, theme.on_accent if on else theme.quiet, "mono", BODY)
        hint = f"{'Regular expression: on' if on else 'Regular expression: off'}  {action.key}"
        pen.zone(left, 0, width, height, self._switch_regex, hint, name="Regular expression", kind="button")

    def _switch_regex(self) -> None:
        self.session.invoke("search.regex")
        self.box.take_keyboard()

    def _draw_ways(self, pen: Pen, x: float, y: float, right: float, ways: list[Completion]) -> None:
        """Draw the suggestions in a row, first the one that Tab takes, after what was found where there is room."""
        style, theme = self.style, self.style.theme
        said, size = self._sum(), style.size(SMALL + 0.5)
        first = style.width(f"Tab {clean(ways[0].label, 40)}", "text", style.size(13)) + style.size(GAP + 16)
        if said and x + style.width(said, "text", size) + first <= right:
            x = pen.text(x, y, said, theme.quiet, size=SMALL + 0.5) + style.size(GAP)
        x = pen.text(x, y, "Tab", theme.faint, "mono", SMALL) + style.size(8)
        for way in ways:
            label = clean(way.label, 40)
            if x + style.width(label, "text", style.size(13)) > right:
                break
            hint = way.words or f"Search for {label}"
            x = pen.link(x, y, label, lambda way=way: self._complete(way), hint=hint) + style.size(10)  # type: ignore[misc]

    @property
    def _phrase(self) -> Completion | None:
        """The way from words that stand anywhere in a step to the same words side by side."""
        search = self.session.search
        return phrase_of(search.text) if search.times and not search.problem and not search.regex else None

    @property
    def _phrase_below(self) -> bool:
        """Whether that way has no room beside what is said."""
        way, style = self._phrase, self.style
        if way is None:
            return False
        said = sum(style.width(line, "text", style.size(SMALL + 0.5)) for line, _ in self._said())
        room = self.pane.width - 2 * style.size(PAD)
        return said + style.size(GAP) + style.width(way.label, "text", style.size(13)) > room

    def _draw_phrase(self, pen: Pen, x: float, y: float) -> None:
        way = self._phrase
        if way is not None:
            pen.link(x, y, way.label, lambda: self._complete(way), hint=f"{way.words}: {clean(way.text, 80)}")

    def _choose_scope(self, scope: str) -> None:
        self.session.invoke("search.ask", scope=scope)
        self.box.take_keyboard()

    # --- suggestions -------------------------------------------------------------------------------------------------

    def _completions(self) -> list[Completion]:
        text = self.box.text
        if self.session.search.regex:
            return []
        return completions(text, self._known_values() if ":" in text else {})

    def forget(self) -> None:
        """Release the runs that were searched; the values live as long as the panel, without their run."""
        self._places = (None, 0, {})

    def _known_values(self) -> dict[str, tuple[str, ...]]:
        """The values of the active run, by field; read in a job on first use."""
        record = self.session.active.record if self.session.active is not None else None
        known = self._values[0]() if self._values[0] is not None else None
        if record is not None and record.graph is not known and not self.session.jobs.is_running(_JOB):
            graph = record.graph

            def done(found: dict[str, tuple[str, ...]]) -> None:
                self._values = (ref(graph), found)
                self.session.touch()

            def failed(_error: Exception) -> None:
                done({})  # suggest nothing, rather than try again in every frame

            self.session.jobs.submit(
                _JOB, lambda _progress, cancelled: values_in(graph, cancelled), done, failed, priority=2
            )
        return self._values[1]

    def _complete(self, way: Completion) -> None:
        self.session.invoke("search.ask", text=way.text)
        self.box.replace(way.text)

    # --- the results -------------------------------------------------------------------------------------------------

    def _count_rows(self) -> None:
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
        where = clean(shown.snippet.where, 120) if shown.snippet is not None else ""
        return Row(
            title,
            right,
            glyph=shown.kind,
            selected=self._is_selected(run, shown),
            hint=f"{clean(shown.title, 160)}\n{where}" if where else clean(shown.title, 160),
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
