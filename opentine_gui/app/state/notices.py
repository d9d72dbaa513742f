"""Notices: messages that do not interrupt the user."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Literal

import msgspec

Level = Literal["info", "good", "warning", "error"]
NoticeAction = tuple[str, str, Mapping[str, Any]]
"""Button label, action id, arguments."""

_MOST = 50
STANDING: tuple[Level, ...] = ("warning", "error")


class Notice(msgspec.Struct, frozen=True):
    """One message: a sentence, details on demand, and buttons for what can be done about it."""

    level: Level
    text: str
    detail: str = ""
    actions: tuple[NoticeAction, ...] = ()
    key: str = ""
    document: int | None = None
    """The number of the document it is about, if it says nothing beside another one."""


class Notices:
    """The notices shown, oldest first; a notice replaces an older one with the same key."""

    def __init__(self) -> None:
        self._shown: dict[str, Notice] = {}
        self._numbers = count(1)
        self.revision = 0

    def add(
        self,
        level: Level,
        text: str,
        *,
        detail: str = "",
        actions: tuple[NoticeAction, ...] = (),
        key: str = "",
        document: int | None = None,
    ) -> Notice:
        """Show a notice and return it; without a key it gets a unique one. With `document` only in its tab."""
        notice = Notice(level, text, detail, actions, key or f"notice-{next(self._numbers)}", document)
        self._shown.pop(notice.key, None)
        self._shown[notice.key] = notice
        while len(self._shown) > _MOST:
            self._shown.pop(next(iter(self._shown)))
        self.revision += 1
        return notice

    def error(self, text: str, detail: str = "") -> Notice:
        """Show an error."""
        return self.add("error", text, detail=detail)

    def dismiss(self, key: str) -> None:
        """Remove a notice; an unknown key does nothing."""
        if self._shown.pop(key, None) is not None:
            self.revision += 1

    def list(self) -> tuple[Notice, ...]:
        """All notices shown, oldest first."""
        return tuple(self._shown.values())

    def standing(self) -> Notice | None:
        """The newest of those that do not go by themselves after a while, unless it asks for something; None if none.

        Esc does not dismiss one with buttons: it waits for an answer.
        """
        return next((n for n in reversed(self._shown.values()) if n.level in STANDING and not n.actions), None)

    def get(self, key: str) -> Notice | None:
        """The notice with this key, or None."""
        return self._shown.get(key)
