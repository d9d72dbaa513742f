"""What an edit changed, as the line of a card: how many lines came and went, and the first that came."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opentine_gui.core.analysis.files.file_change import Change, Insert, Replace, Whole, command_of, file_uses
from opentine_gui.core.analysis.files.patches import Hunks
from opentine_gui.core.analysis.tool_call import tool_call
from opentine_gui.core.comparison.text_difference import Effort, unified
from opentine_gui.core.graph.graph import Graph
from opentine_gui.describe.numbers import counted, format_count
from opentine_gui.scene.text.clean import clean

LARGEST = 50_000
"""Bytes of a step beyond which nothing is counted: a card is drawn in a frame."""
MOST_MEETINGS, MOST_SCANS = 20_000, 30_000
"""What the difference of a step's edits may take (`Effort`)."""
LONGEST_LINE = 80
MINUS = "\N{MINUS SIGN}"


def change_words(graph: Graph, position: int) -> str:
    """What a call changed in one file: "+3 −1 · the first new line", "12 lines · the first" of a file that was written.

    "" for any other call, and where the log does not hold what was changed.
    """
    if len(graph.raws[position]) > LARGEST:
        return ""
    call = tool_call(graph, position)
    if call is None or command_of(call):
        return ""
    changed = [use for use in file_uses(call) if use.changes]
    if len(changed) != 1:
        return ""
    changes = changed[0].changes
    if len(changes) == 1 and isinstance(changes[0], Whole):
        lines = changes[0].text.removesuffix("\n").split("\n")
        return _with_line(counted(len(lines), "line"), lines)
    came: list[str] = []
    went: list[str] = []
    effort = Effort(MOST_MEETINGS, MOST_SCANS)
    for change in changes:
        parts = list(_parts(change))
        if not parts:
            return ""
        for old, new in parts:
            rows = unified(old, new, context=0, effort=effort)
            went += [row[1:] for row in rows if row[0] == "-"]
            came += [row[1:] for row in rows if row[0] == "+"]
    if not came and not went:
        return ""
    everywhere = " everywhere" if any(isinstance(one, Replace) and one.everywhere for one in changes) else ""
    return _with_line(f"+{format_count(len(came))} {MINUS}{format_count(len(went))}{everywhere}", came or went)


def _parts(change: Change) -> Iterator[tuple[str, str]]:
    """The (old, new) texts of a change; none where they are not recorded."""
    if isinstance(change, Replace):
        yield change.old, change.new
    elif isinstance(change, Insert):
        yield "", change.text
    elif isinstance(change, Hunks):
        for hunk in change.hunks:
            yield "\n".join(hunk.old), "\n".join(hunk.new)


def _with_line(words: str, lines: Sequence[str]) -> str:
    first = next((line.strip() for line in lines if line.strip()), "")
    return f"{words} · {clean(first[: 4 * LONGEST_LINE], LONGEST_LINE)}" if first else words
