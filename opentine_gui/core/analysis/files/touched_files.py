"""The files that a run's calls read and change, and the checks that failed because of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from opentine_gui.core.analysis.files.file_change import DELETED, FileUse, command_of, file_uses
from opentine_gui.core.analysis.files.file_names import names_in
from opentine_gui.core.analysis.tool_call import ToolCall, tool_call
from opentine_gui.core.graph.calls.call_roles import Role, classified
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace

LONGEST_ANSWER = 200_000
"""Characters of a failed check's answer that are searched for names of files."""
MOST_ALIKE = 100
"""Most files of one name among which a shorter path is looked up: ten thousand would take minutes."""
_SLICE = 200


class TouchedFile(NamedTuple):
    """A file, with the positions of the steps that read it, change it, or check it and fail; ascending.

    `unsure` are changes whose text is not in the recording, `removals` those that deleted the file.
    """

    path: str
    reads: tuple[int, ...]
    changes: tuple[int, ...]
    failing: tuple[int, ...] = ()
    unsure: tuple[int, ...] = ()
    removals: tuple[int, ...] = ()

    @property
    def last_writer(self) -> int | None:
        """The position of the step that changed it last in recorded order; None if it was only read."""
        return self.changes[-1] if self.changes else None

    @property
    def steps(self) -> tuple[int, ...]:
        """All its steps, in recorded order."""
        return tuple(sorted({*self.reads, *self.changes, *self.failing}))


class FailedCheck(NamedTuple):
    """A test, a build or a linter that failed, with the file names in its command and answer."""

    names: tuple[str, ...]


class StepFiles(NamedTuple):
    """What one step has to do with files; small, because it is kept for every step while a run grows."""

    uses: tuple[tuple[str, str], ...] = ()  # (path, "read", "change", "unsure" or "delete")
    check: FailedCheck | None = None


class Touched(msgspec.Struct, frozen=True):
    """The files of a run, those changed most first; `steps` is what was found in each step, by id."""

    files: tuple[TouchedFile, ...] = ()
    steps: Mapping[str, StepFiles] = {}

    def file(self, path: str) -> TouchedFile | None:
        """The file with this path, or the only one whose path ends in it; None unless there is exactly one match."""
        found = [file for file in self.files if file.path == path]
        found = found or [file for file in self.files if is_end_of(path, file.path)]
        return found[0] if len(found) == 1 else None


def touched_files(
    graph: Graph, pace: Pace | None = None, known: Mapping[str, StepFiles] | None = None, kept: int = 0
) -> Touched:
    """The files that the tool steps of a graph touch.

    `known` is what was found in an earlier state of the run with the same first `kept` steps.
    """
    pace, known = pace or Pace(), known or {}
    steps: dict[str, StepFiles] = {}
    found: list[tuple[int, StepFiles]] = []
    kinds = graph.kinds
    for position, identity in enumerate(graph.ids):
        if position % _SLICE == 0:
            pace.at(position / len(kinds))
        if kinds[position] is not StepKind.TOOL:
            continue
        here = known.get(identity)
        if here is None:
            if position < kept:  # examined before: it had nothing to do with files
                continue
            call = tool_call(graph, position)
            here = _files_of(call, failed=bool(graph.failed[position])) if call is not None else StepFiles()
        if here.uses or here.check is not None:
            steps[identity] = here
            found.append((position, here))
    return Touched(tuple(_collected(found)), steps)


def _files_of(call: ToolCall, *, failed: bool) -> StepFiles:
    """`failed` as the graph judges it: a check whose exit code is lost in a pipe fails by what it printed."""
    uses: dict[tuple[str, str], None] = {}
    for use in file_uses(call):
        for path in (use.path, use.moved_to):
            if path and not (call.failed and use.changes):  # a change that failed changed nothing
                uses[path, _what(use)] = None
    check = None
    if failed and classified(call.name, call.arguments).role is Role.TEST:
        text = f"{command_of(call)}\n{call.answer()[:LONGEST_ANSWER]}"
        names = dict.fromkeys(name.strip("./").replace("\\", "/") for name in names_in(text))
        check = FailedCheck(tuple(name for name in names if name))
    return StepFiles(tuple(uses), check)


def _what(use: FileUse) -> str:
    if not use.changes:
        return "read"
    if use.changes[-1] == DELETED:
        return "delete"
    return "unsure" if any(getattr(change, "word", "") == "unknown" for change in use.changes) else "change"


def _collected(found: list[tuple[int, StepFiles]]) -> Iterator[TouchedFile]:
    table: dict[str, tuple[list[int], list[int], list[int], list[int], list[int]]] = {}
    names = _one_name({path for _, step in found for path, _ in step.uses})
    for position, step in found:
        for written, what in step.uses:
            reads, changes, _, unsure, removals = table.setdefault(names[written], ([], [], [], [], []))
            if what == "read":
                reads.append(position)
            elif not changes or changes[-1] != position:
                changes.append(position)
            if what == "unsure":
                unsure.append(position)
            elif what == "delete":
                removals.append(position)
    by_end: dict[str, list[str]] = {}
    for path in table:
        by_end.setdefault(path.rpartition("/")[2], []).append(path)
    for position, step in found:
        for path in _mentioned(step.check, by_end) if step.check is not None else ():
            table[path][2].append(position)
    rows = [TouchedFile(path, *map(tuple, columns)) for path, columns in table.items()]
    yield from sorted(rows, key=lambda file: (-len(file.changes), -len(file.failing), -len(file.reads), file.path))


def _one_name(paths: set[str]) -> dict[str, str]:
    """The canonical name of each path: a relative path stands for the only absolute one that ends in it, if any."""
    absolute = [path for path in paths if path.startswith("/") or path[1:3] == ":/"]
    by_end: dict[str, list[str]] = {}
    for path in absolute:
        by_end.setdefault(path.rpartition("/")[2], []).append(path)
    names = {}
    for path in paths:
        whole = [other for other in alike(by_end, path) if is_end_of(path, other)]
        names[path] = whole[0] if len(whole) == 1 else path
    return names


def _mentioned(check: FailedCheck, by_end: Mapping[str, list[str]]) -> set[str]:
    found = set()
    for name in check.names:
        fitting = [path for path in alike(by_end, name) if is_end_of(name, path) or is_end_of(path, name)]
        if len(fitting) == 1:
            found.add(fitting[0])
    return found


def alike(by_end: Mapping[str, list[str]], path: str) -> list[str]:
    """The paths with the same file name as a path; none if a great many share it, because then it says nothing."""
    found = by_end.get(path.rpartition("/")[2], [])
    return found if len(found) <= MOST_ALIKE else []


def is_end_of(end: str, path: str) -> bool:
    """Whether a path ends with another, in whole names: `/home/me/project/src/a.py` with `src/a.py`."""
    return path == end or path.endswith("/" + end.lstrip("/"))
