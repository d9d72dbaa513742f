"""One step to read: what it is, why it failed, tabs, and the part of it that the tab shows."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.figures import Figure, step_figures
from opentine_gui.app.inspect.step.section import Section, tabs_of
from opentine_gui.app.inspect.step.step_page import Page, failure_sections, page_of
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.app.inspect.step.values import place_of
from opentine_gui.app.session import Session
from opentine_gui.app.state.annotations import COLOURS, LONGEST_NOTE
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.core import RunRecord, Step
from opentine_gui.describe.content.lines import ListedLines
from opentine_gui.describe.failures.failure import Failure, failure_of
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.draw_list import Line, Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.reading.conversations import Conversations
from opentine_gui.ui.reading.error_block import ErrorBlock
from opentine_gui.ui.reading.records.source_records import SourceRecords
from opentine_gui.ui.reading.records.stored_records import StoredRecords
from opentine_gui.ui.reading.transcripts import Transcripts
from opentine_gui.ui.toolkit.sheet import BODY, LINE_HEIGHT, SMALL, TITLE, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

PAD = 14.0
TAB_HEIGHT = 30.0
MOST_NOTE = 6
"""Lines of a note above the content; the whole of a longer one is shown where it is written."""
FAILURE_SHARE = 0.42
"""The part of the height that an error takes at most, unless what lies below leaves more; a longer one scrolls."""
LEAST_CONTENT = 90.0
LOW_CONTENT, LEAD_ROWS = 330.0, 3
"""In content lower than this, in design pixels, so many rows of what the step said are in view at first."""
SHORT_CONTENT = 230.0
TAB_ACTIONS = {
    "Result": "inspect.result",
    "Call": "inspect.call",
    "Conversation": "inspect.conversation",
    "Record": "inspect.record",
}


class StepView:
    """Header, error, tabs and content of the selected step, below each other in the parent.

    `whole` shows the call below the result. `follow` says which step, `place` where, `sync` once a frame.
    """

    def __init__(self, parent: int | str, session: Session, style: Style, *, whole: bool = False) -> None:
        self.session, self.style, self.whole = session, style, whole
        self.header = Sheet(parent, style)
        self.error = ErrorBlock(parent, session, style, on_context=self._error_menu, on_act=self._act)
        self.tabs = Sheet(parent, style)
        self.content = ContentView(parent, session, style, on_context=self._menu, on_act=self._act)
        self._transcripts = Transcripts(session)
        self._source = SourceRecords(session)
        self._stored = StoredRecords(session)
        self._conversations = Conversations(session)
        self._area = (0.0, 0.0, 10.0, 10.0)
        self._step: Step | None = None
        self._sections: tuple[Section, ...] = ()
        self._failure: Failure | None = None
        self._stopped = False
        self._page = Page(())
        self._tab = "Result"
        self._key: Hashable = None
        self._shown_key: Hashable = None
        self._laid: Hashable = None
        self._shown = True
        self._leads = False
        """Whether the step was just shown and what it said has not been looked for."""
        self.bottom = 0.0
        """The y in the parent, in pixels, at which the content ends."""
        self.short = False
        """Whether the content is cut where it has room for a few lines only."""

    @property
    def tab(self) -> str:
        """The tab that is shown: the one chosen last, if the step has it."""
        return self._tab

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place everything in the parent, in pixels; the content takes what the rest leaves, or less."""
        if (x, y, width, height) != self._area:
            self._area = (x, y, width, height)
            self._key = self._laid = None

    def show(self, visible: bool) -> None:
        """Show or hide everything."""
        if visible != self._shown:
            self._shown = visible
            self._laid = None
            for part in (self.header, self.tabs, self.content):
                part.show(visible)
            self.error.show(visible)

    def follow(self, document: Document, record: RunRecord, step: Step) -> None:
        """Show this step; cheap while nothing about it changed."""
        if self._step is not step:
            self._step, self._sections = step, step_sections(record, step)
            self._failure = failure_of(step)
            self._stopped = step.id in record.graph and record.graph.index(step.id) in record.graph.stopped
        tabs, chosen = tabs_of(self._sections), self.session.view.inspector_tab
        self._tab = chosen if chosen in tabs else tabs[0]
        conversation = self._conversation(document, record, step) if self._tab == "Conversation" else None
        if self._tab != "Conversation":
            self._conversations.forget()
        in_record = self._tab == "Record"
        source = self._source.of(document, step) if in_record else ()
        stored = self._stored.of(document, record, step) if in_record else None
        if not in_record:
            self._stored.forget()
        records = (source is None, self._source.revision if in_record else 0, stored is None)
        key = (
            document.number,
            document.content_revision,
            step.id,
            self._tab,
            conversation is None,
            records,
            self._area,
            self.style.theme.name,
        )
        if key == self._key:
            return
        self._key = key
        shown = (document.number, step.id, self._tab, conversation is None, self.whole, records)
        if shown != self._shown_key:
            self._shown_key = shown
            self._page = page_of(
                self._sections, self._tab,
                whole=self.whole, conversation=conversation, source=source, stored=stored,
            )  # fmt: skip
            self.content.show_sections(shown, self._page.sections)
            if self._page.begin:
                self.content.reader.go_to_section(self._page.begin)
            self._leads = self._page.lead > 0
            more = failure_sections(self._sections, self._failure.headline) if self._failure is not None else ()
            self.error.follow(self._failure, shown[:2], more, stopped=self._stopped)
        self._laid = None

    def _conversation(self, document: Document, record: RunRecord, step: Step) -> Page | None:
        """The page of what was said on the way to the step; None while it is being read."""
        transcript = self._transcripts.of(document, record)
        return None if transcript is None else self._conversations.of(document, record, step, transcript)

    def forget(self) -> None:
        """Let go of the run, which may be large and closed by now."""
        if self._step is not None:
            self._step, self._key, self._shown_key = None, None, None
            self._sections, self._page, self._failure = (), Page(()), None
            self._transcripts = Transcripts(self.session)
            self._stored.forget()
            self._conversations.forget()
            self.content.show_lines(ListedLines())
            self.error.forget()

    def sync(self, pointer: Pointer, document: Document) -> None:
        """Handle input, and repaint what changed."""
        step, view = self._step, self.session.view
        if not self._shown or step is None:
            return
        self._follow_switches()
        lit = self.session.search.lit_text
        for part in (self.content, self.error.view):
            part.light((lit, self._shown_key) if lit is not None else None, lit)
        if self._revisions() != self._laid:
            self._arrange(document, step)
            self._laid = self._revisions()
            self._lead()
        key = (self._key, view.raw, view.wrap, view.reading)
        self.header.sync(pointer, key, lambda pen: self._draw_header(pen, document, step))
        self.error.sync(pointer, key)
        self.tabs.sync(pointer, key, self._draw_tabs)
        self.content.sync(pointer)

    def _revisions(self) -> Hashable:
        """What the heights of the parts depend on."""
        return tuple((part.page.revision, part.find_bar.visible) for part in (self.content, self.error.view))

    def _lead(self) -> None:
        """In a low view, begin with what the step said rather than with what it was told."""
        reader = self.content.reader
        if not self._leads or reader.busy:
            return
        self._leads = False
        low = self.content.page.height < self.style.size(LOW_CONTENT)
        if low and not reader.shows_section(self._page.lead, LEAD_ROWS):
            reader.go_to_section(self._page.lead)

    def scroll(self, pages: float) -> None:
        """Scroll the content by pages, up if negative."""
        self.content.page.scroll_pages(pages)

    def handle_key(self, chord: str) -> bool:
        """Let the part that was pressed last use a key; False for one it has no use for."""
        if not self._shown:
            return False
        if chord in ("Left", "Right") and self.session.view.wrap:
            return False
        return self.content.handle_key(chord) or (not self.error.empty and self.error.view.handle_key(chord))

    # --- layout ------------------------------------------------------------------------------------------------------

    def _follow_switches(self) -> None:
        view = self.session.view
        for part in (self.content, self.error.view):
            if part.raw != view.raw:
                part.raw = view.raw
            if part.wrap != view.wrap:
                part.wrap = view.wrap

    def _arrange(self, document: Document, step: Step) -> None:
        """Place the parts below each other, each as high as it needs to be."""
        x, y, width, height = self._area
        style, bottom = self.style, y + height
        tall = self._draw_header(Pen(style, None), document, step)
        self.header.place(x, y, width, tall)
        y += tall
        self.error.show(self._shown)
        tab_height = style.size(TAB_HEIGHT + 6)
        if not self.error.empty:
            left = bottom - y - tab_height - style.size(LEAST_CONTENT + 8)  # what lies below must not be pushed out
            self.content.place(x, y, width, max(left, style.size(LEAST_CONTENT)))
            unused = left - self.content.wanted_height(left)
            pad, most = style.size(PAD), min(max(height * FAILURE_SHARE, unused), left)
            y += self.error.arrange(x + pad, y, width - 2 * pad, most) + style.size(4)
        self.tabs.place(x, y, width, tab_height)
        y += tab_height
        room = max(bottom - y, style.size(LEAST_CONTENT))
        self.content.place(x, y, width, room)
        wanted = self.content.wanted_height(room) + style.size(8)
        self.content.place(x, y, width, min(wanted, room))
        self.bottom = y + min(wanted, room)
        self.short = wanted > room and room < style.size(SHORT_CONTENT)

    # --- drawing -----------------------------------------------------------------------------------------------------

    def _draw_header(self, pen: Pen, document: Document, step: Step) -> float:
        """Draw the title and the line of figures; returns the height in pixels."""
        style, theme = self.style, self.style.theme
        pad = style.size(PAD)
        room = self._area[2] - 2 * pad
        y = style.size(24)
        pen.glyph("stopped" if self._stopped else "error" if self._failure is not None else step.shown_kind, pad, y, 14)
        left = pad + style.size(22)
        for line in wrap(title(step), room - style.size(22), style, face="title", size=TITLE, most=2):
            pen.text(left, y, line, theme.text, "title", TITLE)
            y += style.size(21)
        x, y = pad, y + style.size(2)
        em = style.size(SMALL + 0.5)
        for place, figure in enumerate(step_figures(document, step)):
            face = "mono" if figure.label in ("Id", "Duration", "Cost", "Tokens") else "text"
            wide = style.width(figure.value, face, em)
            if place and x + wide > pad + room:
                x, y = pad, y + style.size(18)
            color = theme.role(figure.role) if figure.role != "text" else theme.quiet
            end = pen.text(x, y, figure.value, color, face, SMALL + 0.5, room=room)
            half = style.size(9)
            if pen.over(x, y - half, end, y + half):
                pen.rule(round(x), round(y + em * 0.62), round(end), theme.faint)
            pen.zone(
                x,
                y - half,
                end,
                y + half,
                self._copy(figure, step),
                figure.tooltip,
            )
            x = end + style.size(11)
        return self._draw_note(pen, document, step, y + style.size(18))

    def _draw_note(self, pen: Pen, document: Document, step: Step, y: float) -> float:
        """Draw what the user wrote beside the step, which a click opens; returns the height so far."""
        annotation = document.annotations.get(step.id)
        if annotation is None or not annotation.note:
            return y
        style, theme, pad = self.style, self.style.theme, self.style.size(PAD)
        left, top = pad + style.size(12), y + style.size(2)
        room = self._area[2] - pad - left
        lines = wrap(clean(annotation.note, LONGEST_NOTE, lines=True), room, style, most=MOST_NOTE)
        bottom = top + len(lines) * style.size(LINE_HEIGHT)
        color = theme.role(COLOURS[annotation.colour]) if annotation.colour else theme.accent
        pen.items.append(Rect(pad, top, pad + style.size(2.5), bottom, color, color, style.size(1)))
        for number, line in enumerate(lines):
            pen.text(left, top + (number + 0.5) * style.size(LINE_HEIGHT), line, theme.text)
        hint = "Your note on this step; click to change it"
        pen.zone(pad, top, self._area[2] - pad, bottom, self._invoke("step.note"), hint)
        return bottom + style.size(6)

    def _copy(self, figure: Figure, step: Step) -> Callable[[], None]:
        if figure.label == "Id":
            return lambda: self.session.invoke("edit.copy_id", step=step.id)
        text = figure.copied
        return lambda: self.session.invoke("edit.copy_text", text=text, what=clean(text, 60))

    def _draw_tabs(self, pen: Pen) -> None:
        style, _session, width = self.style, self.session, self._area[2]
        pad, tall = style.size(PAD), style.size(TAB_HEIGHT)
        names = tabs_of(self._sections)
        em = style.size(BODY)
        taken = sum(style.width(name, "text", em) for name in names) + style.size(8) * len(names)
        right = self._draw_switches(pen, width - pad, tall / 2, pad + taken)
        pen.tabs(pad, 0, tall, [(name, name) for name in names], self._tab, self._choose, room=right - pad)
        pen.rule(pad, tall, width - pad)

    def _draw_switches(self, pen: Pen, right: float, middle: float, least: float) -> float:
        """Draw the switches for the content left of `right`; returns where they begin.

        Wrap goes where it would reach below `least`, and has its key then; Raw stays, and the tabs are shortened.
        """
        style, theme, view = self.style, self.style.theme, self.session.view
        half = style.size(13)
        if not self.whole:
            right = self._open_mark(pen, right, middle) - style.size(12)
        em, gap = style.size(SMALL + 0.5), style.size(10)
        words = [("Wrap", view.wrap, "inspect.wrap"), ("Raw", view.raw, "inspect.raw")]
        if right - sum(style.width(word, "text", em) for word, _, _ in words) - gap < least:
            words = words[1:]
        for word, on, action_id in words:
            action = self.session.actions[action_id]
            left = right - style.width(word, "text", em)
            over = pen.over(left - style.size(4), middle - half, right + style.size(4), middle + half)
            pen.text(left, middle, word, theme.text if on or over else theme.faint, "text", SMALL + 0.5)
            if on:
                pen.rule(round(left), round(middle + style.size(9)), round(right), theme.accent)
            hint = f"{action.description}  {action.key}"
            pen.zone(
                left - style.size(4), middle - half, right + style.size(4), middle + half, self._invoke(action_id), hint
            )
            right = left - gap
        return right

    def _open_mark(self, pen: Pen, right: float, middle: float) -> float:
        """Draw the mark that opens the reading view: two arrows apart; returns where it begins."""
        style, theme = self.style, self.style.theme
        r, size = style.size(4.5), style.size(3.5)
        x, half = right - r - style.size(1), style.size(13)
        over = pen.over(x - half, middle - half, right + style.size(4), middle + half)
        color = theme.text if over else theme.quiet
        for way in (1, -1):
            tip = (x + way * r, middle - way * r)
            pen.items.append(
                Line(((x + way * style.size(1), middle - way * style.size(1)), tip), color, style.size(1.3))
            )
            pen.items.append(Line(((tip[0] - way * size, tip[1]), tip), color, style.size(1.3)))
            pen.items.append(Line(((tip[0], tip[1] + way * size), tip), color, style.size(1.3)))
        action = self.session.actions["inspect.read"]
        pen.zone(
            x - half,
            middle - half,
            right + style.size(4),
            middle + half,
            self._invoke("inspect.read"),
            f"{action.title}  {action.key}",
        )
        return x - r

    def _invoke(self, action_id: str) -> Callable[[], None]:
        return lambda: self.session.invoke(action_id)

    def _choose(self, name: str) -> None:
        self.session.invoke(TAB_ACTIONS[name])

    # --- acts --------------------------------------------------------------------------------------------------------

    def _act(self, act: Hashable) -> None:
        match act:
            case ("step", str() as step):
                self.session.invoke("select.step", step=step, reveal=True)

    def _menu(self, path: tuple[Hashable, ...], selected: str) -> None:
        if self._step is not None and path:
            place = self._place_at(self._step, path, selected)
            self.session.open_context_menu("value", 0, 0, value=place)

    def _place_at(self, step: Step, path: tuple[Hashable, ...], selected: str) -> ValuePlace:
        """The recorded value at a path of what is shown: the number of a section, then keys and indices."""
        number, *rest = path
        assert isinstance(number, int)
        if number < len(self._page.parts):
            return place_of(step.id, self._page.parts[number], rest, selected)
        section = Section("", self._page.sections[number].value, "result")
        if self._tab == "Record" and number == len(self._page.sections) - 1:
            inner = tuple(key for key in rest if isinstance(key, str | int))
            return ValuePlace(step.id, inner, place_of(step.id, section, rest).shown, selected)
        return place_of(step.id, section, rest, selected)

    def _error_menu(self, path: tuple[Hashable, ...], selected: str) -> None:
        errors = [section for section in self._sections if section.role == "error"]
        if self._step is None or not path or self._failure is None:
            return
        shown = [section.value for section in failure_sections(self._sections, self._failure.headline)]
        chosen = next((section for section in errors if section.value is shown[int(str(path[0]))]), errors[0])
        place = place_of(self._step.id, chosen, path[1:], selected)
        self.session.open_context_menu("value", 0, 0, value=place)
