"""JSON text without its strings, a block of it at a time, for the checks that count what is outside of strings."""

from __future__ import annotations

import re
from collections.abc import Iterator

# An unfinished string matches up to the end: trying again at every quotation mark in it would take quadratic time.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_WHOLE_TOKENS = re.compile(rb'(?:[^"]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
"""Everything up to a string that is not finished."""
BLOCK = 1 << 17
"""Bytes of a text that are looked at at once."""
_OF_NUMBERS = b"0123456789.eE+-"


def without_strings(text: bytes) -> Iterator[bytes]:
    """A JSON text without its strings, a block of it at a time; a number of up to a block is never cut.

    Leaving out all strings of a dense text at once would take twenty times its size: one object for each piece.
    """
    start = 0
    while start < len(text):
        block = text[start : start + BLOCK]
        whole = _WHOLE_TOKENS.match(block)
        end = whole.end() if whole else 0
        if end == len(block) and start + end < len(text):
            end = len(block.rstrip(_OF_NUMBERS)) or end
        if end:
            yield _STRING.sub(b"", block[:end])
            start += end
        else:  # a string that is longer than a block
            found = _STRING.match(text, start)
            start = found.end() if found else len(text)
            yield b" "
