"""A pi session that is being written: everything before the last prompt or answer is settled.

The few entries after it are read provisionally each time. Entries that change settled ones (a late result, an entry
under one that was missing) cause the whole session to be read again.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from opentine_gui.core.progress import Pace
from opentine_gui.importers.growing.growing_draft import GrowingDraft
from opentine_gui.importers.growing.growing_file import GrowingFile, NotAppendedError
from opentine_gui.importers.growing.growing_source import GrowingSource, whole_lines
from opentine_gui.importers.json_lines import Line, read_lines
from opentine_gui.importers.pi import reader
from opentine_gui.importers.pi.answers import calls_of
from opentine_gui.importers.pi.entries import Entry, Session
from opentine_gui.importers.pi.kept import Paths
from opentine_gui.importers.pi.tree import Tree
from opentine_gui.importers.reading import Reading, Report
from opentine_gui.importers.sources.fields import object_of, text_of
from opentine_gui.importers.sources.packed import MAGIC

LOOKED_AT = 400
"""Most lines at the end of a file that are searched for the last prompt or answer."""


class GrowingTree(GrowingSource):
    """The entries of one file."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._tree: Tree | None = None
        self._settled: set[str] = set()
        """Ids of answers that are settled."""
        self._absent: set[str] = set()
        """Ids of parents that have not been read yet."""

    def begin(self, file: GrowingFile, content: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        if content.startswith(MAGIC):
            raise NotAppendedError
        self.draft = GrowingDraft(texts_are_whole=True)
        self._settled, self._absent = set(), set()
        self._tree = Tree(Session(self.path), self.draft)
        return self.read_on(file, content, pace)

    def read_on(self, file: GrowingFile, rest: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        tree = self._tree
        if tree is None:
            raise NotAppendedError
        end = whole_lines(file, rest)
        place = self._last_beginning(rest[:end])
        if place:
            found = self._take(tree, rest[:place], file.settled)
            self._settled.update(entry.id for entry in found if entry.role == "assistant")
            for entry in found:
                tree.session.entries[entry.id] = _without_content(entry)
            tree.answers.forget_content()
            file.settle(rest[:place])
            rest, end = rest[place:], end - place
        absent = set(self._absent)
        try:
            with self.draft.trial():
                further = self._copy(tree)
                self._take(further, rest[:end], file.settled)
                return further.finish(file.digest(rest), pace.part(0.7, 1.0))
        finally:
            self._absent = absent

    def _last_beginning(self, content: bytes) -> int:
        """Offset of the last prompt or answer in these lines; 0 if none of the last `LOOKED_AT` lines is one."""
        end = len(content)
        for _ in range(LOOKED_AT):
            start = content.rfind(b"\n", 0, max(end - 1, 0)) + 1
            line = next(read_lines(self.path, content[start:end], Report()), None)
            if start == 0 or (line is not None and _begins(line)):
                return start
            end = start
        return 0

    def _take(self, tree: Tree, content: bytes, offset: int) -> Sequence[Entry]:
        """Add the lines at `offset` of the file. NotAppendedError if one of them changes what is settled."""
        entries = tree.session.entries
        before = tree.report.records
        found = tree.session.take(read_lines(self.path, content, tree.report, None, offset), tree.report)
        self.lines += tree.report.records - before
        if any(entry.id in self._absent for entry in found):
            raise NotAppendedError
        if any(entry.role == "toolResult" and tree.answers.above(entry) in self._settled for entry in found):
            raise NotAppendedError
        self._absent.update(entry.parent for entry in found if entry.parent and entry.parent not in entries)
        tree.take(found)
        return found

    def _copy(self, tree: Tree) -> Tree:
        """A copy of the tree with tables of its own, so that provisional additions leave no trace."""
        further = copy.copy(tree)
        further.report = self.draft.report
        further.session = copy.copy(tree.session)
        further.session.entries = dict(tree.session.entries)
        further.answers, further.paths = tree.answers.copied(further.session), Paths()
        further.fronts, further.rows = dict(tree.fronts), dict(tree.rows)
        further.owners, further.left = dict(tree.owners), dict(tree.left)
        further.open_calls, further.answered = dict(tree.open_calls), set(tree.answered)
        further.refs = dict(tree.refs)
        return further

    def whole(self, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        return reader.read(self.path, progress=pace.at)


def _begins(line: Line) -> bool:
    """Whether a line is a prompt or an answer: all calls before it have their results by then."""
    message = object_of(line.value.get("message"))
    return line.value.get("type") == "message" and text_of(message.get("role")) in ("user", "assistant")


def _without_content(entry: Entry) -> Entry:
    """A copy of an entry with only what later ones need: its role, and the calls that it made or answers."""
    value: dict[str, Any] = {"timestamp": entry.value.get("timestamp")}
    if entry.role:
        calls = calls_of(entry)
        value["message"] = {
            "role": entry.role,
            "toolCallId": entry.message.get("toolCallId"),
            "content": [{"type": "toolCall", "id": call.get("id")} for call in calls],
        }
    return replace(entry, value=value)
