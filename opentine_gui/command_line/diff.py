"""`diff`: what two runs share, where they diverge, and what changed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

from opentine_gui.command_line import REFUSED
from opentine_gui.command_line.files import read_all
from opentine_gui.command_line.output import Answer, Terminal, one_line, print_lines, terminal
from opentine_gui.core import (
    Comparison,
    DivergenceKind,
    FieldDifference,
    Figure,
    Figures,
    PathChange,
    PathDifference,
    RootDivergence,
    RunRecord,
    Step,
    TineError,
    compare,
    short_id,
    step_difference,
)
from opentine_gui.core.comparison.step_difference import ABSENT, path_label
from opentine_gui.describe import numbers, step_titles
from opentine_gui.describe.comparison_words import TWINS, mark_counts, pair_words, why_they_diverge
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.plain_values import comparison_values

FEW = 10
"""Most divergences, and most paths of one field, that are printed as text; the JSON has all."""
VALUE_LENGTH = 100
LINES = 12


def diff(options: argparse.Namespace) -> int:
    """Compare two runs: 0 when they hold the same steps at the same cost, 1 when not, 2 when one cannot be read."""
    answer, screen = Answer(options), terminal()
    records = read_all([options.a, options.b], answer)
    if records is None:
        return answer.finish()
    try:
        found = compare(*records)
        if options.json:
            answer.add("comparison", {"a": str(options.a), "b": str(options.b), **comparison_values(found)})
        else:
            print_lines(coloured(line, screen) for line in as_text(found))
    except TineError as error:
        answer.fail(error)
        return answer.finish()
    if not found.same:
        answer.now(REFUSED)
    return answer.finish()


def coloured(line: str, screen: Terminal) -> str:
    """A line in colour: green if it says what only B has, red if it says what only A has."""
    sign = line.lstrip()[:2]
    shown = screen.cut(line)
    if sign == "- ":
        return screen.styled(shown, "red")
    return screen.styled(shown, "green") if sign == "+ " else shown


def as_text(found: Comparison) -> Iterator[str]:
    """The comparison as lines of text."""
    yield _run("A", found.a)
    yield _run("B", found.b)
    yield from _figures(found.figures)
    if found.same:
        yield f"Same: {counted(len(found.shared), 'step')}, all in both runs."
        return
    yield f"Steps: {mark_counts(found)}."
    for root in found.root_divergences[:FEW]:
        yield ""
        yield from _divergence(found, root)
    if len(found.root_divergences) > FEW:
        yield f"… and {len(found.root_divergences) - FEW:,} more places where the runs diverge."
    yield from _shared_but_unlike(found)
    if found.drift_twins:
        yield ""
        yield f"{counted(len(found.drift_twins), 'group')} of steps: {TWINS}."


def _run(name: str, record: RunRecord) -> str:
    return f"{name}: {one_line(record.title, 80)}  ({one_line(record.run_id, 80)}, {status_words(record).word})"


def _figures(figures: Figures) -> Iterator[str]:
    named: tuple[tuple[str, Figure, Any], ...] = (
        ("cost", figures.cost, numbers.format_cost),
        (numbers.SUM_OF_STEPS.lower(), figures.duration, numbers.format_duration),
        ("tokens", figures.tokens, numbers.format_tokens),
    )
    for name, figure, form in named:
        left = _amount(figure.a, figure.a_least, form)
        right = _amount(figure.b, figure.b_least, form)
        if figure.delta is None:
            yield f"{name}: {left} → {right}"
        else:
            sign = "+" if figure.delta > 0 else ""
            yield f"{name}: {left} → {right} ({'' if figure.exact else '≈ '}{sign}{form(figure.delta)})"
    yield f"steps: {figures.steps.a:,.0f} → {figures.steps.b:,.0f}"


def _amount(value: float | None, least: bool, form: Any) -> str:
    return "not recorded" if value is None else f"{'≥ ' if least else ''}{form(value)}"


def _divergence(found: Comparison, root: RootDivergence) -> Iterator[str]:
    """A divergence: the last shared step, the first different step of each run, and how those two differ."""
    where = f"after {one_line(short_id(root.parent))}" if root.parent else "at the start"
    yield f"They diverge {where}: {why_they_diverge(found, root)}"
    steps = (
        None if root.a is None else found.a.graph.step(root.a),
        None if root.b is None else found.b.graph.step(root.b),
    )
    for sign, step in zip("-+", steps, strict=True):
        if step is not None:
            yield _step(sign, step)
    if root.kind is DivergenceKind.CHANGED and steps[0] is not None and steps[1] is not None:
        yield from _fields(step_difference(steps[0], steps[1]))


def _step(sign: str, step: Step) -> str:
    figures, title = step_titles.figures(step), step_titles.title(step)
    return f"  {sign} {one_line(step.short_id):<12}  {step.shown_kind:<8}  {figures}  {title}"


def _fields(fields: tuple[FieldDifference, ...]) -> Iterator[str]:
    for field in fields:
        for path in field.paths[:FEW]:
            yield from _path_lines(field, path)
        left = len(field.paths) - FEW + field.left_out
        if left > 0:
            yield f"      … and {left:,} more differences in {field.name}"


def _path_lines(field: FieldDifference, path: PathDifference) -> Iterator[str]:
    label = path_label((field.name, *path.path))
    text = path.text
    if text is not None and ("\n" in path.before or "\n" in path.after):
        yield f"    ~ {one_line(label, VALUE_LENGTH)}"
        changed = [line for line in text.lines if line.change.value != "same"]
        for line in changed[:LINES]:
            yield f"        {'-' if line.change.value == 'removed' else '+'} {one_line(line.text, VALUE_LENGTH)}"
        if len(changed) > LINES:
            yield f"        … and {len(changed) - LINES:,} more lines"
        return
    sign = {PathChange.ADDED: "+", PathChange.REMOVED: "-", PathChange.CHANGED: "~"}[path.change]
    values = " → ".join(_value(value) for value in (path.before, path.after) if value is not ABSENT)
    yield f"    {sign} {one_line(label, VALUE_LENGTH)}: {values}"


def _value(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), VALUE_LENGTH)


def _shared_but_unlike(found: Comparison) -> Iterator[str]:
    """Shared steps whose records differ."""
    unlike = [pair for pair in found.changed if pair.a == pair.b]
    for pair in unlike[:FEW]:
        yield ""
        yield f"{one_line(short_id(pair.a))} is in both runs, {pair_words(pair.kind).phrase}:"
        yield from _fields(found.difference(pair))
    if len(unlike) > FEW:
        yield f"… and {len(unlike) - FEW:,} more such steps."
