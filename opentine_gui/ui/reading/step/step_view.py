"""One step to read: what it is, why it failed, tabs, and the part of it that the tab shows."""

from __future__ import annotations

from collections.abc import Hashable

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.reading.lit_hits import LitHits, LitView
from opentine_gui.app.inspect.step.section import Section, tabs_of
from opentine_gui.app.inspect.step.step_page import Page, failure_sections, page_of
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.app.inspect.step.values import place_of
from opentine_gui.app.search.step_hits import Here
from opentine_gui.app.session import Session
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.core import RunRecord, Step
from opentine_gui.describe.content.lines import ListedLines
from opentine_gui.describe.failures.failure import Failure, failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.reading.step.conversations import STOPPED, Conversations
from opentine_gui.ui.reading.step.error_block import ErrorBlock
from opentine_gui.ui.reading.step.records.source_records import SourceRecords
from opentine_gui.ui.reading.step.records.stored_records import StoredRecords
from opentine_gui.ui.reading.step.step_header import PAD, StepHeader
from opentine_gui.ui.reading.step.step_tabs import TAB_HEIGHT, StepTabs
from opentine_gui.ui.reading.step.transcripts import Transcripts
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

FAILURE_SHARE, LOW_FAILURE_SHARE, LOW_VIEW = 0.42, 0.28, 520.0
"""The part of the height that an error takes at most, unless what lies below leaves more; a longer one scrolls. Of a
view lower than the last, in design pixels, it is the second: a call's result often says the same, with what led to it.
"""
LEAST_CONTENT = 90.0
LOW_CONTENT, LEAD_ROWS = 330.0, 3
"""In content lower than this, in design pixels, so many rows of what the step said are in view at first."""
SHORT_CONTENT = 230.0


class StepView:
    """Header, error, tabs and content of the selected step, below each other in the parent.

    `whole` shows the call below the result. `follow` says which step, `place` where, `sync` once a frame.
    """

    def __init__(self, parent: int | str, session: Session, style: Style, *, whole: bool = False) -> None:
        self.session, self.style, self.whole = session, style, whole
        self.header = Sheet(parent, style)
        self.error = ErrorBlock(parent, session, style, on_context=self._error_menu, on_act=self._act)
        self.tabs = Sheet(parent, style)
        self._step_header, self._step_tabs = StepHeader(session, style), StepTabs(session, style, whole=whole)
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
        self._hits = LitHits(session.search.hits)
        self._unfolded: Hashable = None
        """What was lit when parts were unfolded in which it stands."""
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
        tabs, chosen = tabs_of(self._sections), self.session.view.tab_of(step.id)
        self._tab = chosen if chosen in tabs else tabs[0]
        conversation = self._conversation(document, record, step) if self._tab == "Conversation" else None
        if self._tab != "Conversation":
            self._conversations.forget()
            self._transcripts.leave()
        in_record = self._tab == "Record"
        source = self._source.of(document, step) if in_record else ()
        stored = self._stored.of(document, record, step) if in_record else None
        if not in_record:
            self._stored.forget()
            self._source.leave()
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
            said = shown_headline(step, self._failure) if self._failure is not None else ""
            self._page = page_of(
                self._sections, self._tab,
                whole=self.whole, conversation=conversation, source=source, stored=stored, why=said,
            )  # fmt: skip
            self.content.show_sections(shown, self._page.sections)
            if self._page.begin:
                self.content.reader.go_to_section(self._page.begin)
            self._leads = True
            more = failure_sections(self._sections, self._failure.headline) if self._failure is not None else ()
            brief = not any(section.role == "error" and isinstance(section.value, str) for section in self._sections)
            self.error.follow(self._failure, said, shown[:2], more, stopped=self._stopped, brief=brief)
        self._laid = None

    def _conversation(self, document: Document, record: RunRecord, step: Step) -> Page | None:
        """The page of what was said on the way to the step; None while it is being read."""
        transcript = self._transcripts.of(document, record)
        if transcript is None:
            return STOPPED if self._transcripts.stopped else None
        return self._conversations.of(document, record, step, transcript)

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
        self._light(document, step)
        if self._revisions() != self._laid:
            self._arrange(document, step)
            self._laid = self._revisions()
            self._lead()
        key = (self._key, view.raw, view.wrap, view.reading)
        self.header.sync(pointer, key, lambda pen: self._draw_header(pen, document, step))
        self.error.sync(pointer, key)
        self.tabs.sync(pointer, key, self._draw_tabs)
        self.content.sync(pointer)

    def _light(self, document: Document, step: Step) -> None:
        """Light what a search found, and follow from hit to hit while this is the view that is read."""
        search, view = self.session.search, self.session.view
        lit, hits = search.lit_text, search.hits
        name = (lit, self._shown_key) if lit is not None else None
        leads = view.reading is self.whole
        awaited = lit is not None and leads and hits.is_awaited(step.id)
        if lit is not None and awaited and name != self._unfolded:
            self._unfolded = name
            self.content.reader.open_where(lit.stands_in)
        parts = (self.error.view, self.content)
        for part in parts:
            part.light(name, lit, goes=not awaited)
        if leads:
            walks = lit is not None and not any(part.find_bar.visible for part in parts)
            tabs = ("Result", "Call") if self.whole and self._tab == "Result" else (self._tab,)
            above = walks and not hits.further and not self.error.empty and self.error.view.shown
            views = (
                LitView(self.error.view.reader, self.error.view.finder, above),
                LitView(self.content.reader, self.content.finder, walks),
            )
            self._hits.sync(Here(document.number, step.id, tabs), views, self.session.clock())

    def _revisions(self) -> Hashable:
        """What the heights of the parts depend on."""
        return tuple((part.page.revision, part.find_bar.visible) for part in (self.content, self.error.view))

    def _lead(self) -> None:
        """Begin with the line for which the step failed; in a low view with what it said, not what it was told."""
        reader = self.content.reader
        if not self._leads or reader.busy:
            return
        self._leads = False
        if not self._page.lead:
            reader.reveal_lit()
            return
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
            share = LOW_FAILURE_SHARE if height < style.size(LOW_VIEW) else FAILURE_SHARE
            pad, most = style.size(PAD), min(max(height * share, unused), left)
            y += self.error.arrange(x + pad, y, width - 2 * pad, most) + style.size(4)
        self.tabs.place(x, y, width, tab_height)
        y += tab_height
        room = max(bottom - y, style.size(LEAST_CONTENT))
        self.content.place(x, y, width, room)
        wanted = self.content.wanted_height(room) + style.size(8)
        self.content.place(x, y, width, min(wanted, room))
        self.bottom = y + min(wanted, room)
        self.short = wanted > room and room < style.size(SHORT_CONTENT)

    def _draw_header(self, pen: Pen, document: Document, step: Step) -> float:
        glyph = "stopped" if self._stopped else "error" if self._failure is not None else step.shown_kind
        return self._step_header.draw(pen, self._area[2], document, step, glyph)

    def _draw_tabs(self, pen: Pen) -> None:
        self._step_tabs.draw(pen, self._area[2], tabs_of(self._sections), self._tab)

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
