"""The text of a file at a step, with the step that wrote each line, as far as the recorded calls show.

A text is known once a call wrote the whole file or read it from the first line to the last. From there each edit is
replayed: the text it replaces must be there, exactly. If it is not, something else has changed the file, and its text
is unknown until it is written or read again. Nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opentine_gui.core.analysis.files.file_change import (
    Change,
    FileUse,
    Insert,
    Lines,
    Plain,
    Replace,
    Whole,
    file_uses,
)
from opentine_gui.core.analysis.files.line_alignment import same_lines
from opentine_gui.core.analysis.files.patches import Hunk, Hunks
from opentine_gui.core.analysis.files.touched_files import TouchedFile, is_end_of
from opentine_gui.core.analysis.tool_call import ToolCall, tool_call
from opentine_gui.core.graph.graph import Graph

LONGEST = 4_000_000
"""Longest text that is tracked, in characters."""
MOST_READ, LONGEST_LINE = 2_000, 2_000
"""Lines of a file, and characters of a line: tools silently truncate longer ones, so such a text may be incomplete."""
MOST_PLACES, MOST_COPIED = 1_000, 100_000_000
"""A replacement at more places, or that would copy more characters, is made in one go (`_replaced_everywhere`)."""
BEFORE = -1
"""The writer of a line that was there before the first recorded change."""
NOT_READ = "no step on the way there wrote the file or read all of it"
CHANGED_OUTSIDE = "an edit replaces a text that is not there: something else has changed the file"
NOT_IN_CALL = "a call changed it without recording what it wrote"
IS_DELETED = "it was deleted"
IS_TOO_LONG = "it is too long to be followed"
_NUMBERED = re.compile(r"^ *(\d{1,9})(?:\t|→|: |\| )(.*)$")
_CUT = re.compile(
    r"output too large|<persisted-output|_masked>|truncated|\bomitted\b|showing (?:first|last|lines)|more lines|"
    r"characters? (?:elided|removed)",
    re.IGNORECASE,
)
_EDGE = 300
"""Characters at each end of an answer that are searched for a note that the file was truncated."""
_NOTE, _NOTE_END = "<system-reminder>", "</system-reminder>"


class FileText(NamedTuple):
    """`lines` without line ends, and in `writers` the step that wrote each (`BEFORE`: no recorded step).

    `lines` is None where the text is not known; `reason` says why.
    """

    lines: tuple[str, ...] | None
    writers: tuple[int, ...] = ()
    reason: str = ""

    @property
    def text(self) -> str | None:
        """The text; None where it is not known."""
        return None if self.lines is None else "\n".join(self.lines)


UNREAD = FileText(None, (), NOT_READ)


class Version(NamedTuple):
    """The text after the step at `position`, a read or a change; `recorded` are the (old, new) texts in its call."""

    position: int
    text: FileText
    recorded: tuple[tuple[str, str], ...] = ()


def versions(graph: Graph, file: TouchedFile, tip: int) -> list[Version]:
    """The texts of a file on the way to the step `tip`: one after each change, and each read that showed more."""
    on_the_way = set(graph.closure([tip]))
    state, found = UNREAD, []
    for position in sorted({*file.reads, *file.changes} & on_the_way):
        call = tool_call(graph, position)
        if call is None:
            continue
        for use in file_uses(call):
            if not _is_file(use.path, file.path) and not (use.moved_to and _is_file(use.moved_to, file.path)):
                continue
            before = state
            state = _after(state, use, call, position)
            if use.changes and not call.failed:
                found.append(Version(position, state, tuple(_recorded(use.changes))))
            elif state is not before:
                found.append(Version(position, state))
    return found


def text_at(graph: Graph, file: TouchedFile, position: int) -> FileText:
    """The text of a file after the step at `position` and all its ancestors."""
    found = versions(graph, file, position)
    return found[-1].text if found else UNREAD


def _is_file(written: str, path: str) -> bool:
    return written == path or is_end_of(written, path) or is_end_of(path, written)


def _after(state: FileText, use: FileUse, call: ToolCall, position: int) -> FileText:
    if call.failed:
        return state
    if not use.changes:
        return _read(state, call) if use.whole else state
    for change in use.changes:
        state = changed(state, change, position)
    return state


def changed(state: FileText, change: Change, position: int) -> FileText:
    """The text after a change by the step at `position`."""
    if isinstance(change, Plain):
        return FileText(None, (), IS_DELETED if change.word == "deleted" else NOT_IN_CALL)
    if isinstance(change, Whole):
        if len(change.text) > LONGEST:
            return FileText(None, (), IS_TOO_LONG)
        return _rewritten(state, change.text.split("\n"), position)
    if state.lines is None:
        return state
    if isinstance(change, Replace):
        return _replaced(state, change, position)
    if isinstance(change, Insert):
        if not 0 <= change.line <= len(state.lines):
            return FileText(None, (), CHANGED_OUTSIDE)
        text = change.text.removesuffix("\n").split("\n")
        return _spliced(state, change.line, change.line, text, position)
    if isinstance(change, Lines):
        if not 1 <= change.first <= change.last <= len(state.lines):
            return FileText(None, (), CHANGED_OUTSIDE)
        return _spliced(state, change.first - 1, change.last, change.text.split("\n"), position)
    return _patched(state, change, position)


def _rewritten(state: FileText, lines: Sequence[str], position: int) -> FileText:
    """Replace the text of the whole file; unchanged lines keep their writers."""
    if state.lines is None:
        return FileText(tuple(lines), (position,) * len(lines))
    return _spliced(state, 0, len(state.lines), lines, position)


def _spliced(state: FileText, start: int, stop: int, lines: Sequence[str], position: int) -> FileText:
    """Replace the lines `start:stop`; lines that are equal keep their writers."""
    assert state.lines is not None
    old, writers = state.lines[start:stop], state.writers[start:stop]
    kept = [position] * len(lines)
    for first, begin, size in same_lines(old, lines):
        kept[begin : begin + size] = writers[first : first + size]
    return FileText(
        (*state.lines[:start], *lines, *state.lines[stop:]), (*state.writers[:start], *kept, *state.writers[stop:])
    )


def _replaced(state: FileText, change: Replace, position: int) -> FileText:
    text = "\n".join(state.lines or ())
    places = text.count(change.old)
    if not places or (places > 1 and not change.everywhere):
        return FileText(None, (), CHANGED_OUTSIDE)
    if len(text) + places * max(len(change.new) - len(change.old), 0) > LONGEST:
        return FileText(None, (), IS_TOO_LONG)
    if places > MOST_PLACES or places * len(text) > MOST_COPIED:
        return _replaced_everywhere(state, change, text, position)
    at = 0
    while (at := text.find(change.old, at)) >= 0:
        assert state.lines is not None
        start = text.count("\n", 0, at)
        stop = start + change.old.count("\n") + 1
        head = text[text.rfind("\n", 0, at) + 1 : at]
        tail_end = text.find("\n", at + len(change.old))
        tail = text[at + len(change.old) : tail_end if tail_end >= 0 else len(text)]
        state = _spliced(state, start, stop, f"{head}{change.new}{tail}".split("\n"), position)
        text = text[:at] + change.new + text[at + len(change.old) :]
        at += len(change.new)
        if not change.everywhere:
            break
    return state


def _replaced_everywhere(state: FileText, change: Replace, text: str, position: int) -> FileText:
    """Make a replacement at very many places in one pass."""
    if "\n" not in change.old + change.new and state.lines is not None:
        lines = [line.replace(change.old, change.new) for line in state.lines]
        pairs = zip(state.lines, lines, state.writers, strict=True)
        return FileText(tuple(lines), tuple(writer if one == two else position for one, two, writer in pairs))
    return _rewritten(state, text.replace(change.old, change.new).split("\n"), position)


def _patched(state: FileText, change: Hunks, position: int) -> FileText:
    reached = 0
    for hunk in change.hunks:
        assert state.lines is not None
        at = _place_of(state.lines, hunk, reached)
        if at is None:
            return FileText(None, (), CHANGED_OUTSIDE)
        state = _spliced(state, at, at + len(hunk.old), hunk.new, position)
        reached = at + len(hunk.new)
    return state


def _place_of(lines: Sequence[str], hunk: Hunk, reached: int) -> int | None:
    """Where the old lines of a hunk are, at or after `reached`; None when they are not there."""
    if hunk.after:
        named = next((place for place in range(reached, len(lines)) if lines[place].strip() == hunk.after), None)
        if named is None:
            return None
        reached = named + (not (hunk.old and lines[named] == hunk.old[0]))
    count = len(hunk.old)
    if not count:
        return len(lines) - (lines[-1:] == ("",)) if not hunk.line else min(hunk.line, len(lines))
    places = _places_of(lines, hunk.old, reached)
    if hunk.line:
        return min(places, key=lambda place: abs(place + 1 - hunk.line), default=None)
    return next(places, None)


def _places_of(lines: Sequence[str], part: Sequence[str], reached: int) -> Iterator[int]:
    """Where some lines occur among others. Searched as one text, so that long near-matches cost no more."""
    text, wanted = "\n".join(("", *lines[reached:], "")), "\n".join(("", *part, ""))
    at = counted = 0
    place = reached
    while (at := text.find(wanted, at)) >= 0:
        place += text.count("\n", counted, at)
        yield place
        counted, at = at, at + 1


def _read(state: FileText, call: ToolCall) -> FileText:
    """The text after a read of the whole file: the known one if it is the same, else a new one without writers."""
    shown = read_lines(without_notes(call.answer()))
    if shown is None:
        return state
    if state.lines is None:
        return FileText(shown, (BEFORE,) * len(shown))
    # Tools differ in whether they show the empty line after the last line end.
    if shown == state.lines or shown == state.lines[: -(state.lines[-1:] == ("",)) or None]:
        return state
    return _spliced(state, 0, len(state.lines), shown, BEFORE)


def without_notes(answer: str) -> str:
    """An answer without the notes that the agent's program added for the model, and the empty lines around them."""
    parts, at = [], 0
    while (begin := answer.find(_NOTE, at)) >= 0 and (end := answer.find(_NOTE_END, begin)) >= 0:
        parts.append(answer[at:begin].rstrip("\n"))
        at = end + len(_NOTE_END)
        while at < len(answer) and answer[at].isspace():
            at += 1
    return "".join((*parts, answer[at:]))


