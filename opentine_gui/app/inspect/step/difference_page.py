"""The difference of two steps as styled lines: in one column, or side by side in rows of equal height."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opentine_gui.app.inspect.step.difference import SectionDifference, side_by_side
from opentine_gui.describe.content.lines import Lines, ListedLines, Pace, cut_styled, no_pace
from opentine_gui.describe.difference_lines import SIGNS, DiffLine
from opentine_gui.scene.text.styled import Span, StyledLine

_GROUNDS = {"removed": "removed", "added": "added"}
_MARKS = {"removed": "removed_mark", "added": "added_mark"}
_ROLES = {"removed": "removed", "added": "added"}
_LEAST_COLUMNS = 12
_SLICE = 200
"""Lines between two calls of `pace`."""
_LINE_WEIGHT = 40
"""The weight of a line besides its characters, in characters."""


class Columns(NamedTuple):
    """The left and the right side; line n of one is beside line n of the other."""

    left: Lines
    right: Lines


class DifferencePage(NamedTuple):
    """What is shown: in one column on the left alone; and how many lines were added and removed."""

    left: Lines
    right: Lines
    added: int
    removed: int


def difference_page(sections: Sequence[SectionDifference], columns: int | None, pace: Pace = no_pace) -> DifferencePage:
    """The sections side by side, wrapped after a number of characters; in one column for None."""
    if columns is None:
        sides = Columns(one_column(sections, pace), ListedLines())
    else:
        sides = two_columns(sections, columns, pace)
    return DifferencePage(*sides, *counts(sections))


def weighs(sections: Sequence[SectionDifference], most: int) -> bool:
    """Whether the lines of the sections weigh more than `most` characters, each line adding `_LINE_WEIGHT`."""
    for section in sections:
        for line in section.lines:
            most -= _LINE_WEIGHT + len(line.text)
            if most < 0:
                return True
    return False


def counts(sections: Sequence[SectionDifference]) -> tuple[int, int]:
    """(lines added, lines removed)."""
    kinds = [line.kind for section in sections for line in section.lines]
    return kinds.count("added"), kinds.count("removed")


def one_column(sections: Sequence[SectionDifference], pace: Pace = no_pace) -> Lines:
    """The sections below each other, removed lines above added ones."""
    lines: list[StyledLine] = []
    for section in sections:
        lines += _heading(section, len(lines) > 0)
        for number, line in enumerate(section.lines):
            if number % _SLICE == 0:
                pace()
            styled = _line(line, sign=True)
            lines += cut_styled(styled.spans, styled)
    return ListedLines(lines)


def two_columns(sections: Sequence[SectionDifference], columns: int, pace: Pace = no_pace) -> Columns:
    """The sections side by side, lines wrapped after a number of characters."""
    left: list[StyledLine] = []
    right: list[StyledLine] = []
    for section in sections:
        heading = _heading(section, len(left) > 0)
        left += heading
        right += heading
        for row, (one, other) in enumerate(side_by_side(section.lines)):
            if row % _SLICE == 0:
                pace()
            here, there = _pieces(one, columns), _pieces(other, columns)
            for number in range(max(len(here), len(there))):
                left.append(here[number] if number < len(here) else StyledLine())
                right.append(there[number] if number < len(there) else StyledLine())
    return Columns(ListedLines(left), ListedLines(right))


def _heading(section: SectionDifference, gap: bool) -> list[StyledLine]:
    note = ""
    if not section.lines:
        note = "  the same"
    elif not section.before:
        note = "  added"
    elif not section.after:
        note = "  removed"
    spans = (Span(section.name, "text", "title"), Span(note, "faint", "text"))
    return [*([StyledLine()] if gap else []), StyledLine(spans)]


def _line(line: DiffLine, *, sign: bool) -> StyledLine:
    if line.kind == "note":
        return StyledLine((Span(line.text, "faint", "text"),))
    spans = [Span(SIGNS[line.kind], _ROLES.get(line.kind, "faint"))] if sign else []
    spans += marked(line.text, line.marks, line.kind, 0, len(line.text))
    return StyledLine(tuple(spans), hang=14.0 if sign else 0.0, ground=_GROUNDS.get(line.kind, ""))


def _pieces(line: DiffLine | None, columns: int) -> list[StyledLine]:
    """A line of one side in pieces that fit its column; nothing for a line the side does not have."""
    if line is None:
        return []
    if line.kind == "note" or len(line.text) <= columns:
        return [_line(line, sign=False)]
    return list(_broken(line, max(columns, _LEAST_COLUMNS)))


def _broken(line: DiffLine, columns: int) -> Iterator[StyledLine]:
    begin = 0
    while begin < len(line.text):
        end = begin + columns
        if end < len(line.text):
            space = line.text.rfind(" ", begin + columns // 2, end)
            end = space + 1 if space > 0 else end
        spans = marked(line.text, line.marks, line.kind, begin, end)
        ends = end >= len(line.text)
        yield StyledLine(tuple(spans), ground=_GROUNDS.get(line.kind, ""), ends=ends)
        begin = end


def marked(text: str, marks: Sequence[tuple[int, int]], kind: str, begin: int, end: int) -> list[Span]:
    """The text from `begin` to `end`, with the parts that differ on a coloured background."""
    role, ground = "text" if kind in _GROUNDS else "quiet", _MARKS.get(kind, "")
    spans: list[Span] = []
    at = begin
    for first, last in marks:
        first, last = max(first, begin), min(last, end)
        if first >= last:
            continue
        if first > at:
            spans.append(Span(text[at:first], role))
        spans.append(Span(text[first:last], role, ground=ground))
        at = last
    if at < end:
        spans.append(Span(text[at:end], role))
    return spans
