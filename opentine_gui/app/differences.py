"""What differs between two steps, as lines to show: paths with both values, or texts line by line with marks inside."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from opentine_gui.core import FieldDifference, LineChange, PathDifference, Step, step_difference, text_difference
from opentine_gui.core.difference import ABSENT, FIELDS, field_difference
from opentine_gui.scene.prose import first_text
from opentine_gui.scene.text import clean

FIRST_PATHS = 4
SHORT_VALUE, LONG_VALUE = 240, 2_000
"""Characters of a value that are shown among the first differences, and among all."""
LONG_TEXT = 60_000
MOST_LINES = 1_500
UNSEEN = "The two differ only in characters that cannot be seen."

Span = tuple[int, int]


@dataclass(frozen=True)
class DiffLine:
    """One line: `kind` is "path", "removed", "added", "same" or "note"; `marks` are spans of `text` that differ."""

    kind: str
    text: str
    marks: tuple[Span, ...] = ()


def fields_between(before: Step | None, after: Step | None) -> tuple[FieldDifference, ...]:
    """The fields in which two steps differ; None is a step that is not there, everything of the other one is new."""
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
    """The first few differing paths, what was asked before what came out of it."""
    shown = list(_paths(fields))
    lines = [line for path in shown[:FIRST_PATHS] for line in _path_lines(*path, SHORT_VALUE)]
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
        lines += _path_lines(name, path, LONG_VALUE)
    left_out = sum(field.left_out for field in fields)
    if left_out:
        lines.append(DiffLine("note", f"and {left_out:,} more paths"))
    return lines or [DiffLine("note", "Nothing differs.")]


def text_lines(before: Step | None, after: Step | None) -> list[DiffLine]:
    """What the two steps say, line by line: what was asked, what came out, and what went wrong."""
    lines: list[DiffLine] = []
    for name, read in (("asked", _asked), ("answered", _answered), ("error", _error)):
        old, new = (read(step) if step is not None else "" for step in (before, after))
        if old or new:
            lines += [DiffLine("path", name), *_texts(old, new)]
    return lines[:MOST_LINES] or [DiffLine("note", "Neither step says anything in words.")]


def _value(step: Step, name: str) -> Any:
    value = getattr(step, name)
    return value.value if name == "kind" else value


def _paths(fields: Iterable[FieldDifference]) -> Iterator[tuple[str, PathDifference]]:
    return ((field.name, path) for field in fields for path in field.paths)


def _path_lines(name: str, path: PathDifference, limit: int) -> list[DiffLine]:
    label = path.label
    whole = clean(f"{name}{'' if not label or label.startswith('[') else '.'}{label}", 200)
    lines = [DiffLine("path", whole)]
    if isinstance(path.before, str) and isinstance(path.after, str):
        return lines + _texts(path.before[: 4 * limit], path.after[: 4 * limit], limit, quoted="\n" not in path.before)
    if path.before is not ABSENT:
        lines.append(DiffLine("removed", _json(path.before, limit)))
    if path.after is not ABSENT:
        lines.append(DiffLine("added", _json(path.after, limit)))
    return lines


def _texts(old: str, new: str, limit: int = LONG_TEXT, *, quoted: bool = False) -> list[DiffLine]:
    """Two texts line by line. They are cleaned first, so that the marks are those of what is seen."""
    quote = '"' if quoted and "\n" not in new else ""
    before, after = (f"{quote}{clean(text, limit, lines=True)}{quote}" if text else "" for text in (old, new))
    if before == after:
        return [DiffLine("same", line) for line in before.split("\n")] if old == new else [DiffLine("note", UNSEEN)]
    if not before or not after:
        kind = "added" if after else "removed"
        return [DiffLine(kind, line) for line in (before or after).split("\n")]
    kinds = {LineChange.SAME: "same", LineChange.REMOVED: "removed", LineChange.ADDED: "added"}
    return [DiffLine(kinds[line.change], line.text, line.marks) for line in text_difference(before, after).lines]


def _json(value: Any, limit: int) -> str:
    if isinstance(value, str):
        value = value[: 4 * limit]  # a text of megabytes need not be spelled out to show its beginning
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = "a value that is nested too deep to be shown"
    return clean(text, limit)


def _asked(step: Step) -> str:
    return first_text(step.inputs)


def _answered(step: Step) -> str:
    return first_text(step.outputs)


def _error(step: Step) -> str:
    return first_text(step.error) if step.error else ""
