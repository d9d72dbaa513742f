"""Where a run came from, for its metadata: the source's path, the run's id, the record of the import."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

from opentine_gui import __version__
from opentine_gui.core.model import JsonObject
from opentine_gui.importers.run_draft import capture_of

LONGEST_ID = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def run_id(*names: str) -> str:
    """A run id from the first usable name: at most 100 letters, digits, dots and dashes."""
    for name in names:
        plain = _UNSAFE.sub("-", name[: 4 * LONGEST_ID]).strip("-.")
        if plain:
            return plain if len(plain) <= LONGEST_ID else f"{plain[:80]}-{sha256(name.encode()).hexdigest()[:16]}"
    return "run"


def origin(source_format: str, version: str, path: Path, *, part: str = "", content: bytes | None = None) -> JsonObject:
    """`metadata.capture` of a run read from `path`; `content` are the bytes of a source that is one file."""
    shown = f"{shown_path(path)}#{part}" if part else shown_path(path)
    return capture_of(source_format, version, shown, f"opentine-gui {__version__}", content)


def shown_path(path: Path) -> str:
    """The path with the home folder as ~, as a run's record of its source has it."""
    whole_path = path.absolute()
    try:
        return f"~/{whole_path.relative_to(Path.home()).as_posix()}"
    except (ValueError, RuntimeError):  # it lies elsewhere, or the user has no home
        return str(whole_path)
