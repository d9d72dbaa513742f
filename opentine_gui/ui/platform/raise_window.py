"""Brings the window to the front. Dear PyGui has no call for it, so we ask X11, Windows or macOS directly."""

from __future__ import annotations

import ctypes
import os
import sys

from opentine_gui.ui.platform.x11 import X11

REDIRECT_AND_NOTIFY = (1 << 20) | (1 << 19)
FROM_A_PAGER = 2  # a user's wish, though not from this window: window managers obey it


def raise_window(process: int | None = None) -> None:
    """Bring the window of this or another process to the front; nothing happens where the system refuses."""
    process = os.getpid() if process is None else process
    if sys.platform == "win32":
        _on_windows(process)
    elif sys.platform == "darwin":
        if process == os.getpid():
            _on_macos()
    elif os.environ.get("DISPLAY"):
        try:
            _on_x11(process)
        except (OSError, AttributeError):
            return  # libX11 is missing or unusual: the window stays where it is


def _on_x11(process: int) -> None:
    with X11() as x11:
        for window in x11.top_windows():
            if x11.numbers(window, "_NET_WM_PID") == [process]:
                x11.map_raised(window)
                x11.send_message(x11.root, window, "_NET_ACTIVE_WINDOW", FROM_A_PAGER, REDIRECT_AND_NOTIFY)


def _on_windows(process: int) -> None:
    if sys.platform == "win32":
        user = ctypes.windll.user32
        found: list[int] = []

        @ctypes.WINFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
        def visit(window: int, _more: int) -> bool:
            owner = ctypes.c_ulong()
            user.GetWindowThreadProcessId(ctypes.c_void_p(window), ctypes.byref(owner))
            if owner.value == process and user.IsWindowVisible(ctypes.c_void_p(window)):
                found.append(window)
            return True

        user.EnumWindows(visit, None)
        restore = 9
        for window in found:
            if user.IsIconic(ctypes.c_void_p(window)):
                user.ShowWindow(ctypes.c_void_p(window), restore)
            user.SetForegroundWindow(ctypes.c_void_p(window))


def _on_macos() -> None:
    from ctypes.util import find_library  # brings subprocess

    name = find_library("objc")
    if name is None:
        return
    objc = ctypes.CDLL(name)
    objc.objc_getClass.restype = objc.sel_registerName.restype = objc.objc_msgSend.restype = ctypes.c_void_p
    objc.objc_getClass.argtypes = objc.sel_registerName.argtypes = [ctypes.c_char_p]
    objc.objc_msgSend.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    application = objc.objc_msgSend(objc.objc_getClass(b"NSApplication"), objc.sel_registerName(b"sharedApplication"))
    objc.objc_msgSend.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_bool]
    objc.objc_msgSend(application, objc.sel_registerName(b"activateIgnoringOtherApps:"), True)
