"""Reads JSON lines as agents write them: truncated, with several records on a line, byte order marks, huge lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from opentine_gui.core.progress import Pace
from opentine_gui.importers.reading import Place, Report

LONGEST_LINE = 16 << 20
"""Most bytes of a line that is decoded; a longer one is counted and reported."""
LARGEST_LOG = 1 << 31
"""Most bytes of a log that is read: sessions grow far beyond the limit of a document."""
LINES_BETWEEN = 256
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors that a decoder raises for text that is not JSON of its shape."""

Record = TypeVar("Record")
Decoded_co = TypeVar("Decoded_co", covariant=True)


class Decoder(Protocol[Decoded_co]):
    """Decodes a line: a decoder of msgspec, or anything that raises the same errors."""

    def decode(self, text: bytes | memoryview, /) -> Decoded_co:
        """The record in a line."""
        ...


_anything: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
_objects = msgspec.json.Decoder(dict[str, Any])
_scanner = json.JSONDecoder()
_gap = re.compile(r"\s*")


class Line(NamedTuple):
    """A decoded record (always an object) and its place in the source."""

    value: dict[str, Any]
    place: Place


def read_lines(path: Path, content: bytes, report: Report, pace: Pace | None = None, offset: int = 0) -> Iterator[Line]:
    """Every object of a file of JSON lines, in file order; what cannot be decoded is counted in `report`.

    See `read_records`, which is better for large records because it can leave fields undecoded.
    """
    for value, place in read_records(path, content, _objects, report, pace, offset):
        yield Line(value, place)


def read_records(
    path: Path,
    content: bytes,
    decoder: Decoder[Record],
    report: Report,
    pace: Pace | None = None,
    offset: int = 0,
) -> Iterator[tuple[Record, Place]]:
    """Every record of a file as decoded by `decoder`, with its place; what cannot be decoded is counted in `report`.

    `content` is the file from the byte `offset` on, where a line begins. Cancelled through `pace`.

    A decoder of a `msgspec.Struct` with fields of the type `msgspec.Raw` leaves these undecoded, as views of
    `content`: see `value_of`. A last line without its line feed that cannot be decoded is still being written: it is
    left out without being counted. Several records on one line, from two writers, are read one after the other. Broken
    UTF-8 and lone surrogates become U+FFFD.
    """
    view = memoryview(content)
    start = len(BYTE_ORDER_MARK) if not offset and content.startswith(BYTE_ORDER_MARK) else 0
    number = 0
    while start < len(content):
        end = content.find(b"\n", start)
        whole = end >= 0
        end = end if whole else len(content)
        number += 1
        if pace is not None and number % LINES_BETWEEN == 0:
            pace.at(start / len(content))
        if end - start > LONGEST_LINE:
            report.records += 1
            report.bad_lines += 1
            where = f"at byte {offset + start:,}" if offset else f"in line {number}"
            report.remark(f"A record of {(end - start) / 1e6:.0f} MB {where} was not read.")
        elif end > start and (end - start > 2 or content[start:end].strip()):
            try:
                value = decoder.decode(view[start:end])
            except BROKEN:
                yield from _recovered(path, content[start:end], offset + start, decoder, report, whole=whole)
            else:
                report.records += 1
                yield value, Place(path, offset + start, end - start)
        start = end + 1


def _recovered(
    path: Path, line: bytes, offset: int, decoder: Decoder[Record], report: Report, *, whole: bool
) -> Iterator[tuple[Record, Place]]:
    """The records of a line that the decoder refused as a whole."""
    if not line.strip():
        return
    found = list(_objects_in(line))
    if not found and not whole:
        return
    if not found:
        report.records += 1
        report.bad_lines += 1
    for value, start, length in found:
        report.records += 1
        try:
            record = decoder.decode(_clean_text(value))
        except (*BROKEN, ValueError):
            report.bad_lines += 1
        else:
            yield record, Place(path, offset + start, length)


def _objects_in(line: bytes) -> Iterator[tuple[Any, int, int]]:
    """(value, offset, length in bytes) of consecutive JSON values on a line; none unless they make up the whole line.

    The standard library's decoder says where a value ends, so one pass is enough, and accepts lone surrogates. Broken
    UTF-8 is replaced only once its offset is known, because a replacement has another length.
    """
    text = line.decode("utf-8", "surrogateescape")
    found = []
    start = offset = 0
    while start < len(text):
        try:
            value, end = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        if start > 0 and not isinstance(value, dict):
            return
        piece = text[start:end]
        length = len(piece.encode("utf-8", "surrogateescape"))
        if length > len(piece):  # not plain ASCII: some of it may be broken
            value = _scanner.decode(line[offset : offset + length].decode("utf-8", "replace"))
        found.append((value, offset, length))
        gap = _gap.match(text, end)
        start = gap.end() if gap is not None else end
        offset += length + len(text[end:start].encode())
    yield from found


def value_of(raw: msgspec.Raw | bytes) -> Any:
    """The value of a field that was left undecoded; None for an absent one and for what cannot be decoded."""
    if not len(raw):
        return None
    try:
        return _anything.decode(raw)
    except BROKEN:
        pass
    try:
        value = json.loads(bytes(raw).decode("utf-8", "replace"))
        return _anything.decode(_clean_text(value))
    except (*BROKEN, ValueError):
        return None


def _clean_text(value: Any) -> bytes:
    """A value as JSON that every decoder accepts: lone surrogates are replaced. ValueError for NaN."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
