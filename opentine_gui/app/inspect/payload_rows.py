"""A recorded payload as rows of text: the JSON tree of the inspector, flattened, wrapped and bounded.

Only what is unfolded gets rows. Long containers and strings show a part and say how much is left, so that a payload of
several megabytes costs no more than any other until the user asks for all of it.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal, NamedTuple

import msgspec
from wcwidth import wcwidth

from opentine_gui.core import RunRecord
from opentine_gui.describe.numbers import counted, format_bytes
from opentine_gui.scene.text.clean import clean

Path = tuple[str | int, ...]
Role = Literal["text", "number", "constant", "quiet", "more", "media"]

SHOWN_CHARACTERS = 4_000
"""Characters of a string shown before "show all"."""
SHOWN_ITEMS = 500
"""Members of a container shown before "show all"."""
MOST_CHARACTERS = 8_000_000
"""Characters of one string that "show all" shows at most; the row says what is left out."""
MOST_ITEMS = 100_000
OPEN_ITEMS, SMALL_ITEMS, OPEN_LINES = 24, 8, 12
"""Items of a container open at first, near the top and deeper down; lines of a text open at first."""
DEEPEST = 200
TEXT_LIMIT = 400_000
"""Characters shown in the text view."""

_MAGIC = (
    ("iVBORw0KGg", "image/png"),
    ("/9j/", "image/jpeg"),
    ("R0lGOD", "image/gif"),
    ("UklGR", "image/webp"),
    ("JVBERi0", "application/pdf"),
)
_ESCAPE = re.compile(r"\\(r\\n|.)")
_BASE64 = re.compile(r"[A-Za-z0-9+/_\-\s]*={0,2}\s*\Z")
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?((?:;[\w.+-]+=[\w.+-]+)*);base64,", re.IGNORECASE)
_SHORTEST_MEDIA = 64


class PayloadRow(NamedTuple):
    """One row: `label` is the key or index ("" on the further rows of a wrapped text), `text` the cleaned value.

    `fold`: None if there is nothing to fold, True open, False closed. A click on a row of role "more" or "media" shows
    all of `path`.
    """

    path: Path
    depth: int
    label: str
    text: str
    role: Role
    fold: bool | None = None


class Media(NamedTuple):
    """Binary content found in a text: its media type and size in bytes."""

    kind: str
    size: int


class PayloadFolds(msgspec.Struct):
    """What the user opened and closed in one payload, by path."""

    folds: dict[Path, bool] = msgspec.field(default_factory=dict)
    whole: set[Path] = msgspec.field(default_factory=set)

    def toggle(self, path: Path, opened: bool) -> None:
        """Close `path` if it is shown as `opened`, else open it."""
        self.folds[path] = not opened


def payload_rows(
    value: Any, columns: int, folds: Mapping[Path, bool] | None = None, whole: Collection[Path] = ()
) -> list[PayloadRow]:
    """The rows of a JSON value, wrapped to `columns` characters of a fixed-width face.

    The members of an object or a list are at depth 0; any other value is one row without a label.
    """
    rows: list[PayloadRow] = []
    flattened = _Flatten(max(columns, 8), folds or {}, whole, rows)
    if isinstance(value, (dict, list, tuple)):
        flattened.members((), value, 0)
    else:
        flattened.add((), 0, "", value)
    return rows


class _Flatten:
    def __init__(self, columns: int, folds: Mapping[Path, bool], whole: Collection[Path], rows: list[PayloadRow]):
        self.columns, self.folds, self.whole, self.rows = columns, folds, whole, rows

    def members(self, path: Path, value: Any, depth: int) -> None:
        limit = MOST_ITEMS if path in self.whole else SHOWN_ITEMS
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for number, (key, member) in enumerate(pairs):
            if number >= limit:
                left = f"{len(value) - limit:,} more"
                more = left if path in self.whole else f"{left} · show all"
                self.rows.append(PayloadRow(path, depth, "", more, "more"))
                return
            self.add((*path, key), depth, _label(key), member)

    def add(self, path: Path, depth: int, label: str, value: Any) -> None:
        if isinstance(value, str):
            self._text(path, depth, label, value)
        elif isinstance(value, (dict, list, tuple)):
            self._container(path, depth, label, value)
        elif isinstance(value, bool) or value is None:
            self.rows.append(PayloadRow(path, depth, label, json.dumps(value), "constant"))
        else:
            self.rows.append(PayloadRow(path, depth, label, clean(str(value), 400), "number"))

    def _container(self, path: Path, depth: int, label: str, value: Any) -> None:
        if not value:
            self.rows.append(PayloadRow(path, depth, label, "{}" if isinstance(value, dict) else "[]", "quiet"))
            return
        text = counted(len(value), "key" if isinstance(value, dict) else "item")
        media = _media_of_object(value) if isinstance(value, dict) else None
        if media is not None:
            text = f"{describe_media(media)} · {text}"
        opened = self.folds.get(path)
        if opened is None:
            opened = (
                media is None and (depth < 2 or (depth < 4 and len(value) <= SMALL_ITEMS)) and len(value) <= OPEN_ITEMS
            )
        if depth >= DEEPEST:
            self.rows.append(PayloadRow(path, depth, label, f"{text} · too deep to unfold, see the text view", "quiet"))
            return
        self.rows.append(PayloadRow(path, depth, label, text, "quiet", opened))
        if opened:
            self.members(path, value, depth + 1)

    def _text(self, path: Path, depth: int, label: str, value: str) -> None:
        media = media_of(value)
        if media is not None and path not in self.whole:
            text = f"{describe_media(media)} · show as text"
            self.rows.append(PayloadRow(path, depth, label, text, "media"))
            return
        limit = MOST_CHARACTERS if path in self.whole else SHOWN_CHARACTERS
        shown = value if len(value) <= limit else value[:limit]
        columns = max(self.columns - 2 * depth - len(label) - 2, 8)
        if len(label) > self.columns // 2:
            columns = max(self.columns - 2 * depth, 8)
        lines = wrap_text('"' + clean(shown, len(shown) + 1, lines=True) + ('"' if shown is value else "…"), columns)
        if len(lines) == 1:
            self.rows.append(PayloadRow(path, depth, label, lines[0], "text"))
            return
        opened = self.folds.get(path, depth == 0 or len(lines) <= OPEN_LINES)
        if not opened:
            left = counted(len(lines) - 1, "more line")
            self.rows.append(
                PayloadRow(path, depth, label, f"{shorten(lines[0], columns - len(left) - 3)} … {left}", "text", False)
            )
            return
        foldable = True if len(lines) > 6 else None
        if len(label) > self.columns // 2:
            lines.insert(0, "")
        self.rows.append(PayloadRow(path, depth, label, lines[0], "text", foldable))
        self.rows.extend(PayloadRow(path, depth, "", line, "text") for line in lines[1:])
        if shown is not value:
            left = f"{format_bytes(len(value) - len(shown))} more"
            more = left if path in self.whole else f"{left} · show all"
            self.rows.append(PayloadRow(path, depth, "", more, "more"))


def wrap_text(text: str, columns: int) -> list[str]:
    """Break text at its line ends and after `columns` cells, at a space where one is near."""
    return [row for line in text.split("\n") for row in _wrapped_line(line, columns)]


def _wrapped_line(line: str, columns: int) -> Iterator[str]:
    # Python's textwrap takes ten times as long: too much for a frame that shows eight megabytes.
    ends = None if line.isascii() else _cell_ends(line)
    start, cut = 0, columns
    while True:
        if ends is not None:  # a row has a bounded number of characters without a cell of their own
            taken = ends[start - 1] if start else 0
            cut = bisect_right(ends, taken + columns, start, min(start + 4 * columns, len(line)))
        if cut >= len(line):
            break
        space = line.rfind(" ", start + (cut - start) // 2, cut + 1)
        yield line[start : cut if space < 0 else space]
        start = cut if space < 0 else space + 1
        cut = start + columns
    yield line[start:]


def _cell_ends(line: str) -> Sequence[int]:
    """The cell at which each character of a line ends."""
    return array("I", accumulate(map(cell_width, line)))


@lru_cache(1 << 14)
def cell_width(character: str) -> int:
    """Cells a character takes in a fixed-width font: 2 for East Asian wide ones, 0 for combining marks."""
    return max(wcwidth(character), 0)


def media_of(text: str) -> Media | None:
    """The media in a data URL or in base64 of a picture or PDF, else None. Looks at the beginning only."""
    if len(text) < _SHORTEST_MEDIA:
        return None
    if text[:5].lower() == "data:":
        match = _DATA_URL.match(text[:256])
        if match and _looks_encoded(text[match.end() : match.end() + 512]):
            return Media((match[1] or "text/plain").lower(), (len(text) - match.end()) * 3 // 4)
        return None
    for magic, kind in _MAGIC:
        if text.startswith(magic) and _looks_encoded(text[:512]) and _begins_as(kind, text):
            return Media(kind, len(text) * 3 // 4 - text[-2:].count("="))
    return None


def _looks_encoded(text: str) -> bool:
    return bool(text) and _BASE64.match(text) is not None


def _begins_as(kind: str, text: str) -> bool:
    """Tell a JPEG's or WebP's base64 from an ordinary path or word that begins with the same letters."""
    try:
        head = base64.b64decode(text[:64], validate=True)
    except binascii.Error:
        return False
    if kind == "image/jpeg":
        return head[:3] == b"\xff\xd8\xff" and (head[3] == 0xDB or head[3] >= 0xE0)
    if kind == "image/webp":
        return head[8:12] == b"WEBP"
    return True


def _media_of_object(value: Mapping[str, Any]) -> Media | None:
    """The media in an object of the common form {"media_type": …, "data": base64}, else None."""
    data = value.get("data")
    kind = value.get("media_type") or value.get("mime_type") or value.get("mimeType")
    if isinstance(data, str) and isinstance(kind, str) and len(data) >= _SHORTEST_MEDIA and _looks_encoded(data[:512]):
        return Media(clean(kind, 60), len(data) * 3 // 4)
    return None


def describe_media(media: Media) -> str:
    """Type and size in words: `image/png · 48 kB`."""
    return f"{media.kind} · {format_bytes(media.size)}"


def stored_step(record: RunRecord, step_id: str) -> Any:
    """A step's record as the file has it, with every key; the decoded step if it cannot be read as JSON."""
    try:
        return msgspec.json.decode(record.graph.raw(step_id))
    except (msgspec.MsgspecError, RecursionError):
        return msgspec.to_builtins(record.graph.step(step_id))


