"""The demo runs: copies in a folder of the user's own, where they can be forked, edited and saved."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.state.settings import data_folder
from opentine_gui.assets import asset_path
from opentine_gui.core.files import storage

DEMO = ("research-01.tine", "retry-01.tine")
"""A run that failed, and its repair."""


def demo_folder() -> Path:
    """Where the user's copies are."""
    return data_folder() / "demo"


def copy_demo() -> Path:
    """Copy the demo runs, unless copies are there, and return the path of the one that failed. OSError, TineError."""
    folder = demo_folder()
    for name in DEMO:
        if not (folder / name).exists():
            storage.write_bytes_atomic(folder / name, asset_path(f"demo/{name}").read_bytes(), make_folders=True)
    return folder / DEMO[0]
