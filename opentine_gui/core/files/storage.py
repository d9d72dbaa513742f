"""Reads and writes files. With `atomic_write` the only module that opens a file for writing."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import NamedTuple, TextIO

import msgspec

from opentine_gui.core.errors import Cancelled, LimitError, StorageError, TineError, shown
from opentine_gui.core.files import reader, writer
from opentine_gui.core.files.atomic_write import NEW_FILE_MODE, write_pieces_atomic
from opentine_gui.core.format.container import MAGIC, MAXIMUM_SIZE, Storage, wrap
from opentine_gui.core.format.source import Source
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.core.record import RunRecord, check_records

_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_AT_ONCE = 1 << 30
"""Most bytes read in one piece; pieces have to be joined, which takes the memory twice."""
_HASHED_AT_ONCE = 1 << 20


class Fingerprint(NamedTuple):
    """Size, modification time and inode, to notice a changed file without reading it."""

    size: int
    modified_ns: int
    inode: int


def fingerprint(path: str | Path) -> Fingerprint | None:
    """The file's fingerprint, following links; None if there is no such file. StorageError for an impossible name."""
    given: object = path
    if not isinstance(given, str | os.PathLike):
        raise StorageError(f"{shown(given)} is not the name of a file")
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return Fingerprint(status.st_size, status.st_mtime_ns, status.st_ino)


def disk_of(path: str | Path) -> int:
    """The number of the file system in which a file lies, or would lie; 0 where its folder is not there."""
    try:
        return os.stat(os.path.dirname(os.path.realpath(path))).st_dev
    except (OSError, ValueError):
        return 0


def plain_fingerprint(file: Path | os.DirEntry[str]) -> Fingerprint | None:
    """The fingerprint of a regular file; None for links, folders and everything else."""
    try:
        status = file.stat(follow_symlinks=False)
    except OSError:
        return None
    return Fingerprint(status.st_size, status.st_mtime_ns, status.st_ino) if stat.S_ISREG(status.st_mode) else None


