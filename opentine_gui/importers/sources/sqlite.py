"""Opens agents' SQLite databases so that nothing can be written, created or locked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from opentine_gui.core.errors import Cancelled, FormatError, LimitError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Stop

MAGIC = b"SQLite format 3\x00"
INSTRUCTIONS_BETWEEN = 20_000
"""SQLite virtual machine instructions between two checks for cancelling."""
LONGEST_VALUE = 64 << 20
BUSY = 2.0
LARGEST_COPY = 4 << 30
"""Most bytes of a database with its log that are copied, if it cannot be read in place."""
COPIES_TRIED = 3
_LOG, _JOURNAL, _INDEX = "-wal", "-journal", "-shm"


@contextmanager
def opened(path: Path, cancelled: Stop | None = None) -> Iterator[sqlite3.Connection]:
    """A connection that can only read; FormatError for what is damaged, Cancelled when `cancelled` says so.

    Nothing in the database's folder is written, not even a time. Without a write-ahead log or a journal beside it, the
    database is opened as immutable, without a lock; if somebody writes meanwhile, that is a FormatError. With a log and
    the index that its writer keeps, both are only read. Else (a copied folder, a crash) a private copy is opened.

    Functions that a file's views or triggers might call are not trusted, and no value beyond `LONGEST_VALUE` bytes is
    fetched.
    """
    real = Path(os.path.realpath(path))  # SQLite looks for the log beside the file itself, not beside a link
    copies = storage.PrivateFiles()
    before = None
    try:
        if not _has_content(real, _LOG) and not _has_content(real, _JOURNAL):
            before = _fingerprints(real)
            connection = _connected(real, "mode=ro&immutable=1")
        else:
            connection = _beside_its_writer(real) or _connected(_copied(real, copies, cancelled), "mode=rw")
        with closing(connection):
            connection.execute("PRAGMA query_only = 1")
            connection.execute("PRAGMA trusted_schema = 0")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            if cancelled is not None:
                connection.set_progress_handler(lambda: int(cancelled()), INSTRUCTIONS_BETWEEN)
            yield connection
        if before is not None and _fingerprints(real) != before:
            raise FormatError("another program wrote to the database while it was read")
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the message quotes a damaged schema, maybe not in UTF-8
        if cancelled is not None and cancelled():
            raise Cancelled("the work was stopped") from error
        raise FormatError("the database cannot be read", path=path, cause=error) from error
    except TineError as error:
        raise error.at_path(path) from error.__cause__
    finally:
        copies.close()


def _connected(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(os.fsencode(path))}?{how}", uri=True, timeout=BUSY)


def _beside_its_writer(path: Path) -> sqlite3.Connection | None:
    """A connection that reads the log and its index in place; None if SQLite could not do so without writing."""
    if _has_content(path, _JOURNAL) or not _has_content(path, _INDEX):
        return None
    connection = _connected(path, "mode=ro&readonly_shm=1")
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:  # the index has no read mark that can be used without writing
        connection.close()
        return None
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _copied(path: Path, copies: storage.PrivateFiles, cancelled: Stop | None) -> Path:
    """A private copy of a database with its log or journal, as they were at one moment. FormatError, LimitError."""
    for _ in range(COPIES_TRIED):
        before = _fingerprints(path)
        size = sum(one.size for one in before if one is not None)
        if size > LARGEST_COPY:
            raise LimitError(f"the database has {size:,} bytes with its log; {LARGEST_COPY:,} are copied to be read")
        names = [path, *(Path(f"{path}{ending}") for ending in (_LOG, _JOURNAL) if _has_content(path, ending))]
        copied = copies.copy(names, cancelled)
        if _fingerprints(path) == before:
            return copied
        copies.close()
    raise FormatError("another program writes to the database all the time")


def _has_content(path: Path, ending: str) -> bool:
    found = storage.fingerprint(f"{path}{ending}")
    return found is not None and found.size > 0


def _fingerprints(path: Path) -> list[storage.Fingerprint | None]:
    return [storage.fingerprint(f"{path}{ending}") for ending in ("", _LOG, _JOURNAL)]


def table_names(connection: sqlite3.Connection) -> set[str]:
    """The names of the tables; views are not read."""
    return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def column_names(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none when there is no such table."""
    return {str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
