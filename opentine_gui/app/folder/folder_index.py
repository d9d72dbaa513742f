"""An index of a folder's runs in the user's cache folder, so that the next start reads only files that changed.

It is a cache: a damaged or too large one, or one of another version, is ignored. Nothing is ever written into the
folder it describes.
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
from opentine_gui.core import Fingerprint, StorageError, TineError
from opentine_gui.core.files import storage

VERSION = 9
MOST_FILES = 100_000
"""Files of a folder that are indexed; others are read again each time."""
MOST_FOLDERS = 24
LARGEST = 64 * 1024 * 1024
"""Bytes; a larger index is not read."""


class IndexEntry(msgspec.Struct, frozen=True, array_like=True):
    """A row, and the fingerprint of the file it was read from; no row for a file whose content is no run's."""

    fingerprint: Fingerprint
    row: RunSummary | None


class _Index(msgspec.Struct, array_like=True):
    version: int
    folder: str
    entries: list[tuple[Path, IndexEntry]]


def cache_folder() -> Path:
    """The folder of the indexes."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False)) / "runs"


def read_index(folder: Path) -> dict[Path, IndexEntry]:
    """The index of a folder; empty if there is none or it cannot be used."""
    real = os.path.realpath(folder)
    path = _index_path(real)
    try:
        index = msgspec.msgpack.decode(
            storage.read_bytes(path, limit=LARGEST), type=_Index, dec_hook=lambda _kind, name: folder / name
        )
    except (TineError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}
    if index.version != VERSION or index.folder != real:
        return {}
    # A name that points outside the folder is not ours.
    return {
        file: known
        for file, known in index.entries
        if file.parent == folder and (known.row is None or file == known.row.path)
    }


def write_index(folder: Path, known: Mapping[Path, IndexEntry]) -> None:
    """Write the index of a folder, atomically; if that fails, the old one is left."""
    real = os.path.realpath(folder)
    index = _Index(VERSION, real, list(known.items())[:MOST_FILES])
    # A file name that is not UTF-8 cannot be encoded: such a folder is not indexed.
    with suppress(OSError, StorageError, UnicodeEncodeError, OverflowError):
        path = _index_path(real)
        storage.write_bytes_atomic(
            path, msgspec.msgpack.encode(index, enc_hook=lambda path: path.name), make_folders=True
        )
        _prune(path.parent)


def _index_path(real_folder: str) -> Path:
    name = hashlib.sha256(os.fsencode(real_folder)).hexdigest()[:32]
    return cache_folder() / f"{name}.index"


def _prune(folder: Path) -> None:
    """Delete the oldest indexes beyond `MOST_FOLDERS`."""
    indexes = sorted(folder.glob("*.index"), key=lambda path: path.stat().st_mtime)
    for path in indexes[:-MOST_FOLDERS]:
        path.unlink(missing_ok=True)
