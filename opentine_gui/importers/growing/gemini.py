"""A Gemini CLI chat that is being written: its conversation continues, and is finished anew for each reading."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.progress import Pace
from opentine_gui.importers.gemini import reader
from opentine_gui.importers.gemini.conversation import Conversation
from opentine_gui.importers.gemini.reader import Chat
from opentine_gui.importers.growing.growing_draft import GrowingDraft
from opentine_gui.importers.growing.growing_file import GrowingFile, NotAppendedError
from opentine_gui.importers.growing.growing_source import GrowingSource, whole_lines
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.packed import MAGIC


class GrowingChat(GrowingSource):
    """A chat in JSON lines; a single document is read whole each time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._main: Conversation | None = None

    def begin(self, file: GrowingFile, content: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        if content.startswith(MAGIC) or not reader.is_lines(content):
            raise NotAppendedError
        self.draft = GrowingDraft(texts_are_whole=True)
        self._main = Conversation(self.draft, "")
        return self.read_on(file, content, pace)

    def read_on(self, file: GrowingFile, rest: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        main = self._main
        if main is None:
            raise NotAppendedError
        end = whole_lines(file, rest)
        before = self.draft.report.records
        for line in read_lines(self.path, rest[:end], self.draft.report, pace.part(0.0, 0.7), file.settled):
            main.take(line.value, line.place)
        self.lines += self.draft.report.records - before
        file.settle(rest[:end])
        with self.draft.trial():
            chat = Chat(self.path, pace, self.draft)
            return chat.finish(main, chat.close(main), file.digest(rest[end:]))

    def whole(self, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        return reader.read(self.path, progress=pace.at)
