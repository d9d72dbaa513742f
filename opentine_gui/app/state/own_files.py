"""The program's own files: the lock held while one is written, and file names in their JSON.

On Linux a name is bytes, and not all bytes are UTF-8.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes

_QUOTED = "bytes:"


@contextmanager
def held_lock(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock file beside `path` while it is read and written; filelock.Timeout after `timeout` seconds.

    OSError if the lock cannot be taken. An error while it is released is ignored: the file is written by then.
    """
    from filelock import FileLock  # slow to import, so not at the start

    lock = FileLock(f"{path}.lock", timeout=timeout)
    lock.acquire()
    try:
        yield
    finally:
        with suppress(OSError):
            lock.release()


def stored_path(path: str) -> str:
    """The path as text that can be encoded: a name that is not UTF-8 is percent-encoded behind a mark.

    So is one that begins with the mark itself.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return _QUOTED + quote_from_bytes(os.fsencode(path))
    return _QUOTED + quote_from_bytes(os.fsencode(path)) if path.startswith(_QUOTED) else path


def path_of(stored: str) -> str:
    """The path that `stored_path` was given."""
    return os.fsdecode(unquote_to_bytes(stored[len(_QUOTED) :])) if stored.startswith(_QUOTED) else stored
