"""Packs and unpacks the TINEZ1 container around a document's text (docs/FORMAT.md, section 13)."""

from __future__ import annotations

import importlib
import sys
import zlib
from typing import Any, Literal

from opentine_gui.core.errors import FormatError, LimitError

MAGIC = b"TINEZ1\x00"
MAXIMUM_SIZE = 256 * 1024 * 1024
MAXIMUM_RATIO = 1000
SMALLEST_WRAPPED = 512
ZLIB_LEVEL = 6
ZSTD_LEVEL = 3

Container = Literal["plain", "raw", "zlib", "zstd"]
Compression = Literal["zlib", "zstd"]
Storage = Literal["plain", "zlib", "zstd"]
"""The forms in which a document can be written."""

_CODECS: dict[int, Container] = {0: "raw", 1: "zlib", 2: "zstd"}
_INSTALL_ZSTD = "reading or writing it needs Python 3.14, or the package `backports.zstd`"


def unwrap(data: bytes) -> tuple[bytes, Container]:
    """(inner text, how it was stored). FormatError or LimitError unless the file is exactly one complete stream."""
    if not data.startswith(MAGIC):
        return data, "plain"
    if len(data) == len(MAGIC):
        raise FormatError("the compressed header is truncated", place="byte 7")
    codec = data[len(MAGIC)]
    size, start = read_uvarint(data, len(MAGIC) + 1)
    frame = memoryview(data)[start:]
    if size > MAXIMUM_SIZE:
        raise LimitError(f"the compressed file declares {size:,} bytes; a reader accepts {MAXIMUM_SIZE:,}")
    if size > MAXIMUM_RATIO * max(len(frame), 1):
        raise LimitError(f"the compressed file declares more than {MAXIMUM_RATIO} times its own size")
    if codec not in _CODECS:
        raise FormatError(f"the file uses storage codec {codec}, which this reader does not know", place="byte 7")
    container = _CODECS[codec]
    if container == "raw":
        text = bytes(frame)
    elif container == "zlib":
        text = _inflate(frame, size)
    else:
        text = _decompress_zstd(frame, size)
    if len(text) != size:
        raise FormatError(f"the compressed text has {len(text):,} bytes where its header declares {size:,}")
    if text.startswith(MAGIC):
        raise FormatError("the file is compressed twice")
    return text, container


def wrap(text: bytes, compression: Compression) -> bytes:
    """The text in a TINEZ1 container, or as it is where the package leaves it plain (docs/FORMAT.md, section 13).

    FormatError for zstd where there is no module for it.
    """
    if len(text) < SMALLEST_WRAPPED:
        return text
    frame = zlib.compress(text, ZLIB_LEVEL) if compression == "zlib" else _compress_zstd(text)
    codec = 1 if compression == "zlib" else 2
    wrapped = MAGIC + bytes([codec]) + write_uvarint(len(text)) + frame
    if len(wrapped) >= len(text) or len(text) > MAXIMUM_RATIO * len(frame):
        return text
    return wrapped


def write_uvarint(value: int) -> bytes:
    """`value` as minimal unsigned LEB128."""
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def read_uvarint(data: bytes, start: int) -> tuple[int, int]:
    """(value, offset after it). FormatError when truncated, longer than ten bytes or not minimal."""
    value = 0
    for position in range(start, min(start + 10, len(data))):
        byte = data[position]
        value |= (byte & 0x7F) << (7 * (position - start))
        if byte < 0x80:
            if byte == 0 and position > start:
                raise FormatError("the compressed header's length is not minimally encoded", place=f"byte {position}")
            return value, position + 1
    raise FormatError("the compressed header's length is malformed", place=f"byte {start}")


def _inflate(frame: memoryview, size: int) -> bytes:
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(frame, size + 1)
    except zlib.error as error:
        raise FormatError("the compressed body is corrupt", cause=error) from error
    if len(text) > size:
        raise FormatError(f"the compressed text is longer than the {size:,} bytes its header declares")
    if not inflater.eof:
        try:
            text += inflater.decompress(inflater.unconsumed_tail, 1)
        except zlib.error as error:
            raise FormatError("the compressed body is corrupt", cause=error) from error
    if not inflater.eof or inflater.unused_data:
        raise FormatError("the compressed body has trailing or missing data")
    return text


def zstd_module() -> Any:
    """Python's own zstd module, or its backport. FormatError where there is neither."""
    try:
        return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    except ImportError:
        raise FormatError(f"the file is compressed with zstd; {_INSTALL_ZSTD}") from None


def _decompress_zstd(frame: memoryview, size: int) -> bytes:
    module = zstd_module()
    try:
        stream = module.ZstdDecompressor()
        text: bytes = stream.decompress(frame, max_length=size + 1)
        while not stream.eof and len(text) <= size:
            more = stream.decompress(b"", max_length=size + 1 - len(text))
            if not more:
                break
            text += more
    except module.ZstdError as error:
        raise FormatError("the compressed body is corrupt", cause=error) from error
    if len(text) > size:
        raise FormatError(f"the compressed text is longer than the {size:,} bytes its header declares")
    if not stream.eof or stream.unused_data:
        raise FormatError("the compressed body has trailing or missing data")
    return text


def _compress_zstd(text: bytes) -> bytes:
    frame: bytes = zstd_module().compress(text, ZSTD_LEVEL)
    return frame
