"""Reads archives in place and within limits: nothing is unpacked to disk, and no member's name is used as a path."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from lzma import LZMAError
from pathlib import Path
from typing import BinaryIO, NamedTuple

from opentine_gui.core.errors import FormatError, LimitError, StorageError, TineError
from opentine_gui.core.format.container import zstd_module
from opentine_gui.importers.reading import Place

MOST_MEMBERS = 200_000
LARGEST_MEMBER = 256 << 20
LARGEST_TOTAL = 512 << 20
"""Most bytes that all members read from an archive may have together."""
ZSTD_METHOD = 93
"""The number that the zip format has for zstd."""
ZIP = b"PK\x03\x04"
GZIP = b"\x1f\x8b"
_TAR_MARK = (257, b"ustar")
_SHOWN = 1 << 16


class Member(NamedTuple):
    """A regular file in an archive: its name (never a path to open), size, bytes, and place if stored uncompressed."""

    name: str
    size: int
    read: Callable[[], bytes]
    place: Place | None


class Budget:
    """Counts unpacked bytes. LimitError when there are more than an archive may have."""

    def __init__(self, path: Path, most: int = LARGEST_TOTAL) -> None:
        self.path = path
        self.left = most

    def take(self, size: int) -> None:
        """Count `size` bytes."""
        self.left -= size
        if size > LARGEST_MEMBER or self.left < 0:
            raise LimitError("what it unpacks to is larger than what a reader accepts", path=self.path)


@contextmanager
def opened(path: Path) -> Iterator[list[Member]]:
    """The members of a zip or tar (or its gzip). StorageError, FormatError if damaged, LimitError for a bomb."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
            file.seek(0)
            if head == ZIP:
                with zipfile.ZipFile(file) as archive:
                    yield _zipped(archive, path)
            elif head.startswith(GZIP):
                # "r:" refuses a tar that is compressed again, whose unpacking the budget would not see.
                with tarfile.open(fileobj=io.BytesIO(_unpacked(file, path)), mode="r:") as tar:
                    yield _tarred(tar, path, stored=False)
            else:
                with tarfile.open(fileobj=file, mode="r:") as tar:
                    yield _tarred(tar, path, stored=True)
    except TineError:
        raise
    except OSError as error:
        raise StorageError("the archive cannot be read", path=path, cause=error.strerror or error) from error
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, LZMAError, EOFError, RuntimeError) as error:
        raise FormatError("the archive is damaged", path=path, cause=error) from error
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        raise FormatError("the archive is damaged", path=path, cause=error) from error


def names_in(head: bytes) -> list[bytes]:
    """The names of the first members of an archive, from the first bytes of its file; none for any other file."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _SHOWN)
        except zlib.error:
            return []
    if head.startswith(ZIP):
        return _zip_names(head)
    names = []
    position = 0
    start, mark = _TAR_MARK
    while head[position + start : position + start + len(mark)] == mark:
        names.append(head[position : position + 100].rstrip(b"\x00"))
        try:
            size = int(head[position + 124 : position + 135].strip(b"\x00 ") or b"0", 8)
        except ValueError:
            break
        if size < 0:  # the next header would not be further along
            break
        position += 512 + (size + 511) // 512 * 512
    return names


def _zip_names(head: bytes) -> list[bytes]:
    """Names in the local headers; an archive inside the data adds names of its own."""
    names = []
    position = 0
    while (position := head.find(ZIP, position)) >= 0:
        length = int.from_bytes(head[position + 26 : position + 28], "little")
        names.append(head[position + 30 : position + 30 + length])
        position += 30 + length
    return names


def _zipped(archive: zipfile.ZipFile, path: Path) -> list[Member]:
    infos = [info for info in archive.infolist() if not info.is_dir()]
    if len(infos) > MOST_MEMBERS:
        raise LimitError(f"the archive has more than {MOST_MEMBERS:,} members", path=path)
    budget = Budget(path)

    def reader(info: zipfile.ZipInfo) -> Callable[[], bytes]:
        def read() -> bytes:
            budget.take(info.file_size)
            if info.compress_type == ZSTD_METHOD:
                content = _unpack_zstd(archive, info)
            else:
                with archive.open(info) as member:
                    content = member.read(info.file_size + 1)
            if len(content) > info.file_size:
                raise LimitError("a member unpacks to more than it declares", path=path, place=info.filename[:80])
            return content

        return read

    return [Member(info.filename, info.file_size, reader(info), None) for info in infos]


def _unpack_zstd(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A member packed with zstd, which the standard library reads from Python 3.14 on."""
    file = archive.fp
    if file is None or info.flag_bits & 1:
        raise FormatError("a member cannot be read", place=info.filename[:80])
    end = file.seek(0, io.SEEK_END)
    file.seek(info.header_offset)
    header = file.read(30)
    file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), io.SEEK_CUR)
    module = zstd_module()
    packed = file.read(min(info.compress_size, end))  # memory is allocated first, and a damaged size may be gigabytes
    try:
        content = module.ZstdDecompressor().decompress(packed, max_length=info.file_size + 1)
    except module.ZstdError as error:
        raise FormatError("a member is damaged", place=info.filename[:80], cause=error) from error
    if zlib.crc32(content) != info.CRC:
        raise FormatError("a member is damaged", place=info.filename[:80])
    return bytes(content)


def _tarred(tar: tarfile.TarFile, path: Path, *, stored: bool) -> list[Member]:
    budget = Budget(path)
    members: list[Member] = []
    for info in tar:
        if len(members) > MOST_MEMBERS:
            raise LimitError(f"the archive has more than {MOST_MEMBERS:,} members", path=path)
        if info.isreg() and not info.issparse():
            place = Place(path, info.offset_data, info.size) if stored else None
            members.append(Member(info.name, info.size, _tar_reader(tar, info, budget), place))
    return members


def _tar_reader(tar: tarfile.TarFile, info: tarfile.TarInfo, budget: Budget) -> Callable[[], bytes]:
    def read() -> bytes:
        budget.take(info.size)
        file = tar.extractfile(info)
        return file.read() if file is not None else b""

    return read


def _unpacked(file: BinaryIO, path: Path) -> bytes:
    """The bytes in a gzip file, as far as the limit allows."""
    budget = Budget(path)
    pieces = []
    unpacker = zlib.decompressobj(wbits=31)
    while not unpacker.eof and (packed := file.read(1 << 20)):
        while packed:
            piece = unpacker.decompress(packed, 1 << 22)
            budget.take(len(piece))
            pieces.append(piece)
            packed = unpacker.unconsumed_tail
    return b"".join(pieces)
