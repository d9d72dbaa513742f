"""One window: a second start hands its files to the window that is open, over a local socket only this user can use.

The message is one JSON list of absolute paths (a path may end in #STEP) and a line feed, of at most `LONGEST_MESSAGE`
bytes; an empty list asks the window to show itself. The answer is one line, "ok" or "no". Anything else does nothing.
The window holds a lock while it lives, which the system takes back when the process ends in any way: so what a dead
process left behind is told from a window that lives, and never stands in the way of a start.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Protocol

LONGEST_MESSAGE = 256 * 1024
LONGEST_PATH = 8192
MOST_PATHS = 200
MOST_CALLERS = 8
"""Callers heard at a time; further ones wait in the system's queue."""

HEARING_SECONDS = 2.0
"""How long a caller may take to say what it wants; a caller waits as long for the answer."""

PATIENCE_SECONDS = 0.25
"""How long a caller waits before it brings the window forward: a minimised one sleeps in its toolkit until then."""

TAKEN, REFUSED = b"ok\n", b"no\n"
Request = tuple[str, ...]
Wake = Callable[[int], None]
"""Brings the window of the process with this number forward."""


class Door(Protocol):
    """The side that stays open: the window asks it once a frame whether anybody called."""

    def take(self) -> list[Request]:
        """The requests that arrived since the last call, without waiting."""

    def close(self) -> None:
        """Stop hearing callers."""


def encode(paths: Sequence[str]) -> bytes:
    """The message that asks for these absolute paths. ValueError when it would be refused."""
    message = json.dumps(list(paths)).encode("ascii") + b"\n"
    if decode(message) is None:
        raise ValueError("these paths cannot be handed to the open window")
    return message


def decode(message: bytes) -> Request | None:
    """The paths a message asks for; None for everything that is not exactly such a message."""
    if len(message) > LONGEST_MESSAGE or not message.endswith(b"\n"):
        return None
    try:
        found = json.loads(message.decode("ascii"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or len(found) > MOST_PATHS:
        return None
    return tuple(found) if all(_is_possible(path) for path in found) else None


def _is_possible(path: object) -> bool:
    if not isinstance(path, str) or not 0 < len(path) <= LONGEST_PATH or "\0" in path or not os.path.isabs(path):
        return False
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return False
    return True


def open_door() -> Door | None:
    """Become the one window on this display: None when there is one already, or when no safe place for it was found."""
    if sys.platform == "win32":
        from opentine_gui.app import instance_windows

        return instance_windows.open_door(os.environ)
    from opentine_gui.app import instance_unix

    return instance_unix.open_door(os.environ)


def hand_over(paths: Sequence[str], wake: Wake) -> bool:
    """Ask the window that is open to open these absolute paths; False when there is none, or none that answers.

    `wake` is called when the window has to be brought forward from outside before it can answer.
    """
    try:
        message = encode(paths)
    except ValueError:
        return False
    if sys.platform == "win32":
        from opentine_gui.app import instance_windows

        return instance_windows.hand_over(message, os.environ, wake)
    from opentine_gui.app import instance_unix

    return instance_unix.hand_over(message, os.environ, wake)
