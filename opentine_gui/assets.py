"""Where the files that ship inside the package are."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).resolve().parent / "assets"


def asset_path(name: str) -> Path:
    """Return the path of a packaged file ("fonts/Inter-Regular.otf"); FileNotFoundError says which is missing."""
    path = _ROOT / name
    if not path.is_file():
        raise FileNotFoundError(f"the packaged file {name!r} is missing from {_ROOT}")
    return path
