"""Starts the window: the one function the command line calls when something is to be shown."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.app.session import Session
from opentine_gui.ui.frame import FrameLoop, Recording
from opentine_gui.ui.window import MainWindow


def run(
    paths: Sequence[str | Path] = (),
    *,
    screenshot: Path | None = None,
    frame_log: Path | None = None,
    exit_after: float | None = None,
    select: Mapping[Path, str] | None = None,
) -> int:
    """Open the window on files and folders; answers the exit status: 0, or 1 when a file could not be opened.

    `screenshot` waits until everything is laid out and painted, writes a PNG and ends; `frame_log` writes one JSON
    line a frame; `exit_after` ends the program after so many seconds; `select` names a step to select by path.
    """
    session = Session()
    dpg.create_context()
    try:
        window = MainWindow(session)
        for path in paths:
            session.invoke("file.open", path=path, select=(select or {}).get(Path(path)))
        loop = FrameLoop(window, session, Recording(screenshot, frame_log, exit_after))
        window.show()
        loop.run()
        window.remember()
    finally:
        session.close()
        dpg.destroy_context()
    failed = [document for document in session.documents if document.error is not None]
    for document in failed:
        print(f"opentine-gui: {document.error}", file=sys.stderr)  # noqa: T201 - the exit status needs its reason
    return 1 if failed and screenshot is not None else 0
