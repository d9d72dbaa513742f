"""The rows of the inspector: a table of several steps, and what is said of the run."""

from __future__ import annotations

from collections.abc import Hashable

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.facts import Fact
from opentine_gui.app.inspect.figures import tokens_words
from opentine_gui.core import Graph, Totals
from opentine_gui.describe.numbers import format_cost, format_duration
from opentine_gui.describe.step_titles import title
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.sheet import MONO, SMALL
from opentine_gui.ui.toolkit.style import Style

VALUES = 122.0
"""Where values begin, in design pixels from the left."""
NARROW, MOST_OF_A_ROW = 280.0, 0.6
"""In a narrower panel a value that takes no more than this share of it stands whole at the right of its label."""
COLUMNS, LEAST_TITLE = (9, 8, 7), 150.0
"""Widths of the columns of a table of steps in characters, and what they leave to glyph and title in design pixels."""


class StepTable:
    """A table of steps: what each is called, how long it took, what it cost."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self._recorded = (True, True, True)
        """Whether any of the steps has a duration, a cost, tokens on record."""
        self._titles: tuple[Hashable, dict[int, str]] = (None, {})
        """The titles of steps that were listed, by position, in one state of a document."""

    def keep(self, sums: Totals) -> None:
        """Leave out the columns for which none of the steps has a figure; `sums` are the totals of these steps."""
        self._recorded = (sums.duration > 0, sums.cost_known or sums.cost > 0, bool(sums.tokens_recorded))

    def heading(self, width: float) -> Row:
        """The names of the columns in a list `width` pixels wide."""
        theme = self.style.theme
        names = self._in_columns(width, "Duration", "Cost", "Tokens")
        return Row((Span("Step", theme.faint, "title"),), (Span(names, theme.faint, "mono", size=MONO),), heading=True)

    def row(self, document: Document, graph: Graph, position: int, width: float) -> Row:
        """The step at a position of the document's graph."""
        theme = self.style.theme
        head = graph.head(position)
        step_cost = graph.step(position).known_cost
        cost = format_cost(step_cost) if step_cost is not None else "–"
        duration = format_duration(head.duration) if head.duration > 0 else "–"
        figures = self._in_columns(width, duration, cost, tokens_words(head.tokens))
        stopped = position in graph.stopped
        kind = "stopped" if stopped and head.shown_kind == "error" else head.shown_kind
        color = theme.bad if graph.failed[position] else theme.stopped if stopped else theme.text
        name = self._title(document, graph, position)
        return Row((Span(name, color),), (Span(figures, theme.quiet, "mono"),), glyph=kind)

    def _title(self, document: Document, graph: Graph, position: int) -> str:
        """The title of a step, cached while the run stays the same, because groups are opened and closed repeatedly."""
        state = (document.number, document.content_revision)
        if self._titles[0] != state:
            self._titles = (state, {})
        titles = self._titles[1]
        words = titles.get(position)
        if words is None:
            words = titles[position] = title(graph.step(position))
        return words

    def _in_columns(self, width: float, *figures: str) -> str:
        """A step's figures in columns: those that any step has recorded, as many as leave room for the title."""
        style = self.style
        room = width - style.size(LEAST_TITLE)
        said = ""
        for figure, wide, kept in zip(figures, COLUMNS, self._recorded, strict=True):
            if not kept:
                continue
            more = f"{said} {figure:>{wide}}" if said else f"{figure:>{wide}}"
            if style.width(more, "mono", style.size(MONO)) > room:
                break
            said = more
        return said


def fact_row(fact: Fact, style: Style, width: float) -> Row:
    """One fact about a run in a list `width` pixels wide."""
    theme = style.theme
    color = theme.role(fact.role)
    if fact.kind == "heading":
        return Row((Span(fact.label, theme.faint, "title"),), heading=True)
    if fact.kind == "gap":
        return Row((), still=True)
    if fact.kind == "link":
        return Row((Span(fact.label, theme.tool, link=("step", fact.step)),), hint=fact.value)
    if fact.kind == "prose":
        return Row((Span(fact.value, color),), still=True)
    link = ("step", fact.step) if fact.step else None
    label, said = Span(fact.label, theme.quiet, size=SMALL + 0.5), f"{fact.label}: {fact.value}"
    said = f"{said}\n{fact.hint}" if fact.hint else said
    narrow = width < style.size(NARROW)
    value = Span(fact.value, theme.tool if link else color, "mono", link, middle=True, at=0.0 if narrow else VALUES)
    if narrow and style.width(fact.value, "mono", style.size(MONO)) < width * MOST_OF_A_ROW:
        return Row((label,), (value,), hint=said)
    return Row((label, value), hint=said)
