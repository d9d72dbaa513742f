"""Names of files in what a check printed, with and without the line they are named at; time follows the length."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 1_000
"""Characters of a name; what is longer is not one."""
# Words are taken whole and never given back: a text of letters alone would otherwise cost its length cubed.
_WORD = re.compile(r"(?<![\w@~./\\+-])[\w@~./\\+-]++")
_ENDING = re.compile(r"(?<=[\w+-])\.[A-Za-z]\w{0,9}(?!\w)")
_PLACE = re.compile(r"(?<![\w@~./\\+-])([\w@~./\\+-]++)(?:\", line |:|\()(\d++)")


def names_in(text: str) -> Iterator[str]:
    """The names of files in a text, in its order: words up to the last ending they have."""
    for found in _WORD.finditer(text):
        word = found[0]
        end = _end_of_name(word) if len(word) <= LONGEST else 0
        if end:
            yield word[:end]


def places_in(text: str) -> Iterator[tuple[str, str]]:
    """(name, line) wherever a text names a line of a file: `a.py:12`, `a.ts(12`, `"a.py", line 12`."""
    for found in _PLACE.finditer(text):
        word = found[1]
        if len(word) <= LONGEST and _end_of_name(word) == len(word):
            yield word, found[2]


def _end_of_name(word: str) -> int:
    """Where the last ending of a word stops; 0 when it has none."""
    end = 0
    for ending in _ENDING.finditer(word):
        end = ending.end()
    return end
