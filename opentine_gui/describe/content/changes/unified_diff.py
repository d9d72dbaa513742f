"""Unified diffs: added and removed lines in colour, numbered as in the files, and counted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opentine_gui.describe.content.lines import (
    Lines,
    ListedLines,
    Pace,
    clean_text,
    code_hang,
    cut_lines,
    no_pace,
    text_lines,
)
from opentine_gui.describe.content.tree_lines import Shown
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.styled import Span, StyledLine

MOST_NUMBERED = 2_000_000
"""Most characters of a diff whose lines are numbered and counted."""
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_HEADER = re.compile(
    r"^(?:diff --git |index [0-9a-f]|Index: |={20,}|similarity index|rename |new file|deleted file|old mode|new mode"
    r"|Binary files|GIT binary|\*\*\* |\\ No newline)"
)


def diff_lines(text: str, pace: Pace = no_pace) -> Shown:
    """The lines of a diff, and how much it adds and removes."""
    if len(text) > MOST_NUMBERED:
        return Shown("Diff", text_lines(text, lambda line, _number: _plain(line), pace))
    lines = [line for line, _ in cut_lines(clean_text(text))]
    found = list(_Numbered().read(lines))
    added, removed = (sum(line.ground == ground for line in found) for ground in ("added", "removed"))
    digits = max((len(line.number) for line in found), default=1)
    files = sum(line.startswith(("+++ ", "*** Update File", "*** Add File")) for line in lines)
    label = f"Diff +{added:,} −{removed:,}" + (f" · {counted(files, 'file')}" if files > 1 else "")
    return Shown(label, _listed([_summary(added, removed, files), *found], digits))


def _summary(added: int, removed: int, files: int) -> StyledLine:
    """The summary line above a diff."""
    spans = (
        Span(f"{counted(files, 'file')}   " if files else "", "quiet", "text"),
        Span(f"+{added:,}  ", "added", "text"),
        Span(f"−{removed:,}", "removed", "text"),
    )
    return StyledLine(tuple(span for span in spans if span.text), ours=True)


def _listed(lines: list[StyledLine], digits: int) -> Lines:
    return ListedLines([line if line.ours else line._replace(digits=digits) for line in lines])


def _plain(line: str) -> StyledLine:
    if line.startswith(("+++ ", "--- ")) or _HEADER.match(line):
        return StyledLine((Span(line, "quiet"),))
    if line.startswith("@@"):
        return StyledLine((Span(line, "keyword"),))
    return _changed(line)


def _changed(line: str, number: str = "") -> StyledLine:
    ground = {"+": "added", "-": "removed"}.get(line[:1], "")
    if not ground:
        return StyledLine((Span(line),) if line else (), hang=code_hang(line), number=number)
    return StyledLine((Span(line[0], ground), Span(line[1:])), hang=code_hang(line[1:]), number=number, ground=ground)


class _Numbered:
    """Numbers the lines of hunks: added and unchanged ones as in the new file, removed ones as in the old."""

    def __init__(self) -> None:
        self.old = self.new = 0
        self.old_left = self.new_left = 0
        self.unknown = False
        """Whether the hunk says how many lines it has, and not where they stand: its numbers are 0."""

    def read(self, lines: list[str]) -> Iterator[StyledLine]:
        """The lines; inside a hunk whose length is known, everything is content, whatever it looks like."""
        bare = not any(_HUNK.match(line) for line in lines)
        for line in lines:
            hunk = _HUNK.match(line)
            inside = self.old_left > 0 or self.new_left > 0
            if hunk and not inside:
                self.old, self.new = int(hunk[1]), int(hunk[3])
                self.old_left, self.new_left = int(hunk[2] or 1), int(hunk[4] or 1)
                tail = hunk.end()
                self.unknown = (not self.old and self.old_left > 0) or (not self.new and self.new_left > 0)
                head = "@@" if self.unknown else line[:tail]
                yield StyledLine((Span(head, "keyword"), Span(line[tail:], "quiet")))
            elif inside and not line.startswith("\\"):
                yield self._inside(line)
            elif bare and not line.startswith(("+++ ", "--- ")) and not _HEADER.match(line):
                yield _plain(line)
            elif line.startswith(("+++ ", "--- ", "*** ")):
                yield StyledLine((Span(line[:4], "quiet"), Span(line[4:], "heading")))
            elif line[:1] in "+-" and line and self.new:  # hunks that were truncated, or counted wrongly
                yield self._inside(line)
            else:
                yield StyledLine((Span(line, "quiet"),) if line else ())

    def _inside(self, line: str) -> StyledLine:
        number = self.old if line[:1] == "-" else self.new
        if line[:1] != "+":
            self.old, self.old_left = self.old + 1, self.old_left - 1
        if line[:1] != "-":
            self.new, self.new_left = self.new + 1, self.new_left - 1
        return _changed(line, "" if self.unknown else str(number))
