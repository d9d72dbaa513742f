"""Aligns two lists with difflib, and gives up where they repeat so much that it would take squared time and more."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate

Opcode = tuple[str, int, int, int, int]


class _TooMuch(Exception):
    """More pairs would be looked at than may be."""


class _CountedMatcher(SequenceMatcher[str]):
    """`left` is how many more pairs of equal items may be looked at; `before` says how many the first items have."""

    def __init__(self, old: Sequence[str], new: Sequence[str], counts: Sequence[int], left: int) -> None:
        super().__init__(None, old, new, autojunk=False)
        self.left, self.before = left, [0, *accumulate(counts)]

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """As difflib's, which looks at all pairs of the items from `alo` to `ahi`."""
        self.left -= self.before[-1 if ahi is None else ahi] - self.before[alo]
        if self.left < 0:
            raise _TooMuch
        return super().find_longest_match(alo, ahi, blo, bhi)


def aligned(
    old: Sequence[str], new: Sequence[str], counts: Sequence[int], scans: int
) -> tuple[list[Opcode] | None, int]:
    """(the opcodes from `old` to `new`, or None; the scans left of `scans`).

    `counts` is how often each item of `old` is in `new`.
    """
    matcher = _CountedMatcher(old, new, counts, scans)
    try:
        return list(matcher.get_opcodes()), matcher.left
    except _TooMuch:
        return None, max(matcher.left, 0)
