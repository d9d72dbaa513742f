"""A source that holds several runs: its parts, and the path that names one of them (`opencode.db#ses_x`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from opentine_gui.core.errors import FormatError

LONGEST_TITLE = 200


class Part(NamedTuple):
    """One run of a source: the id that names it after `#`, a title, when it last changed (Unix seconds), its records.

    `time` and `records` are None where the source does not say, and `folder`, in which the agent worked, is "".
    `outcome` says in a word or two how it ended, where the source tells without reading the run.
    """

    id: str
    title: str = ""
    time: float | None = None
    records: int | None = None
    folder: str = ""
    outcome: str = ""


Parts = Callable[[Path], list[Part]]


def divide(path: str | Path) -> tuple[Path, str]:
    """(the file or folder, the id of a part or "") of a path; a part follows `#` after a name that exists."""
    text = str(path)
    head, mark, part = text.rpartition("#")
    if not mark or os.path.exists(text) or not os.path.exists(head):
        return Path(path), ""
    return Path(head), part


def is_there(path: Path) -> bool:
    """Whether there is a file or folder for a path, which may name a part of it."""
    return os.path.exists(divide(path)[0])


def part_path(source: Path, part: str) -> Path:
    """The path that names a part of a source; `divide` takes it apart."""
    return Path(f"{source}#{part}")


def choose(parts: Sequence[Part], wanted: str, path: Path) -> Part:
    """The part with the id `wanted`, else the newest. FormatError when there is no such part, or none at all."""
    if not parts:
        raise FormatError("there is no run in it", path=path)
    if not wanted:
        return max(reversed(parts), key=lambda part: part.time or 0.0)
    for part in parts:
        if part.id == wanted:
            return part
    raise FormatError(f"there is no part {wanted[:80]!r} in it", path=path)
