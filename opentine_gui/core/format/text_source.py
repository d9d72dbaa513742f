"""Random access to a document's text, in memory or in a file that is read piece by piece.

Reading a large file as a whole costs more for fresh memory than for reading, and holds that memory during decoding.
"""

from __future__ import annotations

from io import FileIO
from typing import Protocol

from opentine_gui.core.errors import FormatError

BLOCK = 1 << 18
"""Bytes searched at a time."""


class Text(Protocol):
    """The interface a reader needs; offsets are in bytes."""

    def __len__(self) -> int: ...

    def piece(self, start: int, stop: int) -> bytes:
        """The bytes from `start` up to `stop`."""
        ...

    def find(self, mark: bytes, start: int, stop: int) -> int:
        """The offset of the first `mark` between the two offsets, or -1."""
        ...

    def rfind(self, mark: bytes) -> int:
        """The offset of the last `mark`, or -1."""
        ...

    def whole(self) -> bytes:
        """All of it."""
        ...


class MemoryText:
    """A text in memory."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def __len__(self) -> int:
        return len(self._text)

    def piece(self, start: int, stop: int) -> bytes:
        """The bytes from `start` up to `stop`."""
        return self._text[start:stop]

    def find(self, mark: bytes, start: int, stop: int) -> int:
        """The offset of the first `mark` between the two offsets, or -1."""
        return self._text.find(mark, start, stop)

    def rfind(self, mark: bytes) -> int:
        """The offset of the last `mark`, or -1."""
        return self._text.rfind(mark)

    def whole(self) -> bytes:
        """All of it."""
        return self._text


class FileText:
    """A text in an open, unbuffered file of `size` bytes. FormatError if the file became shorter."""

    def __init__(self, file: FileIO, size: int) -> None:
        self._file, self._size = file, size

    def __len__(self) -> int:
        return self._size

    def piece(self, start: int, stop: int) -> bytes:
        """The bytes from `start` up to `stop`."""
        self._file.seek(start)
        found = self._file.read(stop - start)
        while found and len(found) < stop - start:
            more = self._file.read(stop - start - len(found))
            if not more:
                break
            found += more
        if len(found) < stop - start:
            raise FormatError("the file became shorter while it was read")
        return found

    def find(self, mark: bytes, start: int, stop: int) -> int:
        """The offset of the first `mark` between the two offsets, or -1."""
        while start < stop:
            end = min(start + BLOCK, stop)
            found = self.piece(start, end).find(mark)
            if found >= 0:
                return start + found
            if end == stop:
                break
            start = end - len(mark) + 1
        return -1

    def rfind(self, mark: bytes) -> int:
        """The offset of the last `mark`, or -1."""
        stop = self._size
        while stop > 0:
            start = max(stop - BLOCK, 0)
            found = self.piece(start, stop).rfind(mark)
            if found >= 0:
                return start + found
            if start == 0:
                break
            stop = start + len(mark) - 1
        return -1

    def whole(self) -> bytes:
        """All of it."""
        return self.piece(0, self._size)
