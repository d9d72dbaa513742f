"""A JSON value as a form: each text, number and flag in a box of its own, the rest as JSON, with what changed.

A form is an immutable value: a change makes a new one, which shares all entries that stay. What is wrong is said of the
box and the line where it is. A form that nobody changed has exactly the value it was made of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from opentine_gui.core import FormatError
from opentine_gui.core.format.checks import read_object
from opentine_gui.core.format.late_pattern import late_pattern

Kind = Literal["text", "number", "flag", "json", "object", "list"]
Place: TypeAlias = tuple[int, ...]
"""Where an entry is: positions from the top of the form down; () is the form itself."""

LONGEST = 1_000_000
"""Characters of a text that is shown in a box: a longer one stays as it is, or is taken out."""
DEEPEST = 40
"""Objects and lists nested deeper than this are shown as JSON."""

# A text box would draw these as nothing or as a wrong character, and could not hold NUL at all: JSON names them.
_UNSEEN = late_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_SURROGATE = late_pattern("[\ud800-\udfff]")
_NUMBER = late_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z", re.ASCII)


class Problem(msgspec.Struct, frozen=True):
    """What is wrong with an entry; `line` counts from 1 in its box, 0 where it is the whole box."""

    place: Place
    text: str
    line: int = 0


class Entry(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A box with its name, or an object or a list of entries.

    `name` is "" in a list. `text` is what the box shows; a flag shows "true" or "false". `original` and `original_name`
    are what it was at first, UNSET for one that was added.
    """

    kind: Kind
    name: str = ""
    text: str = ""
    entries: tuple[Entry, ...] = ()
    original: Any = UNSET
    original_name: str = ""

    @property
    def too_long(self) -> bool:
        """Whether its text is too long for a box."""
        return len(self.text) > LONGEST

    @cached_property
    def holds_too_long(self) -> bool:
        """Whether there is such a text in it."""
        return self.too_long or any(entry.holds_too_long for entry in self.entries)

    @property
    def added(self) -> bool:
        """Whether the user added it."""
        return self.original is UNSET

    @cached_property
    def value(self) -> Any:
        """The JSON value it stands for; None where there is a problem."""
        if self.kind == "object":
            return {entry.name: entry.value for entry in self.entries}
        if self.kind == "list":
            return [entry.value for entry in self.entries]
        return self._read[0]

    @cached_property
    def problem(self) -> tuple[str, int] | None:
        """What is wrong with its own box, and the line; `problems` tells what is wrong with its contents."""
        return self._read[1]

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with it, places counted from it."""
        found = [] if self.problem is None else [Problem((), *self.problem)]
        names: set[str] = set()
        for number, entry in enumerate(self.entries):
            if self.kind == "object":
                if entry.name in names:
                    found.append(Problem((number,), f"there is a field “{entry.name}” already"))
                names.add(entry.name)
            found += (replace(problem, place=(number, *problem.place)) for problem in entry.problems)
        return tuple(found)

    @cached_property
    def changes(self) -> int:
        """How many fields in it were changed, added or removed."""
        if self.kind not in ("object", "list"):
            kept = not self.added and self.name == self.original_name and self.problem is None
            return 0 if kept and same(self.value, self.original) else 1
        renamed = 1 if not self.added and self.name != self.original_name else 0
        if not isinstance(self.original, dict if self.kind == "object" else list):
            return max(1, sum(entry.changes for entry in self.entries))
        return renamed + self.removed + sum(entry.changes for entry in self.entries)

    @cached_property
    def removed(self) -> int:
        """How many of the fields it had are not there any more."""
        if self.kind not in ("object", "list") or not isinstance(self.original, (dict, list)):
            return 0
        return max(len(self.original) - sum(not entry.added for entry in self.entries), 0)

    @cached_property
    def _read(self) -> tuple[Any, tuple[str, int] | None]:
        """(the value of its own box, what is wrong with it)."""
        match self.kind:
            case "text":
                if self.too_long and self.text is self.original:  # as it was read: nothing is wrong with it
                    return self.text, None
                try:
                    self.text.encode()
                except UnicodeEncodeError:
                    return None, ("it holds a lone surrogate, which no file can store", 0)
                return self.text, None
            case "flag":
                return self.text == "true", None
            case "number":
                if not _NUMBER.match(self.text.strip()):
                    return None, ("not a number", 0)
                return _parsed(self.text.strip())
            case "json":
                return _parsed(self.text)
        return None, None


def entry_of(value: Any, name: str = "", *, depth: int = 0) -> Entry:
    """The form of a JSON value, as it is at first."""
    kind, text, entries = _boxes(value, depth, value)
    return Entry(kind, name, text, entries, value, name)


def form_of_json(form: Entry, text: str) -> Entry:
    """The form with all of its value replaced by JSON text; as boxes if the text can be read."""
    return as_fields(with_text(as_json(form, ()), (), text), ())


def text_of(form: Entry) -> str:
    """The form as JSON text that `form_of_json` reads; what is wrong in a box is wrong in its place in the text."""
    if not form.problems:
        return json_text(form.value)
    text = _raw(form)
    if _parsed(text)[1] is None:  # pieces that are wrong may be right together, and would say something else
        text = _raw(form, quoted=True)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _raw(entry: Entry, *, quoted: bool = False) -> str:
    match entry.kind:
        case "object":
            fields = (f"{json_text(inner.name)}: {_raw(inner, quoted=quoted)}" for inner in entry.entries)
            return "{" + ",\n".join(fields) + "}"
        case "list":
            return "[" + ",\n".join(_raw(inner, quoted=quoted) for inner in entry.entries) + "]"
    if entry.problem is None:
        return json_text(entry.value)
    return json_text(entry.text) if quoted or entry.kind == "text" else entry.text


def label_of(form: Entry, place: Place) -> str:
    """What an entry is called by where it is: "messages[2].content"; "" for the form itself."""
    label = ""
    for number in place:
        dot = "." if label else ""
        label += f"[{number}]" if form.kind == "list" else dot + form.entries[number].name
        form = form.entries[number]
    return label


def object_problem(form: Entry, what: str) -> str | None:
    """Why the form is no JSON object, as a sentence about `what`; None if it is one."""
    for problem in form.problems:
        line = f", line {problem.line}" if problem.line else ""
        return f"{label_of(form, problem.place) or what}{line}: {problem.text}"
    return None if isinstance(form.value, dict) else f"{what}: expected an object, such as {{}}"


def json_text(value: Any) -> str:
    """A value as JSON text to be read and edited: indented, characters that nobody would see as escapes."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same to a file: 1, 1.0 and true are three values; so are 0.0 and -0.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


