"""JSON text a block at a time: without its strings, for the checks that count what is outside them, or in parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

# An unfinished string matches up to the end: trying again at every quotation mark in it would take quadratic time.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_WHOLE_TOKENS = re.compile(rb'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Everything up to an unfinished string."""
_ESCAPED = b"\0\0"
BLOCK = 1 << 17
"""Bytes of a text that are processed at a time."""
_OF_NUMBERS = b"0123456789.eE+-"
_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{},]', re.DOTALL)
_MOST_MARKS = 4096
"""Most brackets, commas and strings searched after a block for a place to cut."""
_OPENED, _CLOSED = frozenset(b"[{"), frozenset(b"]}")
_COMMA = ord(",")
_LIKELY = {b"{": re.compile(rb'\}(,)"[a-z0-9:]{0,32}[0-9a-f]{64}":\{'), b"[": re.compile(rb'\}(,)\{"')}
"""What lies between two steps in an object, and between two turns in a list."""
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
    """(where an unfinished string begins, else the block's length; the pieces outside the strings before that).

    Splitting at quotation marks takes a tenth of the time of matching strings with a pattern. The pattern is only used
    for texts with backslashes outside strings, which are not JSON.
    """
    bare = block
    if b"\\" in block:  # `\\` is one backslash; only one left after that escapes a quotation mark
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
    """Split a minified list or object into several of about a block of text each, with its members in order.

    Decoding millions of members at once takes fifteen times the size of the text: an object for each.
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
    """A comma between members, at least a block after `begin`, found by what steps and turns look like; -1 if unsure.

    The comma lies between two members if the text before it can be decoded within the outer brackets: trying that takes
    a tenth of the time of telling strings from what is outside them.
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
    """The first comma between members at least a block after `start`, where a member begins; -1 if there is none."""
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
    """The first comma between members among the next marks from `start`, which lies at `depth`; -1 if there is none."""
    for found in islice(_MARKS.finditer(view, start), _MOST_MARKS):
        place = found.start()
        mark = view[place]
        if mark == _COMMA and depth == 1:
            return place
        depth += (mark in _OPENED) - (mark in _CLOSED)
    return -1
