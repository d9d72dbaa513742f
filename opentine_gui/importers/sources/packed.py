"""The bytes of a source, unpacked if an agent has compressed it: `.jsonl.zst` works like `.jsonl`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from opentine_gui.core.errors import FormatError, LimitError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import zstd_module

MAGIC = b"\x28\xb5\x2f\xfd"
LARGEST = 2 << 30
"""Most bytes of a source that are read, packed or unpacked."""
PIECE = 1 << 18
"""Bytes read at a time: few enough to be still in the CPU cache when they are processed."""
UNPACKED = 1 << 24
"""Most bytes unpacked at a time."""
FIRST_PIECE = 1 << 10
"""Bytes first fed to a zstd frame, doubled each time: whatever follows the end of the frame is copied."""


def content_of(path: Path, limit: int = LARGEST) -> bytes:
    """A file's bytes, unpacked if they are zstd's. A cut end is left out, since the file may be growing.

    StorageError, LimitError above `limit` bytes, FormatError for what is damaged or cannot be unpacked here.
    """
    content = storage.read_bytes(path, limit=limit)
    if not content.startswith(MAGIC):
        return content
    try:
        return _unpacked(content, limit)
    except TineError as error:
        raise error.at_path(path) from error.__cause__


def pieces_of(path: Path, limit: int = LARGEST) -> Iterator[bytes]:
    """What `content_of` gives, in pieces that end with a line feed, except the last one.

    An unpacked source is never held in memory as a whole. Errors are those of `content_of`.
    """
    if storage.read_head(path, len(MAGIC)) == MAGIC:
        yield content_of(path, limit)
        return
    begun: list[bytes] = []
    for piece in storage.read_pieces(path, PIECE, limit=limit):
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join((*begun, piece[:end]))
            begun = []
        begun.append(piece[end:])
    if any(begun):
        yield b"".join(begun)


class Digested:
    """Iterates over pieces of bytes, and has the SHA-256 and the number of bytes passed so far."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces
        self._sha256 = sha256()
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._sha256.update(piece)
            self.size += len(piece)
            yield piece

    @property
    def source(self) -> tuple[str, int]:
        """(sha256, number of bytes)."""
        return self._sha256.hexdigest(), self.size


def piece_of(path: Path, offset: int, length: int) -> bytes:
    """`length` bytes from `offset` of what the source holds, fewer at its end. StorageError, and as `content_of`."""
    if storage.read_head(path, len(MAGIC)) == MAGIC:
        return content_of(path)[offset : offset + length]
    return storage.read_piece(path, offset, length)


def head_of_packed(head: bytes, size: int) -> bytes:
    """Up to `size` bytes unpacked from a packed head (b"" if it is damaged); any other head as it is."""
    if not head.startswith(MAGIC):
        return head
    try:
        text: bytes = zstd_module().ZstdDecompressor().decompress(head, max_length=size)
    except Exception:  # noqa: BLE001  the error type is that of a package that may be missing
        return b""
    return text


def _unpacked(content: bytes, limit: int) -> bytes:
    module = zstd_module()
    pieces: list[bytes] = []
    size = at = 0
    try:
        while content.startswith(MAGIC, at):
            stream = module.ZstdDecompressor()
            length = FIRST_PIECE
            while not stream.eof and at < len(content):
                piece = stream.decompress(content[at : at + length], max_length=UNPACKED)
                at, length = at + length, min(2 * length, UNPACKED)
                while piece:
                    pieces.append(piece)
                    size += len(piece)
                    if size > limit:
                        raise LimitError(f"unpacked, the file is larger than the {limit:,} bytes a reader accepts")
                    piece = b"" if stream.eof else stream.decompress(b"", max_length=UNPACKED)
            at = min(at, len(content)) - len(stream.unused_data)
    except module.ZstdError as error:
        if not pieces:
            raise FormatError("the compressed body is corrupt", cause=error) from error
    return b"".join(pieces)
