"""`open`: checks the paths, then opens them in a window."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from opentine_gui.command_line import FINE, UNREADABLE
from opentine_gui.command_line.files import MISSING, similar, split_step, why_not_there, with_similar_name
from opentine_gui.command_line.output import complain
from opentine_gui.command_line.parser.arguments import build_parser
from opentine_gui.core import StorageError
from opentine_gui.core.progress import collector_paused
from opentine_gui.importers.sources.parts import divide


def spelled_out(argument: str) -> str:
    """The argument with an absolute path and its `#step`, so that another process can resolve it."""
    path, step = split_step(argument)
    return os.path.abspath(path) + (f"#{step}" if step is not None else "")


def missing_library(error: ImportError) -> str:
    """Why the window cannot be loaded, and what to do: a module may be missing, or a library that Dear PyGui needs."""
    name = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and name != "dearpygui":
        return (
            f"the window cannot be opened, because the Python module {error.name} is missing; "
            "installing opentine-gui again puts it back"
        )
    return (
        f"the window cannot be opened, because Dear PyGui cannot be loaded: {error}; on Debian and Ubuntu "
        "sudo apt-get install libgl1 libglx-mesa0 libgl1-mesa-dri libx11-6 installs what it needs"
    )


def open_window(options: argparse.Namespace) -> int:
    """Open the given files and folders in a window; returns the window's exit status, 2 when one does not exist.

    A window that is already open shows them, unless an option needs a new one, as --new-window and recording do.
    """
    wanted = [split_step(argument) for argument in options.paths]
    for path, _ in wanted:
        refused = why_not_there(divide(path)[0])
        if refused:
            meant = similar(str(path), build_parser().commands) if path.parent == Path() and refused is MISSING else ""
            if meant:
                complain(f"{path}: no such command, file or folder; did you mean the command {meant}?")
            else:
                complain(with_similar_name(StorageError("", path=path), path))
            return UNREADABLE
    for output in (options.screenshot, options.frame_log):
        if output is not None and not os.path.isdir(output.absolute().parent):
            complain(f"{output}: its folder does not exist")
            return UNREADABLE

    alone = options.new_window or any((options.screenshot, options.frame_log, options.exit_after is not None))
    door = None
    if not alone:
        from opentine_gui.app.system import single_instance
        from opentine_gui.ui.platform.raise_window import raise_window

        door = single_instance.claim_instance()
        if door is None and single_instance.hand_over(
            [spelled_out(argument) for argument in options.paths], raise_window
        ):
            return FINE

    from opentine_gui.app.system.process_tuning import share_one_heap
    from opentine_gui.ui.platform.display import ask_early

    share_one_heap()
    ask_display = ask_early(os.environ)
    try:
        with collector_paused():
            from opentine_gui.ui.main import run
    except ImportError as error:
        ask_display()  # while it is asked, standard error leads nowhere
        complain(missing_library(error))
        return UNREADABLE

    wishes: dict[str, Any] = {"screenshot": options.screenshot, "frame_log": options.frame_log}
    wishes["ask_display"] = ask_display
    wishes["exit_after"] = options.exit_after
    if options.scale is not None:
        wishes["scale"] = options.scale
    if door is not None:
        wishes["door"] = door
    chosen = {path: step for path, step in wanted if step is not None}
    if chosen:
        wishes["select"] = chosen
    try:
        return run([path for path, _ in wanted], **wishes)
    finally:
        if door is not None:
            door.close()