# --- changes: each takes the whole form and a place, and returns the whole form --------------------------------------


def entry_at(form: Entry, place: Place) -> Entry:
    """The entry at a place. IndexError if there is none."""
    for number in place:
        form = form.entries[number]
    return form


def with_text(form: Entry, place: Place, text: str) -> Entry:
    """Let a box show another text."""
    return _changed(form, place, lambda entry: replace(entry, text=text))


def renamed(form: Entry, place: Place, name: str) -> Entry:
    """Give a field of an object another name."""
    return _changed(form, place, lambda entry: replace(entry, name=name))


def added(form: Entry, place: Place) -> Entry:
    """Add an empty text at the end of the object or list at `place`; in an object it has no name yet."""
    return _changed(form, place, lambda entry: replace(entry, entries=(*entry.entries, Entry("text"))))


def removed(form: Entry, place: Place) -> Entry:
    """Take out the entry at `place`, which is not the form itself."""
    *above, number = place
    return _changed(
        form,
        tuple(above),
        lambda entry: replace(entry, entries=(*entry.entries[:number], *entry.entries[number + 1 :])),
    )


def restored(form: Entry, place: Place) -> Entry:
    """Bring back what the entry at `place` was at first, all that is in it included; one that was added goes."""
    entry = entry_at(form, place)
    if entry.added:
        return removed(form, place) if place else form
    return _changed(form, place, lambda old: replace(_as_at_first(old, len(place)), name=old.original_name))


def as_json(form: Entry, place: Place) -> Entry:
    """Show the entry at `place` as JSON."""

    def changed(entry: Entry) -> Entry:
        text = entry.text if entry.problems and not entry.entries else json_text(entry.value)
        return replace(entry, kind="json", text=text, entries=())

    return _changed(form, place, changed)


def as_fields(form: Entry, place: Place) -> Entry:
    """Show the JSON at `place` as boxes; as it is if it cannot be read."""
    entry = entry_at(form, place)
    if entry.problem is not None:
        return form
    if not entry.added and same(entry.value, entry.original):
        return _changed(form, place, lambda old: _as_at_first(old, len(place)))

    def changed(old: Entry) -> Entry:
        kind, text, entries = _boxes(old.value, len(place), old.original)
        return replace(old, kind=kind, text=text, entries=entries)

    return _changed(form, place, changed)


def _changed(form: Entry, place: Place, change: Any) -> Entry:
    if not place:
        result: Entry = change(form)
        return result
    number = place[0]
    inner = _changed(form.entries[number], place[1:], change)
    return replace(form, entries=(*form.entries[:number], inner, *form.entries[number + 1 :]))


def _as_at_first(entry: Entry, depth: int) -> Entry:
    """The entry with its original value, under the name it has now."""
    first = entry_of(entry.original, entry.original_name, depth=depth)
    return replace(first, name=entry.name)


def _boxes(value: Any, depth: int, original: Any) -> tuple[Kind, str, tuple[Entry, ...]]:
    """(kind, text, entries) of a value; `original` is what it was at first, or UNSET."""
    if isinstance(value, str):
        if len(value) > LONGEST:
            return "text", value, ()
        return ("json", json_text(value), ()) if _UNSEEN.search(value) else ("text", value, ())
    if isinstance(value, bool):
        return "flag", "true" if value else "false", ()
    if isinstance(value, (int, float)):
        return "number", json.dumps(value), ()
    if not isinstance(value, (dict, list)) or depth >= DEEPEST:
        return "json", json_text(value), ()
    if isinstance(value, dict):
        return "object", "", tuple(_inner(value.items(), depth, original))
    return "list", "", tuple(_inner(enumerate(value), depth, original))


def _inner(items: Iterable[tuple[str | int, Any]], depth: int, original: Any) -> Iterable[Entry]:
    for key, value in items:
        name = key if isinstance(key, str) else ""
        was: Any = UNSET
        if isinstance(original, dict) and isinstance(key, str):
            was = original.get(key, UNSET)
        elif isinstance(original, list) and isinstance(key, int) and key < len(original):
            was = original[key]
        kind, text, entries = _boxes(value, depth + 1, was)
        yield Entry(kind, name, text, entries, was, "" if was is UNSET else name)


def _parsed(text: str) -> tuple[Any, tuple[str, int] | None]:
    """(the value of JSON text, what is wrong with it and the line)."""
    try:
        value = read_object('{"": ' + text + "\n}")
        if len(value) == 1:
            return value[""], None
    except FormatError as error:
        try:
            json.loads(text)
        except json.JSONDecodeError as wrong:
            words = wrong.msg.removesuffix(" starting at")
            return None, (words[:1].lower() + words[1:], wrong.lineno)
        except (ValueError, RecursionError):
            pass
        return None, (str(error), 0)
    return None, ("expected one value", 0)


EMPTY = entry_of({})
"""The form of an empty object."""
