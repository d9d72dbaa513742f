"""The rows of a form from top to bottom: arithmetic in design pixels, without a window."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from opentine_gui.app.state.payload_form import Entry, Place
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS
from opentine_gui.describe.content.call_argument import MAIN_ARGUMENTS
from opentine_gui.describe.content.show_value import EditedFace as Face

Box = Literal["text", "code", "line", "flag", "choice", ""]
"""What stands in a row: a text, JSON, one line, a tick, a choice of words, or nothing."""
Key: TypeAlias = tuple[str, Place, str]
"""(part of the form, place in its payload, "name" for the box of a field's name and "" for that of its value)."""

_NAMES = ("name", "title", "id", "key")
"""What of a payload without arguments says which one it is, rather than what it does."""
HEAD, GAP, CHOICE = 20.0, 8.0, 26.0
NAME_BOX = 26.0
"""Height of the box in which the name of a field is typed; the line that holds it is as high."""
BOX_PAD = 10.0
MOST_LINES = 14
"""Lines of a box that are shown at once; more are scrolled in it."""


LinesOf = Callable[[Key, Entry, int], int]
"""The lines that the box of an entry shows, from its key, the entry and how deep it stands."""
Pitch = Callable[[Face, str], float]
"""The height of a line of a text set in a face: that of the font that draws it."""


class Part(NamedTuple):
    """A part of a form: a payload, a line of text, a flag, or one of `choices`."""

    name: str
    label: str
    value: Entry | str | bool
    choices: tuple[str, ...] = ()
    plain: bool = False
    """Whether it is a text and nothing else: it cannot be made another kind of value."""
    hint: str = ""
    """The language of a text that is nothing but code."""


FaceOf = Callable[[Key, Entry, Part, Mapping[str, str]], Face]
"""The face of an entry's box, from its key, the entry, its part and the texts of the object it is in, by name."""


class FormRow(NamedTuple):
    """A row: `head` is the height of the line with its name, `tall` that of the box below it.

    `named` says that its name is typed, too: it is a field that was added to an object.
    """

    key: Key
    box: Box
    part: Part
    entry: Entry | None
    depth: int
    y: float
    head: float
    tall: float
    named: bool = False
    face: Face = "text"
    """That of the text in its box."""

    @property
    def bottom(self) -> float:
        """Where the row ends."""
        return self.y + self.head + self.tall


def form_rows(parts: Sequence[Part], pitch: Pitch, lines_of: LinesOf, face_of: FaceOf) -> list[FormRow]:
    """The rows of a form."""
    rows: list[FormRow] = []
    y = GAP
    for part in parts:
        key: Key = (part.name, (), "")
        if isinstance(part.value, Entry):
            y = _add(rows, part, part.value, (), y, pitch, lines_of, face_of, {}, named=False)
        elif isinstance(part.value, bool):
            rows.append(FormRow(key, "flag", part, None, 0, y, HEAD, 0.0))
        elif part.choices:
            rows.append(FormRow(key, "choice", part, None, 0, y, 0.0, CHOICE))
        else:
            rows.append(FormRow(key, "line", part, None, 0, y, HEAD, pitch("text", part.value) + BOX_PAD))
        y = max(y, rows[-1].bottom + GAP)
    return rows


def rows_between(rows: Sequence[FormRow], low: float, high: float) -> Sequence[FormRow]:
    """The rows between two heights, and perhaps one beyond each."""
    first = max(bisect_left(rows, low, key=lambda row: row.y) - 1, 0)
    return rows[first : bisect_right(rows, high, key=lambda row: row.y) + 1]


def box_order(rows: Sequence[FormRow]) -> list[Key]:
    """The boxes in the order in which Tab goes through them."""
    found: list[Key] = []
    for row in rows:
        if row.named:
            found.append((*row.key[:2], "name"))
        if row.box:
            found.append(row.key)
    return found


def main_box(rows: Sequence[FormRow]) -> Key | None:
    """The box that is edited first: of the prompt, the last message, what a call does, else the longest text."""
    first = next((row.part for row in rows if isinstance(row.part.value, Entry)), None)
    texts = [row for row in rows if first is not None and row.box == "text" and row.key[0] == first.name]
    prompts = [row.key for row in texts if row.entry is not None and row.entry.name == "prompt" and row.depth == 1]
    messages = [row.key for row in texts if row.entry is not None and row.entry.name == "content" and row.depth > 2]
    if prompts or messages:
        return (prompts or messages)[-1]
    if first is not None and isinstance(first.value, Entry) and (done := _what_is_done(first.value, texts)):
        return done
    return _longest(texts) or next((row.key for row in rows if row.box in ("text", "code", "line")), None)


def _what_is_done(inputs: Entry, texts: Sequence[FormRow]) -> Key | None:
    """The box of the argument that says what a call does: the first known one, else the first; None for no call."""
    called = next(
        (place for place, entry in enumerate(inputs.entries) if entry.name in ARGUMENT_KEYS and entry.kind == "object"),
        None,
    )
    inside: Place = () if called is None else (called,)
    given = inputs.entries if called is None else inputs.entries[called].entries
    known = MAIN_ARGUMENTS if called is not None else tuple(name for name in MAIN_ARGUMENTS if name not in _NAMES)
    for name in known:
        for place, entry in enumerate(given):
            at = (*inside, place)
            if entry.name == name and (found := _longest([row for row in texts if row.key[1][: len(at)] == at])):
                return found
    return next((row.key for row in texts if called is not None and row.key[1][:1] == inside), None)


def _longest(texts: Sequence[FormRow]) -> Key | None:
    longest = max(texts, key=lambda row: len(row.entry.text) if row.entry else 0, default=None)
    return None if longest is None else longest.key


def _add(
    rows: list[FormRow],
    part: Part,
    entry: Entry,
    place: Place,
    y: float,
    pitch: Pitch,
    lines_of: LinesOf,
    face_of: FaceOf,
    around: Mapping[str, str],
    *,
    named: bool,
) -> float:
    """Add the rows of an entry and of all in it; returns where the next one begins."""
    key = (part.name, place, "")
    head = NAME_BOX if named else HEAD
    if entry.kind in ("object", "list"):
        rows.append(FormRow(key, "", part, entry, len(place), y, head, 0.0, named))
        y += head + GAP / 2
        inside = {inner.name: inner.text for inner in entry.entries if inner.kind == "text" and inner.name}
        for number, inner in enumerate(entry.entries):
            typed = entry.kind == "object" and inner.added
            y = _add(rows, part, inner, (*place, number), y, pitch, lines_of, face_of, inside, named=typed)
        return y
    if entry.too_long:
        rows.append(FormRow(key, "", part, entry, len(place), y, head, 0.0, named))
        return rows[-1].bottom + GAP
    box: Box = {"text": "text", "json": "code", "number": "line"}.get(entry.kind, "flag")  # type: ignore[assignment]
    face = face_of(key, entry, part, around)
    lines = lines_of(key, entry, len(place)) if box in ("text", "code") else 1
    tall = min(lines, MOST_LINES) * pitch(face, entry.text) + BOX_PAD if box != "flag" else 0.0
    rows.append(FormRow(key, box, part, entry, len(place), y, head, tall, named, face))
    return rows[-1].bottom + GAP
