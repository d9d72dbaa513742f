"""The comparison panel: where and why two runs diverge, or what a family of runs cost with each step counted once."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from opentine_gui.app.comparison.comparison_view import (
    Subject,
    figure_rows,
    step_title,
    steps_of,
    subject_of,
    telling,
)
from opentine_gui.app.comparison.family_tables import (
    NO_RESULT,
    NO_RESULT_HINT,
    ONCE_HINT,
    SAVED_HINT,
    conflict_sentences,
    family_sums,
    is_at_least,
    lineage_sentences,
    step_sums,
    sum_row,
    variant_rows,
)
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect.outcome import accounts_of, no_accounts
from opentine_gui.app.inspect.step.difference_lines import DiffLine, all_lines, fields_between, first_lines, text_lines
from opentine_gui.app.session import Session
from opentine_gui.core import TineError
from opentine_gui.describe.comparison_words import FILES_EDITED, STEPS, Accounts, checks_said
from opentine_gui.describe.numbers import NOT_PRICED, NOT_RECORDED
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.panels.several_runs.difference_rows import diff_rows
from opentine_gui.ui.panels.several_runs.pair_table import draw_pair
from opentine_gui.ui.panels.several_runs.sums_table import draw_sums
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import LINE_HEIGHT, MONO, SMALL, TITLE, Pen, Piece, Sheet
from opentine_gui.ui.toolkit.style import Style

PAD = 14.0
STRIP = 34.0
DIFFERENCE_TABS = ("First difference", "All fields", "Text")
TALL = 660.0
"""Panel height in design pixels that leaves room for the family's sums below the difference."""
STEP = "Step"
SHORT = 560.0
"""Panel height in design pixels below which its buttons take one line."""
LEAST_LINES = 4
"""Lines of the difference for which the heading gives way: what it leaves out stands in the list of runs as well."""
LINES_TO_READ = 14
"""Lines of it for which heading and sums give way where the whole difference was asked for, to be read."""
HEIGHT, FEW, NAMES, SENTENCE, SUMS, FIGURES = "height", "few", "names", "sentence", "sums", "figures"
GIVES_WAY = tuple(frozenset((HEIGHT, FEW, NAMES, SENTENCE)[:most]) for most in range(5))
"""What the heading leaves out, from nothing to the most: the height of rows, those that say least, the rest."""
GIVES_WAY_TO_READING = tuple(frozenset((SUMS, HEIGHT, FEW, NAMES, SENTENCE, FIGURES)[:most]) for most in range(7))
"""What is left out for a difference that is read whole, the sums at the foot first."""
SAYS_LEAST = (FILES_EDITED, STEPS)
EXPORT, FORK, COPY = "file.export_card", "run.fork", "compare.copy_markdown"


