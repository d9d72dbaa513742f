"""The search panel: the box with its suggestions, the scope, what was found in a sentence, and the results."""

from __future__ import annotations

from functools import partial

from opentine_gui.app.actions.finding.search import not_searched
from opentine_gui.app.inspect.keys import action_of
from opentine_gui.app.search.completion import Completion, completions, phrase_of
from opentine_gui.app.search.live_search import SCOPES
from opentine_gui.app.session import Session
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import mixed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.panels.search.known_values import KnownValues
from opentine_gui.ui.panels.search.results import ROW, Results
from opentine_gui.ui.toolkit.sheet import BODY, LINE_HEIGHT, SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap
from opentine_gui.ui.toolkit.typing_box import HEIGHT as BOX_HEIGHT
from opentine_gui.ui.toolkit.typing_box import TypingBox

PAD = 12.0
TABS = 26.0
SHARE, KEPT_SHARE = 0.55, 0.5
"""What it takes of the room of the side, and what it keeps of that beside other panels."""
KEPT_ROWS = 3
SCOPE_WORDS = {"run": "This run", "open": "Open runs", "folder": "Folder"}
SHORT_WORDS = {"run": "Run", "open": "Open", "folder": "Folder"}
GAP = 14.0
ARROW = 22.0
SWITCH, REGEX = 34.0, ".*"
"""The switch beside the box: its width with the gap before it, and what stands on it."""
HINT = "Words, kind:tool, error:"


