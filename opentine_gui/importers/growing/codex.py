"""A Codex rollout that is being written: its history continues, and a copy is finished for each reading."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.progress import Pace
from opentine_gui.importers.codex import reader
from opentine_gui.importers.codex.history import History
from opentine_gui.importers.codex.links import Links
from opentine_gui.importers.codex.reader import Thread
from opentine_gui.importers.codex.rollouts import Home
from opentine_gui.importers.growing.growing_draft import GrowingDraft
from opentine_gui.importers.growing.growing_file import GrowingFile, NotAppendedError
from opentine_gui.importers.growing.growing_source import GrowingSource, whole_lines
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.packed import MAGIC


class GrowingRollout(GrowingSource):
    """A thread in one file; one that continues another file is read whole each time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._thread: Thread | None = None
        self._history: History | None = None
        self._beside: list[Path] = []

    def begin(self, file: GrowingFile, content: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        if content.startswith(MAGIC):
            raise NotAppendedError
        end = whole_lines(file, content)
        self.draft = GrowingDraft()
        thread = self._thread = Thread(self.path, pace, self.draft, content[:end])
        thread.gather()
        if list(thread.rollouts) != [thread.asked.id]:
            raise NotAppendedError
        self._beside = thread.home.of_thread(thread.asked.thread)
        self._history = History(self.draft, thread.links)
        self._history.prefix = thread.asked.id
        thread.asked = replace(thread.asked, content=b"")
        return self.read_on(file, content, pace)

    def read_on(self, file: GrowingFile, rest: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        thread, history = self._thread, self._history
        home = Home(self.path)
        if thread is None or history is None or home.of_thread(thread.asked.thread) != self._beside:
            raise NotAppendedError
        end = whole_lines(file, rest)
        before = self.draft.report.records
        for line in read_lines(self.path, rest[:end], self.draft.report, pace.part(0.0, 0.7), file.settled):
            history.take(line)
        self.lines += self.draft.report.records - before
        file.settle(rest[:end])
        with self.draft.trial():
            now = copy.copy(thread)
            now.home, now.pace, now.sources, now.report = home, pace, [self.path], self.draft.report
            now.links = Links(dict(thread.links.started), list(thread.links.joined))
            end_of_it = history.as_it_stands(now.links)
            now.ends = {thread.asked.id: end_of_it}
            end_of_it.finish()
            now.read_agents()
            if not self.draft.steps:
                raise FormatError("it holds no step of a Codex session", path=self.path)
            return now.finish(file.digest(rest[end:]))

    def whole(self, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        return reader.read(self.path, progress=pace.at)
