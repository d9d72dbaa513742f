"""JSON text a block at a time: without its strings, for the checks that count what is outside, and cut into parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

# An unfinished string matches up to the end: trying again at every quotation mark in it would take quadratic time.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_WHOLE_TOKENS = re.compile(rb'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Everything up to a string that is not finished."""
_ESCAPED = b"\0\0"
BLOCK = 1 << 17
"""Bytes of a text that are looked at at once."""
_OF_NUMBERS = b"0123456789.eE+-"
_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
_MOST_MARKS = 4096
"""Marks that are looked at behind a block for a place to cut."""
_OPENED, _CLOSED = frozenset(b"[{"), frozenset(b"]}")
_COMMA = ord(",")
_LIKELY = {b"{": re.compile(rb'\}(,)"[a-z0-9:]{0,32}[0-9a-f]{64}":\{'), b"[": re.compile(rb'\}(,)\{"')}
"""What stands between two steps in an object, and between two turns in a list."""
_anything = msgspec.json.Decoder(msgspec.Raw)


def without_strings(text: bytes) -> Iterator[bytes]:
    """A JSON text without its strings, a block of it at a time; a number of up to a block is never cut.

    Leaving out all strings of a dense text at once would take twenty times its size: one object for each piece.
    """
    start = 0
    while start < len(text):
        end, pieces = _outside(text[start : start + BLOCK])
        if end == BLOCK and start + end < len(text):
            number = len(pieces[-1]) - len(pieces[-1].rstrip(_OF_NUMBERS))
            if 0 < number < end:
                pieces[-1] = pieces[-1][:-number]
                end -= number
        if end:
            yield b"".join(pieces)
            start += end
        else:  # a string that is longer than a block
            found = _STRING.match(text, start)
            start = found.end() if found else len(text)
            yield b" "


def _outside(block: bytes) -> tuple[int, list[bytes]]:
    """(where a string begins that is not finished, else the block's length; what stands between the strings before).

    Splitting at quotation marks takes a tenth of the time that a pattern of strings takes, which is left to texts that
    are no JSON: those with backslashes outside strings.
    """
    bare = block
    if b"\\" in block:  # two stand for one, and only what is left escapes a quotation mark
        bare = block.replace(b"\\\\", _ESCAPED).replace(b'\\"', _ESCAPED)
    pieces = bare.split(b'"')
    whole = len(pieces) % 2
    end = len(block) if whole else len(block) - len(pieces[-1]) - 1
    outside = pieces[::2] if whole else pieces[:-1:2]
    if bare is not block and any(b"\\" in piece or _ESCAPED in piece for piece in outside):
        tokens = _WHOLE_TOKENS.match(block)
        end = tokens.end() if tokens else 0
        return end, _STRING.split(block[:end])
    return end, outside


def parts_of(text: bytes | msgspec.Raw) -> Iterator[bytes]:
    """A minified list or object as several, each with some of its members, in order, of about a block of text.

    To decode one with millions of members at once takes fifteen times its size: an object for each of them.
    """
    view = memoryview(text)
    opened, closed = bytes(view[:1]), bytes(view[-1:])
    begin = 1
    for cut in _cuts(view):
        yield b"".join((opened, view[begin:cut], closed))
        begin = cut + 1
    yield b"".join((opened, view[begin:-1], closed)) if begin > 1 else bytes(view)


def _cuts(view: memoryview) -> Iterator[int]:
    """Offsets of commas between members, a block or more apart."""
    begin = 1
    while len(view) - begin > BLOCK:
        cut = _likely_cut(view, begin)
        if cut < 0:
            cut = _next_cut(view, begin)
        if cut < 0:
            return
        yield cut
        begin = cut + 1


def _likely_cut(view: memoryview, begin: int) -> int:
    """A comma a block behind the beginning of a member, found by what steps and turns look like; -1 if none is sure.

    In JSON it is between two members if what is before it can be read by itself, in the brackets of the whole: to try
    that takes a tenth of the time in which strings are told from what is outside.
    """
    opened, closed = bytes(view[:1]), bytes(view[-1:])
    found = _LIKELY[opened].search(view, begin + BLOCK, begin + 2 * BLOCK)
    if found is None:
        return -1
    try:
        _anything.decode(b"".join((opened, view[begin : found.start(1)], closed)))
    except (msgspec.MsgspecError, RecursionError):
        return -1
    return found.start(1)


def _next_cut(view: memoryview, start: int) -> int:
    """The first comma between members that is a block or more behind the beginning of one; -1 without one."""
    depth = 1
    while start < len(view):
        end, pieces = _outside(bytes(view[start : start + BLOCK]))
        if not end:  # a string that is longer than a block
            found = _STRING.match(view, start)
            start = found.end() if found else len(view)
            continue
        bare = b"".join(pieces)
        depth += bare.count(b"[") + bare.count(b"{") - bare.count(b"]") - bare.count(b"}")
        start += end
        cut = _comma_behind(view, start, depth)
        if cut >= 0:
            return cut
    return -1


def _comma_behind(view: memoryview, start: int, depth: int) -> int:
    """The first comma between members not far behind a place at this depth; -1 without one."""
    for found in islice(_MARKS.finditer(view, start), _MOST_MARKS):
        place = found.start()
        mark = view[place]
        if mark == _COMMA and depth == 1:
            return place
        depth += (mark in _OPENED) - (mark in _CLOSED)
    return -1
