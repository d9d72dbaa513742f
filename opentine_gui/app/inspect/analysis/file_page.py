"""A file as the reading view shows it: its text at a step with the writer of each line, or its changes by turn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opentine_gui.core import Graph, StepKind
from opentine_gui.core.analysis.files.blame import FROM_BEFORE
from opentine_gui.core.analysis.files.file_text import BEFORE, UNREAD, FileText, Version, versions
from opentine_gui.core.analysis.files.touched_files import TouchedFile
from opentine_gui.describe.difference_lines import texts_apart
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

LONGEST_LINE = 2_000
LONGEST_TEXT = 400_000
"""Characters of a text that are compared for the changes of a turn."""
CONTEXT = 3


class PageLine(NamedTuple):
    """A line of the page: "text", "removed", "added", "same", "turn" (a heading), "note" or "gap".

    `number` counts lines of the file from 1 (0: none); `step` is the position of the step it leads to, -1 for none.
    """

    kind: str
    text: str
    number: int = 0
    step: int = -1
    note: str = ""


class FilePage(NamedTuple):
    """Both pages of a file on the path to one step, and the positions of the steps that changed it there.

    `is_only_changes`: what its edits changed is on record, but not its text.
    """

    text: tuple[PageLine, ...]
    changes: tuple[PageLine, ...]
    writers: tuple[int, ...]
    said: str
    is_only_changes: bool


def file_page(graph: Graph, file: TouchedFile, position: int) -> FilePage:
    """The pages of a file as the step at `position` leaves it."""
    found = versions(graph, file, position)
    state = found[-1].text if found else UNREAD
    writers = tuple(version.position for version in found if version.recorded or version.position in file.changes)
    count = len(state.lines) if state.lines is not None else 0
    said = counted(count, "line") if state.lines is not None else f"text not recorded: {state.reason}"
    on_the_way = graph.closure([position])
    changes = tuple(_changes(graph, found, on_the_way, set(file.changes)))
    edits = len(writers) if any(line.kind in ("added", "removed") for line in changes) else 0
    return FilePage(tuple(_text(graph, state, found, edits)), changes, writers, said, edits > 0 and state.lines is None)


def _text(graph: Graph, state: FileText, found: Sequence[Version], edits: int) -> Iterator[PageLine]:
    if state.lines is None:
        yield PageLine("note", f"The text is not on record here: {state.reason}.")
        known = next((version for version in reversed(found) if version.text.lines is not None), None)
        if known is not None:
            yield PageLine(
                "note", "It was last known here:", step=known.position, note=title(graph.step(known.position))
            )
        if edits:
            yield PageLine("note", f"What its {counted(edits, 'edit')} changed stands under Changes by turn.")
        return
    names: dict[int, str] = {BEFORE: ""}
    before = None
    for number, (line, writer) in enumerate(zip(state.lines, state.writers, strict=True), 1):
        name = names.get(writer)
        if name is None:
            name = names[writer] = writer_words(graph, writer)
        note = (name or FROM_BEFORE) if writer != before else ""
        before = writer
        yield PageLine("text", clean(line, LONGEST_LINE, lines=True), number, writer, note)


def writer_words(graph: Graph, writer: int) -> str:
    """What a step that changed a file is called beside its lines: its number, and what was said before the call."""
    above = graph.parents[writer]
    said = title(graph.step(above[0])) if above and graph.kinds[above[0]] is StepKind.MODEL else ""
    return f"step {writer + 1:,}" + (f" · {said}" if said else "")


def _changes(
    graph: Graph, found: Sequence[Version], on_the_way: Sequence[int], changing: set[int]
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
            yield from _turn(graph, start, turn, asked[here] if here >= 0 else None)
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


def _turn(graph: Graph, start: FileText, turn: Sequence[Version], asked: int | None) -> Iterator[PageLine]:
    words = title(graph.step(asked)) if asked is not None else "Before anybody asked"
    yield PageLine("turn", words, step=turn[-1].position, note=counted(len(turn), "edit"))
    before, after = start.text, turn[-1].text.text
    if after is not None and (before is not None or (len(turn) == 1 and turn[0].recorded[:1] == (("", after),))):
        yield from _difference(before or "", after, turn[-1].position)
    else:
        for version in turn:
            yield PageLine("note", title(graph.step(version.position)), step=version.position)
            if not version.recorded:
                yield PageLine("note", f"what it wrote is not on record: {version.text.reason}", step=version.position)
            for old, new in version.recorded:
                yield from _difference(old, new, version.position)
    yield PageLine("gap", "")


def _difference(before: str, after: str, step: int) -> Iterator[PageLine]:
    if before == after:
        yield PageLine("note", "the same text as before", step=step)
        return
    for line in texts_apart(before, after, LONGEST_TEXT, CONTEXT):
        yield PageLine(line.kind if line.kind in ("removed", "added", "same") else "note", line.text, step=step)
