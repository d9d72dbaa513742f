"""Field-level difference of two steps: JSON paths added, removed or changed, with both values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from opentine_gui.core.comparison.content_hashes import SMALLEST_COST
from opentine_gui.core.comparison.text_difference import TextDifference, text_difference
from opentine_gui.core.errors import FormatError, TineError
from opentine_gui.core.format.canonical import canonical
from opentine_gui.core.model import Step

CONTENT_FIELDS = ("kind", "inputs", "outputs", "model_info", "tool_info", "error")
"""Fields the step id covers, apart from the parents (docs/FORMAT.md, section 5)."""
COST_FIELDS = ("cost", "usage", "billing")
"""Fields the package's diff compares besides the content (docs/FORMAT.md, section 11)."""
FIELDS = (*CONTENT_FIELDS, *COST_FIELDS)
MOST_PATHS = 1000
"""Most differing paths listed for one field; the rest are only counted."""
PLAIN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

Path = tuple[str | int, ...]


class Absent:
    """Type of `ABSENT`, which stands for a missing value; null is a value."""

    def __repr__(self) -> str:
        return "absent"


ABSENT = Absent()


class PathChange(StrEnum):
    """How a path differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class PathDifference(msgspec.Struct, frozen=True):
    """One differing path in a field. `before` is ABSENT if it was added, `after` if it was removed."""

    path: Path
    change: PathChange
    before: Any
    after: Any

    @property
    def text(self) -> TextDifference | None:
        """The line-by-line difference if both values are text, else None; computed on each access."""
        if isinstance(self.before, str) and isinstance(self.after, str):
            return text_difference(self.before, self.after)
        return None

    @property
    def label(self) -> str:
        """The path as text, such as `messages[2].content`; see `path_label`."""
        return path_label(self.path)


class FieldDifference(msgspec.Struct, frozen=True):
    """A field that differs: both values and the differing paths; `left_out` counts the paths not listed."""

    name: str
    before: Any
    after: Any
    paths: tuple[PathDifference, ...]
    left_out: int = 0

    @property
    def changed_keys(self) -> tuple[str, ...]:
        """The sorted top-level keys that differ, if both values are objects (docs/FORMAT.md, section 11)."""
        return tuple(sorted({str(path.path[0]) for path in self.paths if path.path}))


def step_difference(before: Step, after: Step, *, names: Sequence[str] = FIELDS) -> tuple[FieldDifference, ...]:
    """The fields that differ, in the order of `names`. Comparison is strict: 1, 1.0 and true differ.

    Costs (US dollars) differ if they are more than 1e-12 apart, as in the package. FormatError if these are not two
    steps, or not names of fields.
    """
    given: tuple[object, ...] = (before, after)
    if not all(isinstance(step, Step) for step in given):
        raise FormatError("only two steps can be compared field by field")
    named: object = names
    if not isinstance(named, list | tuple) or not all(name in FIELDS for name in named):
        raise FormatError(f"the names must be a list of fields: {', '.join(FIELDS)}")
    found = []
    for name in names:
        old, new = getattr(before, name), getattr(after, name)
        if name == "cost":
            if abs((old or 0.0) - (new or 0.0)) <= SMALLEST_COST:
                continue
        elif name == "usage" and old == new:
            continue
        elif name == "kind":
            old, new = old.value, new.value
        difference = field_difference(name, old, new)
        if difference is not None:
            found.append(difference)
    return tuple(found)


def field_difference(name: str, before: Any, after: Any) -> FieldDifference | None:
    """The difference of two JSON values, or None if they are equal."""
    if same_value(before, after):
        return None
    listed: list[PathDifference] = []
    left_out = 0
    for difference in walk(before, after):
        if len(listed) < MOST_PATHS:
            listed.append(difference)
        else:
            left_out += 1
    # Values too deep for `same_value` are walked and may turn out equal.
    return FieldDifference(name, before, after, tuple(listed), left_out) if listed else None


def same_value(before: Any, after: Any) -> bool:
    """Whether two JSON values have the same canonical text."""
    if before is after:
        return True
    try:
        # `==` is fast and looser than canonical text: values it finds different are different.
        return bool(before == after) and canonical(before) == canonical(after)
    except (TineError, RecursionError):
        return False


def walk(before: Any, after: Any) -> Iterator[PathDifference]:
    """Yield every differing path: object keys sorted, list items by index.

    Equal items at the front and the end of a list are matched first, so one inserted item is one difference.
    """
    stack: list[tuple[Path, Any, Any]] = [((), before, after)]
    while stack:
        path, old, new = stack.pop()
        if isinstance(old, Absent):
            yield PathDifference(path, PathChange.ADDED, old, new)
        elif isinstance(new, Absent):
            yield PathDifference(path, PathChange.REMOVED, old, new)
        elif isinstance(old, dict) and isinstance(new, dict):
            for key in sorted({*old, *new}, key=str, reverse=True):
                one, two = old.get(key, ABSENT), new.get(key, ABSENT)
                if not same_value(one, two):
                    stack.append(((*path, key), one, two))
        elif isinstance(old, list) and isinstance(new, list):
            stack += reversed([((*path, place), one, two) for place, one, two in _items(old, new)])
        else:
            yield PathDifference(path, PathChange.CHANGED, old, new)


def _items(old: list[Any], new: list[Any]) -> Iterator[tuple[int, Any, Any]]:
    """Differing items of two lists as (index, old, new); the index of a removed item is that in the old list."""
    most = min(len(old), len(new))
    front = 0
    while front < most and same_value(old[front], new[front]):
        front += 1
    back = 0
    while back < most - front and same_value(old[-1 - back], new[-1 - back]):
        back += 1
    left, right = old[front : len(old) - back], new[front : len(new) - back]
    for number in range(max(len(left), len(right))):
        one = left[number] if number < len(left) else ABSENT
        two = right[number] if number < len(right) else ABSENT
        if not same_value(one, two):
            yield front + number, one, two


def path_label(path: Path) -> str:
    """A path as text: `messages[2].content`; other than plain names are quoted, as in `["a name"]`."""
    parts: list[str] = []
    for name in path:
        if isinstance(name, int):
            parts.append(f"[{name}]")
        elif name and PLAIN_NAME.issuperset(name):
            parts.append(f".{name}" if parts else name)
        else:
            parts.append(f"[{canonical(name).decode()}]")
    return "".join(parts)
