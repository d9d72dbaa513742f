"""The differences of two steps as lines for a panel: the first paths, all of them, or their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from opentine_gui.core import FieldDifference, PathDifference, Step, step_difference
from opentine_gui.core.comparison.step_difference import ABSENT, FIELDS, field_difference
from opentine_gui.describe.difference_lines import DiffLine, path_lines, texts_apart
from opentine_gui.describe.payload_text import first_text

FIRST_PATHS = 4
SHORT_VALUE, LONG_VALUE = 240, 2_000
"""Characters shown of a value, among the first differences and among all."""
LONG_TEXT = 60_000
MOST_LINES = 1_500
CONTEXT = 3
"""Equal lines shown around a difference."""


def fields_between(before: Step | None, after: Step | None) -> tuple[FieldDifference, ...]:
    """The fields in which two steps differ; for a missing step (None) those of the other one."""
    if before is not None and after is not None:
        return step_difference(before, after)
    found = []
    for name in FIELDS:
        old, new = (_value(step, name) if step is not None else ABSENT for step in (before, after))
        if any(value not in (ABSENT, None, "", {}, 0.0) for value in (old, new)):
            whole = old if new is ABSENT else new
            empty: Any = {} if isinstance(whole, dict) else ABSENT
            pair = (whole, empty) if new is ABSENT else (empty, whole)
            difference = field_difference(name, *pair)
            if difference is not None:
                found.append(difference)
    return tuple(found)


def first_lines(fields: Sequence[FieldDifference]) -> list[DiffLine]:
    """The first few differing paths, inputs before outputs."""
    shown = list(_paths(fields))
    lines = [line for path in shown[:FIRST_PATHS] for line in path_lines(*path, SHORT_VALUE, CONTEXT)]
    rest = len(shown) - FIRST_PATHS + sum(field.left_out for field in fields)
    if rest > 0:
        lines.append(DiffLine("note", f"and {rest:,} more under All fields"))
    return lines or [DiffLine("note", "Nothing differs.")]


def all_lines(fields: Sequence[FieldDifference]) -> list[DiffLine]:
    """Every differing path; what is left out is counted."""
    lines: list[DiffLine] = []
    for name, path in _paths(fields):
        if len(lines) >= MOST_LINES:
            return [*lines, DiffLine("note", "The rest is not listed here; opentine-gui diff --json has everything.")]
        lines += path_lines(name, path, LONG_VALUE, CONTEXT)
    left_out = sum(field.left_out for field in fields)
    if left_out:
        lines.append(DiffLine("note", f"and {left_out:,} more paths"))
    return lines or [DiffLine("note", "Nothing differs.")]


def text_lines(before: Step | None, after: Step | None) -> list[DiffLine]:
    """The texts of the two steps compared line by line: inputs, outputs, errors."""
    lines: list[DiffLine] = []
    for name, read in (("asked", _asked), ("answered", _answered), ("error", _error)):
        old, new = (read(step) if step is not None else "" for step in (before, after))
        if old or new:
            lines += [DiffLine("path", name), *texts_apart(old, new, LONG_TEXT, CONTEXT)]
    return lines[:MOST_LINES] or [DiffLine("note", "Neither step says anything in words.")]


def _value(step: Step, name: str) -> Any:
    value = getattr(step, name)
    return value.value if name == "kind" else value


def _paths(fields: Iterable[FieldDifference]) -> Iterator[tuple[str, PathDifference]]:
    return ((field.name, path) for field in fields for path in field.paths)


def _asked(step: Step) -> str:
    return first_text(step.inputs)


def _answered(step: Step) -> str:
    return first_text(step.outputs)


def _error(step: Step) -> str:
    return first_text(step.error) if step.error else ""


__all__ = ["DiffLine", "all_lines", "fields_between", "first_lines", "text_lines"]
