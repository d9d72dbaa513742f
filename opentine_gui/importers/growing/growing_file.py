"""A file that is appended to: its settled part, and whether that is still unchanged."""

from __future__ import annotations

import copy
import hashlib
import os
from pathlib import Path

from opentine_gui.core.errors import LimitError
from opentine_gui.core.files import storage
from opentine_gui.importers.json_lines import LARGEST_LOG

EDGE = 4096
"""Bytes at both ends of the settled part that are compared to tell a file that grew from one that was replaced."""


class NotAppendedError(Exception):
    """New records cannot be read on their own: they change settled ones, or the settled part is gone."""


class GrowingFile:
    """A file whose first `settled` bytes, complete lines, need not be read again. `path` is never written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settled = 0
        self._digest = hashlib.sha256()
        self._head = self._tail = b""
        self._inode = 0

    def rest(self) -> bytes:
        """The bytes after the settled part. NotAppendedError if the file was cut or replaced; else TineError."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise NotAppendedError from error
        if self.settled and (
            status.st_ino != self._inode
            or status.st_size < self.settled
            or storage.read_piece(self.path, 0, len(self._head)) != self._head
            or storage.read_piece(self.path, self.settled - len(self._tail), len(self._tail)) != self._tail
        ):
            raise NotAppendedError
        if status.st_size > LARGEST_LOG:
            raise LimitError(f"the file has {status.st_size:,} bytes; a reader accepts {LARGEST_LOG:,}", path=self.path)
        self._inode = status.st_ino
        return storage.read_piece(self.path, self.settled, status.st_size - self.settled)

    def settle(self, content: bytes) -> None:
        """Add `content`, the next bytes of the file, to the settled part."""
        self._digest.update(content)
        self.settled += len(content)
        if len(self._head) < EDGE:
            self._head += content[: EDGE - len(self._head)]
        self._tail = (self._tail + content[-EDGE:])[-EDGE:]

    def copy(self) -> GrowingFile:
        """An independent copy at the same place."""
        other = copy.copy(self)
        other._digest = self._digest.copy()
        return other

    def digest(self, rest: bytes) -> tuple[str, int]:
        """(SHA-256 in hex, number of bytes) of the settled part and the unsettled `rest` together."""
        whole = self._digest.copy()
        whole.update(rest)
        return whole.hexdigest(), self.settled + len(rest)
