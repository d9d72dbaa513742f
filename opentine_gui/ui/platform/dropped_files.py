"""Files dropped onto the window, which Dear PyGui has no call for: taken from the GLFW that its library holds.

GLFW speaks the desktop's protocol (on X11 XDND) and hands over paths. Where the library does not export the functions
(Windows, another build) nothing can be dropped.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import dearpygui._dearpygui as library

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
MOST_FILES = 200
"""Files of one drop that are taken: each opens a tab."""


class DroppedFiles:
    """Collects the paths that are dropped onto the window."""

    def __init__(self) -> None:
        self._paths: list[Path] = []
        # GLFW keeps the address of the function only.
        self._callback = _CALLBACK(self._dropped)

    def listen(self) -> bool:
        """Begin; call it once the window is on the display. False where the library cannot say what is dropped."""
        try:
            glfw = ctypes.CDLL(library.__file__)
            current, set_callback = glfw.glfwGetCurrentContext, glfw.glfwSetDropCallback
        except (OSError, AttributeError, TypeError):
            return False
        current.restype, current.argtypes = ctypes.c_void_p, []
        set_callback.restype, set_callback.argtypes = ctypes.c_void_p, [ctypes.c_void_p, _CALLBACK]
        window = current()
        if window:
            set_callback(window, self._callback)
        return bool(window)

    def take(self) -> list[Path]:
        """The paths dropped since the last call, in the order of the drop."""
        paths, self._paths = self._paths, []
        return paths

    def _dropped(self, _window: int, count: int, names: ctypes.Array[ctypes.c_char_p]) -> None:
        # Called while Dear PyGui renders, so nothing is done with them here.
        found = (names[place] for place in range(min(count, MOST_FILES)))
        self._paths += [Path(os.fsdecode(bytes(name))) for name in found if name]
