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
"""Bytes at both ends of what was read by which a file that was cut or replaced is told from one that grew."""


class NotAppendedError(Exception):
    """New records cannot be read separately: they change what was read before, or that is gone."""


class GrowingFile:
    """A file whose first `settled` bytes, complete lines, need not be read again. `path` is never written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settled = 0
        self._digest = hashlib.sha256()
        self._head = self._tail = b""
        self._inode = 0

    def rest(self) -> bytes:
        """The bytes behind what is settled. NotAppendedError when the file was cut or replaced; StorageError."""
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
        """Take these bytes, the next ones, as read for good."""
        self._digest.update(content)
        self.settled += len(content)
        if len(self._head) < EDGE:
            self._head += content[: EDGE - len(self._head)]
        self._tail = (self._tail + content[-EDGE:])[-EDGE:]

    def copy(self) -> GrowingFile:
        """The same place, to go on from by itself."""
        other = copy.copy(self)
        other._digest = self._digest.copy()
        return other

    def digest(self, rest: bytes) -> tuple[str, int]:
        """sha256 and number of the bytes so far, with a rest that is not settled."""
        whole = self._digest.copy()
        whole.update(rest)
        return whole.hexdigest(), self.settled + len(rest)
