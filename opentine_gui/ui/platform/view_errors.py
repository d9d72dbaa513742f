"""Isolates views that fail: the error becomes a notice, once, and the rest of the window goes on."""

from __future__ import annotations

import traceback

from opentine_gui.app.session import Session


class ViewErrors:
    """Which views failed; each is left alone until something changes in the session, and then tried again."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.strict = False
        """For tests: an error in a view is raised instead."""
        self.failing: dict[str, int] = {}
        """The session's revision at which a view failed, by the view's name."""
        self._said: dict[str, str] = {}

    def rests(self, name: str) -> bool:
        """Whether a view failed for what the session has now."""
        return self.failing.get(name) == self._session.revision

    def add(self, name: str, error: Exception) -> None:
        """Note that a view failed, and say so unless the same was said before. Raises the error when `strict`."""
        if self.strict:
            raise error
        self.failing[name] = self._session.revision
        text = f"The {name} could not be drawn: {error}"
        if self._said.get(name) == text:
            return
        self._said[name] = text
        detail = "".join(traceback.format_exception(error))
        traceback.print_exception(error)
        self._session.notices.add("error", text, detail=detail, key=f"view:{name}")
