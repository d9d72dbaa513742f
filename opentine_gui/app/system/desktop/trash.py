"""Sends a file to the desktop's trash, and brings it back where it is known where in the trash it lies."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from urllib.parse import unquote_to_bytes

from opentine_gui.core import StorageError
from opentine_gui.core.files import storage
from opentine_gui.core.files.atomic_write import move_file

PATH = b"Path="
NOTE = ".trashinfo"
MOST_NOTES = 50
"""Newest notes in a trash that are examined: the one looked for was written just now."""


def to_trash(path: Path) -> Path | None:
    """Send a file to the trash, in a job. StorageError where that fails; nothing is deleted instead.

    Returns where it lies now, or None where that is not known: outside the trash of the home folder, and on systems
    other than Linux.
    """
    from send2trash import send2trash  # loads the desktop's own libraries, so not at the start

    try:
        send2trash(str(path))
    except OSError as error:
        raise StorageError("it could not be put into the trash", path=path, cause=error) from error
    return _lies_at(path) if sys.platform.startswith("linux") else None


def from_trash(trashed: Path, path: Path) -> None:
    """Bring a file back to where it was, in a job. StorageError, with nothing done, where something is there now."""
    move_file(trashed, path)
    note = trashed.parent.parent / "info" / f"{trashed.name}{NOTE}"
    if note.exists():
        storage.remove(note)


def _lies_at(path: Path) -> Path | None:
    """Where the file that was at `path` lies in the trash of the home folder, as its note there says."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    trash = Path(data) / "Trash"
    # A note names files below the folder of the trash from there.
    was = {os.fsencode(name) for name in (os.path.abspath(path), os.path.relpath(path, data))}
    try:
        notes = sorted((trash / "info").glob(f"*{NOTE}"), key=os.path.getmtime, reverse=True)
        for note in notes[:MOST_NOTES]:
            lines = storage.read_head(note, 65536).splitlines()
            if any(line.startswith(PATH) and unquote_to_bytes(line.removeprefix(PATH)) in was for line in lines):
                trashed = trash / "files" / note.name.removesuffix(NOTE)
                return trashed if os.path.lexists(trashed) else None
    except (OSError, StorageError):
        return None
    return None