class ComparisonPanel(Panel):
    """A tab strip for the comparison and the selected step, and below it the comparison unless the step is chosen."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.tab, self.view = DIFFERENCE_TABS[0], ""
        self.strip = Sheet(self.pane.window, style)
        self.header = Sheet(self.pane.window, style)
        self.rows = RowList(self.pane.window, style, row_height=LINE_HEIGHT, on_click=self._click, on_link=self._follow)
        self.footer = Sheet(self.pane.window, style)
        self.lines: list[Row] = []
        self._texts: list[str] = []
        self._size = (10.0, 10.0)
        self._key: Hashable = None
        self._followed: tuple[int, int] = (-1, -1)
        self._header_height = self._footer_height = 0.0
        self._left_out = GIVES_WAY[0]
        self._accounts: Accounts | None = None
        self._instead = ""

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        self._size = (width, height)
        self._key = None

    @property
    def in_use(self) -> bool:
        """True while several runs are shown together."""
        document = self.session.active
        return document is not None and document.members is not None

    def wanted_height(self, room: float) -> float:
        """The whole side, or just the strip while the selected step is shown below it."""
        document = self.session.active
        return self.style.size(STRIP) if document is not None and self._shows_step(document) else room

    def _shows_step(self, document: Document) -> bool:
        """Whether to show the selected step below the strip: on its tab, or once something is selected in a family."""
        place = (document.number, document.selection_revision)
        if place != self._followed:
            self._followed = place
            if document.overlay is not None and document.overlay.comparison is None:
                self.view = STEP if document.selection else ""
        return self.view == STEP

    def choose_view(self, name: str) -> None:
        """Show the comparison or the selected step."""
        self.view = name
        self.session.touch()

    def choose_tab(self, name: str) -> None:
        """Show the difference in another form."""
        self.tab = name
        self.session.touch()

    def sync(self, pointer: Pointer) -> None:
        """Follow the active document's overlay and selection."""
        document = self.session.active
        if document is None:
            return
        self.pane.follow_theme()
        overlay = document.overlay
        self._accounts = accounts_of(self.session, document)
        self._instead = no_accounts(document) if self._accounts is None else ""
        key = (
            document.number,
            document.content_revision,
            document.selection_revision,
            self._accounts,
            self._instead,
            self.tab,
            self.view,
            self._size,
            self.style.theme.name,
        )
        if key != self._key:
            self._key = key
            self._build(document, overlay)
        self.strip.sync(pointer, key, lambda pen: self._draw_strip(pen, document))
        if self.view == STEP:
            return
        self.header.sync(pointer, key, lambda pen: self._draw_header(pen, document, overlay))
        self.rows.sync(pointer)
        self.footer.sync(pointer, key, lambda pen: self._draw_footer(pen, document, overlay))

    # --- content -----------------------------------------------------------------------------------------------------

    def _build(self, document: Document, overlay: Overlay | None) -> None:
        width, height = self._size
        strip = self.style.size(STRIP)
        self.strip.place(0, 0, width, strip)
        whole = self.view != STEP
        for part in (self.header, self.rows, self.footer):
            part.show(whole)
        if not whole:
            return
        self.lines, self._texts = [], []
        if overlay is not None:
            self._read(document, overlay)
        wanted = len(self.lines) * self.rows.row_height + self.style.size(8)
        reads = self.tab != DIFFERENCE_TABS[0]
        lines, ways = (LINES_TO_READ, GIVES_WAY_TO_READING) if reads else (LEAST_LINES, GIVES_WAY)
        least, room = min(wanted, (lines + 0.5) * self.rows.row_height), 0.0
        for self._left_out in ways:
            self._footer_height = self._draw_footer(Pen(self.style, None), document, overlay)
            self._header_height = self._draw_header(Pen(self.style, None), document, overlay)
            room = height - strip - self._header_height - self._footer_height
            if room >= least:
                break
        self.header.place(0, strip, width, self._header_height)
        wanted = min(wanted, max(room, self.style.size(40)))
        top = strip + self._header_height
        self.rows.place(0, top, width, wanted)
        self.rows.set_rows(len(self.lines), lambda index: self.lines[index], self._key)
        self.rows.scroll_to_top()
        self.footer.place(0, top + wanted, width, max(self._footer_height, 1))

    def _read(self, document: Document, overlay: Overlay) -> None:
        subject = subject_of(document)
        if subject is None:
            self._lineage(overlay)
            return
        if subject.a is None and subject.b is None:
            return
        try:
            shown, notes = telling(overlay, subject)
            before, after = steps_of(overlay, shown)
            if self.tab == DIFFERENCE_TABS[2]:
                lines = text_lines(before, after)
            else:
                fields = fields_between(before, after)
                lines = first_lines(fields) if self.tab == DIFFERENCE_TABS[0] else all_lines(fields)
            lines = [*notes, *lines]
        except TineError as error:
            lines = [DiffLine("note", clean(f"One of the two steps cannot be read: {error}", 300))]
        self.lines, self._texts = diff_rows(lines, self._size[0], self.style)

    def _lineage(self, overlay: Overlay) -> None:
        """Add rows for where each run comes from, and for problems with shared steps."""
        theme = self.style.theme
        self._line(Row((Span("Where the runs come from", theme.faint, "title"),), heading=True))
        for run, words, point in lineage_sentences(overlay):
            shown = overlay.runs[run]
            link = ("step", point) if point is not None else None
            self._line(
                Row(
                    (Span(shown.title, theme.text), Span(words, theme.quiet, size=SMALL + 0.5, link=link)),
                    dot=theme.role(shown.role),
                    indent=self.style.size(12) * min(shown.depth, 8),
                    hint=f"{shown.title}: {words}",
                )
            )
        for step, words in conflict_sentences(overlay)[:50]:
            self._line(Row((Span(words, theme.bad, link=("step", step)),), dot=theme.bad, hint=words))
        for name in overlay.unread[:50]:
            self._line(Row((Span(f"{clean(name, 80)} cannot be read", theme.bad),), dot=theme.bad))

    def _line(self, row: Row) -> None:
        self.lines.append(row._replace(still=True))
        self._texts.append("")

    # --- drawing ---------------------------------------------------------------------------------------------------

    def _draw_strip(self, pen: Pen, document: Document) -> None:
        style, theme = self.style, self.style.theme
        first = "Comparison" if document.members is not None and document.members.comparing else "Family"
        pen.tabs(style.size(PAD), 0.0, style.size(STRIP), [("", first), (STEP, STEP)], self.view, self.choose_view)
        pen.rule(0, style.size(STRIP) - 1, self._size[0], theme.hairline)

    def _draw_header(self, pen: Pen, document: Document, overlay: Overlay | None) -> float:
        style, theme, width = self.style, self.style.theme, self._size[0]
        pad, y = style.size(PAD), style.size(26)
        if overlay is None:
            words = "The runs cannot be shown" if document.error is not None else "Putting the runs together…"
            pen.text(pad, y, words, theme.bad if document.error is not None else theme.quiet)
            return style.size(48)
        subject = subject_of(document)
        if subject is None:
            return self._draw_family(pen, document, overlay, y)
        pen.text(pad, y, subject.heading, theme.text, "title", TITLE, room=width - 2 * pad)
        y += style.size(25)
        if SENTENCE not in self._left_out:
            y = self._sentence(pen, overlay, subject, pad, y, width - 2 * pad)
        runs = (overlay.runs[overlay.pair[0]], overlay.runs[overlay.pair[1]])
        rows = figure_rows(overlay, subject, self._accounts, instead=self._instead)
        names = NAMES not in self._left_out
        low = HEIGHT in self._left_out
        if FEW in self._left_out:
            rows = [row for row in rows if row.label not in SAYS_LEAST]
        said = checks_said(overlay.comparison, self._accounts) if overlay.comparison is not None else ("", "")
        if FIGURES not in self._left_out:
            y += style.size(4)
            y = draw_pair(pen, runs, rows, pad, y, width, self._copied, names=names, checks=said, low=low)
        if subject.a is None and subject.b is None:
            return y
        y += style.size(12)
        bottom = pen.tabs(pad, y, style.size(30), [(name, name) for name in DIFFERENCE_TABS], self.tab, self.choose_tab)
        pen.rule(pad, bottom, width - pad)
        return bottom + style.size(8)

    def _sentence(self, pen: Pen, overlay: Overlay, subject: Subject, x: float, y: float, room: float) -> float:
        theme = self.style.theme
        pieces: list[Piece] = [(subject.before, theme.quiet, None)]
        if subject.parent is not None:
            pieces.append((step_title(overlay, subject.parent), theme.tool, self._jump(subject.parent)))
        if subject.after:
            pieces.append((subject.after, theme.quiet, None))
        return pen.paragraph(pieces, x, y, room)

    def _value(self, pen: Pen, value: str, color: Color, x: float, middle: float, room: float) -> None:
        """Draw a figure; a click copies it."""
        half = self.style.size(11)
        face = "text" if value == NOT_RECORDED else "mono"
        size = SMALL - 0.5 if value == NOT_RECORDED else MONO
        end = pen.text(x, middle, value, color, face, size, room=room)
        pen.zone(x, middle - half, end, middle + half, lambda: self._copied(value), "Click to copy")

    def _draw_family(self, pen: Pen, document: Document, overlay: Overlay, y: float) -> float:
        style, theme, width = self.style, self.style.theme, self._size[0]
        pad, family = style.size(PAD), overlay.family
        pen.text(pad, y, clean(document.title, 200), theme.text, "title", TITLE, room=width - 2 * pad)
        shared = len(family.shared)
        words = f"{len(family.graph):,} steps, {shared:,} of them in all runs."
        if family.islands > 1:
            words += f" {family.islands:,} groups of runs have nothing in common."
        y = pen.paragraph([(words, theme.quiet, None)], pad, y + style.size(25), width - 2 * pad)
        y = draw_sums(pen, family_sums(overlay), pad, y + style.size(4), width, self._copied)
        primary = document.selection.primary
        if primary is not None and primary in family.graph:
            y += style.size(22)
            title = step_title(overlay, primary)
            pen.text(pad, y, title, theme.text, "title", room=width - 2 * pad)
            rows = [*step_sums(overlay, primary), *variant_rows(overlay, primary)]
            y = draw_sums(pen, rows, pad, y + style.size(14), width, self._copied)
        return y + style.size(14)

    def _draw_footer(self, pen: Pen, document: Document, overlay: Overlay | None) -> float:
        if overlay is None or overlay.comparison is None:
            return 0.0
        style, theme, width = self.style, self.style.theme, self._size[0]
        pad, y = style.size(PAD), style.size(12)
        y = self._buttons(pen, document, overlay, pad, y, width) + style.size(18)
        if self._size[1] < style.size(TALL) or SUMS in self._left_out:
            return y - style.size(6)
        spent = overlay.family.spending
        sums = [
            ("Family total, each step once", spent.once, "text", ONCE_HINT),
            ("Saved by forking", spent.saved, "good", SAVED_HINT),
            (NO_RESULT, spent.dead_ends, "bad", NO_RESULT_HINT),
        ]
        # Two runs that share nothing are no family, and what is none of either says nothing.
        for label, totals, role, hint in [row for row in sums if row[1].steps] if overlay.comparison.shared else []:
            row = sum_row(label, totals, at_least=is_at_least(overlay))
            end = pen.text(pad, y, label, theme.quiet) + style.size(8)
            pen.zone(pad, y - style.size(12), end - style.size(8), y + style.size(12), None, hint)
            known = row.cost not in (NOT_RECORDED, NOT_PRICED)
            self._value(
                pen,
                row.cost,
                theme.role(role) if known else theme.faint,
                end,
                y,
                width - end - pad,
            )
            y += style.size(24)
        return y

    def _buttons(self, pen: Pen, document: Document, overlay: Overlay, x: float, y: float, width: float) -> float:
        """Draw the buttons for a divergence; returns the bottom."""
        style, left = self.style, x
        for label, key, primary, act, reason, hint in self._acts(document, overlay):
            wide = pen.button_width(label, key)
            if x > left and x + wide > width - left:
                if self._size[1] < style.size(SHORT):
                    break  # the menu has them all
                x, y = left, y + style.size(36)
            x = pen.button(x, y, label, act, key=key, primary=primary, reason=reason, hint=hint) + style.size(8)
        return y + style.size(28)

    def _acts(
        self, document: Document, overlay: Overlay
    ) -> list[tuple[str, str, bool, Callable[[], None], str | None, str]]:
        """(label, key, whether it is the main one, what it does, why it is unavailable, tooltip) for each button."""
        session, subject = self.session, subject_of(document)
        says = {name: session.actions[name].description for name in (EXPORT, FORK, COPY)}
        acts: list[tuple[str, str, bool, Callable[[], None], str | None, str]] = []
        acts.append(("Export card…", "", True, lambda: session.invoke(EXPORT), session.enabled(EXPORT), says[EXPORT]))
        side = 1 if overlay.facing == overlay.pair[1] else 0
        run = overlay.pair[side]
        step = (subject.a, subject.b)[side] if subject is not None else None
        if step is None and subject is not None:
            step = subject.parent
        if step is not None:
            chosen = step
            label = f"Fork {'AB'[side]} here"
            acts.append((label, "F", not acts, lambda: session.invoke(FORK, step=chosen, run=run), None, says[FORK]))
        acts.append(("Copy as Markdown", "", False, lambda: session.invoke(COPY), None, says[COPY]))
        return acts

    # --- input -------------------------------------------------------------------------------------------------------

    def _jump(self, step: str) -> Callable[[], None]:
        return lambda: self.session.invoke("select.step", step=step, reveal=True)

    def _follow(self, link: object) -> None:
        if isinstance(link, tuple) and link[0] == "step":
            self._jump(str(link[1]))()

    def _click(self, index: int, _event: InputEvent) -> None:
        if index < len(self._texts) and self._texts[index]:
            self._copied(self._texts[index])

    def _copied(self, text: str) -> None:
        self.session.copy(text)
        self.session.notices.add("good", f"Copied “{clean(text, 60)}”", key="copied")
