"""The table of readers: how the files of each format are recognised and read. `.tine` is its first row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from opentine_gui.core import Overview, RunRecord, overview_of, read_overview
from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import MAGIC
from opentine_gui.core.progress import Progress, Stop
from opentine_gui.importers.openhands import reader as openhands
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.head import HEAD as HEAD
from opentine_gui.importers.sources.head import head_of
from opentine_gui.importers.sources.parts import Part, Parts, divide


class Read(Protocol):
    """Reads one source of a format. TineError when it cannot be read; `cancelled` ends it with Cancelled.

    A path may name a part (`file.db#ses_x`, see `sources.parts.divide`); without one the newest part is read.
    """

    def __call__(self, path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """The run in the file and where its steps stand there; `progress` receives fractions from 0 to 1."""


class Reader(NamedTuple):
    """A row of the table.

    `suffixes`: the endings by which the list of runs, the watch and the file dialogs know such files, in lower case.
    `recognise`: from what `sources.head.head_of` gives (the first `HEAD` bytes of a file, the tables of a database, the
    names in a folder), how sure it is that the source is of this format, from 0 (it is not) to 1.
    `parts` lists the runs of a source that can hold several; None for a format of one run a file.
    """

    name: str
    suffixes: tuple[str, ...]
    recognise: Callable[[bytes], float]
    read: Read
    parts: Parts | None = None


def _recognise_tine(head: bytes) -> float:
    """Compressed files begin with magic bytes; plain ones name `format_version`, which a long cache can push out."""
    if head.startswith(MAGIC):
        return 1.0
    return 0.9 if b'"format_version"' in head else 0.0


def _read_tine(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    return Reading(storage.read(path, progress=progress, cancelled=cancelled), sources=(Path(path),))


TINE = Reader("tine", (".tine",), _recognise_tine, _read_tine)
READERS: tuple[Reader, ...] = (
    TINE,
    Reader("OpenHands", (), openhands.recognise, openhands.read, openhands.parts_of),
    Reader("OpenHands 0", (), openhands.recognise_list, openhands.read_list),
)
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
    """As `read_run`, with the places of the steps' own records and what was not understood.

    The path may name a part of a source that holds several runs.
    """
    source = divide(path)[0]
    try:
        return _reader_for(source).read(path, progress=progress, cancelled=cancelled)
    except TineError as error:
        raise error.at_path(source) from error.__cause__


def parts_of(path: str | Path) -> list[Part]:
    """The runs in a source, oldest first; none for a format of one run a file. TineError when it cannot be read."""
    source = divide(path)[0]
    reader = _reader_for(source)
    return [] if reader.parts is None else reader.parts(source)


def read_overview_of(path: str | Path, *, cancelled: Stop | None = None) -> Overview:
    """What the list of runs shows of a file in any format of the table. TineError when it cannot be read.

    No payload of a `.tine` file is decoded; a file of another format is read whole.
    """
    if _reader_for(divide(path)[0]) is TINE:
        return read_overview(path, cancelled=cancelled)
    return overview_of(read_source(path, cancelled=cancelled).record)


def _reader_for(source: Path) -> Reader:
    return reader_of(source.name, head_of(source))
