"""The files of a command: reads the runs it is given, and refuses an output that would destroy something."""

from __future__ import annotations

import os
from pathlib import Path

from opentine_gui.command_line.output import complain
from opentine_gui.core import RunRecord, StorageError, TineError
from opentine_gui.importers import readers


def read_all(paths: list[Path]) -> list[RunRecord] | None:
    """Read all files; None, after an error message for each, if any cannot be read."""
    records = []
    for path in paths:
        try:
            records.append(readers.read_run(path))
        except TineError as error:
            complain(error)
    return records if len(records) == len(paths) else None


def refuse_output(output: Path, sources: list[Path], force: bool) -> None:
    """StorageError when `output` is one of the sources, by whatever name, or exists and may not be replaced."""
    for source in sources:
        if output.exists() and os.path.samefile(output, source):
            raise StorageError("this is the source, which is never overwritten; choose another name", path=output)
    if output.exists() and not force:
        raise StorageError("this file exists; --force replaces it", path=output)
