"""A JSON value as a foldable tree of styled lines; long texts in it are shown as what they are.

Only what is unfolded gets lines. Long containers show a part and say how much is left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from opentine_gui.describe.content.lines import IndentedLines, JoinedLines, Lines, ListedLines, clean_text
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.styled import Span, StyledLine

Path = tuple[Hashable, ...]
"""Keys and indices from the whole value to a part of it."""

INDENT = 14.0
DEEPEST_INDENT = 18
"""Most levels that are indented; deeper ones are not, so that there is room for their text."""
DEEPEST = 200
SHORT_TEXT = 240
"""Most characters of a text that is shown beside its key."""
SHOWN_ITEMS, MOST_ITEMS = 500, 100_000
OPEN_ITEMS, SMALL_ITEMS, OPEN_LINES = 24, 8, 40
"""Most items of a container open at first, near the top and deeper down; most lines of a text open at first."""

MOST_DECODED = 20_000_000
"""Most characters of a text that is decoded as JSON."""
MOST_JSON_LINES = 20_000


class Folds(msgspec.Struct):
    """What the user opened, closed, expanded in full and enlarged in one value, by path."""

    opened: dict[Path, bool] = msgspec.field(default_factory=dict)
    whole: set[Path] = msgspec.field(default_factory=set)
    zoom: dict[Path, float] = msgspec.field(default_factory=dict)


class Shown(NamedTuple):
    """A part of a value as lines: what it is in words ("Markdown", "Diff +12 −3") and the lines."""

    label: str
    lines: Lines


ShowText = Callable[[Path, str, Any], Shown | None]
"""Shows a text of the tree as what it is, given its container; None for one shown in quotes beside its key."""
ShowObject = Callable[[Path, Mapping[str, Any]], Shown | None]
"""Shows an object that is a picture or the like; None for one that is a container."""


def tree_lines(value: Any, folds: Folds, show_text: ShowText, show_object: ShowObject, path: Path = ()) -> Lines:
    """The members of an object or a list, not indented; any other value is one line without a label."""
    tree = _Tree(folds, show_text, show_object)
    if isinstance(value, (dict, list, tuple)):
        if value:
            tree.members(path, value, 0, alone=True)
        else:
            tree.line(Span("{}" if isinstance(value, dict) else "[]", "quiet"), depth=0)
    else:
        tree.add(path, 0, "", value)
    return tree.done()


class _Tree:
    def __init__(self, folds: Folds, show_text: ShowText, show_object: ShowObject) -> None:
        self.folds, self.show_text, self.show_object = folds, show_text, show_object
        self.parts: list[Lines] = []
        self.rows: list[StyledLine] = []

    def done(self) -> Lines:
        self._close()
        return self.parts[0] if len(self.parts) == 1 else JoinedLines(self.parts)

    def _close(self) -> None:
        if self.rows:
            self.parts.append(ListedLines(self.rows))
            self.rows = []

    def line(self, *spans: Span, depth: int, fold: bool | None = None, act: Hashable = None) -> None:
        indent = INDENT * (min(depth, DEEPEST_INDENT) + 1)
        self.rows.append(StyledLine(tuple(span for span in spans if span.text), indent, INDENT, fold=fold, act=act))

    def members(self, path: Path, value: Any, depth: int, *, alone: bool = False) -> None:
        """Add the members of a container. With `alone`, nothing else is shown, so a single member is unfolded."""
        limit = MOST_ITEMS if path in self.folds.whole else SHOWN_ITEMS
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
        for number, (key, member) in enumerate(pairs):
            if number >= limit:
                self._more(path, len(value) - limit, depth)
                return
            label = clean(str(key), 120) or '""'
            self.add((*path, key), depth, label, member, value, alone=alone and len(value) == 1)

    def _more(self, path: Path, left: int, depth: int) -> None:
        if path in self.folds.whole:
            self.line(Span(f"{left:,} more", "quiet", "text"), depth=depth)
        else:
            self.line(Span(f"{left:,} more · show all", "accent", "text", act=("whole", path)), depth=depth)

    def add(
        self, path: Path, depth: int, label: str, value: Any, around: Any = None, *, alone: bool = False
    ) -> None:  # fmt: skip
        name = Span(f"{label}: ", "tool") if label else Span("")
        if isinstance(value, str):
            self._text(path, depth, name, value, around)
        elif isinstance(value, (dict, list, tuple)):
            self._container(path, depth, name, value, alone=alone)
        elif isinstance(value, bool) or value is None:
            self.line(name, Span(json.dumps(value), "subagent"), depth=depth, act=("at", path))
        else:
            self.line(name, Span(clean(str(value), 400), "human"), depth=depth, act=("at", path))

    def _container(self, path: Path, depth: int, name: Span, value: Any, *, alone: bool) -> None:
        is_object = isinstance(value, Mapping)
        if not value:
            self.line(name, Span("{}" if is_object else "[]", "quiet"), depth=depth, act=("at", path))
            return
        shown = self.show_object(path, value) if is_object else None
        if shown is not None:
            self._block(path, depth, name, shown)
            return
        words = counted(len(value), "key" if is_object else "item")
        if depth >= DEEPEST:
            self.line(name, Span(f"{words}, too deep to unfold", "quiet", "text"), depth=depth)
            return
        small = depth < 2 or (depth < 4 and len(value) <= SMALL_ITEMS)
        opened = self.folds.opened.get(path, alone or (small and len(value) <= OPEN_ITEMS))
        self.line(name, Span(words, "quiet", "text"), depth=depth, fold=opened, act=("fold", path, opened))
        if opened:
            self.members(path, value, depth + 1, alone=alone)

    def _text(self, path: Path, depth: int, name: Span, value: str, around: Any) -> None:
        shown = self.show_text(path, value, around)
        if shown is None:
            first, *rest = f'"{clean_text(value)}"'.split("\n")
            ends = Span("")
            if rest and not any(rest[:-1]) and rest[-1] == '"':  # alone on a line, the mark would look like content
                first, ends, rest = f'{first}"', Span(" ⏎" * len(rest), "quiet", hint="It ends with a line break"), []
            self.line(name, Span(first, "good"), ends, depth=depth, act=("at", path))
            for line in rest:
                self.line(Span(line, "good"), depth=depth)
        else:
            self._block(path, depth, name, shown)

    def _block(self, path: Path, depth: int, name: Span, shown: Shown) -> None:
        opened = self.folds.opened.get(path, depth < 2 or len(shown.lines) <= OPEN_LINES)
        count = f" · {counted(len(shown.lines), 'line')}" if not opened else ""
        self.line(
            name, Span(shown.label + count, "quiet", "text"), depth=depth, fold=opened, act=("fold", path, opened)
        )
        if opened:
            self._close()
            indent = INDENT * (min(depth, DEEPEST_INDENT) + 2)
            self.parts.append(IndentedLines(shown.lines, indent, "hairline"))


def decoded(text: str) -> Any:
    """The object or list that a text holds as JSON, or those on its lines; None if there is none or it is empty."""
    if len(text) > MOST_DECODED:
        return None
    try:
        value = msgspec.json.decode(text)
    except (RecursionError, UnicodeEncodeError):
        return None
    except msgspec.MsgspecError:
        return _decoded_lines(text)
    return value if isinstance(value, (dict, list)) and value else None


def _decoded_lines(text: str) -> list[Any] | None:
    """The values of JSON Lines; None for any other text."""
    lines = text.split("\n", MOST_JSON_LINES)
    filled = [line for line in lines if line.strip()]
    if not 2 <= len(filled) <= MOST_JSON_LINES:
        return None
    found = []
    for line in filled:
        try:
            found.append(msgspec.json.decode(line))
        except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
            return None
    return found


def part_at(value: Any, path: Sequence[Hashable]) -> Any:
    """The part of a value at a path, decoding texts that hold JSON on the way; KeyError if there is none."""
    for key in path:
        if isinstance(value, str):
            value = decoded(value)
        try:
            value = value[key]
        except (IndexError, TypeError) as error:
            raise KeyError(key) from error
    return value
