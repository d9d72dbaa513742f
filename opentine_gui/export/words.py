"""The words of an export: sums in one line, the figures of two sides, where two runs part and what differs first."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from opentine_gui.core import (
    Comparison,
    FieldDifference,
    Figure,
    LineChange,
    Parting,
    PathDifference,
    RootDivergence,
    Step,
    TineError,
    step_difference,
    text_difference,
)
from opentine_gui.core.difference import ABSENT
from opentine_gui.core.record import Totals
from opentine_gui.scene.numbers import NOT_RECORDED, format_cost, format_count, format_duration, format_tokens
from opentine_gui.scene.text import clean, short_id
from opentine_gui.scene.titles import title

VALUE_LENGTH = 400
_LEAST = "≥ "
_MANNER = {
    Parting.DIFFERENT: "the two runs do different work.",
    Parting.CHANGED: "a step was changed.",
    Parting.ONLY_A: "A does something that B does not do.",
    Parting.ONLY_B: "B does something that A does not do.",
    Parting.MOVED: "the same work comes in another order.",
}


def totals_parts(totals: Totals) -> list[str]:
    """Sums in words: "27 steps", "32 s", "≥ $0.1103 (1 not priced)", "40.4k tok"; what is missing says so."""
    cost = "cost not recorded"
    if totals.cost_known:
        cost = format_cost(totals.cost)
        if totals.unpriced:
            cost = f"{_LEAST}{cost} ({format_count(totals.unpriced)} not priced)"
    return [
        counted(totals.steps, "step"),
        format_duration(totals.duration) if totals.duration else "time not recorded",
        cost,
        format_tokens(totals.tokens) if totals.tokens_recorded else "tokens not recorded",
    ]


def counted(number: int, noun: str) -> str:
    """A count with its noun: "1 step", "2,114 steps"."""
    return f"{format_count(number)} {noun}{'' if number == 1 else 's'}"


class FigureRow(NamedTuple):
    """A row of the table A | B | B - A; `better` is None where the difference is neither for better nor worse."""

    label: str
    a: str
    b: str
    delta: str
    better: bool | None = None


def figure_rows(comparison: Comparison) -> list[FigureRow]:
    """Outcome, cost, duration, tokens and steps of both runs with the difference; "not recorded" stays that."""
    figures = comparison.figures
    return [
        FigureRow("Outcome", comparison.a.status.value, comparison.b.status.value, ""),
        _row("Cost", figures.cost, format_cost, 5e-5),
        _row("Duration", figures.duration, format_duration, 0.05),
        _row("Tokens", figures.tokens, _whole, 0.5),
        _row("Steps", figures.steps, _whole, 0.5)._replace(better=None),
    ]


def _whole(value: float) -> str:
    return format_count(round(value))


def _row(label: str, figure: Figure, spell: Callable[[float], str], smallest: float) -> FigureRow:
    """One figure. A sum with a part missing is at least that much, and so the difference is a bound or unknown."""
    a, b = (
        NOT_RECORDED if value is None else (_LEAST if least else "") + spell(value)
        for value, least in ((figure.a, figure.a_least), (figure.b, figure.b_least))
    )
    delta = figure.delta
    if delta is None or (figure.a_least and figure.b_least):
        return FigureRow(label, a, b, "not known")
    bound = "≤ " if figure.a_least else _LEAST if figure.b_least else ""
    if abs(delta) < smallest:
        return FigureRow(label, a, b, f"{bound}0" if bound else "same")
    certain = not bound or (delta < 0) == (bound == "≤ ")
    text = f"{bound}{'+' if delta > 0 else '−'}{spell(abs(delta))}"
    return FigureRow(label, a, b, text, delta < 0 if certain else None)


# -- where they part ------------------------------------------------------------------------------------------------


def step_title(comparison: Comparison, identity: str | None) -> str:
    """A step's title as its card has it; "" for none."""
    if identity is None:
        return ""
    graph = comparison.a.graph if identity in comparison.a.graph else comparison.b.graph
    try:
        return title(graph.step(identity))
    except TineError:
        return f"{short_id(identity)}, which cannot be read"


def parting_sentence(comparison: Comparison, root: RootDivergence) -> str:
    """Where and how the runs part at a root divergence: "After “Plan”, the two runs do different work."."""
    where = f"After “{step_title(comparison, root.parent)}”" if root.parent is not None else "At the very start"
    return f"{where}, {_MANNER[root.parting]}"


def verdict(comparison: Comparison, root: RootDivergence | None = None) -> str:
    """The comparison in a sentence: a parting (the first unless `root` is given), or that there is none."""
    roots = comparison.root_divergences
    if roots:
        rest = f" They part in {counted(len(roots) - 1, 'other place')} too." if len(roots) > 1 else ""
        return parting_sentence(comparison, root or roots[0]) + rest
    if comparison.same:
        return "Both runs hold the same steps at the same cost."
    return f"Both runs hold the same steps; {counted(len(comparison.changed), 'step')} recorded otherwise."


# -- what differs ---------------------------------------------------------------------------------------------------


class DiffLine(NamedTuple):
    """A line of a difference: `kind` is "path", "removed", "added", "same" or "note"; `marks` are spans that differ."""

    kind: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()


def first_difference(comparison: Comparison, root: RootDivergence, most: int) -> list[DiffLine]:
    """The first `most` differing paths of the two steps at a root divergence; a note counts the rest."""
    if root.a is None or root.b is None:
        return []
    return difference_lines(comparison.a.graph.step(root.a), comparison.b.graph.step(root.b), most)


def difference_lines(before: Step, after: Step, most: int) -> list[DiffLine]:
    """The first `most` differing paths of two steps as lines, what was asked before what came of it."""
    fields = step_difference(before, after)
    lines: list[DiffLine] = []
    paths = [(field, path) for field in fields for path in field.paths]
    for field, path in paths[:most]:
        lines += path_lines(field, path)
    rest = len(paths) - most + sum(field.left_out for field in fields)
    if rest > 0:
        lines.append(DiffLine("note", f"and {counted(rest, 'more difference')}: {_names(fields)}"))
    return lines


def path_lines(field: FieldDifference, path: PathDifference) -> list[DiffLine]:
    """One differing path with both of its values."""
    label = path.label
    name = field.name + ("" if not label or label.startswith("[") else ".") + label
    return [DiffLine("path", clean(name, 120)), *_values(path.before, path.after)]


def _names(fields: Sequence[FieldDifference]) -> str:
    return ", ".join(field.name for field in fields)


def _values(before: Any, after: Any) -> Iterator[DiffLine]:
    if isinstance(before, str) and isinstance(after, str):
        old, new = (clean(text, VALUE_LENGTH, lines=True) for text in (before, after))
        if old == new:
            yield DiffLine("note", "They differ only in what cannot be shown here.")
            return
        for line in text_difference(old, new, context=0).lines:
            kind = {LineChange.SAME: "same", LineChange.REMOVED: "removed", LineChange.ADDED: "added"}[line.change]
            yield DiffLine(kind, line.text, line.marks)
        return
    for kind, value in (("removed", before), ("added", after)):
        if value is not ABSENT:
            yield DiffLine(kind, value_text(value))


def value_text(value: Any) -> str:
    """A JSON value on one line, cleaned and cut."""
    if isinstance(value, str):
        return clean(value, VALUE_LENGTH)
    try:
        return clean(json.dumps(value, ensure_ascii=False), VALUE_LENGTH)
    except (ValueError, RecursionError):
        return "a value nested too deep to be shown"
