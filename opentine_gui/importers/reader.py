"""What a row of the table of readers is: one format, how it is recognised, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from opentine_gui.core.errors import TineError
from opentine_gui.core.progress import Progress, Stop
from opentine_gui.importers.reading import Reading


class Read(Protocol):
    """Reads one file or folder of a format. TineError when it cannot be read; `cancelled` ends it with Cancelled."""

    def __call__(self, path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """The run in the source and where its steps stand there; `progress` receives fractions from 0 to 1."""


class ReadPart(Protocol):
    """Reads one of several runs in a source, as `Read` does for a source with one."""

    def __call__(
        self, path: str | Path, part: str, *, progress: Progress | None = None, cancelled: Stop | None = None
    ) -> Reading:
        """The run whose `Part.id` is `part`; FormatError when the source has none of this name."""


class Part(NamedTuple):
    """One of several runs in a source, such as a session in a database: it is opened as `file#id`.

    `title` is text of the source (hostile); `time` is when it changed last, in Unix seconds, 0 when not recorded.
    """

    id: str
    title: str = ""
    time: float = 0.0


class Parts(NamedTuple):
    """How the runs in a source of several are listed, newest first, and read. Both raise TineError."""

    list: Callable[[Path], Sequence[Part]]
    read: ReadPart


class Reader(NamedTuple):
    """A row of the table.

    `suffixes`: endings, in lower case, of files worth a look at their first bytes when a folder is listed. A file is a
    run only if its content is recognised, so `.json` may stand here.
    `recognise`: from the first `HEAD` bytes, how sure it is that the file is of this format: 0 it is not, above 0.5
    the content says so, 1 nothing else can look like this. It gets whatever a file begins with, and never raises.
    `read`: for a source of several runs the newest or only one.
    `title`: what the user calls it, such as "Claude Code".
    `recognise_folder`: the same for a folder that is one run (or, with `parts`, several).
    `parts`: for formats that hold several runs in a file or folder.
    `family`: other files with runs that belong together with this one (forks, resumes, rollouts), as far as their
    names or first lines say so: a quick look, no reading of whole files.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], float]
    read: Read
    title: str = ""
    recognise_folder: Callable[[Path], float] | None = None
    parts: Parts | None = None
    family: Callable[[Path], Sequence[Path]] | None = None


class SeveralRuns(TineError):
    """A source holds several runs, and none of them was named; `parts` says which, newest first."""

    def __init__(self, path: str | Path, parts: Sequence[Part]) -> None:
        name = Path(path).name
        super().__init__(f"it holds {len(parts)} runs: name one, such as {name}#{parts[0].id}", path=path)
        self.parts = tuple(parts)
