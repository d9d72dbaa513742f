"""Puts the application together: a session, the actions it offers, and the features that work in it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from opentine_gui.app.actions import all_actions
from opentine_gui.app.actions.agents import sessions
from opentine_gui.app.actions.finding import search
from opentine_gui.app.canvas import layouts, presentation
from opentine_gui.app.canvas.in_view import ProposalFraming
from opentine_gui.app.canvas.pointer_tools import CanvasTools
from opentine_gui.app.comparison import session_families, several_runs
from opentine_gui.app.files import exporting, following, reloading
from opentine_gui.app.files.going_on import continue_proposal, handing_back, run_command
from opentine_gui.app.files.recovery.crash_recovery import CrashRecovery
from opentine_gui.app.inspect.analysis.findings import mark_findings
from opentine_gui.app.inspect.reading.secret_steps import mark_secrets
from opentine_gui.app.session import Session
from opentine_gui.app.state.own_keys import with_own_keys
from opentine_gui.app.state.settings import read_settings


def make_session(*, keys_folder: Path | None = None, **options: Any) -> Session:
    """A session with every feature; `options` are the keyword arguments of `Session`.

    `keys_folder`: where `keys.json` lies; None for the keys that the program comes with.
    """
    actions = all_actions()
    complaints: list[str] = []
    if keys_folder is not None:
        actions, complaints = with_own_keys(actions, keys_folder)
    damaged = None
    if options.get("settings") is None:
        options["settings"], damaged = read_settings()
    session = Session(actions, **options)
    session.keys_folder, session.key_complaints = keys_folder, tuple(complaints)
    if damaged is not None:
        words = f"The settings could not be read, so these are the defaults. The file is kept as {damaged.name}."
        session.notices.add("warning", words, detail=str(damaged), key="damaged-settings")
    if complaints:
        more = f"; and {len(complaints) - 1} more" if len(complaints) > 1 else ""
        session.notices.add(
            "warning",
            complaints[0] + more,
            detail="\n".join(complaints) if more else "",
            key="own-keys",
        )
    recovery = CrashRecovery(session)
    session.tools, session.recovery = CanvasTools(session), recovery
    framing = ProposalFraming(session)

    def paths_changed(paths: Sequence[Path]) -> None:
        reloading.paths_changed(session, paths)
        several_runs.paths_changed(session, paths)

    def refresh_documents() -> None:
        for document in session.documents:
            several_runs.refresh_union(session, document)
            layouts.refresh_layout(session, document)
        if exporting.WRITERS not in sys.modules:  # asked here, so that an idle `Session.step` makes no call
            exporting.load_writers(session)

    session.watched.listeners.append(paths_changed)
    session.step_tasks += [  # partials, which call what they are for without a call of their own
        ("Read changed files again", partial(reloading.recheck_missed, session)),
        ("Follow the listed folder", partial(session.runs.follow, session)),
        ("Keep the pictures up to date", refresh_documents),
        ("Find sessions that belong together", partial(session_families.look_for_relatives, session)),
        ("List the sessions of agents", partial(sessions.keep_looking, session)),
        ("Keep sessions", partial(session.agent_sessions.keep, session)),
        ("Open what an agent began", partial(handing_back.open_awaited, session)),
        ("Look at the command that runs", partial(run_command.keep_looking, session)),
        ("Keep what is proposed worked out", partial(continue_proposal.keep_prepared, session)),
        ("Go to what was found", partial(search.go_to_wanted, session)),
        ("Keep what is proposed in view", framing.tick),
        ("Keep the slides to their steps", partial(presentation.follow_steps, session)),
        ("Mark what is being written", partial(following.mark_written, session)),
        ("Mark what was found", partial(mark_findings, session)),
        ("Hide secrets", partial(mark_secrets, session)),
        ("Keep unsaved work safe", recovery.tick),
        ("Keep the settings", session.settings_keeper.tick),
    ]
    return session
