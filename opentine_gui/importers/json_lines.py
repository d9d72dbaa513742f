"""Reads JSON lines as agents write them: with cut ends, glued records, marks of byte order and lines of many MB."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.progress import Pace
from opentine_gui.importers.reading import Place, Report

LONGEST_LINE = 16 << 20
"""Bytes of a line that is read; a longer one is counted and said, not decoded."""
LINES_BETWEEN = 256
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_decoder = msgspec.json.Decoder()
_scanner = json.JSONDecoder()


class Line(NamedTuple):
    """A decoded record (always an object) and where it stands."""

    value: dict[str, Any]
    place: Place


def read_lines(path: Path, content: bytes, report: Report, pace: Pace | None = None) -> Iterator[Line]:
    """Every object of a file of JSON lines, in file order; what cannot be decoded is counted in `report`.

    A last line without its line feed that cannot be decoded is still being written: it is left out without being
    counted. Records that two writers put on one line are taken one after the other.
    """
    start = len(BYTE_ORDER_MARK) if content.startswith(BYTE_ORDER_MARK) else 0
    number = 0
    while start < len(content):
        end = content.find(b"\n", start)
        whole = end >= 0
        end = end if whole else len(content)
        line = content[start:end]
        number += 1
        if pace is not None and number % LINES_BETWEEN == 0:
            pace.at(start / len(content))
        if len(line) > LONGEST_LINE:
            report.records += 1
            report.bad_lines += 1
            report.remark(f"A record of {len(line) / 1e6:.0f} MB in line {number} was not read.")
        elif line.strip():
            yield from _records(path, line, start, report, whole=whole)
        start = end + 1


def _records(path: Path, line: bytes, offset: int, report: Report, *, whole: bool) -> Iterator[Line]:
    try:
        value = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found = list(_glued(line))
        if not found:
            if whole:
                report.records += 1
                report.bad_lines += 1
            return
        for value, start, length in found:
            report.records += 1
            yield Line(value, Place(path, offset + start, length))
        return
    report.records += 1
    if isinstance(value, dict):
        yield Line(value, Place(path, offset, len(line)))
    else:
        report.bad_lines += 1


def _glued(line: bytes) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Objects that stand one after the other on a line, with offset and length in bytes; none unless all of it is such.

    The standard library's decoder says where a value ends, which makes this one pass.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return
    found = []
    start = offset = 0
    while start < len(text):
        try:
            value, end = _scanner.raw_decode(text, start)
        except (ValueError, RecursionError):
            return
        if not isinstance(value, dict):
            return
        length = len(text[start:end].encode())
        found.append((value, offset, length))
        offset += length
        start = end
    if len(found) > 1:
        yield from found
