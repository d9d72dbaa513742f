"""A file as the reading view shows it: its text at a step with the writer of each line, or its changes by turn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from opentine_gui.core import Graph, StepKind
from opentine_gui.core.analysis.files.blame import FROM_BEFORE
from opentine_gui.core.analysis.files.file_text import BEFORE, NOT_READ, UNREAD, FileText, Version, versions
from opentine_gui.core.analysis.files.line_alignment import Same, same_lines
from opentine_gui.core.analysis.files.touched_files import TouchedFile
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.describe.difference_lines import DiffLine, numbered_apart
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean_whole

LONGEST_TEXT = 400_000
"""Characters of a text that are compared for the changes of a turn."""
CONTEXT = 3
"""Equal lines around a change."""


class PageLine(NamedTuple):
    """A line of the page: "text", "removed", "added", "same", "turn" (a heading), "note", "rest" or "gap".

    `number` counts lines of the file from 1 (0: none), as it was before for a removed one; `step` is the position of
    the step it leads to, -1 for none; `note` names the step that wrote or removed it; `marks` are the spans that differ
    from the line it replaces. "rest" stands for equal lines that are left out.
    """

    kind: str
    text: str
    number: int = 0
    step: int = -1
    note: str = ""
    marks: tuple[tuple[int, int], ...] = ()


UNCHANGED = PageLine("note", "No step on the way to this one changed the file.")


class FilePage(NamedTuple):
    """Both pages of a file on the path to one step, and the positions of the steps that changed it there.

    `is_only_changes`: what its edits changed is on record, but not its text. `begins` are the indices in `text` and in
    `changes` at which what the step itself changed begins, -1 if it changed nothing.
    """

    text: tuple[PageLine, ...]
    changes: tuple[PageLine, ...]
    writers: tuple[int, ...]
    said: str
    is_only_changes: bool
    begins: tuple[int, int] = (-1, -1)


Naming = Callable[[int], str]
"""What the step at a position is called beside the lines that it wrote."""


def file_page(graph: Graph, file: TouchedFile, position: int) -> FilePage:
    """The pages of a file as the step at `position` leaves it."""
    found = versions(graph, file, position)
    state = found[-1].text if found else UNREAD
    writers = tuple(version.position for version in found if version.recorded or version.position in file.changes)
    count = len(state.lines) if state.lines is not None else 0
    said = counted(count, "line") if state.lines is not None else f"text not recorded: {state.reason}"
    on_the_way = graph.closure([position])
    name = cache(lambda writer: writer_words(graph, writer))
    later = next((step for step in file.changes if step > position), None) if not writers else None
    changes = tuple(_changes(graph, found, on_the_way, set(file.changes), name))
    changes = changes or (UNCHANGED, *_later(graph, later))
    edits = len(writers) if any(line.kind in ("added", "removed") for line in changes) else 0
    if state.lines is None:
        text = (
            *_not_on_record(graph, state, found, edits),
            *_beside(file, state, on_the_way, position),
            *_later(graph, later),
        )
    else:
        text = tuple(_text(state, name))
    begins = (_first_written(found, position), _first_changed(changes, position)) if position in writers else (-1, -1)
    return FilePage(text, changes, writers, said, edits > 0 and state.lines is None, begins)


def _first_written(found: Sequence[Version], position: int) -> int:
    """The index of the first line that the last version, that of the step at `position`, changed; -1 if unknown."""
    after = found[-1].text
    before = next((version.text for version in reversed(found) if version.position != position), UNREAD)
    if after.lines is None:
        return -1
    if before.lines is None:
        return next((number for number, writer in enumerate(after.writers) if writer == position), -1)
    front = common_beginning(before.lines, after.lines)
    return min(front, len(after.lines) - 1) if before.lines != after.lines else -1


def _first_changed(changes: Sequence[PageLine], position: int) -> int:
    """The index of the first line that leads to the step at `position`, else of the heading of its turn."""
    own = [number for number, line in enumerate(changes) if line.step == position]
    return next((number for number in own if changes[number].kind != "turn"), own[0] if own else -1)


def _not_on_record(graph: Graph, state: FileText, found: Sequence[Version], edits: int) -> Iterator[PageLine]:
    yield PageLine("note", f"The text is not on record here: {state.reason}.")
    known = next((version for version in reversed(found) if version.text.lines is not None), None)
    if known is not None:
        yield PageLine("note", "It was last known here:", step=known.position, note=title(graph.step(known.position)))
    if edits:
        yield PageLine("note", f"What its {counted(edits, 'edit')} changed stands under Changes by turn.")


def _later(graph: Graph, step: int | None) -> Iterator[PageLine]:
    """Where a file that no step on the way has changed is changed first after it."""
    if step is not None:
        yield PageLine("note", "It is first changed later, here:", step=step, note=title(graph.step(step)))


def _beside(file: TouchedFile, state: FileText, on_the_way: Sequence[int], position: int) -> Iterator[PageLine]:
    """Reads that seem to belie that nobody read all of the file: in part, or by agents whose work led elsewhere."""
    if state.reason != NOT_READ:
        return
    way = set(on_the_way)
    parts = sum(read in way for read in file.reads)
    if parts:
        yield PageLine("note", f"{_steps(parts)} on the way there read it, but only a part of it is on record.")
    others = sum(step < position and step not in way for step in {*file.reads, *file.changes})
    if others:
        said = "in other branches or by other agents, which do not lead to this one"
        yield PageLine("note", f"{_steps(others)} before this one used it {said}: they do not count.")


def _steps(count: int) -> str:
    return counted(count, "step")


def _text(state: FileText, name: Naming) -> Iterator[PageLine]:
    for number, (line, writer) in enumerate(zip(state.lines or (), state.writers, strict=True), 1):
        note = name(writer) if writer != BEFORE else FROM_BEFORE
        yield PageLine("text", _clean_line(line), number, writer, note)


def _clean_line(line: str) -> str:
    """A line as it is shown: what ends one for some programs and not for the file must not shift the numbers."""
    return clean_whole(line, lines=True).rstrip("\n").replace("\n", " ")


def writer_words(graph: Graph, writer: int) -> str:
    """What a step that changed a file is called beside its lines: its number, and what was said before the call."""
    above = graph.parents[writer]
    said = title(graph.step(above[0])) if above and graph.kinds[above[0]] is StepKind.MODEL else ""
    return f"step {writer + 1:,}" + (f" · {said}" if said else "")


def _changes(
    graph: Graph, found: Sequence[Version], on_the_way: Sequence[int], changing: set[int], name: Naming
) -> Iterator[PageLine]:
    """The changes of a file, by the turns of the person who asked for them."""
    asked = [position for position in on_the_way if graph.v3_kinds.get(position) == "human"]
    state = UNREAD
    turn: list[Version] = []
    here = -2
    start = state
    for version in [*found, None]:
        place = bisect_right(asked, version.position) - 1 if version is not None else -3
        if place != here and turn:
            yield from _turn(graph, start, turn, asked[here] if here >= 0 else None, name)
            turn = []
        if version is None:
            return
        if not turn:
            here, start = place, state
        state = version.text
        if version.position in changing:
            turn.append(version)
        else:  # a read reveals the text without changing it
            if not turn:
                start = state


def _turn(
    graph: Graph, start: FileText, turn: Sequence[Version], asked: int | None, name: Naming
) -> Iterator[PageLine]:
    words = title(graph.step(asked)) if asked is not None else "Before anybody asked"
    last = turn[-1]
    yield PageLine("turn", words, step=last.position, note=counted(len(turn), "edit"))
    before, after = start.text, last.text.text
    if after is not None and (before is not None or (len(turn) == 1 and last.recorded[:1] == (("", after),))):
        yield from _whole_difference(before or "", last, len(turn) == 1, name)
    else:
        for version in turn:
            yield PageLine("note", "", step=version.position, note=title(graph.step(version.position)))
            if not version.recorded:
                yield PageLine("note", f"what it wrote is not on record: {version.text.reason}", step=version.position)
            for old, new in version.recorded:
                yield from _part_difference(old, new, version.position)
    yield PageLine("gap", "")


def _whole_difference(before: str, last: Version, alone: bool, name: Naming) -> Iterator[PageLine]:
    """What a turn changed in a text that is known: numbered as in the file, each added line with who wrote it.

    Who removed a line is known where the turn has one edit `alone`.
    """
    after, writers = last.text.text or "", last.text.writers
    if before == after:
        yield PageLine("note", "the same text as before", step=last.position)
        return
    for line in _folded(_numbered(before, after)):
        if line.kind == "added" and 0 < line.number <= len(writers) and writers[line.number - 1] != BEFORE:
            writer = writers[line.number - 1]
        else:
            writer = last.position if alone and line.kind != "rest" else -1
        note = name(writer) if writer >= 0 and line.kind in ("added", "removed") else ""
        yield line._replace(step=writer, note=note)


def _part_difference(before: str, after: str, step: int) -> Iterator[PageLine]:
    """What an edit says it replaced: it is not known where in the file that is."""
    if before == after:
        yield PageLine("note", "the same text as before", step=step)
        return
    for line in _folded(numbered_apart(before, after, LONGEST_TEXT, CONTEXT)):
        yield line._replace(step=step, number=0)


def _numbered(before: str, after: str) -> Iterator[tuple[int, DiffLine]]:
    """Two texts of a file line by line, all of them: of texts of many lines the changes are few, and far apart."""
    if max(len(before), len(after)) > LONGEST_TEXT or not before:
        yield from numbered_apart(before, after, LONGEST_TEXT, CONTEXT)
        return
    old, new = before.split("\n"), after.split("\n")
    one = other = 0
    for same in (*same_lines(old, new), Same(len(old), len(new), 0)):
        gone, come = old[one : same.old], new[other : same.new]
        if any(gone) and any(come):
            for number, line in numbered_apart("\n".join(gone), "\n".join(come), LONGEST_TEXT, 0):
                yield number + (one if line.kind == "removed" else other), line
        else:
            yield from ((one + number, DiffLine("removed", _clean_line(line))) for number, line in enumerate(gone, 1))
            yield from ((other + number, DiffLine("added", _clean_line(line))) for number, line in enumerate(come, 1))
        one, other = same.old + same.size, same.new + same.size
        for number in range(same.new, other):
            yield number + 1, DiffLine("same", _clean_line(new[number]))


def _folded(lines: Iterable[tuple[int, DiffLine]]) -> Iterator[PageLine]:
    """The lines of a difference; of many equal ones, those next to the changes."""
    same: list[PageLine] = []
    changed = False
    for number, line in lines:
        kind = line.kind if line.kind in ("removed", "added", "same") else "note"
        shown = PageLine(kind, line.text, number if kind != "note" else 0, marks=line.marks)
        if kind == "same":
            same.append(shown)
            continue
        yield from _same_lines(same) if changed else same[-CONTEXT:]
        same, changed = [], True
        yield shown
    yield from same[:CONTEXT] if changed else same


def _same_lines(same: Sequence[PageLine]) -> Iterator[PageLine]:
    """Equal lines between two changes."""
    left_out = len(same) - 2 * CONTEXT
    if left_out < 2:
        yield from same
        return
    yield from same[:CONTEXT]
    yield PageLine("rest", f"{left_out:,} lines as before")
    yield from same[-CONTEXT:]
