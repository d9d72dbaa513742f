"""File names in what a check printed, with or without line numbers, in linear time."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 1_000
"""Characters of a name; what is longer is not one."""
# Possessive, without backtracking: a text of letters alone would otherwise take cubic time.
_WORD = re.compile(r"(?<![\w@~./\\+-])[\w@~./\\+-]++")
_ENDING = re.compile(r"(?<=[\w+-])\.[A-Za-z]\w{0,9}(?!\w)")
_PLACE = re.compile(r"(?<![\w@~./\\+-])([\w@~./\\+-]++)(?:\", line |:|\()(\d++)")


def names_in(text: str) -> Iterator[str]:
    """The file names in a text, in order: words, cut after their last file extension."""
    for found in _WORD.finditer(text):
        word = found[0]
        end = _end_of_name(word) if len(word) <= LONGEST else 0
        if end:
            yield word[:end]


def places_in(text: str) -> Iterator[tuple[str, str]]:
    """(name, line) for every place where a text names a line of a file: `a.py:12`, `a.ts(12`, `"a.py", line 12`."""
    for found in _PLACE.finditer(text):
        word = found[1]
        if len(word) <= LONGEST and _end_of_name(word) == len(word):
            yield word, found[2]


def _end_of_name(word: str) -> int:
    """Where the last file extension in a word ends; 0 when it has none."""
    end = 0
    for ending in _ENDING.finditer(word):
        end = ending.end()
    return end
