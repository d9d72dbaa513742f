"""Which sessions of a folder share lines with one: forks and resumed copies keep the uuids of what they copied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage

HEAD = 1 << 16
MOST_FILES = 1000
_UUID = re.compile(rb'"(?:uuid|messageUuid)"\s*:\s*"([0-9a-f]{8}-[0-9a-f-]{27})"')


def family(path: Path) -> Sequence[Path]:
    """The sessions beside this one whose first lines share a uuid with its first lines, by name."""
    own = _uuids(path)
    if not own:
        return []
    beside = sorted(path.parent.glob("*.jsonl"))[:MOST_FILES]
    return [other for other in beside if other != path and not own.isdisjoint(_uuids(other))]


def _uuids(path: Path) -> set[bytes]:
    try:
        return set(_UUID.findall(storage.read_head(path, HEAD)))
    except TineError:
        return set()
