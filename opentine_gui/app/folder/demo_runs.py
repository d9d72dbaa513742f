"""The demo runs: copies in a folder of the user's own, where they can be forked, edited and saved."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.assets import asset_path
from opentine_gui.core.files import storage

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

DEMO = ("research-01.tine", "retry-01.tine")
"""A run that failed, and its repair."""


def open_demo(session: Session) -> None:
    """Open the run that failed, beside its repair; copies that are there already are left as they are."""
    folder = data_folder() / "demo"

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> Path:
        for name in DEMO:
            if not (folder / name).exists():
                storage.write_bytes_atomic(folder / name, asset_path(f"demo/{name}").read_bytes(), make_folders=True)
        return folder / DEMO[0]

    def failed(error: Exception) -> None:
        session.notices.add("error", f"The demo could not be copied to {folder}: {error}", key="demo")

    session.jobs.submit(
        "demo", work, lambda path: session.invoke("file.open", path=path), failed, title="Copying the demo"
    )
