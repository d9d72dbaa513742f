"""What was read of a folder's files, kept in the user's cache folder so that the next start reads only what changed.

The index is a cache: damaged, of another version or too large, it is as if it were not there. Nothing is ever written
into the folder it describes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec
import platformdirs

from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.state.settings import APPLICATION
from opentine_gui.core import Fingerprint, StorageError
from opentine_gui.core.files import storage

VERSION = 3
MOST_FILES = 100_000
"""Files of a folder that are remembered; the rest is read again each time."""
MOST_FOLDERS = 24
LARGEST = 64 * 1024 * 1024
"""Bytes of an index that is still read."""


class IndexEntry(msgspec.Struct, frozen=True, array_like=True):
    """A row, and the state of the file it was read from."""

    fingerprint: Fingerprint
    row: RunSummary


class _Index(msgspec.Struct, array_like=True):
    version: int
    folder: str
    entries: list[tuple[Path, IndexEntry]]


def cache_folder() -> Path:
    """Folder of the indexes."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False)) / "runs"


def read_index(folder: Path) -> dict[Path, IndexEntry]:
    """What is remembered of a folder's files; empty when nothing is, or when it cannot be used."""
    real = os.path.realpath(folder)
    path = _index_path(real)
    try:
        if path.stat().st_size > LARGEST:
            return {}
        index = msgspec.msgpack.decode(path.read_bytes(), type=_Index, dec_hook=lambda _kind, name: folder / name)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    if index.version != VERSION or index.folder != real:
        return {}
    # A name that leads out of the folder was not written by us.
    return {file: known for file, known in index.entries if file.parent == folder and file == known.row.path}


def write_index(folder: Path, known: Mapping[Path, IndexEntry]) -> None:
    """Remember a folder's files, whole or not at all; a cache that cannot be written is left as it was."""
    real = os.path.realpath(folder)
    index = _Index(VERSION, real, list(known.items())[:MOST_FILES])
    # A name that is no text (bytes that are not UTF-8) cannot be written down: such a folder is read anew each time.
    with suppress(OSError, StorageError, UnicodeEncodeError, OverflowError):
        path = _index_path(real)
        storage.write_bytes_atomic(path, msgspec.msgpack.encode(index, enc_hook=lambda path: path.name))
        _prune(path.parent)


def _index_path(real_folder: str) -> Path:
    name = hashlib.sha256(os.fsencode(real_folder)).hexdigest()[:32]
    return cache_folder() / f"{name}.index"


def _prune(folder: Path) -> None:
    """Drop the indexes used longest ago beyond `MOST_FOLDERS`."""
    indexes = sorted(folder.glob("*.index"), key=lambda path: path.stat().st_mtime)
    for path in indexes[:-MOST_FOLDERS]:
        path.unlink(missing_ok=True)
