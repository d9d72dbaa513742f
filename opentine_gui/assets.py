"""Where the files that ship inside the package are."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parent / "assets"
_CLONE = _ROOT.parents[1] / "assets"
"""In a clone the demo runs and the icons by size lie here; wheels and built programs carry them in the package."""


def asset_path(name: str) -> Path:
    """Return the path of a packaged file ("fonts/Inter-Regular.otf"); FileNotFoundError says which is missing."""
    for root in (_ROOT, _CLONE):
        path = root / name
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"the packaged file {name!r} is missing from {_ROOT}")
