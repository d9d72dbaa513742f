"""The table of readers: how the files of each format are recognised and read. `.tine` is its first row."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from opentine_gui.core import Overview, RunRecord, TineError, overview_of, read_overview
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import MAGIC
from opentine_gui.core.progress import Progress, Stop
from opentine_gui.importers.reader import Part, Reader, SeveralRuns
from opentine_gui.importers.reading import Reading

HEAD = 1 << 16
"""How many bytes from the start of a file `recognise` is given."""

SURE = 0.5
"""A file is listed as a run when a reader is at least so sure of its content."""


def _recognise_tine(head: bytes) -> float:
    """Compressed files begin with magic bytes; plain ones name `format_version`, which a long cache can push out."""
    if head.startswith(MAGIC):
        return 1.0
    return 0.9 if b'"format_version"' in head and not _has_lines(head) else 0.0


def _has_lines(head: bytes) -> bool:
    """Whether a file is JSON lines: its first line is an object, and another begins after it."""
    first, _, rest = head.partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(msgspec.json.decode(first), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _read_tine(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    return Reading(storage.read(path, progress=progress, cancelled=cancelled), sources=(Path(path),))


TINE = Reader("tine", (".tine",), _recognise_tine, _read_tine, "tine")
READERS: tuple[Reader, ...] = (TINE,)
"""Every format that can be opened, the project's own first. Where two are equally sure, the first one reads."""


def suffixes() -> tuple[str, ...]:
    """The endings of all formats, each once, in the table's order."""
    return tuple(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))


def is_run(name: str) -> bool:
    """Whether a file of this name is a run without a look at its content: one of the project's own format."""
    return name.lower().endswith(TINE.suffixes)


def may_be_run(name: str) -> bool:
    """Whether a file of this name is worth a look at its content: its ending is one of the table's."""
    return name.lower().endswith(suffixes())


def is_recognised(path: Path) -> bool:
    """Whether a file is listed as a run: it has our ending, or an ending of the table and content that is recognised.

    False too for what cannot be read.
    """
    if is_run(path.name):
        return True
    if not may_be_run(path.name):
        return False
    try:
        head = storage.read_head(path, HEAD)
    except TineError:
        return False
    return _surest(head)[1] >= SURE


def reader_of(name: str, head: bytes) -> Reader:
    """The reader for a file: the one surest of its content, else the one of its ending, else that of `.tine`.

    An ending that several formats share says nothing. The last is the fallback because its errors say why a file is
    not a run.
    """
    reader, sure = _surest(head)
    if sure > 0:
        return reader
    named = [reader for reader in READERS if name.lower().endswith(reader.suffixes)]
    return named[0] if len(named) == 1 else TINE


def folder_reader(folder: Path) -> Reader | None:
    """The reader of a folder that is a run itself; None for a folder of files. Looks at names, and at few files."""
    found: Reader | None = None
    most = 0.0
    for reader in READERS:
        sure = reader.recognise_folder(folder) if reader.recognise_folder is not None else 0.0
        if sure > most:
            found, most = reader, sure
    return found


def _surest(head: bytes) -> tuple[Reader, float]:
    """(reader, how sure it is), the first of the table among equals."""
    return max(((reader, reader.recognise(head)) for reader in READERS), key=lambda pair: pair[1])


def split_part(path: str | Path) -> tuple[Path, str]:
    """`file.db#part` as (file, part); a `#` in the name of an existing file belongs to it, and the part is ""."""
    whole = Path(path)
    name, sign, part = whole.name.partition("#")
    while sign:
        file = whole.with_name(name) if name else whole
        if part and name and os.path.exists(file) and not os.path.exists(whole):
            return file, part
        more, sign, part = part.partition("#")
        name = f"{name}#{more}"
    return whole, ""


def reader_for(path: str | Path) -> tuple[Reader, Path, str]:
    """(reader, file or folder, part) of a path as it is opened. StorageError when it cannot be looked at."""
    file, part = split_part(path)
    if os.path.isdir(file):
        reader = folder_reader(file)
        if reader is not None:
            return reader, file, part
    return reader_of(file.name, storage.read_head(file, HEAD)), file, part


def parts_of(path: str | Path) -> Sequence[Part]:
    """The runs of a source that holds several, newest first; none for a format with one run a file. TineError."""
    reader, file, _part = reader_for(path)
    return reader.parts.list(file) if reader.parts is not None else ()


def read_run(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> RunRecord:
    """The run in a file of any format of the table. TineError (with `path` in it) when it cannot be read."""
    return read_source(path, progress=progress, cancelled=cancelled).record


def read_source(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """As `read_run`, with the places of the steps' own records and what was not understood.

    `file#part` reads one run of several. SeveralRuns when there are several and none is named.
    """
    reader, file, part = reader_for(path)
    if reader.parts is None:
        return reader.read(file, progress=progress, cancelled=cancelled)
    if part:
        return reader.parts.read(file, part, progress=progress, cancelled=cancelled)
    parts = reader.parts.list(file)
    if len(parts) > 1:
        raise SeveralRuns(file, parts)
    return reader.read(file, progress=progress, cancelled=cancelled)


def read_overview_of(path: str | Path, *, cancelled: Stop | None = None) -> Overview:
    """What the list of runs shows of a file in any format of the table. TineError when it cannot be read.

    No payload of a `.tine` file is decoded; a file of another format is read whole.
    """
    reader, file, _part = reader_for(path)
    if reader is TINE:
        return read_overview(file, cancelled=cancelled)
    return overview_of(read_source(path, cancelled=cancelled).record)
