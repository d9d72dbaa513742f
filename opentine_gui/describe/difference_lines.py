"""The differences between two steps as lines: each path with both values, texts line by line with spans marked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from opentine_gui.core import (
    Comparison,
    LineChange,
    PathDifference,
    RootDivergence,
    Step,
    step_difference,
    text_difference,
)
from opentine_gui.core.comparison.compare import is_policy
from opentine_gui.core.comparison.step_difference import ABSENT
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean, clean_whole
from opentine_gui.scene.text.told_apart import alike, told_apart

VALUE_LENGTH = 400
"""Default length of a value, in characters."""
LONGEST_NAME = 200
MOST_VALUES = 1_000
"""Most values of two steps in which a text that differs is looked for."""
MOST_CLEANED = 1_000_000
"""Most characters of a text that are searched for a visible difference."""
UNSEEN = "The two differ only in characters that cannot be seen."
LATER = f"The first {MOST_CLEANED:,} characters of the two differ only in characters that cannot be seen."
SIGNS = {"removed": "- ", "added": "+ ", "same": "  "}
"""What stands before a line of a text, by its kind."""
_KINDS = {LineChange.SAME: "same", LineChange.REMOVED: "removed", LineChange.ADDED: "added"}


class DiffLine(NamedTuple):
    """A line of a difference: `kind` is "path", "removed", "added", "same" or "note"; `marks` are spans that differ."""

    kind: str
    text: str
    marks: tuple[tuple[int, int], ...] = ()


def diff_text(line: DiffLine) -> str:
    """The line with its sign in front, as `diff` prints it."""
    sign = {**SIGNS, "path": "@@ ", "note": "# "}[line.kind]
    return f"{sign}{line.text}"


def first_difference(comparison: Comparison, root: RootDivergence, most: int) -> list[DiffLine]:
    """The first `most` differing paths of the two steps at a root divergence; a note counts the rest."""
    a, b = comparison.telling(root)
    if a is None or b is None:
        return []
    lines = difference_lines(comparison.a.graph.step(a), comparison.b.graph.step(b), most)
    return [*lines, *passed_over(comparison, root)]


def steps_told_apart(steps: Sequence[Step], most: int) -> tuple[str, ...]:
    """The steps' titles, at most `most` letters each; of those that read alike, the texts in which they differ."""
    titles = [clean(title(step), most) for step in steps]
    said = []
    for place, step in enumerate(steps):
        others = [
            other for number, other in enumerate(steps) if number != place and alike(titles[place], titles[number])
        ]
        texts = next((texts for other in others if (texts := differing_texts(step, other)) is not None), None)
        said.append(told_apart(texts, most)[0] if texts is not None else titles[place])
    return tuple(said)


def differing_texts(step: Step, other: Step) -> tuple[str, str] | None:
    """The first two texts at one place in which two steps differ, inputs before outputs; None if there are none.

    Of a long list or object only the beginning is looked through, because a card waits for it.
    """
    fields = ("error", "outputs", "inputs")
    waiting: list[tuple[Any, Any]] = [(getattr(step, name), getattr(other, name)) for name in fields]
    for _ in range(MOST_VALUES):
        if not waiting:
            break
        one, two = waiting.pop()
        if isinstance(one, str) and isinstance(two, str):
            if one != two:
                return one, two
        elif isinstance(one, Mapping) and isinstance(two, Mapping):
            waiting += [(one[name], two[name]) for name in islice(one, MOST_VALUES) if name in two][::-1]
        elif isinstance(one, list) and isinstance(two, list):
            waiting += list(islice(zip(one, two, strict=False), MOST_VALUES))[::-1]
    return None


def passed_over(comparison: Comparison, root: RootDivergence) -> list[DiffLine]:
    """A note on what stands before the steps whose difference is shown: what programs told their models."""
    of_a, of_b = comparison.prompts_passed_over(root)
    if of_a and of_b:
        apart = is_policy(comparison.a.graph, root.a) and is_policy(comparison.b.graph, root.b)
        said = "the system prompts differ as well." if apart else "both record a system prompt, at different places."
    elif of_a or of_b:
        said = f"{'A' if of_a else 'B'} records a system prompt that {'B' if of_a else 'A'} does not."
    else:
        return []
    return [DiffLine("note", f"Before it, {said}")]


