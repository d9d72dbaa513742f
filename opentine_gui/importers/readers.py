"""The table of readers: how the files of each format are recognised and read. `.tine` is its first row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from opentine_gui.core import Overview, RunRecord, overview_of, read_overview
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import MAGIC
from opentine_gui.core.progress import Progress, Stop
from opentine_gui.importers.reading import Reading

HEAD = 1 << 16
"""How many bytes from the start of a file `recognise` is given."""


class Read(Protocol):
    """Reads one file of a format. TineError when it cannot be read; `cancelled` ends it with Cancelled."""

    def __call__(self, path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """The run in the file and where its steps stand there; `progress` receives fractions from 0 to 1."""


class Reader(NamedTuple):
    """A row of the table.

    `suffixes`: the endings by which the list of runs, the watch and the file dialogs know such files, in lower case.
    `recognise`: from the first `HEAD` bytes, how sure it is that the file is of this format, from 0 (it is not) to 1.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], float]
    read: Read


def _recognise_tine(head: bytes) -> float:
    """Compressed files begin with magic bytes; plain ones name `format_version`, which a long cache can push out."""
    if head.startswith(MAGIC):
        return 1.0
    return 0.9 if b'"format_version"' in head else 0.0


def _read_tine(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    return Reading(storage.read(path, progress=progress, cancelled=cancelled), sources=(Path(path),))


TINE = Reader("tine", (".tine",), _recognise_tine, _read_tine)
READERS: tuple[Reader, ...] = (TINE,)
"""Every format that can be opened, the project's own first."""

SUFFIXES = tuple(suffix for reader in READERS for suffix in reader.suffixes)


def is_run(name: str) -> bool:
    """Whether a file of this name is listed as a run: its ending is one of the table's."""
    return name.lower().endswith(SUFFIXES)


def is_only_read(name: str) -> bool:
    """Whether a file of this name has another program's format: a run read from it is never saved over it."""
    return any(name.lower().endswith(reader.suffixes) for reader in READERS if reader is not TINE)


def reader_of(name: str, head: bytes) -> Reader:
    """The reader for a file: the one surest of its content, else the one of its ending, else that of `.tine`.

    The last is the fallback because its errors say why a file is not a run.
    """
    sure = max(READERS, key=lambda reader: reader.recognise(head))
    if sure.recognise(head) > 0:
        return sure
    return next((reader for reader in READERS if name.lower().endswith(reader.suffixes)), READERS[0])


def read_run(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> RunRecord:
    """The run in a file of any format of the table. TineError (with `path` in it) when it cannot be read."""
    return read_source(path, progress=progress, cancelled=cancelled).record


def read_source(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """As `read_run`, with the places of the steps' own records and what was not understood."""
    reader = reader_of(Path(path).name, storage.read_head(path, HEAD))
    return reader.read(path, progress=progress, cancelled=cancelled)


def read_overview_of(path: str | Path, *, cancelled: Stop | None = None) -> Overview:
    """What the list of runs shows of a file in any format of the table. TineError when it cannot be read.

    No payload of a `.tine` file is decoded; a file of another format is read whole.
    """
    reader = reader_of(Path(path).name, storage.read_head(path, HEAD))
    if reader is TINE:
        return read_overview(path, cancelled=cancelled)
    return overview_of(reader.read(path, cancelled=cancelled).record)