class SearchPanel(Panel):
    """Results appear as the user types; a click goes to the step. Open while `view.search` is True."""

    about_run = False

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.head = Sheet(self.pane.window, style)
        self.box = TypingBox(self.pane.window, style, HINT, self._typed, self.handle_key)
        self.switch = Sheet(self.pane.window, style)
        self.results = Results(self.pane.window, session, style)
        self._values = KnownValues(session)
        self._asked = 0
        self._arranged: object = None

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
        self.results.count_rows()
        key = (
            search.revision,
            search.scope,
            self.box.active and search.text,
            self._values.graph,
            search.running,
            self._place,
            not_searched(session),
        )
        self.head.sync(pointer, key, self._draw_head)
        self.switch.sync(pointer, search.regex, self._draw_switch)
        self.results.sync(pointer)

    # --- keys --------------------------------------------------------------------------------------------------------

    def handle_key(self, chord: str) -> bool:
        """Handle a key pressed while the box has the focus. False if it means something else or the box took it."""
        if chord in ("Enter", "Down"):
            self._go("search.next" if chord == "Enter" else "search.next_step")
        elif chord in ("Shift+Enter", "Up"):
            self._go("search.previous_step" if chord == "Up" else "search.previous")
        elif chord == "Esc":
            self.box.set_text(self.session.search.text)  # the box has reverted its text; the search has not
            self.session.invoke("search.close")
        elif chord == "Tab":
            found = self._completions()
            if found:
                self._complete(found[0])
        elif (action := action_of(self.session, chord)) is not None and action.id == "search.regex":
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
        lines = len(self._said()) + self._phrase_below + bool(not_searched(self.session))
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
        self.results.rows.place(0, below + tall, width, max(height - below - tall, 10))

    def _said(self) -> list[tuple[str, Color]]:
        """The lines below the tabs; suggestions are drawn separately."""
        search, theme = self.session.search, self.style.theme
        room = self.pane.width - 2 * self.style.size(PAD)
        if search.problem:
            return [(line, theme.bad) for line in wrap(clean(search.problem, 300), room, self.style, most=4)]
        room -= self._arrows_width
        place = self._place
        if place or (search.times and not search.running):
            said = (f"{place} · {search.times:,} in all", place, self._where(named=False))
            for words in said if place else (f"{self._sum()} · F3 next",):
                if self.style.width(words, "text", self.style.size(SMALL + 0.5)) <= room:
                    return [(words, theme.quiet)]
        advice = wrap(clean(search.advice, 400), room, self.style, most=6) if search.advice else []
        return [(self._sum(), theme.quiet), *((line, theme.quiet) for line in advice)]

    @property
    def _place(self) -> str:
        return self._where(named=True)

    def _where(self, *, named: bool) -> str:
        """Which hit one is at, among those of its step in the tab that is shown, and which step that is.

        The tab is `named`: another tab may hold more of them. "" at no step that was found.
        """
        search, document = self.session.search, self.session.active
        if search.running or document is None or document.record is None:
            return ""
        graph, primary = document.record.graph, document.selection.primary
        run = next((one for one, hits in enumerate(search.runs) if hits.document == document.number), None)
        if run is None or primary is None or primary not in graph:
            return ""
        number = search.number_of((run, graph.index(primary)))
        if number is None:
            return ""
        hit, step = search.hits.at(document.number, primary), f"step {number:,} of {search.steps:,}"
        if hit is None:
            return step
        tabs = search.hits.here.tabs
        if named and len(tabs) == 1:
            return f"{hit[0]:,} of {hit[1]:,} in {tabs[0]} · {step}"
        return f"hit {hit[0]:,} of {hit[1]:,} · {step}"

    def _sum(self) -> str:
        search = self.session.search
        if not search.text.strip():
            return ""
        if not search.times:
            return "Searching…" if search.running else "Nothing found"
        runs = self.results.runs
        steps = counted(search.steps, "step")
        words = f"{search.times:,} in {steps}" if search.steps else f"{search.times:,}"
        words += f" of {runs:,} runs" if runs > 1 else ""
        return f"{words}{'…' if search.running else ''}"

    @property
    def _arrows_width(self) -> float:
        """The width of the arrows to the previous and the next hit, with their gap; 0 where nothing was found."""
        return self.style.size(2 * ARROW + 6) if self.session.search.times else 0.0

    def _draw_arrows(self, pen: Pen, right: float, y: float) -> None:
        """Draw the arrows to the previous and to the next hit."""
        style, theme, half = self.style, self.style.theme, self.style.size(ARROW) / 2
        for place, (sign, name) in enumerate((("‹", "search.previous"), ("›", "search.next"))):
            action, middle = self.session.actions[name], right - half * (3 - 2 * place)
            area = (middle - half, y - half, middle + half, y + half)
            paint = theme.text if pen.over(*area) else theme.quiet
            wide = style.width(sign, "title", style.size(BODY + 2))
            pen.text(middle - wide / 2, y, sign, paint, "title", BODY + 2)
            press = partial(self._go, name)
            pen.zone(*area, press, f"{action.title}  {action.key}", name=action.title, kind="button")

    def _go(self, action: str) -> None:
        """Go to what was found; the box keeps the keyboard."""
        self.session.invoke(action)
        self.box.take_keyboard()

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
        if self._arrows_width and not search.problem:
            self._draw_arrows(pen, right, y)
        room = right - self._arrows_width - left  # the arrows reach into the line below
        ways = self._completions() if self.box.active else []
        if ways and not search.problem:
            self._draw_ways(pen, left, y, right - self._arrows_width, ways)
            self._draw_not_searched(pen, left, y + style.size(LINE_HEIGHT), room)
            return
        for line, color in self._said():
            end = pen.text(left, y, line, color, size=SMALL + 0.5, room=right - self._arrows_width - left)
            if self._phrase_below:
                y += style.size(LINE_HEIGHT)
                end = left - style.size(GAP)
            self._draw_phrase(pen, end + style.size(GAP), y)
            y += style.size(LINE_HEIGHT)
        self._draw_not_searched(pen, left, y, room)

    def _draw_not_searched(self, pen: Pen, x: float, y: float, room: float) -> None:
        """Say that the search does not go into the folders below, and lead to one of them."""
        words = not_searched(self.session)
        if words:
            hint = self.session.actions["search.below"].description
            pen.link(x, y, words, partial(self.session.invoke, "search.below"), room=room, hint=hint)

    def _draw_switch(self, pen: Pen) -> None:
        """Draw the switch beside the box that makes its text a regular expression."""
        style, theme, action = self.style, self.style.theme, self.session.actions["search.regex"]
        left, width, height = style.size(4), self.switch.width, self.switch.height
        on = self.session.search.regex
        fill = theme.accent if on else mixed(theme.raised, theme.text, 0.1 if pen.over(left, 0, width, height) else 0.0)
        pen.rect(left, 0, width, height, fill, style.size(5))
        middle = left + (width - left - style.width(REGEX, "mono", style.size(BODY))) / 2
        pen.text(middle, height / 2, REGEX, theme.on_accent if on else theme.quiet, "mono", BODY)
        hint = f"Regular expression: {'on; filters like kind:tool go before it' if on else 'off'}  {action.key}"
        pen.zone(left, 0, width, height, self._switch_regex, hint, name="Regular expression", kind="button")

    def _switch_regex(self) -> None:
        self.session.invoke("search.regex")
        self.box.take_keyboard()

    def _draw_ways(self, pen: Pen, x: float, y: float, right: float, ways: list[Completion]) -> None:
        """Draw the suggestions in a row, first the one that Tab takes, after what was found where there is room."""
        style, theme = self.style, self.style.theme
        said, size = self._place or self._sum(), style.size(SMALL + 0.5)
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
        """The completion that turns the words of a query into an exact phrase."""
        search = self.session.search
        return phrase_of(search.text) if search.times and not search.problem and not search.regex else None

    @property
    def _phrase_below(self) -> bool:
        """Whether that way has no room beside what is said."""
        way, style = self._phrase, self.style
        if way is None:
            return False
        said = sum(style.width(line, "text", style.size(SMALL + 0.5)) for line, _ in self._said())
        room = self.pane.width - 2 * style.size(PAD) - self._arrows_width
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
        return completions(text, self._values.of_active_run() if ":" in text else {})

    def forget(self) -> None:
        """Release the runs that were searched; the values live as long as the panel, without their run."""
        self.results.forget()

    def _complete(self, way: Completion) -> None:
        self.session.invoke("search.ask", text=way.text)
        self.box.replace(way.text)
