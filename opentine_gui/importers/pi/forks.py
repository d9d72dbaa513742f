"""The sessions of pi that belong together: a fork's header names the file it was made from."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.fields import text_of

HEADER = 1 << 14
MOST_FILES = 20_000


def family_of(path: Path) -> tuple[Path, ...]:
    """The other sessions in the file's folder that were forked from it, or it from them, over any number of forks."""
    try:
        names = sorted(found for found in path.absolute().parent.glob("*.jsonl"))[:MOST_FILES]
    except OSError:
        return ()
    origin = {found.name: _origin(found) for found in names}
    members = {path.name}
    found_before = 0
    while len(members) > found_before:
        found_before = len(members)
        for name, parent in origin.items():
            if parent and (name in members or parent in members):
                members |= {name, parent}
    return tuple(found for found in names if found.name in members and found.name != path.name)


def _origin(path: Path) -> str:
    """The name of the file that a session was forked from; only the name counts, for a home can be moved."""
    try:
        head = storage.read_head(path, HEADER).split(b"\n", 1)[0] + b"\n"
    except TineError:
        return ""
    for line in read_lines(path, head, Report()):
        if line.value.get("type") == "session":
            given = text_of(line.value.get("parentSession")) or text_of(line.value.get("branchedFrom"))
            return PureWindowsPath(given).name
    return ""
