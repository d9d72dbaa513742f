"""The head by which a source is recognised: a file's first bytes, a database's tables, a folder's names."""

from __future__ import annotations

import os
from pathlib import Path

from opentine_gui.core.errors import StorageError, TineError
from opentine_gui.core.files import storage
from opentine_gui.importers.sources import sqlite

HEAD = 1 << 16
"""Bytes from the start of a file that are in its head."""
FOLDER = b"\x00folder\x00"
"""Begins the head of a folder; its names follow, one per line."""
TABLES = b"\x00tables\x00"
"""Follows the magic bytes of a database in its head; the names of its tables follow, one per line."""
MOST_NAMES = 2000


def head_of(path: Path) -> bytes:
    """What readers recognise a source by. StorageError when it can be neither read nor listed."""
    if os.path.isdir(path):
        try:
            with os.scandir(path) as entries:
                names = [os.fsencode(entry.name) for entry, _ in zip(entries, range(MOST_NAMES), strict=False)]
        except OSError as error:
            raise StorageError("the folder cannot be listed", path=path, cause=error.strerror) from error
        return FOLDER + b"".join(name + b"\n" for name in sorted(names))
    head = storage.read_head(path, HEAD)
    if not head.startswith(sqlite.MAGIC):
        return head
    try:
        with sqlite.opened(path) as connection:
            names = [name.encode("utf-8", "replace") for name in sorted(sqlite.table_names(connection))]
    except TineError:
        names = []
    return sqlite.MAGIC + TABLES + b"".join(name + b"\n" for name in names)


def names_in_folder(head: bytes) -> set[bytes] | None:
    """The names in a folder, None when the head is not that of a folder."""
    return set(head[len(FOLDER) :].split(b"\n")) if head.startswith(FOLDER) else None


def tables_in(head: bytes) -> set[bytes] | None:
    """The tables of a database, None when the head is not that of a database."""
    start = sqlite.MAGIC + TABLES
    return set(head[len(start) :].split(b"\n")) if head.startswith(start) else None
