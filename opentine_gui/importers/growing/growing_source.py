"""The base of incremental sources: the settled part stays, and what cannot be continued is read whole."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.importers.growing.growing_draft import GrowingDraft
from opentine_gui.importers.growing.growing_file import GrowingFile, NotAppendedError
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Reading, Report


class GrowingSource:
    """One file that is written while it is open. `lines` counts the records that were decoded in all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0
        self.draft = GrowingDraft()
        self._file: GrowingFile | None = None

    def read(self, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """The run as its files are now. TineError when it cannot be read."""
        pace = Pace(progress, cancelled)
        file, self._file = self._file, None  # after a failure the next reading starts from the beginning
        if file is not None:
            try:
                with collector_paused():
                    reading = self.read_on(file, file.rest(), pace)
                self._file = file
                return reading
            except NotAppendedError:
                pass
        file = GrowingFile(self.path)
        try:
            with collector_paused():
                reading = self.begin(file, file.rest(), pace)
            self._file = file
            return reading
        except (NotAppendedError, FormatError):
            pass
        reading = self.whole(pace)
        self.lines += reading.report.records if reading.report is not None else 0
        return reading

    def begin(self, file: GrowingFile, content: bytes, pace: Pace) -> Reading:
        """Read `content`, which is all of the file, and settle what can be. NotAppendedError, TineError."""
        raise NotImplementedError

    def read_on(self, file: GrowingFile, rest: bytes, pace: Pace) -> Reading:
        """Read `rest`, the bytes after the settled part. NotAppendedError if the whole must be read; TineError."""
        raise NotImplementedError

    def whole(self, pace: Pace) -> Reading:
        """Read the whole source with the format's reader. TineError."""
        raise NotImplementedError


def whole_lines(file: GrowingFile, content: bytes) -> int:
    """Where the last complete line ends. NotAppendedError if a complete record without a line feed follows it."""
    end = content.rfind(b"\n") + 1
    if end < len(content):
        report = Report()
        if next(read_lines(file.path, content[end:], report), None) is not None or report.records:
            raise NotAppendedError
    return end
