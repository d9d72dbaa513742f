"""Sends a window what a window manager sends when its close button is pressed: none runs on the tests' display."""

from __future__ import annotations

from opentine_gui.ui.platform.x11 import X11


def ask_to_close(window: str, display: str) -> None:
    """Send WM_DELETE_WINDOW (ICCCM 4.2.8.1) to a window by its X id."""
    with X11(display) as x11:
        x11.send_message(int(window), int(window), "WM_PROTOCOLS", x11.atom("WM_DELETE_WINDOW"))
