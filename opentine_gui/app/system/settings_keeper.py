"""Writes the settings soon after they change: a switch such as Keep sessions must not be undone by a crash."""

from __future__ import annotations

import copy
from collections.abc import Callable

from opentine_gui.app.state.notices import Notices
from opentine_gui.app.state.settings import Settings, save_settings
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import Jobs

REST = 2.0
"""Seconds for which the settings stay as they are before they are written: an edge may be dragged just now."""
_PRIORITY = 4


class SettingsKeeper:
    """Writes in jobs what this session changed; what it did not may have been changed by another window."""

    def __init__(self, settings: Settings, jobs: Jobs, notices: Notices, clock: Callable[[], float]) -> None:
        """`clock` gives seconds that never go back."""
        self._settings, self._jobs, self._notices, self._clock = settings, jobs, notices, clock
        self._seen = copy.copy(settings)  # their lists are replaced and never changed
        self._requested = self._seen
        self._written = self._seen
        self._since = 0.0

    def tick(self) -> None:
        """Write what has changed and rests. Called in every `Session.step`."""
        if self._settings != self._seen:
            self._seen, self._since = copy.copy(self._settings), self._clock()
        if self._seen is self._requested or self._clock() - self._since < REST:
            return
        settings, before = self._seen, self._written
        self._requested = settings

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            save_settings(settings, before=before)

        def done(_nothing: None) -> None:
            self._written = settings

        def failed(error: Exception) -> None:
            self._notices.add("warning", f"The settings could not be written: {error}", key="settings")

        self._jobs.submit("settings", work, done, failed, priority=_PRIORITY, quiet=True)

    def close(self) -> None:
        """Write what changed since the last write. StorageError or OSError if it cannot be written."""
        save_settings(self._settings, before=self._written)
