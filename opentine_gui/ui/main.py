"""Starts the window; the command line calls `run` when there is something to show."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import dearpygui.dearpygui as dpg

from opentine_gui.app.application import make_session
from opentine_gui.app.files.opening import load_readers
from opentine_gui.app.session import Session
from opentine_gui.app.state.settings import config_folder
from opentine_gui.app.system.process_tuning import collect_what_was_left, freeze_what_stays
from opentine_gui.app.system.watch import Watch
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.frame import FrameLoop, Recording
from opentine_gui.ui.platform.clipboard import hand_over
from opentine_gui.ui.platform.display import display_problem, display_scale, window_room
from opentine_gui.ui.window import MainWindow

if TYPE_CHECKING:
    from opentine_gui.app.system.desktop.file_dialogs import FileQuestion, SystemDialog
    from opentine_gui.app.system.single_instance import InstanceServer

NO_DISPLAY = 2
FIRST_PICTURE_SECONDS = 0.08
"""How long the window waits for the graph. A run of ordinary size is laid out by then, which saves two frames."""


def run(
    paths: Sequence[str | Path] = (),
    *,
    screenshot: Path | None = None,
    frame_log: Path | None = None,
    exit_after: float | None = None,
    select: Mapping[Path, str] | None = None,
    door: InstanceServer | None = None,
    scale: float | None = None,
    ask_display: Callable[[], str | None] | None = None,
) -> int:
    """Open the window on files and folders; returns the exit status.

    The status is 0; 1 when a file could not be opened and a picture was wanted; 2 when there is no display.

    `screenshot` waits until everything is laid out and painted, writes a PNG and quits; `frame_log` writes one JSON
    line per frame; `exit_after` quits after so many seconds; `select` maps a path to the step to select; `door` is
    where other starts of the program ask this window to open files, closed by the caller; `scale` overrides the
    settings and the display until the user chooses another; `ask_display` is what `ask_early` returned.
    """
    problem = display_problem(os.environ) if ask_display is None else ask_display()
    if problem is not None:
        print(f"opentine-gui: {clean(problem, 2000)}", file=sys.stderr)  # noqa: T201 - there is no window to say it in
        return NO_DISPLAY
    session = make_session(keys_folder=config_folder(), watch=Watch(waits=True))
    session.jobs.hold_background()  # like the watch, until the first frame is drawn
    load_readers(session)
    quit_on_signals(session)
    session.view.scale = session.settings.scale if scale is None else scale
    recording = Recording(screenshot, frame_log, exit_after)
    system_scale = display_scale(os.environ)
    dpg.create_context()
    try:
        for path in paths:
            session.invoke("file.open", path=path, select=(select or {}).get(Path(path)))
        session.step()  # reading begins while the views are built
        _show(session, recording, door, system_scale)
    finally:
        hand_over()
        for text in session.close():
            print(f"opentine-gui: {clean(text, 2000)}", file=sys.stderr)  # noqa: T201 - the window is gone
        dpg.destroy_context()
    failed = [document for document in session.documents if document.error is not None]
    for document in failed:
        print(f"opentine-gui: {clean(str(document.error), 2000)}", file=sys.stderr)  # noqa: T201 - the exit status needs its reason
    return 1 if failed and screenshot is not None else 0


def quit_on_signals(session: Session) -> None:
    """Let SIGTERM and SIGINT end the program like Quit; the second one ends it without questions.

    What is unsaved then is offered at the next start.
    """

    def asked(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, at_once)
        signal.signal(signal.SIGINT, at_once)
        session.invoke("file.quit")

    def at_once(_signal: int, _frame: FrameType | None) -> None:
        session.quit = True

    signal.signal(signal.SIGTERM, asked)
    signal.signal(signal.SIGINT, asked)


def _show(session: Session, recording: Recording, door: InstanceServer | None, system_scale: float) -> None:
    """Show the window until it closes; a change of scale rebuilds the views inside it."""
    again = False
    while True:
        scale = session.view.scale or system_scale
        window = MainWindow(session, scale=scale, room=window_room(), ask_system=ask_system)
        loop = FrameLoop(window, session, recording, door=door)
        loop.stop_when(lambda shown=scale: (session.view.scale or system_scale) != shown)  # type: ignore[misc]
        if again:
            window.fill()
            collect_what_was_left()  # the views before are gone, in cycles, and were frozen with the graph they showed
        else:
            window.prepare()
            await_first_picture(session)
            window.show()
            freeze_what_stays()
        try:
            loop.run()
        finally:
            window.prompter.close()  # the desktop's dialog closes with the window that opened it
        if session.quit or not loop.stopped:
            window.desktop.store_size()
            return
        window.remove_views()
        again = True


def ask_system(question: FileQuestion) -> SystemDialog | None:
    """Open the desktop's own file dialog for a question; None where there is none."""
    from opentine_gui.app.system.desktop.file_dialogs import open_dialog

    return open_dialog(question, os.environ)


def await_first_picture(session: Session, seconds: float = FIRST_PICTURE_SECONDS) -> None:
    """Step the session until the active document can be painted or has failed, for at most `seconds`."""
    end = time.monotonic() + seconds
    while session.active is not None and session.active.picture.layout is None and session.active.error is None:
        left = end - time.monotonic()
        if left <= 0:
            return
        session.jobs.wait(left)
        session.step()
