"""Which files can be read, and what is said of one that cannot."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core import StorageError, TineError
from opentine_gui.importers import readers

MESSAGES = "Messages"
"""What the table calls a format that no program of that name writes."""


def is_foreign(path: Path) -> bool:
    """Whether a file has another program's format; False for one that cannot be looked at."""
    try:
        return readers.reader_for(path) is not readers.TINE
    except TineError:
        return False


def is_unknown(error: TineError | None) -> bool:
    """Whether a file could not be opened because its format is not known: reading it again changes nothing."""
    return error is not None and error.message == readers.UNKNOWN


def readable_words() -> str:
    """Which formats can be opened, in sentences."""
    names = ", ".join([title for title in readers.titles() if title != MESSAGES])
    return (
        f"What can be opened: .tine runs, what these write: {names}; and lists of messages. "
        "docs/IMPORT.md, from “For every format” on, says what is read of each."
    )


def as_tine_error(error: Exception, path: Path) -> TineError:
    """Any failure to read a file as a TineError that names the file."""
    if isinstance(error, TineError):
        return error.at_path(path)
    if isinstance(error, OSError):
        return StorageError(error.strerror or str(error), path=path)
    return TineError(f"it could not be read ({type(error).__name__}: {error})", path=path)
