"""SQLite databases of agents, opened so that nothing of them can be written, created or locked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from opentine_gui.core.errors import Cancelled, FormatError, TineError
from opentine_gui.core.progress import Stop

MAGIC = b"SQLite format 3\x00"
INSTRUCTIONS_BETWEEN = 20_000
"""Instructions of the database's machine between two looks at cancelling."""
LONGEST_VALUE = 64 << 20
BUSY = 2.0


@contextmanager
def opened(path: Path, cancelled: Stop | None = None) -> Iterator[sqlite3.Connection]:
    """A connection that can only read; FormatError for what is damaged, Cancelled when `cancelled` says so.

    A database without a log of changes, or a journal, beside it is opened as immutable: no lock, no file beside it.
    Functions that a file's views or triggers might call are not trusted, and no value beyond `LONGEST_VALUE` bytes is
    fetched.
    """
    alone = not any(Path(f"{path}{ending}").exists() for ending in ("-wal", "-journal"))
    address = f"file:{quote(str(path.absolute()))}?mode=ro{'&immutable=1' if alone else ''}"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY)) as connection:
            connection.execute("PRAGMA query_only = 1")
            connection.execute("PRAGMA trusted_schema = 0")
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
            connection.text_factory = lambda text: text.decode("utf-8", "replace")
            if cancelled is not None:
                connection.set_progress_handler(lambda: int(cancelled()), INSTRUCTIONS_BETWEEN)
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged schema is quoted in the message as it stands
        if cancelled is not None and cancelled():
            raise Cancelled("the work was stopped") from error
        raise FormatError("the database cannot be read", path=path, cause=error) from error
    except TineError as error:
        raise error.at_path(path) from error.__cause__


def table_names(connection: sqlite3.Connection) -> set[str]:
    """The names of the tables; views are not read."""
    return {str(name) for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}


def column_names(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none when there is no such table."""
    return {str(name) for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
