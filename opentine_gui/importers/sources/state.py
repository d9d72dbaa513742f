"""Tells whether a source changed without reading it, by the fingerprints of its files and folders."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from opentine_gui.core.files.storage import Fingerprint

MOST_FILES = 20_000
"""Most files of a folder that are examined."""
BESIDE = ("-wal",)
"""Endings of the files beside a database that belong to it: SQLite's log, with the newest rows."""


def fingerprint_of(path: Path) -> Fingerprint | None:
    """Sum of sizes, newest time and inode of a file with what belongs to it, or of a folder; None if it is missing."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    size, newest = status.st_size, status.st_mtime_ns
    inside = _files_below(path) if os.path.isdir(path) else (f"{path}{ending}" for ending in BESIDE)
    for name in inside:
        try:
            one = os.stat(name)
        except OSError:
            continue
        size, newest = size + one.st_size, max(newest, one.st_mtime_ns)
    return Fingerprint(size, newest, status.st_ino)


def _files_below(folder: Path) -> Iterable[str]:
    count = 0
    for place, _folders, names in os.walk(folder):
        for name in names:
            count += 1
            if count > MOST_FILES:
                return
            yield os.path.join(place, name)


def state_of(paths: Iterable[Path]) -> str:
    """A digest of the fingerprints of files, to tell whether any of them changed, appeared or disappeared."""
    found = [(os.fspath(path), fingerprint_of(path)) for path in sorted(set(paths))]
    return hashlib.sha256(repr(found).encode(errors="surrogatepass")).hexdigest()
