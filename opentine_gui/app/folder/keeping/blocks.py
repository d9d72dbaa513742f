"""Blocks of lines: what the archive's packs consist of. Bytes in, bytes out; nothing is read or written here.

A pack is blocks in a row. A block has a number that no other block of the archive has, the digests and lengths of its
lines, and the lines themselves, packed with zstd. Packs are joined by putting their bytes behind each other.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from opentine_gui.core.errors import FormatError
from opentine_gui.core.format.container import zstd_module

MAGIC = b"OTKEPT1\n"
_HEADER = struct.Struct("<QIQQ")
HEADER_SIZE = len(MAGIC) + _HEADER.size
DIGEST_SIZE = 16
LEVEL = 6
LARGEST_BLOCK = 1 << 30
MOST_LINES = 1 << 26

Read = Callable[[int, int], bytes]
"""(offset, length) to the bytes of a pack, fewer at its end."""


class Block(NamedTuple):
    """Where a block is in its pack: its number, how many lines it has, where its lines are packed, and where it ends.

    `size` is that of its lines in bytes, unpacked.
    """

    number: int
    lines: int
    table: int
    payload: int
    end: int
    size: int


def digest_of(line: bytes) -> bytes:
    """What a line is known by."""
    return hashlib.blake2b(line, digest_size=DIGEST_SIZE).digest()


def encode_block(number: int, lines: Sequence[bytes], digests: Sequence[bytes]) -> bytes:
    """A block of lines."""
    packed: bytes = zstd_module().compress(b"".join(lines), LEVEL)
    lengths = struct.pack(f"<{len(lines)}Q", *map(len, lines))
    header = _HEADER.pack(number, len(lines), sum(map(len, lines)), len(packed))
    return b"".join([MAGIC, header, *digests, lengths, packed])


def blocks_in(read: Read, size: int) -> Iterator[Block]:
    """The blocks of a pack of so many bytes. FormatError where it is damaged."""
    offset = 0
    while offset < size:
        head = read(offset, HEADER_SIZE)
        if len(head) < HEADER_SIZE or not head.startswith(MAGIC):
            raise FormatError("this pack of kept sessions is damaged", place=f"byte {offset}")
        number, lines, whole, packed = _HEADER.unpack(head[len(MAGIC) :])
        table = offset + HEADER_SIZE
        payload = table + lines * (DIGEST_SIZE + 8)
        if lines > MOST_LINES or whole > LARGEST_BLOCK or payload + packed > size:
            raise FormatError("this pack of kept sessions is damaged", place=f"byte {offset}")
        yield Block(number, lines, table, payload, payload + packed, whole)
        offset = payload + packed


def digests_of(read: Read, block: Block) -> list[bytes]:
    """The digests of a block's lines, in order."""
    size = block.lines * DIGEST_SIZE
    data = read(block.table, size)
    return [data[start : start + DIGEST_SIZE] for start in range(0, size, DIGEST_SIZE)]


def lengths_of(read: Read, block: Block) -> tuple[int, ...]:
    """The lengths of a block's lines in bytes, in order."""
    data = read(block.table + block.lines * DIGEST_SIZE, block.lines * 8)
    return struct.unpack(f"<{block.lines}Q", data)


def lines_of(read: Read, block: Block) -> bytes:
    """A block's lines, one behind the other. FormatError where they are damaged."""
    module = zstd_module()
    packed = read(block.payload, block.end - block.payload)
    try:
        text: bytes = module.ZstdDecompressor().decompress(packed, max_length=block.size + 1) if packed else b""
    except module.ZstdError as error:
        raise FormatError("a block of kept sessions is damaged", cause=error) from error
    if len(text) != block.size:
        raise FormatError("a block of kept sessions is damaged", place=f"block {block.number}")
    return text
