"""Puts the application together: a session, the actions it offers, and the features that work in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from opentine_gui.app.actions import all_actions
from opentine_gui.app.canvas import layouts
from opentine_gui.app.canvas.pointer_tools import Tools
from opentine_gui.app.comparison import several_runs
from opentine_gui.app.files import reloading
from opentine_gui.app.files.recovery import Recovery
from opentine_gui.app.session import Session


def make_session(**options: Any) -> Session:
    """A session with every feature; `options` are the keyword arguments of `Session`."""
    session = Session(all_actions(), **options)
    recovery = Recovery(session)
    session.tools, session.recovery = Tools(session), recovery

    def paths_changed(paths: Sequence[Path]) -> None:
        reloading.paths_changed(session, paths)
        several_runs.paths_changed(session, paths)

    def keep_documents_up() -> None:
        for document in session.documents:
            several_runs.keep_up(session, document)
            layouts.keep_up(session, document)

    session.path_listeners.append(paths_changed)
    session.duties += [
        ("Read changed files again", lambda: reloading.look_at_missed(session)),
        ("Keep the pictures up to date", keep_documents_up),
        ("Keep unsaved work safe", recovery.tick),
    ]
    return session
