"""JSON documents: read whole, with the place of every record in its list."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files import storage
from opentine_gui.importers.json_lines import LARGEST_LOG
from opentine_gui.importers.reading import Place

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BEGINNING = 200
"""Bytes of a piece that are searched for; the rest is only compared, because searching for long texts is slow."""
_opening, _gap, _end = re.compile(rb"\s*[\[{]\s*"), re.compile(rb"\s*,\s*"), re.compile(rb"\s*[\]}]\s*\Z")
_name = re.compile(rb'"(?:[^"\\]++|\\.)*+"\s*:\s*', re.DOTALL)
_objects = msgspec.json.Decoder(dict[str, msgspec.Raw])
_lists = msgspec.json.Decoder(list[msgspec.Raw])
_any = msgspec.json.Decoder()


class Text(NamedTuple):
    """An undecoded piece of JSON, and its offset in bytes in the file."""

    content: bytes | memoryview
    offset: int

    def value(self) -> Any:
        """The decoded piece. FormatError."""
        return decode(self.content)

    def members(self) -> dict[str, Text]:
        """An object's members by name; none for anything else."""
        try:
            raws = _objects.decode(self.content)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return {}
        return dict(zip(raws, self._found(list(raws.values()), named=True), strict=True))

    def items(self) -> list[Text]:
        """A list's items; none for anything else."""
        try:
            raws = _lists.decode(self.content)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return []
        return self._found(raws, named=False)

    def place(self, path: Path) -> Place:
        """Where the piece is in the file at `path`."""
        return Place(path, self.offset, len(self.content))

    def _found(self, raws: list[msgspec.Raw], *, named: bool) -> list[Text]:
        """Consecutive pieces with their offsets, which follow from the punctuation between them."""
        found: list[Text] = []
        at = 0
        for raw in raws:
            at = _behind(_gap if found else _opening, self.content, at)
            at = _behind(_name, self.content, at) if named else at
            found.append(Text(memoryview(raw), self.offset + at))
            at += len(raw)
        if raws and _end.match(self.content, at) is None:  # a name is repeated: the decoder dropped its first value
            return self.pieces(raws)
        return found

    def pieces(self, raws: Iterable[msgspec.Raw]) -> list[Text]:
        """Consecutive pieces with their offsets, whatever is between them: each is searched for in this one."""
        whole = bytes(self.content)
        found: list[Text] = []
        start = 0
        for raw in raws:
            piece = bytes(raw)
            at = whole.find(piece[:BEGINNING], start)
            if len(piece) > BEGINNING and not whole.startswith(piece, at):
                at = whole.find(piece, start)
            at = start if at < 0 else at
            found.append(Text(piece, self.offset + at))
            start = at + len(piece)
        return found


def _behind(pattern: re.Pattern[bytes], content: bytes | memoryview, start: int) -> int:
    """The end of a match of `pattern` at `start`; `start` if it does not match there."""
    found = pattern.match(content, start)
    return start if found is None else found.end()


def read_text(path: Path) -> Text:
    """A file's bytes, not decoded. StorageError, LimitError."""
    content = storage.read_bytes(path, limit=LARGEST_LOG)
    marked = len(BYTE_ORDER_MARK) if content.startswith(BYTE_ORDER_MARK) else 0
    return Text(content[marked:], marked)


def decode(content: bytes | memoryview) -> Any:
    """A decoded JSON document. FormatError if it is not one."""
    try:
        return _any.decode(content)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise FormatError("this is not valid JSON", cause=error) from error
    except RecursionError as error:
        raise FormatError("the JSON is nested too deeply") from error
