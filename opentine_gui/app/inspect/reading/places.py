"""Places in lines of text: what lies between two of them, and what finds them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from opentine_gui.describe.content.lines import Lines, Pace, no_pace

MOST_COPIED = 16_000_000
"""Characters that are copied at most."""


class Spot(Protocol):
    """An occurrence that a needle found, such as a match of the `re` module."""

    def start(self) -> int:
        """Where it begins."""

    def end(self) -> int:
        """Where it ends."""


class Needle(Protocol):
    """What is searched for in the lines, such as a pattern of the `re` module."""

    def finditer(self, text: str, /) -> Iterable[Spot]:
        """Every occurrence in a text, in order."""


class Place(NamedTuple):
    """A place between two characters: the line, and how many of its characters are before it."""

    line: int
    offset: int


def text_between(lines: Lines, begin: Place, end: Place, pace: Pace = no_pace) -> str:
    """The text of lines between two places, at most `MOST_COPIED` characters."""
    pieces: list[str] = []
    length = 0
    for index in range(begin.line, min(end.line + 1, len(lines))):
        if index % 200 == 0:
            pace()
        line = lines[index]
        if line.ours:
            continue
        text = line.text
        last = index == end.line
        text = text[begin.offset if index == begin.line else 0 : end.offset if last else None]
        pieces.append(text if last or not line.ends else text + "\n")
        length += len(text) + 1
        if length > MOST_COPIED:
            break
    return "".join(pieces)[:MOST_COPIED]
