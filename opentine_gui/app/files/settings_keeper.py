"""Writes the settings soon after they change: a switch such as Keep sessions must not be undone by a crash."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from opentine_gui.app.state.settings import save_settings
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

REST = 2.0
"""Seconds for which the settings stay as they are before they are written: an edge may be dragged just now."""
_PRIORITY = 4


class SettingsKeeper:
    """Writes in jobs. What changes in the last moment is written when the session is closed."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen = copy.copy(session.settings)  # their lists are replaced and never changed
        self._written = self._seen
        self._since = 0.0

    def tick(self) -> None:
        """Write what has changed and rests. Called in every step."""
        session = self._session
        if session.settings != self._seen:
            self._seen, self._since = copy.copy(session.settings), session.clock()
        if self._seen is self._written or session.clock() - self._since < REST:
            return
        settings = self._written = self._seen

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            save_settings(settings)

        def failed(error: Exception) -> None:
            session.notices.add("warning", f"The settings could not be written: {error}", key="settings")

        session.jobs.submit("settings", work, lambda _nothing: None, failed, priority=_PRIORITY, quiet=True)
