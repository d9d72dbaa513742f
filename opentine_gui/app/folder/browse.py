"""Lists folders for the file chooser, and reads typed paths."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from opentine_gui.importers import readers

MOST_ENTRIES = 20_000
VISIBLE_DOT_FOLDERS = (".tine_runs", ".tine")
"""Folders that are shown although their names begin with a dot: they hold runs."""


class FolderEntry(msgspec.Struct, frozen=True):
    """An entry of a folder; `size` in bytes and `changed` in Unix seconds, 0 if unknown."""

    name: str
    is_folder: bool
    size: int = 0
    changed: float = 0.0

    @property
    def is_run(self) -> bool:
        """True for a file whose name is one of a run; others are worth trying."""
        return not self.is_folder and readers.is_run(self.name)


class Listing(msgspec.Struct, frozen=True):
    """The entries of a folder: runs first, then folders, then other files; `problem` says why it cannot be read."""

    folder: Path
    entries: tuple[FolderEntry, ...] = ()
    problem: str = ""
    left_out: int = 0


def list_folder(folder: Path, *, hidden: bool = False) -> Listing:
    """List a folder, in a job as network folders are slow. Never raises: `problem` says what went wrong."""
    found: list[FolderEntry] = []
    left_out = 0
    try:
        with os.scandir(folder) as names:
            for item in names:
                if item.name.startswith(".") and not hidden and item.name not in VISIBLE_DOT_FOLDERS:
                    continue
                if len(found) >= MOST_ENTRIES:
                    left_out += 1
                    continue
                found.append(_entry(item))
    except OSError as error:
        return Listing(folder, problem=f"{folder} cannot be listed: {error.strerror or error}")
    found.sort(key=lambda entry: (not entry.is_run, not entry.is_folder, entry.name.casefold(), entry.name))
    return Listing(folder, tuple(found), left_out=left_out)


def _entry(item: os.DirEntry[str]) -> FolderEntry:
    try:
        status = item.stat()
        return FolderEntry(item.name, item.is_dir(), status.st_size, status.st_mtime)
    except OSError:
        return FolderEntry(item.name, False)


def filter_entries(entries: Sequence[FolderEntry], text: str, *, folders_only: bool = False) -> list[FolderEntry]:
    """The entries whose name contains the typed text, those that begin with it first."""
    wanted = text.strip().casefold()
    kept = [entry for entry in entries if not folders_only or entry.is_folder]
    if not wanted:
        return kept
    begin, inside = [], []
    for entry in kept:
        name = entry.name.casefold()
        if name.startswith(wanted):
            begin.append(entry)
        elif wanted in name:
            inside.append(entry)
    return begin + inside


def typed_path(text: str, folder: Path) -> Path | None:
    """The path a typed text names, relative to `folder`; None if it names none."""
    text = text.strip()
    if not text or "\0" in text:
        return None
    try:
        return Path(os.path.normpath(folder / Path(text).expanduser()))
    except (RuntimeError, ValueError):
        return None


def is_path(text: str) -> bool:
    """True if a typed text is a path rather than a part of a name."""
    return "/" in text or text.startswith("~") or (os.sep != "/" and os.sep in text)


def split_typed(text: str, folder: Path) -> tuple[Path, str]:
    """(folder to list, beginning of a name) of a typed path, for completion."""
    head, separator, tail = text.rpartition("/")
    if not separator:
        return folder, text
    found = typed_path(head or "/", folder)
    return (found if found is not None else folder), tail


def breadcrumbs(folder: Path) -> list[tuple[str, Path]]:
    """(name, path) of a folder and all its parents, from the root."""
    return [(path.name or path.anchor, path) for path in [*reversed(folder.parents), folder]]
