"""Where a document of another program's format came from: its files, and where each step's records stand there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from opentine_gui.importers.reading import Place, Report


class Origin(msgspec.Struct, frozen=True):
    """What was read from a source that is never written. `path` as it was opened, `#part` included.

    `sources`: the files the run was made from. `places`: the records of steps by id; steps made since have none.
    """

    format: str
    """The format's name in the table of readers."""
    title: str
    """What the user calls it, such as "Claude Code"."""
    path: Path
    sources: tuple[Path, ...]
    places: Mapping[str, tuple[Place, ...]]
    report: Report | None