def difference_lines(before: Step, after: Step, most: int) -> list[DiffLine]:
    """The first `most` differing paths of two steps as lines, inputs before outputs."""
    fields = step_difference(before, after)
    paths = [(field, path) for field in fields for path in field.paths]
    lines = [line for field, path in paths[:most] for line in path_lines(field.name, path)]
    rest = len(paths) - most + sum(field.left_out for field in fields)
    if rest > 0:
        names = ", ".join(field.name for field in fields)
        lines.append(DiffLine("note", f"and {counted(rest, 'more difference')}: {names}"))
    return lines


def path_lines(name: str, path: PathDifference, limit: int = VALUE_LENGTH, context: int = 0) -> list[DiffLine]:
    """One differing path of a field with both of its values, each cut at `limit` characters."""
    label = path.label
    lines = [DiffLine("path", clean(name + ("" if not label or label.startswith("[") else ".") + label, LONGEST_NAME))]
    if isinstance(path.before, str) and isinstance(path.after, str):
        return lines + texts_apart(path.before, path.after, limit, context)
    alone = ABSENT in (path.before, path.after)  # next to a value of another type, a text is quoted: "1" is not 1
    for kind, value in (("removed", path.before), ("added", path.after)):
        if value is not ABSENT:
            text = clean(value[: 4 * limit], limit) if isinstance(value, str) and alone else value_text(value, limit)
            lines.append(DiffLine(kind, text))
    return lines


def texts_apart(before: str, after: str, limit: int, context: int) -> list[DiffLine]:
    """Two texts compared line by line, `limit` characters of each from shortly before they begin to differ.

    They are cleaned first, so that the marks fit what is displayed.
    """
    return _apart(before, after, limit, context)[0]


def numbered_apart(before: str, after: str, limit: int, context: int) -> list[tuple[int, DiffLine]]:
    """The same with the number of each line: of a removed one in the old text, else in the new; 0 if not known."""
    lines, skipped = _apart(before, after, limit, context)
    old = new = skipped
    found = []
    for line in lines:
        old += line.kind in ("removed", "same")
        new += line.kind in ("added", "same")
        known = skipped >= 0 and line.kind in ("removed", "added", "same")
        found.append(((old if line.kind == "removed" else new) if known else 0, line))
    return found


def _apart(before: str, after: str, limit: int, context: int) -> tuple[list[DiffLine], int]:
    """The lines, and how many equal ones were left out before the first; -1 if that is not known."""
    old, new = _where_they_differ(before, after, limit)
    begins = 0 if max(len(before), len(after)) <= limit else -1
    if old == new and before != after:
        # The first difference cannot be seen; one that can may follow.
        whole, other = (clean_whole(text[:MOST_CLEANED], lines=True) for text in (before, after))
        old, new = _where_they_differ(whole, other, limit)
        if old == new:
            said = UNSEEN if max(len(before), len(after)) <= MOST_CLEANED else LATER
            return [DiffLine("note", said)], -1
    if old == new:
        return [DiffLine("same", line) for line in old.split("\n")], begins
    if not old or not new:
        kind = "added" if new else "removed"
        return [DiffLine(kind, line) for line in (old or new).split("\n")], begins
    found = text_difference(old, new, context=context)
    lines = [DiffLine(_KINDS[line.change], line.text, line.marks) for line in found.lines]
    return lines, found.skipped[0] if begins == 0 else -1


def _where_they_differ(before: str, after: str, limit: int) -> tuple[str, str]:
    """Both texts, cleaned and cut at `limit`; a "…" replaces a common beginning if that takes most of the limit."""
    start = 0
    if max(len(before), len(after)) > limit:
        front = common_beginning(before, after)
        start = max(front - limit // 3, 0) if front < max(len(before), len(after)) else 0
        word = max(before.find(" ", start, front), before.find("\n", start, front)) + 1
        start = word if start and word else start
    room = limit - 1 if start else limit
    old, new = (clean(text[start:], room, lines=True) for text in (before, after))
    return (f"…{old}", f"…{new}") if start else (old, new)


def value_text(value: Any, limit: int = VALUE_LENGTH) -> str:
    """A value as JSON on one line, cleaned and cut."""
    if isinstance(value, str):
        value = value[: 4 * limit]  # megabytes of text need not be encoded to show how they begin
    try:
        return clean(json.dumps(value, ensure_ascii=False), limit)
    except (ValueError, RecursionError):
        return "a value nested too deep to be shown"
