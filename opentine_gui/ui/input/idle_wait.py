"""Waits for input without drawing: an idle window costs next to nothing and wakes at the first event.

Dear PyGui polls the display inside the call that renders a frame, and has no call that only waits. On X11 events arrive
on a socket of this process, so we wait for that socket, unless events were read from it while a frame was drawn. On
other systems the loop keeps drawing at a low rate.
"""

from __future__ import annotations

import os
import select
import socket
import time

from opentine_gui.ui.platform.window_events import WindowEvents


class InputWaiter:
    """Finds the sockets to the X server; `wait` sleeps until one of them is readable."""

    def __init__(self) -> None:
        self._descriptors: list[int] = []
        self._events: WindowEvents | None = None

    @property
    def known(self) -> bool:
        """Whether there is a socket to wait for; otherwise `wait` just sleeps."""
        return bool(self._descriptors)

    def attach(self) -> None:
        """Find the sockets to the X server. Call it once the window is on the display."""
        try:
            names = os.listdir("/proc/self/fd")
        except OSError:
            return
        self._descriptors = sorted(descriptor for descriptor in map(int, names) if _leads_to_display(descriptor))
        self._events = WindowEvents()

    def wait(self, seconds: float) -> bool:
        """Sleep until input arrives, at most `seconds`; True if it did."""
        if not self._descriptors:
            time.sleep(seconds)
            return False
        if self._events is not None and self._events.wait_already():
            return True
        try:
            ready, _, _ = select.select(self._descriptors, [], [], seconds)
        except (OSError, ValueError):
            self._descriptors = []  # the connection was closed: the next frame will notice
            return True
        return bool(ready)


def _leads_to_display(descriptor: int) -> bool:
    try:
        copy = socket.socket(fileno=os.dup(descriptor))
    except OSError:
        return False
    try:
        peer = copy.getpeername()
    except OSError:
        return False
    finally:
        copy.close()
    name = os.fsdecode(peer) if isinstance(peer, (bytes, str)) else ""
    return "/.X11-unix/" in name
