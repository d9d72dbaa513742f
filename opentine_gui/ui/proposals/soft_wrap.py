"""Wraps text for boxes that cannot: line breaks stand in place of spaces, and are told from real ones.

Only the text between the first and the last letter that differ is taken for what was typed, so the breaks beside it
stay what they were. A text that was shown before, as undo brings it back, has the breaks it had then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

MOST_CHARACTERS = 1_000_000
"""A longer text is shown as it is."""

FEWEST_SEEN, MOST_SEEN = 50, 100_000
"""Earlier texts that are remembered: at least the first, and more until their breaks come to the second."""

Advances = Callable[[str], list[float]]
"""The width of each character of a line."""


class SoftWrap:
    """`shown` is the text with lines of at most `room` pixels; `typed` turns an edited one back into the real text."""

    def __init__(self, text: str, advances: Advances, room: float, widest: float) -> None:
        """`widest` is the width of the widest character: shorter lines are not measured."""
        breaks = _breaks(text, advances, room, widest) if len(text) <= MOST_CHARACTERS else {}
        self.shown, self._breaks = _with_breaks(text, breaks)
        self._before = (self.shown, self._breaks)
        self._seen: dict[int, Mapping[int, str]] = {hash(self.shown): self._breaks}
        self.text = text
        self.changed = False
        """Whether something was typed, so that its lines may not be those of the text any more."""

    @property
    def lines(self) -> int:
        """How many lines are shown."""
        return self.shown.count("\n") + 1

    def typed(self, shown: str) -> str:
        """Take what the box contains now; returns the text it stands for."""
        old = self.shown
        if shown == old:
            return self.text
        self._before = (old, self._breaks)
        breaks = self._seen.get(hash(shown))
        if breaks is None or any(place >= len(shown) or shown[place] != "\n" for place in breaks):
            head = _common(old, shown)
            tail = _common(old[head:][::-1], shown[head:][::-1])
            moved, end = len(shown) - len(old), len(old) - tail
            breaks = {place: was for place, was in self._breaks.items() if place < head}
            breaks |= {place + moved: was for place, was in self._breaks.items() if place >= end}
            self._remember(shown, breaks)
        self.shown, self._breaks, self.changed = shown, breaks, True
        self.text = _without(shown, breaks, 0)
        return self.text

    def _remember(self, shown: str, breaks: Mapping[int, str]) -> None:
        self._seen[hash(shown)] = breaks
        while len(self._seen) > max(FEWEST_SEEN, MOST_SEEN // (len(breaks) + 1)):
            del self._seen[next(iter(self._seen))]

    def copied(self, piece: str) -> str:
        """The text that a piece of what is shown, or was shown before the last change, stands for."""
        for shown, breaks in ((self.shown, self._breaks), self._before):
            start = shown.find(piece) if breaks else -1
            if start >= 0:
                inside = {place - start: was for place, was in breaks.items() if start <= place < start + len(piece)}
                return _without(piece, inside, 0)
        return piece


def _breaks(text: str, advances: Advances, room: float, widest: float) -> dict[int, str]:
    """Where lines are broken: place in the text -> the space that the break stands for, or "" for one put before it."""
    found: dict[int, str] = {}
    begin = 0
    for line in text.split("\n"):
        if len(line) * widest > room:
            _break_line(line, begin, advances(line), room, found)
        begin += len(line) + 1
    return found


def _break_line(line: str, begin: int, widths: list[float], room: float, found: dict[int, str]) -> None:
    start, used, space, after_space = 0, 0.0, -1, 0.0
    for place, width in enumerate(widths):
        if line[place] == " ":
            space, after_space = place, 0.0
        else:
            after_space += width
        used += width
        if used <= room or place == start:
            continue
        if space > start:
            found[begin + space] = " "
            start, used = space + 1, after_space
        else:
            found[begin + place] = ""
            start, used = place, width
            after_space = width
        space = -1


def _with_breaks(text: str, breaks: Mapping[int, str]) -> tuple[str, Mapping[int, str]]:
    """(the text with its breaks, the breaks by place in that)."""
    if not breaks:
        return text, {}
    pieces: list[str] = []
    placed: dict[int, str] = {}
    start = shift = 0
    for place, was in breaks.items():
        pieces += (text[start:place], "\n")
        placed[place + shift] = was
        start = place + len(was)
        shift += 1 - len(was)
    return "".join([*pieces, text[start:]]), placed


def _without(shown: str, breaks: Mapping[int, str], start: int) -> str:
    """The text with what its breaks stand for."""
    pieces: list[str] = []
    for place in sorted(breaks):
        pieces += (shown[start:place], breaks[place])
        start = place + 1
    return "".join([*pieces, shown[start:]])


def _common(one: str, other: str) -> int:
    """How many characters two texts begin with in common."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
