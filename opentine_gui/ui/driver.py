"""The graphics driver, loaded while the program's modules are: some hundred megabytes that the window would wait for.

On X11 the first question about GLX loads it, without holding the interpreter. The connection stays open until there is
a window, because the driver goes with its last connection. Where anything is missing the window finds out by itself.

The system loads one library at a time, and the driver's take long: the large ones that modules bring are loaded before.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from collections.abc import Mapping

import dearpygui.dearpygui  # noqa: F401 - see above
import numpy  # noqa: F401

from opentine_gui.app.jobs import aside

GLX_VENDOR = 1


class Driver:
    """Begins to load when it is made; `wait` before a window is, `close` after."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._name = environment.get("DISPLAY", "")
        self._display: int | None = None
        self._x: ctypes.CDLL | None = None
        self._loaded = aside(self._load) if self._name and sys.platform.startswith("linux") else None

    @property
    def loaded(self) -> bool:
        """Whether the driver was asked for and is there."""
        self.wait()
        return self._display is not None

    def wait(self) -> None:
        """Come back when the driver is loaded, or could not be."""
        if self._loaded is not None:
            self._loaded()

    def close(self) -> None:
        """Close the connection through which the driver was loaded."""
        self.wait()
        if self._x is not None and self._display is not None:
            self._x.XCloseDisplay(self._display)
            self._display = None

    def _load(self) -> None:
        with contextlib.suppress(OSError, AttributeError):
            x, gl = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libGL.so.1")
            x.XInitThreads()
            x.XOpenDisplay.argtypes, x.XOpenDisplay.restype = [ctypes.c_char_p], ctypes.c_void_p
            x.XDefaultScreen.argtypes = x.XCloseDisplay.argtypes = [ctypes.c_void_p]
            gl.glXQueryServerString.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
            display = x.XOpenDisplay(os.fsencode(self._name))
            if display:
                self._x, self._display = x, display
                gl.glXQueryServerString(display, x.XDefaultScreen(display), GLX_VENDOR)
