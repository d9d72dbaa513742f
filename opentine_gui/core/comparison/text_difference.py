"""Line-by-line text difference with marks inside changed lines; the work is bounded for any input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.core.errors import FormatError, shown
from opentine_gui.core.graph.equal_ends import common_beginning, common_end

if TYPE_CHECKING:
    from opentine_gui.core.comparison.counted_matcher import Opcode

MOST_LINES = 500
"""Most lines per side to align, not counting the equal ones at the start and the end."""
MOST_WORDS = 300
"""Most words per line to align; longer lines get one mark from the first to the last difference."""
MOST_MEETINGS = 100_000
"""Most pairs of equal lines or words to look at; a more repetitive text is not aligned."""
MOST_SCANS = 1_000_000
"""Most pairs of equal lines or words to look at again, between those that were aligned before."""
MOST_CHARACTERS = 1_000_000
"""Most characters per side to compare; the rest is left out and `cut` is set."""
_WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
Span = tuple[int, int]
"""Start and end (exclusive) character in a line."""


class LineChange(StrEnum):
    """How a line differs."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


_SIGNS = {LineChange.SAME: " ", LineChange.REMOVED: "-", LineChange.ADDED: "+"}
_CHANGES = (LineChange.REMOVED, LineChange.ADDED)


class TextLine(msgspec.Struct, frozen=True):
    """A line without its newline. `marks` are the spans of a removed or added line that differ from its counterpart."""

    change: LineChange
    text: str
    marks: tuple[Span, ...] = ()


class TextDifference(msgspec.Struct, frozen=True):
    """The lines of a difference in reading order.

    `aligned`: the lines were matched one by one. `cut`: the texts were too long and only their beginnings were
    compared. `skipped`: numbers of equal lines left out at the start and the end.
    """

    lines: tuple[TextLine, ...]
    aligned: bool = True
    cut: bool = False
    skipped: Span = (0, 0)


def text_difference(
    before: str, after: str, *, context: int = 3, effort: Effort | None = None, marked: bool = True
) -> TextDifference:
    """The lines to remove from and add to `before` to get `after`, with `context` equal lines around them.

    `effort` is shared by several differences that are shown together. Without `marked` lines have no marks, which take
    most of the time. FormatError for arguments of another type.
    """
    given: tuple[object, ...] = (before, after)
    if not all(isinstance(text, str) for text in given):
        raise FormatError("only two texts can be compared line by line")
    around: object = context
    if not isinstance(around, int) or around < 0:
        raise FormatError(f"the context is a number of lines, and {shown(around)} is none")
    cut = max(len(before), len(after)) > MOST_CHARACTERS
    old, new = before[:MOST_CHARACTERS].split("\n"), after[:MOST_CHARACTERS].split("\n")
    front = common_beginning(old, new)
    back = common_end(old, new, front)
    middle_old, middle_new = old[front : len(old) - back], new[front : len(new) - back]
    effort = effort or Effort(MOST_MEETINGS)
    steps = effort.aligned(middle_old, middle_new, MOST_LINES)
    lines = [TextLine(LineChange.SAME, text) for text in old[max(0, front - context) : front]]
    for name, start, stop, first, last in steps or [("replace", 0, len(middle_old), 0, len(middle_new))]:
        if name == "equal":
            lines += [TextLine(LineChange.SAME, text) for text in middle_old[start:stop]]
        else:
            pieces = (middle_old[start:stop], middle_new[first:last])
            lines += _changed(*pieces, effort if marked and steps is not None else None)
    kept = min(back, context)
    lines += [TextLine(LineChange.SAME, text) for text in old[len(old) - back : len(old) - back + kept]]
    return TextDifference(tuple(lines), steps is not None, cut, (max(0, front - context), back - kept))


def signed_lines(old: Sequence[str], new: Sequence[str], *, effort: Effort | None = None) -> tuple[list[str], bool]:
    """The lines of a difference, each behind its sign, and whether only the beginnings of long ones were compared.

    No lines differ from an empty one: of a side that has none nothing was removed, or added, and nothing is the same.
    """
    if not old or not new:
        return [*(f"-{line}" for line in old), *(f"+{line}" for line in new)], False
    found = text_difference("\n".join(old), "\n".join(new), effort=effort, marked=False)
    return [_signed(line) for line in found.lines], found.cut


def lines_of(text: str) -> list[str]:
    """The lines of a text; the empty one after its last newline is none, and no text has none."""
    return text.removesuffix("\n").split("\n") if text else []


def _signed(line: TextLine) -> str:
    return f"{_SIGNS[line.change]}{line.text}"


