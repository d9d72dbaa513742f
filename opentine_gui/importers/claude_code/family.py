"""Which sessions of a folder share lines with one: forks and resumed copies keep the uuids of what they copied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage

HEAD = 1 << 16
MOST_FILES = 5_000
"""Most sessions of a folder that are searched: those whose last change is nearest in time to its own.

A fork is written next to its origin, or to when that was looked up; names are random and say nothing.
"""
_UUID = re.compile(rb'"(?:uuid|messageUuid)"\s*:\s*"([0-9a-f]{8}-[0-9a-f-]{27})"')


def family(path: Path) -> Sequence[Path]:
    """The sessions beside this one whose first lines share a uuid with its first lines, by name."""
    own = _uuids(path)
    if not own:
        return []
    beside = [other for other in path.parent.glob("*.jsonl") if other != path]
    if len(beside) > MOST_FILES:
        times = {other: _changed(other) for other in beside}
        mine = _changed(path)
        beside = sorted(beside, key=lambda other: abs(times[other] - mine))[:MOST_FILES]
    return sorted(other for other in beside if not own.isdisjoint(_uuids(other)))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _uuids(path: Path) -> set[bytes]:
    try:
        return set(_UUID.findall(storage.read_head(path, HEAD)))
    except TineError:
        return set()
