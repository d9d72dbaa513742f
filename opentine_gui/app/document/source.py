"""What an unsaved document was made from."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Source(msgspec.Struct, frozen=True):
    """What an unsaved fork or merge was made from: its file is suggested beside those and never replaces them."""

    title: str
    paths: tuple[Path, ...]
    run_ids: tuple[str, ...]
    word: str = "fork"

    @property
    def folder(self) -> Path | None:
        """The folder of the first of these files, if any is known."""
        return self.paths[0].parent if self.paths else None