def unified(before: str, after: str, *, context: int = 3, effort: Effort | None = None) -> list[str]:
    """The hunks of a unified diff of two texts, without the lines that name the files; none for equal texts.

    A last line says where the texts are longer than what was compared.
    """
    if before == after:
        return []
    old, new = lines_of(before), lines_of(after)
    if not before or not after:
        rows, _cut = signed_lines(old, new)
        return [f"@@ -{bool(before):d},{len(old)} +{bool(after):d},{len(new)} @@", *rows]
    if old == new:
        return ["\\ Only the newline at the end differs"]
    found = text_difference("\n".join(old), "\n".join(new), context=context, effort=effort, marked=False)
    lines = found.lines
    hunks: list[str] = []
    done, olds, news = 0, found.skipped[0], found.skipped[0]
    for begin, end in _stretches([place for place, line in enumerate(lines) if line.change in _CHANGES], context):
        between, part = lines[done:begin], lines[begin:end]
        olds, news = olds + _count(between, LineChange.ADDED), news + _count(between, LineChange.REMOVED)
        gone, come = _count(part, LineChange.ADDED), _count(part, LineChange.REMOVED)
        hunks.append(f"@@ -{olds + (gone > 0)},{gone} +{news + (come > 0)},{come} @@")
        hunks += [_signed(line) for line in part]
        done, olds, news = end, olds + gone, news + come
    return [*hunks, f"\\ Only the first {MOST_CHARACTERS:,} characters were compared"] if found.cut else hunks


def _stretches(places: Sequence[int], context: int) -> Iterator[Span]:
    """The stretches (begin, end) around some places, with `context` more at both ends; those that meet are one."""
    begin = end = -1
    for place in places:
        if end >= 0 and place - context > end:
            yield begin, end
            end = -1
        if end < 0:
            begin = max(0, place - context)
        end = place + context + 1
    if end >= 0:
        yield begin, end


def _count(lines: Sequence[TextLine], without: LineChange) -> int:
    """How many lines there are besides those that were added, or removed."""
    return sum(line.change is not without for line in lines)


class Effort:
    """Budget for aligning, in pairs of equal items, which is what `SequenceMatcher` spends its time on.

    Between what it has aligned it looks at the same pairs again, which counts as `scans`.
    """

    def __init__(self, meetings: int, scans: int = MOST_SCANS) -> None:
        self.left, self.scans = meetings, scans

    def aligned(self, old: Sequence[str], new: Sequence[str], most: int) -> list[Opcode] | None:
        """The opcodes from `old` to `new`; None if a side has more than `most` items or the budget is too small."""
        if len(old) > most or len(new) > most:
            return None
        counts: dict[str, int] = {}
        for item in new:
            counts[item] = counts.get(item, 0) + 1
        meetings = sum([counts.get(item, 0) for item in old])
        if meetings > self.left:
            return None
        self.left -= meetings
        from opentine_gui.core.comparison.counted_matcher import aligned  # imports difflib: few runs are compared

        steps, self.scans = aligned(old, new, [counts.get(item, 0) for item in old], self.scans)
        return steps


def marks_between(before: str, after: str, effort: Effort) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """(spans of `before`, spans of `after`) that differ, in whole words."""
    front = common_beginning(before, after)
    back = common_end(before, after, front)
    ends = (len(before) - back, len(after) - back)
    # Widen to whole words.
    while front and before[front - 1].isalnum() and (front < ends[0] or front < ends[1]):
        front -= 1
    while back and before[len(before) - back].isalnum():
        back -= 1
    one, two = before[front : len(before) - back], after[front : len(after) - back]
    words, others = _WORDS.findall(one), _WORDS.findall(two)
    steps = effort.aligned(words, others, MOST_WORDS) or [("replace", 0, len(words), 0, len(others))]
    return _spans(words, [step[:3] for step in steps], front), _spans(
        others, [(step[0], *step[3:]) for step in steps], front
    )


def _changed(old: Sequence[str], new: Sequence[str], effort: Effort | None) -> list[TextLine]:
    """The removed lines, then the added ones; lines at the same index are marked where they differ."""
    gone: list[TextLine] = []
    come: list[TextLine] = []
    for number in range(max(len(old), len(new))):
        here, there = (number < len(old), number < len(new))
        left: tuple[Span, ...] = ()
        right: tuple[Span, ...] = ()
        if effort is not None and here and there:
            left, right = marks_between(old[number], new[number], effort)
        if here:
            gone.append(TextLine(LineChange.REMOVED, old[number], left))
        if there:
            come.append(TextLine(LineChange.ADDED, new[number], right))
    return [*gone, *come]


def _spans(words: Sequence[str], steps: Sequence[tuple[str, int, int]], start: int) -> tuple[Span, ...]:
    """Character spans of the differing words; touching spans are joined."""
    ends = [start]
    for word in words:
        ends.append(ends[-1] + len(word))
    found: list[Span] = []
    for name, first, last in steps:
        if name == "equal" or first == last:
            continue
        if found and found[-1][1] == ends[first]:
            found[-1] = (found[-1][0], ends[last])
        else:
            found.append((ends[first], ends[last]))
    return tuple(found)
