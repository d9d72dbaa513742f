"""A session that was written for an agent, kept so that it can be run and removed again."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Written(msgspec.Struct, frozen=True):
    """(file, SHA-256 of its bytes) of what was written, the command that goes on in it, how the agent removes it."""

    title: str
    files: tuple[tuple[Path, str], ...]
    command: tuple[str, ...]
    folder: Path | None
    removal: str
