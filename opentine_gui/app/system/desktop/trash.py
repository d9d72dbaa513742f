"""Sends a file to the desktop's trash, from where the user can bring it back."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core import StorageError


def to_trash(path: Path) -> None:
    """Send a file to the trash, in a job. StorageError where that fails; nothing is deleted instead."""
    from send2trash import send2trash  # loads the desktop's own libraries, so not at the start

    try:
        send2trash(str(path))
    except OSError as error:
        raise StorageError("it could not be put into the trash", path=path, cause=error) from error
