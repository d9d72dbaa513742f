"""Whether the window is minimised, asked of X11, and a way to wake Dear PyGui, which then sleeps until an event comes.

Other systems are not asked: there Dear PyGui has to handle messages for the window to be restored at all.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

from opentine_gui.ui.platform.x11 import X11

ICONIC = 3
"""IconicState, the first number of WM_STATE (ICCCM 4.1.3.1)."""
NOTHING = "OPENTINE_GUI_NOTHING"
"""The kind of a message that asks for nothing: it only ends a wait for events."""


class OwnWindow:
    """This process's window on the display, as a context manager; without X11 it never counts as minimised."""

    def __init__(self, process: int | None = None) -> None:
        self._process = os.getpid() if process is None else process
        self._x11: X11 | None = None
        self._window = 0

    def __enter__(self) -> OwnWindow:
        if sys.platform.startswith("linux") and os.environ.get("DISPLAY"):
            try:
                self._x11 = X11()
            except (OSError, AttributeError):
                return self  # libX11 is missing or unusual: the window is taken for one that is shown
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        x11, self._x11 = self._x11, None
        if x11 is not None:
            x11.__exit__(kind, error, trace)

    def minimised(self) -> bool:
        """Whether the window manager has made an icon of the window; one round trip to the server."""
        if self._x11 is None:
            return False
        if not self._window:
            self._window = self._found(self._x11)
        return bool(self._window) and self._x11.numbers(self._window, "WM_STATE")[:1] == [ICONIC]

    def wake(self) -> None:
        """Put an event before Dear PyGui, so that its next frame handles what has come in and does not wait."""
        if self._x11 is not None and self._window:
            self._x11.send_message(self._window, self._window, NOTHING, 0)
            self._x11.wait_until_done()

    def _found(self, x11: X11) -> int:
        """The X id of the window, which keeps it for good; 0 while the window manager does not list it."""
        own = [window for window in x11.top_windows() if x11.numbers(window, "_NET_WM_PID") == [self._process]]
        return own[0] if own else 0
