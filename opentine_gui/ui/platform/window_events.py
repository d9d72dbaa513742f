"""What the X server sent to the window of Dear PyGui, asked for without drawing a frame."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import dearpygui._dearpygui as toolkit

from opentine_gui.ui.platform.x11 import IGNORE_ERRORS, library

AFTER_READING = 1
"""Xlib's QueuedAfterReading: count what was read before, and read what has arrived."""


class WindowEvents:
    """Events that wait to be handled in the next frame.

    A frame asks for events at its beginning. What arrives while it is drawn is read from the socket along with the
    answers of the server, and then waits in this process, where watching the socket does not show it.
    """

    def __init__(self) -> None:
        """Find the connection of the window. Without one, as on other systems, nothing ever waits."""
        self._count: Any = None
        self._display: int | None = None
        if not sys.platform.startswith("linux"):
            return
        try:
            find = ctypes.CDLL(toolkit.__file__).glfwGetX11Display
            self._count = library().XEventsQueued
        except (OSError, AttributeError):
            return
        find.restype, find.argtypes = ctypes.c_void_p, []
        self._display = find()

    def wait_already(self) -> bool:
        """Whether there are any. Call it on the thread that draws."""
        return bool(self._display) and self._count(self._display, AFTER_READING) > 0


class SurvivedErrors:
    """Lets no error that the X server reports end the program.

    Xlib ends a program at any error, even if another program asks for the clipboard and goes away before it is
    answered.
    """

    def __init__(self) -> None:
        self._install: Any = None
        if not sys.platform.startswith("linux"):
            return
        try:
            self._install = library().XSetErrorHandler
        except (OSError, AttributeError):
            return

    def survive(self) -> None:
        """Call it before each frame: GLFW puts Xlib's own handler back where it has caught an error itself."""
        if self._install is not None:
            self._install(IGNORE_ERRORS)
