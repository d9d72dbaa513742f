"""What stands around a window that is soaked: programs that do nothing, a home of its own, sessions of every agent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.attack.files.importer_lines import samples

PROGRAMS = ("editor", "xdg-open", "xterm", "claude", "codex", "gemini", "opencode", "pi", "sh-like")
MOST_OF_A_FORMAT = 6
LARGEST = 120_000
"""Bytes of a session: what takes long to read is not what is looked for here."""


def programs(folder: Path) -> Mapping[str, str]:
    """Programs for everything that may be started, all of which end at once; the environment that finds them alone."""
    folder.mkdir()
    for name in PROGRAMS:
        path = folder / name
        path.write_text("#!/bin/sh\nexit 0\n")
        path.chmod(0o755)
    return {"PATH": str(folder), "VISUAL": "editor", "TERMINAL": "xterm"}


def home(folder: Path) -> None:
    """Another home for this process: what is written to go on in an agent is written there."""
    folder.mkdir()
    os.environ["HOME"] = str(folder)


def sessions(folder: Path) -> list[Path]:
    """Some recorded sessions of every format."""
    folder.mkdir()
    made: dict[str, list[Path]] = {}
    for form, name, data in samples():
        kept = made.setdefault(form, [])
        if len(data) > LARGEST or len(kept) == MOST_OF_A_FORMAT:
            continue
        path = folder / f"{form} {len(kept)}" / name
        path.parent.mkdir()
        path.write_bytes(data)
        kept.append(path)
    return [path for kept in made.values() for path in kept]