def payload_text(value: Any) -> str:
    """A value as indented JSON for the text view, cleaned; beyond `TEXT_LIMIT` it is cut off and says so.

    Line breaks in strings are shown as such; quotation marks stay escaped, so that a string cannot pass for a key.
    """
    pieces: list[str] = []
    length = 0
    encoder = json.JSONEncoder(indent=2, ensure_ascii=False)
    try:
        for piece in encoder.iterencode(value):
            shown = piece if len(piece) <= TEXT_LIMIT else piece[:TEXT_LIMIT]
            pieces.append(_ESCAPE.sub(_broken, shown) if "\\n" in shown else shown)
            length += len(piece)
            if length > TEXT_LIMIT:
                pieces.append(f"\n… shown in part: the first {TEXT_LIMIT:,} characters")
                break
    except (RecursionError, ValueError):
        pieces.append("\n… nested too deeply to show as text")
    text = "".join(pieces)
    return clean(text, len(text) + 1, lines=True)


def _broken(escape: re.Match[str]) -> str:
    return "\n" if escape[1] in ("n", "r\\n") else escape[0]


def _label(key: object) -> str:
    return clean(str(key), 120) or '""'


def shorten(text: str, cells: int) -> str:
    """The beginning of a text, at most so many cells wide."""
    cut = bisect_right(_cell_ends(text), cells)
    return text if cut == len(text) else text[:cut].rstrip()
