"""The inspector: shows the selection in full, or the run when nothing is selected."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.facts import Fact, run_facts, tokens_words, totals_figures
from opentine_gui.app.inspect.integrity import statements
from opentine_gui.app.inspect.payload_rows import stored_step
from opentine_gui.app.inspect.transcript_rows import TranscriptRow, transcript_rows
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord, Step, Totals, totals_of
from opentine_gui.describe.numbers import SINCE_FORK, counted, format_cost, format_duration
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.panels.payload_view import PayloadView
from opentine_gui.ui.panels.step_sheet import FOOTER_ACTIONS, StepSheet, draw_figures, draw_footer
from opentine_gui.ui.toolkit.line_break import wrap
from opentine_gui.ui.toolkit.row_list import SCROLLBAR, Row, RowList, Span
from opentine_gui.ui.toolkit.sheet import BODY, MONO, SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

PAD = 14.0
VALUES = 122.0
LARGE_TRANSCRIPT = 2_000_000
"""A stored transcript of at least so many bytes is decoded in a job."""


class Inspector(Panel):
    """A header, tabs with the payload, and buttons for the selection."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.tab, self.as_text = "Inputs", False
        self.header = Sheet(self.pane.window, style)
        self.payload = PayloadView(self.pane.window, style, copied=self._copied)
        self.list = RowList(self.pane.window, style, row_height=22.0, on_click=self._click, on_link=self._follow)
        self.footer = Sheet(self.pane.window, style)
        self.step_sheet = StepSheet(session, style, self)
        self._area: tuple[float, float, float, float] = (0, 0, 10, 10)
        self._key: Hashable = None
        self._mode = ""
        self._header_height = self._footer_height = 0.0
        self._facts: list[Fact] = []
        self._turns: list[TranscriptRow] = []
        self._chosen: list[int] = []
        self._sums = Totals()
        self._reasons: dict[str, str | None] = {}
        self._transcripts: tuple[RunRecord | None, list[Any] | None] = (None, None)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        self._area = (0, 0, width, height)
        self._key = None

    def choose_tab(self, name: str) -> None:
        """Show another tab of the step."""
        self.tab = name
        self.session.touch()

    def toggle_text(self) -> None:
        """Switch the payload between selectable text and a tree."""
        self.as_text = not self.as_text
        self.session.touch()

    def sync(self, pointer: Pointer) -> None:
        """Follow the active document's selection."""
        self.pane.follow_theme()
        document = self.session.active
        record = document.record if document is not None else None
        key = self._now(document, record)
        if key != self._key:
            self._key = key
            self._build(document, record, key)
        if self._mode == "step":
            self._lay_payload()
        self.header.sync(pointer, key, lambda pen: self._draw_header(pen, document, record))
        self.footer.sync(pointer, key, lambda pen: self._draw_footer(pen, document))
        self.list.sync(pointer)
        self.payload.sync(pointer)

    def _now(self, document: Document | None, record: RunRecord | None) -> Hashable:
        if document is None:
            return (self._area, 0)
        open_documents = tuple((other.number, other.content_revision) for other in self.session.documents)
        return (
            self._area,
            document.number,
            id(record),
            document.content_revision,
            document.selection_revision,
            document.loading is None,
            document.error is None,
            document.title,
            self.tab,
            self.as_text,
            open_documents,
            self._transcripts[0] is record,
            id(self.style.theme),
        )

    # --- content -----------------------------------------------------------------------------------------------------

    def _build(self, document: Document | None, record: RunRecord | None, key: Hashable) -> None:
        before, self._mode = self._mode, self._mode_of(document, record)
        if self._transcripts[0] is not record:
            self._transcripts = (None, None)
        if before != self._mode:
            self.list.scroll_to_top()
        if record is not None and document is not None and self._mode in ("several", "run"):
            graph = record.graph
            self._chosen = [graph.index(step) for step in document.selection if step in graph]
            self._sums = totals_of(graph, self._chosen) if self._mode == "several" else record.shown_totals
        if self._mode in ("step", "several"):
            self._reasons = {name: self.session.enabled(name) for name in FOOTER_ACTIONS}
        self._header_height = self._measure(lambda pen: self._draw_header(pen, document, record))
        self._footer_height = self._measure(lambda pen: self._draw_footer(pen, document))
        if document is not None and record is not None:
            if self._mode == "step":
                self._set_step(document, record, key)
            elif self._mode == "several":
                self.list.set_rows(len(self._chosen) + 1, self._several_row, key)
            elif self._mode == "run":
                self._facts = run_facts(document, record, self._lines, statements(document))
                self.list.set_rows(len(self._facts), self._fact_row, key)
        self._arrange()

    def _mode_of(self, document: Document | None, record: RunRecord | None) -> str:
        if document is None or record is None:
            return "nothing"
        count = len(document.selection)
        return "run" if count == 0 else "step" if count == 1 else "several"

    def _set_step(self, document: Document, record: RunRecord, key: Hashable) -> None:
        step = self._step(document, record)
        if step is None:
            return
        if self._tree:
            name = (document.number, step.id, self.tab)
            self.payload.set_value(name, self._payload(record, step), self._area[2], as_text=self.as_text)
        else:
            transcript = self._transcript(document, record)
            if transcript is None:
                self._turns = [TranscriptRow("quiet", "Reading the transcript…")]
            else:
                self._turns = transcript_rows(record, step.id, transcript, self._lines)
            self.list.set_rows(len(self._turns), self._turn_row, key)
            own = next((place for place, turn in enumerate(self._turns) if turn.here), None)
            if own is not None:
                self.list.reveal(min(own + 4, len(self._turns) - 1))
                self.list.reveal(own)

    def _payload(self, record: RunRecord, step: Step) -> Any:
        if self.tab == "Inputs":
            return step.inputs if not step.tool_info else {**step.inputs, "tool_info": step.tool_info}
        if self.tab == "Outputs":
            return {"error": step.error, **step.outputs} if step.error else step.outputs
        return stored_step(record, step.id)

    def _transcript(self, document: Document, record: RunRecord) -> list[Any] | None:
        """The stored transcript, decoded once per run; None while a job decodes a large one."""
        known, items = self._transcripts
        if known is record:
            return items
        if len(record.transcript_text) <= LARGE_TRANSCRIPT:
            self._transcripts = (record, record.transcript)
            return self._transcripts[1]

        def done(found: list[Any]) -> None:
            self._transcripts = (record, found)
            self._key = None

        self.session.jobs.submit(
            f"transcript:{document.number}", record.read_transcript, done,
            title="Reading the transcript", priority=4,
        )  # fmt: skip
        return None

    @property
    def _tree(self) -> bool:
        return self.tab != "Transcript"

    def _lines(self, text: str) -> list[str]:
        """Text wrapped to the width of the list."""
        return wrap(text, self._area[2] - self.style.size(24 + SCROLLBAR + 8), self.style)

    def _step(self, document: Document, record: RunRecord) -> Step | None:
        primary = document.selection.primary
        return record.graph.step(primary) if primary is not None and primary in record.graph else None

    # --- layout ------------------------------------------------------------------------------------------------------

    def _measure(self, draw: Any) -> float:
        pen = Pen(self.style, None)
        return float(draw(pen))

    def _arrange(self) -> None:
        x, y, width, height = self._area
        self.header.show(True)
        self.header.place(x, y, width, self._header_height)
        step = self._mode == "step"
        self.payload.show(step and self._tree)
        self.list.show(self._mode in ("several", "run") or (step and not self._tree))
        self.footer.show(self._footer_height > 0)
        top = y + self._header_height
        room = max(height - self._header_height - self._footer_height, self.style.size(60))
        if step and self._tree:
            self._lay_payload(force=True)
        else:
            self.list.place(x, top, width, room)
            self.footer.place(x, y + height - self._footer_height, width, max(self._footer_height, 1))

    def _lay_payload(self, *, force: bool = False) -> None:
        """Give the tree the height it needs; buttons and links follow below it and stay on screen."""
        if not self._tree:
            return
        x, y, width, height = self._area
        top = y + self._header_height
        room = max(height - self._header_height - self._footer_height, self.style.size(60))
        wanted = room if self.as_text else min(self.payload.wanted_height + self.style.size(10), room)
        place = (x, top, width, wanted)
        if force or place != getattr(self, "_payload_place", None):
            self._payload_place = place
            self.payload.place(*place)
            self.footer.place(x, top + wanted, width, max(self._footer_height, 1))

    # --- drawing ---------------------------------------------------------------------------------------------------

    def _draw_header(self, pen: Pen, document: Document | None, record: RunRecord | None) -> float:
        style, theme, width = self.style, self.style.theme, self._area[2]
        pad = style.size(PAD)
        if document is None:
            pen.text(pad, style.size(28), "Nothing is open", theme.quiet)
            return style.size(48)
        if record is None:
            words = "This file could not be read" if document.error is not None else "Reading…"
            pen.text(pad, style.size(28), words, theme.bad if document.error is not None else theme.quiet)
            return style.size(48)
        if self._mode == "step":
            step = self._step(document, record)
            if step is not None:
                return self.step_sheet.draw(pen, document, step, width)
        y = style.size(28)
        room = width - 2 * pad
        if self._mode == "several":
            pen.text(pad, y, f"{len(self._chosen):,} steps selected", theme.text, "title", 15.0, room=room)
            figures = totals_figures(self._sums)
        else:
            pen.text(pad, y, clean(record.title, 200), theme.text, "title", 15.0, room=room)
            figures = totals_figures(self._sums)
            if record.metrics_reset:
                y += style.size(22)
                since = f"{counted(self._sums.steps, 'step')} {SINCE_FORK}"
                pen.text(pad, y, since, theme.quiet, room=room)
                figures = figures if self._sums.steps else ()
        y += style.size(28)
        y = draw_figures(pen, figures, pad, y, room, self._copied)
        pen.rule(0, y, width)
        return y + style.size(6)

    def _draw_footer(self, pen: Pen, document: Document | None) -> float:
        if document is None or self._mode not in ("step", "several"):
            return 0.0
        return draw_footer(pen, self.session, document, self._area[2], self._reasons, one=self._mode == "step")

    # --- rows ------------------------------------------------------------------------------------------------------

    def _several_row(self, index: int) -> Row:
        document, theme = self.session.active, self.style.theme
        record = document.record if document is not None else None
        if index == 0:
            names = f"{'Duration':>9} {'Cost':>8} {'Tokens':>7}"
            return Row(
                (Span("Step", theme.faint, "title"),), (Span(names, theme.faint, "mono", size=MONO),), heading=True
            )
        if record is None or index > len(self._chosen):
            return Row(())
        position = self._chosen[index - 1]
        head, step = record.graph.head(position), record.graph.step(position)
        cost = format_cost(step.known_cost) if step.known_cost is not None else "–"
        duration = format_duration(head.duration) if head.duration > 0 else "–"
        right = f"{duration:>9} {cost:>8} {tokens_words(head.tokens):>7}"
        return Row((Span(title(step), theme.text),), (Span(right, theme.quiet, "mono"),), glyph=head.shown_kind)

    def _fact_row(self, index: int) -> Row:
        theme = self.style.theme
        if index >= len(self._facts):
            return Row(())
        fact = self._facts[index]
        color = theme.role(fact.role)
        if fact.kind == "heading":
            return Row((Span(fact.label, theme.faint, "title"),), heading=True)
        if fact.kind == "gap":
            return Row(())
        if fact.kind == "prose":
            return Row((Span(fact.value, color),))
        link = ("step", fact.step) if fact.step else None
        value = Span(fact.value, theme.tool if link else color, "mono", link, middle=True, at=VALUES)
        return Row((Span(fact.label, theme.quiet, size=SMALL + 0.5), value), hint=f"{fact.label}: {fact.value}")

    def _turn_row(self, index: int) -> Row:
        theme = self.style.theme
        if index >= len(self._turns):
            return Row(())
        turn = self._turns[index]
        if turn.role == "quiet":
            return Row((Span(turn.text, theme.faint, size=SMALL),))
        if turn.role == "role":
            right = (Span("this step", theme.accent, size=SMALL),) if turn.here else ()
            who = turn.text.split(" ")[0]
            color = {"user": theme.human, "assistant": theme.model, "tool": theme.tool}.get(who, theme.kind(who))
            return Row((Span(turn.text, color, "title", size=BODY - 1),), right)
        return Row((Span(turn.text, theme.text if turn.here else theme.quiet),))

    def _click(self, index: int, _event: InputEvent) -> None:
        document = self.session.active
        record = document.record if document is not None else None
        if self._mode == "several" and record is not None and 0 < index <= len(self._chosen):
            self._jump(record.graph.ids[self._chosen[index - 1]])
        elif self._mode == "step" and index < len(self._turns):
            step = self._turns[index].step
            if step is not None and record is not None and step in record.graph:
                self._jump(step)
        elif self._mode == "run" and index < len(self._facts) and self._facts[index].kind == "pair":
            self._copied(self._facts[index].value)

    def _follow(self, link: object) -> None:
        if isinstance(link, tuple) and link[0] == "step":
            self._jump(str(link[1]))

    def _jump(self, step: str) -> None:
        self.session.invoke("select.step", step=step, reveal=True)

    def _copied(self, text: str) -> None:
        self.session.clipboard(text)
        shown = clean(text, 60)
        self.session.notices.add("good", f"Copied {shown}", key="copied")
