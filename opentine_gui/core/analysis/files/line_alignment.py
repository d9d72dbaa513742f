"""Which lines of two texts match; the time is bounded whatever the texts are."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.core.graph.equal_ends import common_beginning, common_end

MOST_MEETINGS = 1_000_000
"""Most pairs of equal lines for a full alignment; above it, only lines that occur once in both texts are matched."""


class Same(NamedTuple):
    """`size` equal lines: from `old` in one text and from `new` in the other."""

    old: int
    new: int
    size: int


def same_lines(old: Sequence[str], new: Sequence[str]) -> list[Same]:
    """The stretches of equal lines, in order and without overlap."""
    front = common_beginning(old, new)
    back = common_end(old, new, front)
    found = [Same(0, 0, front)] if front else []
    one, other = old[front : len(old) - back], new[front : len(new) - back]
    if one and other:
        found += [Same(a + front, b + front, size) for a, b, size in _between(one, other)]
    return [*found, Same(len(old) - back, len(new) - back, back)] if back else found


def _between(old: Sequence[str], new: Sequence[str]) -> list[Same]:
    counts = Counter(new)
    if sum(counts[line] for line in old) > MOST_MEETINGS:
        return _by_single_lines(old, new, counts)
    from difflib import SequenceMatcher

    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [Same(block.a, block.b, block.size) for block in blocks if block.size]


def _by_single_lines(old: Sequence[str], new: Sequence[str], counts: Counter[str]) -> list[Same]:
    """Lines that occur once in both texts, as many as keep their order (the longest increasing subsequence)."""
    here = Counter(old)
    place = {line: number for number, line in enumerate(new) if counts[line] == 1 and here[line] == 1}
    pairs = [(number, place[line]) for number, line in enumerate(old) if line in place]
    ends: list[int] = []
    last: list[int] = []
    before = [-1] * len(pairs)
    for number, (_, there) in enumerate(pairs):
        at = bisect_left(ends, there)
        before[number] = last[at - 1] if at else -1
        ends[at : at + 1], last[at : at + 1] = [there], [number]
    found: list[Same] = []
    number = last[-1] if last else -1
    while number >= 0:
        found.append(Same(*pairs[number], 1))
        number = before[number]
    return found[::-1]
