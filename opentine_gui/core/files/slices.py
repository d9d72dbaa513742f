"""Cuts the steps and the turns out of a large text in the package's layout, and into slices of whole entries.

A JSON string never contains a newline, so a cut after a line that closes a step or a turn is either between two of them
or the slices do not parse, and then the text is read whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from opentine_gui.core.format.text_source import Text
from opentine_gui.core.progress import SLICE

SMALLEST_SPLIT = 2 * 1024 * 1024
"""Bytes of the smallest text, and of the smallest transcript, that is cut."""
MOST_AHEAD = 1 << 14
"""Bytes read beyond a slice at first, in which the step that it ends in should end."""
SHORT_END = 64
"""Bytes at the end of a text in which its transcript is closed."""

# Placeholders for the parts that are cut out and read on their own. A text that contains one itself is read whole.
STEPS_HOLE = b'{" the steps, read apart ":0}'
TURNS_HOLE = b'[" the turns, read apart "]'

_GRAPH_OPEN = b'\n  "graph": {'
_STEPS_OPEN = b'\n    "steps": {\n'
_STEPS_CLOSE = b'\n    }\n  },\n  "manifest": '
STEP_CLOSE = b"\n      },\n"
_TURNS_OPEN = b'\n  "transcript": [\n'
_TURNS_CLOSE = b"\n  ]"
TURN_CLOSE = b"\n    },\n"


class Cut(NamedTuple):
    """A text without its steps and turns, which have holes in their places, and where those stand in it, in bytes.

    `turns` is None where the transcript is left in the shell.
    """

    shell: bytes
    steps: slice
    turns: slice | None

    @property
    def size(self) -> int:
        """Bytes that were cut out."""
        turns = self.turns or slice(0, 0)
        return int(self.steps.stop - self.steps.start + turns.stop - turns.start)


def cut_out(text: Text) -> Cut | None:
    """The text with its steps and turns cut out; None where it is short or in another layout."""
    size = len(text)
    if size < SMALLEST_SPLIT:
        return None
    graph_open = text.find(_GRAPH_OPEN, 0, size)
    begin = text.find(_STEPS_OPEN, max(graph_open, 0), size) + len(_STEPS_OPEN)
    end = text.rfind(_STEPS_CLOSE)
    if graph_open < 0 or begin < len(_STEPS_OPEN) or end < begin:
        return None
    rest = end + len(_STEPS_CLOSE[:6])
    turns = _place_of_turns(text, rest)
    pieces = [text.piece(0, begin - 2), STEPS_HOLE]
    if turns is not None:
        pieces += [text.piece(rest, turns.start - 2), TURNS_HOLE]
        rest = turns.stop + len(_TURNS_CLOSE)
    shell = b"".join((*pieces, text.piece(rest, size)))
    if shell.count(STEPS_HOLE) != 1 or shell.count(TURNS_HOLE) != (turns is not None):
        return None
    return Cut(shell, slice(begin, end), turns)


def _place_of_turns(text: Text, start: int) -> slice | None:
    """Where the turns of a long transcript stand, if it is the last member."""
    size = len(text)
    if size - start < SMALLEST_SPLIT:
        return None
    begin = text.find(_TURNS_OPEN, start, size) + len(_TURNS_OPEN)
    last = max(begin, size - SHORT_END)
    close = text.piece(last, size).rfind(_TURNS_CLOSE)
    return slice(begin, last + close) if begin > start and close >= 0 and begin < last + close else None


def slices_of(text: Text, place: slice, mark: bytes) -> Iterator[tuple[memoryview, int]]:
    """(whole entries, bytes of text they take) for each slice of the text at a place; `mark` closes an entry."""
    start = place.start
    while start < place.stop:
        entries, stop = _slice(text, start, place.stop, mark)
        yield entries, stop - start
        start = stop


def _slice(text: Text, start: int, end: int, mark: bytes) -> tuple[memoryview, int]:
    """(the text of whole entries, about a slice of it; where the next slice starts)."""
    ahead = SLICE + MOST_AHEAD
    while True:
        piece = text.piece(start, min(start + ahead, end))
        cut = piece.find(mark, SLICE)
        if cut >= 0 and start + cut + len(mark) < end:
            stop = cut + len(mark) - 2
            return memoryview(piece)[:stop], start + stop + 2
        if start + ahead >= end:
            return memoryview(piece), end
        ahead *= 4
