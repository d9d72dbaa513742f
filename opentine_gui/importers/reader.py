"""A row of the table of readers: one format, how it is recognised, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from opentine_gui.core.progress import Progress, Stop
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.parts import Parts


class Read(Protocol):
    """Reads one source of a format. TineError when it cannot be read; `cancelled` ends it with Cancelled.

    A path may name a part (`file.db#ses_x`, see `sources.parts.divide`); without one the newest part is read, of an
    evaluation the first.
    """

    def __call__(self, path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """The run in the source, with the places of its steps; `progress` receives fractions from 0 to 1."""


class Growing(Protocol):
    """Reads one source repeatedly as it grows, keeping what it needs of what was read before."""

    def read(self, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """As the reader's `read`. After an error or Cancelled the next call reads the whole source again."""


class Reader(NamedTuple):
    """A row of the table.

    `suffixes`: endings, in lower case, of files worth a look when a folder is listed. A file is a run only if its
    content is recognised, so `.json` may stand here; an ending that several formats share says nothing by itself.
    `recognise`: from what `sources.head.head_of` gives (the first `HEAD` bytes of a file, the tables of a database, the
    names in a folder), how sure it is that the source is of this format: 0 it is not, from 0.5 the content says so, 1
    nothing else can look like this. The head may end within a line. It never raises.
    `parts` lists the runs of a source that can hold several; None for a format of one run a file.
    `title`: what the user calls it, such as "Claude Code".
    `family`: other files with runs that belong together with this one (forks, resumes, rollouts), as far as names or
    first lines say so: a quick look, no reading of whole files.
    `grow`: makes a `Growing` for a source that is being written; None if only whole sources can be read.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], float]
    read: Read
    parts: Parts | None = None
    title: str = ""
    family: Callable[[Path], Sequence[Path]] | None = None
    grow: Callable[[Path], Growing] | None = None


@dataclass(frozen=True)
class Named:
    """A function or class of a module of this room, which is imported when it is first called.

    Most starts of the program read a `.tine` file: they need not wait for the modules of all other formats.
    """

    module: str
    """Such as "codex.reader"."""
    name: str

    def found(self) -> Any:
        """What is named."""
        return getattr(import_module(f"opentine_gui.importers.{self.module}"), self.name)

    def __call__(self, *given: Any, **by_name: Any) -> Any:
        """As what is named."""
        return self.found()(*given, **by_name)