@contextmanager
def _opened(path: str | Path, limit: int) -> Iterator[tuple[FileIO, int]]:
    """(regular file opened unbuffered, size). StorageError for anything else, LimitError above `limit` bytes.

    Nothing beyond that size is read: so reading a file that grows meanwhile ends, and kernel files, which report no
    size and may be endless, are empty. Opening does not block if a pipe has taken the file's place.
    """
    given: object = path
    if not isinstance(given, str | os.PathLike):
        raise StorageError(f"{shown(given)} is not the name of a file")
    opened = False
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            inside = Path(path) / "config.json"
            known = os.path.exists(inside) or os.path.exists(Path(path) / ".tine" / "config.json")
            what = "a .tine repository directory, which is not a document" if known else "a directory, not a document"
            raise StorageError(f"this is {what}", path=path)
        if not stat.S_ISREG(status.st_mode):
            raise StorageError("this is not a regular file", path=path)
        if status.st_size > limit:
            raise LimitError(f"the file has {status.st_size:,} bytes; a reader accepts {limit:,}", path=path)
        with FileIO(os.open(path, _READING)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise StorageError("this is not a regular file", path=path)
            opened = True
            yield file, min(status.st_size, limit)
    except TineError:  # raised by the body; FormatError is a ValueError too
        raise
    except OSError as error:
        raise StorageError("the file cannot be read", path=path, cause=error.strerror) from error
    except (ValueError, TypeError, OverflowError) as error:
        what = "the file cannot be read" if opened else "the name is not a possible file name"
        raise StorageError(what, path=path, cause=error) from error


def read_bytes(path: str | Path, *, limit: int = MAXIMUM_SIZE) -> bytes:
    """A regular file's bytes. StorageError for anything else; LimitError above `limit` bytes."""
    with _opened(path, limit) as (file, size):
        return b"".join(_pieces(file, size))


def _pieces(file: FileIO, size: int, most: int = _AT_ONCE) -> Iterator[bytes]:
    """The first `size` bytes of an open file (fewer if it is shorter), in pieces of at most `most` bytes."""
    while size > 0 and (piece := file.read(min(size, most))):
        yield piece
        size -= len(piece)


def read_pieces(path: str | Path, size: int, *, limit: int = MAXIMUM_SIZE) -> Iterator[bytes]:
    """A regular file's bytes in pieces of `size`, from one opening. As `read_bytes`."""
    with _opened(path, limit) as (file, present):
        yield from _pieces(file, present, size)


def read_head(path: str | Path, size: int) -> bytes:
    """The first `size` bytes of a regular file of any length, fewer when it is shorter. StorageError."""
    with _opened(path, sys.maxsize) as (file, present):
        return b"".join(_pieces(file, min(size, present)))


def read_piece(path: str | Path, offset: int, length: int) -> bytes:
    """`length` bytes of a regular file from `offset`, fewer where it ends before. StorageError."""
    with _opened(path, sys.maxsize) as (file, size):
        file.seek(offset)
        return b"".join(_pieces(file, min(length, size - offset)))


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> RunRecord:
    """Read the document in a file. TineError, which names the file."""
    with _opened(path, MAXIMUM_SIZE) as (file, size):
        return reader.decode_file(file, size, path=path, progress=progress, cancelled=cancelled)


def digest(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> str:
    """SHA-256 of a file's bytes, to tell changed content from a new time stamp. StorageError if it cannot be read."""
    found, pace, done = hashlib.sha256(), Pace(progress, cancelled), 0
    with _opened(path, MAXIMUM_SIZE) as (file, size):
        for piece in _pieces(file, size, _HASHED_AT_ONCE):
            found.update(piece)
            done += len(piece)
            pace.at(done / size)
    return found.hexdigest()


def write(
    path: str | Path,
    record: RunRecord,
    *,
    compress: Storage | None = None,
    overwrite: bool = True,
    make_folders: bool = False,
    replaces: str | None = None,
    progress: Progress | None = None,
    cancelled: Stop | None = None,
    passed: Callable[[bytes], None] | None = None,
) -> Path:
    """Write a document atomically, plain or in a TINEZ1 container; returns the path of the file written.

    Without `compress` the file is compressed like the one the record was read from, and plain for a new record.
    `passed` is called with every piece before it is written; if it raises, the old file stays. `make_folders` and
    `replaces` are those of `write_pieces_atomic`. What is on the disk is read back before it replaces anything.
    StorageError, FileChanged, FormatError, LimitError.
    """
    return write_and_keep(
        path,
        record,
        compress=compress,
        overwrite=overwrite,
        make_folders=make_folders,
        replaces=replaces,
        progress=progress,
        cancelled=cancelled,
        passed=passed,
    )[0]


def write_and_keep(
    path: str | Path,
    record: RunRecord,
    *,
    compress: Storage | None = None,
    overwrite: bool = True,
    make_folders: bool = False,
    replaces: str | None = None,
    progress: Progress | None = None,
    cancelled: Stop | None = None,
    passed: Callable[[bytes], None] | None = None,
) -> tuple[Path, RunRecord]:
    """As `write`; returns (path, the record as saved: untouched and with its digest)."""
    check_records(record)
    if compress is None:
        compress = record.container if record.container in ("zlib", "zstd") else "plain"
    pieces, metadata = writer.encode_sealed(record, progress=progress, cancelled=cancelled)
    size = sum(map(len, pieces))
    if compress != "plain":
        pieces = [wrap(b"".join(pieces), compress)]
    stored = compress if pieces[0].startswith(MAGIC) else "plain"
    content = hashlib.sha256()

    def read_back(temporary: Path) -> None:
        if digest(temporary) != content.hexdigest():
            raise StorageError("the disk did not keep what was written, so nothing was replaced", path=path)

    target = write_pieces_atomic(
        path,
        _shown(pieces, content.update, passed),
        overwrite=overwrite,
        make_folders=make_folders,
        replaces=replaces,
        check=read_back,
    )
    source = Source(container=stored, integrity=metadata["integrity"], size=size)
    saved = msgspec.structs.replace(record, metadata=metadata, source=source, untouched=True, origins=())
    return target, saved


def write_bytes_atomic(
    path: str | Path,
    data: bytes,
    *,
    overwrite: bool = True,
    mode: int | None = NEW_FILE_MODE,
    make_folders: bool = False,
) -> Path:
    """Write a file atomically; see `write_pieces_atomic`. StorageError."""
    given: object = data
    if not isinstance(given, bytes | bytearray | memoryview):
        raise StorageError(f"{shown(given)} cannot be written: only bytes can", path=path)
    return write_pieces_atomic(path, [data], overwrite=overwrite, mode=mode, make_folders=make_folders)


def remove_log(path: str | Path) -> None:
    """Remove a log that `open_log` opened, if it is still there."""
    with suppress(OSError):
        os.unlink(path)


def is_unchanged(path: str | Path, digest_before: str) -> bool:
    """Whether a file still has the bytes with this SHA-256."""
    try:
        return digest(path) == digest_before
    except TineError:
        return False


def remove_unchanged(path: str | Path, digest_before: str) -> None:
    """Remove a file that still has the bytes with this SHA-256; any other is left. StorageError."""
    if not is_unchanged(path, digest_before):
        return
    try:
        os.unlink(path)
    except OSError as error:
        raise StorageError("the file cannot be removed", path=path, cause=error.strerror) from error


def remove(path: str | Path) -> None:
    """Remove a file; one that is not there is fine. StorageError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StorageError("the file cannot be removed", path=path, cause=error.strerror) from error


def remove_empty_folder(path: str | Path) -> None:
    """Remove a folder with nothing in it; any other stays."""
    with suppress(OSError):
        os.rmdir(path)


def remove_tree(path: str | Path) -> None:
    """Remove a folder of copies that can be made again, as far as the system allows."""
    import shutil

    shutil.rmtree(path, ignore_errors=True)


def _shown(
    pieces: Iterable[bytes], measured: Callable[[bytes], None], passed: Callable[[bytes], None] | None
) -> Iterator[bytes]:
    for piece in pieces:
        if passed is not None:
            passed(piece)
        measured(piece)
        yield piece


class PrivateFiles:
    """Copies for other programs to look at, each in a new folder, readable by its owner alone; `close` removes them."""

    def __init__(self) -> None:
        self._folders: list[Path] = []

    def write(self, name: str, data: bytes) -> Path:
        """Write a copy under this name; returns its path. StorageError."""
        import tempfile

        try:
            folder = Path(tempfile.mkdtemp(prefix="opentine-gui-"))  # for its owner alone
            self._folders.append(folder)
            path = folder / name
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            os.chmod(path, stat.S_IRUSR)
        except OSError as error:
            raise StorageError("a copy cannot be written", path=name, cause=error.strerror) from error
        return path

    def copy(self, paths: Sequence[str | Path], cancelled: Stop | None = None) -> Path:
        """Copy regular files side by side, as they are now; returns the path of the first one's copy.

        StorageError; Cancelled when `cancelled` says so.
        """
        import tempfile

        try:
            folder = Path(tempfile.mkdtemp(prefix="opentine-gui-"))  # for its owner alone
            self._folders.append(folder)
            for path in paths:
                copied = os.open(folder / Path(path).name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(copied, "wb") as file, _opened(path, sys.maxsize) as (source, size):
                    for piece in _pieces(source, size):
                        if cancelled is not None and cancelled():
                            raise Cancelled("the work was stopped")
                        file.write(piece)
        except OSError as error:
            raise StorageError("a copy cannot be written", path=paths[0], cause=error.strerror) from error
        return folder / Path(paths[0]).name

    def close(self) -> None:
        """Remove all copies."""
        import shutil

        for folder in self._folders:
            for path in folder.glob("*"):
                with suppress(OSError):
                    os.chmod(path, 0o600)  # on Windows a file that cannot be written cannot be removed
            shutil.rmtree(folder, ignore_errors=True)
        self._folders.clear()


def open_log(path: str | Path) -> TextIO:
    """Open a line-buffered text file, truncated. StorageError.

    Logs are read while they grow, so this is the only file that is not written atomically.
    """
    try:
        return Path(path).open("w", encoding="utf-8", buffering=1)
    except OSError as error:
        raise StorageError("the log cannot be written", path=path, cause=error.strerror or str(error)) from error
