"""Window state: visible panels, dialogs and menus. It belongs to no document, and undo does not cover it."""

from __future__ import annotations

from pathlib import Path

import msgspec


class WindowState(msgspec.Struct):
    """What the window shows; actions change it."""

    panels: bool = True
    minimap: bool = True
    theme: str = "dark"
    scale: float = 0.0
    """Pixels for one design pixel; 0: as the display says."""
    palette: bool = False
    palette_text: str = ""
    search: bool = False
    search_asked: int = 0
    """How often the search was opened: each time its box gets the keyboard."""
    inspector_wide: bool = False
    keys: bool = False
    about: bool = False
    chosen_runs: tuple[int | Path, ...] = ()
    """Runs chosen in the list, to be shown together: numbers of open documents, or files."""


class ContextMenu(msgspec.Struct, frozen=True):
    """A requested context menu: `kind` is "step", "canvas" or "run"; x, y in pixels of the canvas."""

    kind: str
    x: float
    y: float
    step: str | None = None
    path: Path | None = None
    number: int = 0
