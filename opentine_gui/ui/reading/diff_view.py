"""The difference of two steps, or of what was sent for them, side by side or in one column."""

from __future__ import annotations

from collections.abc import Hashable

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.reading.reader import stopped_words
from opentine_gui.app.inspect.step.difference import SectionDifference, step_differences
from opentine_gui.app.inspect.step.difference_page import DifferencePage, difference_page, weighs
from opentine_gui.app.inspect.step.request_difference import RequestDifference, request_difference, source_of
from opentine_gui.app.session import Session
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import RunRecord, Step
from opentine_gui.core.analysis.requests import request_at
from opentine_gui.describe.content.lines import ListedLines, pace_of
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.styled import Span, StyledLine
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.row_list import SCROLLBAR
from opentine_gui.ui.toolkit.sheet import MONO, SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

_JOB, _LINES_JOB = "step-difference", "step-difference-lines"
PAD = 14.0
HEAD, SOURCES = 34.0, 36.0
"""Heights of the line of titles, and of the one that says from what requests are known."""
LARGE = 200_000
"""Bytes of both records from which they are compared in a job."""
MANY = 100_000
"""Characters of a difference from which its lines are made in a job."""
COMPARING = "Comparing…"


class DiffView:
    """A line that names both steps, and below it one page or two that scroll together."""

    def __init__(self, parent: int | str, session: Session, style: Style) -> None:
        self.session, self.style = session, style
        self.head = Sheet(parent, style)
        self.left = ContentView(parent, session, style)
        self.right = ContentView(parent, session, style)
        self.sections: list[SectionDifference] | None = None
        self.sources = ("", "")
        self._steps: tuple[Step, Step] | None = None
        self._area = (0.0, 0.0, 10.0, 10.0)
        self._key: Hashable = None
        self._made: Hashable = None
        self._counts: tuple[int, int] | None = None
        """Lines added and removed, once they are shown."""
        self._laid: Hashable = None
        """The difference that is shown, and whether in one column; its lines may be those of another width."""
        self._tops: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))
        self._words = COMPARING
        """What is said while there is no difference to show."""
        self._shown = True

    @property
    def unified(self) -> bool:
        """Whether there is one column."""
        return self.session.view.diff_unified

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Place it in the parent, in pixels."""
        if (x, y, width, height) != self._area:
            self._area = (x, y, width, height)
            self._made = None

    def show(self, visible: bool) -> None:
        """Show or hide it."""
        if visible != self._shown:
            self._shown = visible
            self.head.show(visible)
            self.left.show(visible)
            self.right.show(visible and not self.unified)
            self._made = None

    def follow(
        self, document: Document, record: RunRecord, before: Step, after: Step, *, requests: bool = False
    ) -> None:
        """Compare these two, or the requests they came from; cheap while they stay the same."""
        key = (document.number, before.id, after.id, requests)
        if key != self._key:
            self._key, self._made, self.sources, self._words = key, None, ("", ""), COMPARING
            if requests:
                self._compare_requests(document, record, before, after, key)
            else:
                self._steps = (before, after)
                self._compare(record, before, after, key)
        made = (key, self.sections is None, self.unified, self._area, self._shown)
        if made != self._made:
            self._made = made
            self._lay_out()

    def forget(self) -> None:
        """Let go of the steps."""
        if self._steps is not None:
            self.session.jobs.cancel(_JOB)
            self.session.jobs.cancel(_LINES_JOB)
            self._key = self._made = self._laid = self._steps = self.sections = self._counts = None
            self.left.show_lines(ListedLines())
            self.right.show_lines(ListedLines())

    def _compare(self, record: RunRecord, before: Step, after: Step, key: Hashable) -> None:
        self.sections = None
        if len(record.graph.raw(before.id)) + len(record.graph.raw(after.id)) < LARGE:
            self.sections = step_differences(record, before, after)
            return

        def done(found: list[SectionDifference]) -> None:
            if self._key == key:
                self.sections = found
                self.session.touch()

        self.session.jobs.submit(
            _JOB, lambda _progress, _cancelled: step_differences(record, before, after), done,
            title="Comparing two steps", priority=1, stopped=self._say_stopped,
        )  # fmt: skip

    def _compare_requests(
        self, document: Document, record: RunRecord, before: Step, after: Step, key: Hashable
    ) -> None:
        graph = record.graph
        places = [request_at(graph, graph.index(step.id)) for step in (before, after)]
        steps = [
            graph.step(place) if place is not None else step
            for place, step in zip(places, (before, after), strict=True)
        ]
        self._steps, self.sections = (steps[0], steps[1]), None
        sources = [source_of(self.session, document, step.id) for step in steps]
        one, other = sources
        if one is None or other is None:
            self.sections = []
            return

        def done(found: RequestDifference) -> None:
            if self._key == key:
                self.sections, self.sources = found.sections, found.sources
                self.session.touch()

        self.session.jobs.submit(
            _JOB,
            lambda _progress, _cancelled: request_difference(one, steps[0].id, other, steps[1].id), done,
            title="Comparing two requests", priority=1, stopped=self._say_stopped,
        )  # fmt: skip

    @property
    def _head(self) -> float:
        return HEAD + SOURCES if self.session.view.diff_requests else HEAD

    def _lay_out(self) -> None:
        x, y, width, height = self._area
        style = self.style
        head = style.size(self._head)
        self.head.place(x, y, width, head)
        both = not self.unified
        gap = style.size(6)
        wide = (width - gap) / 2 if both else width
        self.left.place(x, y + head, wide, height - head)
        self.right.place(x + wide + gap, y + head, wide, height - head)
        self.right.show(self._shown and both)
        sections = self.sections
        for side in (self.left, self.right):
            side.wrap = not both
        self.session.jobs.cancel(_LINES_JOB)
        if sections is None:
            self._say(self._words)
            return
        columns = None
        if both:
            advance = style.width("0", "mono", style.size(MONO))
            columns = int((wide - style.size(28 + SCROLLBAR)) / advance)
        if not weighs(sections, MANY):
            self._show_page(difference_page(sections, columns))
            return
        if self._laid != (self._key, both):
            self._say(COMPARING)
        made = self._made

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> DifferencePage:
            return difference_page(sections, columns, pace_of(cancelled))

        def done(page: DifferencePage) -> None:
            if self._made == made:
                self._show_page(page)
                self.session.touch()

        self.session.jobs.submit(
            _LINES_JOB, work, done, title="Comparing two steps", priority=1, stopped=self._say_stopped
        )

    def _say_stopped(self) -> None:
        self._words = stopped_words("Comparing them")
        self._say(self._words)
        self.session.touch()

    def _say(self, words: str) -> None:
        """Say why there is no difference to read."""
        self._laid = self._counts = None
        self.left.show_lines(ListedLines([StyledLine((Span(words, "quiet", "text"),))]))
        self.right.show_lines(ListedLines())
        self._tops = ((0, 0), (0, 0))

    def _show_page(self, page: DifferencePage) -> None:
        self._laid, self._counts = (self._key, not self.unified), (page.added, page.removed)
        self.left.show_lines(page.left)
        self.right.show_lines(page.right)
        self._tops = ((0, 0), (0, 0))

    def sync(self, pointer: Pointer) -> None:
        """Handle input, and repaint what changed."""
        if not self._shown:
            return
        key = (self._made, self._counts, self.style.theme.name, self.sources)
        self.head.sync(pointer, key, self._draw_head)
        self.left.sync(pointer)
        if not self.unified:
            self.right.sync(pointer)
            self._scroll_together()

    def _scroll_together(self) -> None:
        """Bring the side that stayed to where the other one was scrolled."""
        one, other = self.left.page, self.right.page
        tops = ((one.top, one.top_row), (other.top, other.top_row))
        if tops[0] != tops[1]:
            moved, still = (other, one) if tops[0] == self._tops[0] else (one, other)
            still.go_to(moved.top, moved.top_row)
            if (still.top, still.top_row) != (moved.top, moved.top_row):
                moved.go_to(still.top, still.top_row)
            self.session.touch()
            tops = ((one.top, one.top_row), (other.top, other.top_row))
        self._tops = tops

    def scroll(self, pages: float) -> None:
        """Scroll by pages, up if negative."""
        self.left.page.scroll_pages(pages)

    def handle_key(self, chord: str) -> bool:
        """Let the side that was pressed last use a key."""
        if chord in ("Left", "Right"):
            return False
        return self._shown and (self.left.handle_key(chord) or (not self.unified and self.right.handle_key(chord)))

    def _draw_head(self, pen: Pen) -> None:
        style, theme = self.style, self.style.theme
        if self._steps is None:
            return
        before, after = self._steps
        width, middle, pad = self._area[2], style.size(HEAD) / 2 - style.size(2), style.size(PAD)
        half = width / 2
        room = half - 2 * pad - style.size(20)
        for step, x, role in ((before, pad, "bad"), (after, half + pad, "good")):
            end = pen.glyph(step.shown_kind, x, middle, 13)
            pen.rect(
                x - style.size(8), middle - style.size(8), x - style.size(5), middle + style.size(8), theme.role(role)
            )
            act = lambda chosen=step.id: self.session.invoke("select.step", step=chosen, reveal=True)  # noqa: E731
            pen.link(end + style.size(6), middle, title(step), act, room=room - style.size(70), color=theme.text)
        for words, x in zip(self.sources, (pad, half + pad), strict=True):
            below = middle + style.size(4)
            for line in wrap(words[:1].upper() + words[1:], half - 1.5 * pad, style, most=2):
                below += style.size(SOURCES / 2)
                pen.text(x, below, line, theme.quiet, "text", SMALL)
        if self._counts is not None:
            added, removed = self._counts
            right = width - pad
            right = pen.text(right, middle, f"+{added:,}", theme.good, "mono", MONO, right=True) - style.size(8)
            pen.text(right, middle, f"−{removed:,}", theme.bad, "mono", MONO, right=True)
        pen.rule(0, style.size(self._head) - 1, width)