def read_lines(answer: str) -> tuple[str, ...] | None:
    """The lines of a file in a tool's answer, without line numbers; None when some may be missing."""
    if _CUT.search(answer[:_EDGE]) or _CUT.search(answer[-_EDGE:]):
        return None  # a file that itself contains these words counts as truncated, too: not known is not wrong
    rows = answer.split("\n")
    while rows and not rows[-1].strip() and len(rows) > 1 and _NUMBERED.match(rows[0]):
        rows.pop()
    numbered = [_NUMBERED.match(row) for row in rows]
    if rows and all(match is not None and int(match[1]) == place for place, match in enumerate(numbered, 1)):
        rows = [match[2] for match in numbered if match is not None]
    elif numbered and numbered[0] is not None:
        return None  # it begins with a number, but not every line does: truncated, or not numbered at all
    if not answer or len(rows) >= MOST_READ or max(map(len, rows)) >= LONGEST_LINE or len(answer) > LONGEST:
        return None
    return tuple(rows)


def _recorded(changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    for change in changes:
        if isinstance(change, Replace):
            yield change.old, change.new
        elif isinstance(change, Whole | Insert | Lines):
            yield "", change.text
        elif isinstance(change, Hunks):
            for hunk in change.hunks:
                yield "\n".join(hunk.old), "\n".join(hunk.new)
