"""Which step wrote a line of a file: in the text that a run left, or in the file on disk."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.core.analysis.files.file_text import BEFORE, FileText, Version
from opentine_gui.core.analysis.files.line_alignment import same_lines

NOT_THERE = "the run does not leave the line like that"
FROM_BEFORE = "it stood there before the first recorded change"


class Blamed(NamedTuple):
    """A line of the text asked about, and the position of the step that wrote it; None, with a `reason`, if unknown."""

    line: str
    writer: int | None
    reason: str = ""


def blame_line(text: FileText, line: int) -> Blamed:
    """Which step wrote line `line` (from 1) of a text. LookupError when the text has no such line."""
    if text.lines is None:
        return Blamed("", None, text.reason)
    if not 1 <= line <= len(text.lines):
        raise LookupError(f"the file has {len(text.lines):,} lines at that step")
    writer = text.writers[line - 1]
    return Blamed(text.lines[line - 1], *((None, FROM_BEFORE) if writer == BEFORE else (writer, "")))


def blame_present(present: str, found: list[Version]) -> list[Blamed]:
    """Which step wrote each line of the file on disk, given its recorded `found` versions.

    Where the run leaves a known text, lines are matched to it. Otherwise the recorded edits are undone one by one, the
    last one first: a line belongs to an edit only if everything the edit wrote is there exactly once, unchanged.
    """
    lines = present.split("\n")
    left = found[-1].text if found else None
    if left is not None and left.lines is not None:
        return _matched(lines, left)
    writers: list[int | None] = [None] * len(lines)
    places = list(range(len(lines)))  # which line of `present` each line of the undone text is; -1: none
    text = list(lines)
    for version in reversed(found):
        if not version.recorded:
            continue
        taken = _taken_back(text, places, writers, version)
        if taken is None:
            break
        text, places = taken
    reason = found[-1].text.reason if found else "the run has no record of this file"
    return [
        Blamed(line, writer, "" if writer is not None else reason) for line, writer in zip(lines, writers, strict=True)
    ]


def _matched(lines: list[str], left: FileText) -> list[Blamed]:
    assert left.lines is not None
    found = [Blamed(line, None, NOT_THERE) for line in lines]
    for start, other, size in same_lines(lines, left.lines):
        for step in range(size):
            found[start + step] = blame_line(left, other + step + 1)
    return found


def _taken_back(
    text: list[str], places: list[int], writers: list[int | None], version: Version
) -> tuple[list[str], list[int]] | None:
    """The text before a version's edits, with its own lines marked; None when one of the edits cannot be found."""
    for old, new in reversed(version.recorded):
        after, before = new.removesuffix("\n").split("\n"), old.removesuffix("\n").split("\n") if old else []
        at = _only_place(text, after)
        if at is None:
            return None
        moved, written = [-1] * len(before), set(range(at, at + len(after)))
        for first, begin, size in same_lines(before, after):
            moved[first : first + size] = places[at + begin : at + begin + size]
            written -= set(range(at + begin, at + begin + size))
        for place in (places[number] for number in written):
            if place >= 0 and writers[place] is None:
                writers[place] = version.position
        text = [*text[:at], *before, *text[at + len(after) :]]
        places = [*places[:at], *moved, *places[at + len(after) :]]
    return text, places


def _only_place(text: list[str], part: list[str]) -> int | None:
    """Where lines occur among others, if exactly once; the first and the last may match parts of lines."""
    count = len(part)
    found = [
        place
        for place in range(len(text) - count + 1)
        if (text[place] == part[0] if count > 1 else part[0].strip() == text[place].strip() != "")
        and text[place + 1 : place + count] == part[1:]
    ]
    return found[0] if len(found) == 1 else None
