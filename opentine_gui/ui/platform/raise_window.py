"""Bringing the window to the front. Dear PyGui has no call for it, so the system is asked: X11, Windows, macOS."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

CLIENT_MESSAGE = 33
REDIRECT_AND_NOTIFY = (1 << 20) | (1 << 19)
FROM_A_PAGER = 2  # the user acted, though not in this window: window managers obey that
ANY_TYPE, MOST_ITEMS = 0, 4096


def come_forward(process: int | None = None) -> None:
    """Ask for this or another process's window to be shown in front; what the system refuses or lacks is no error."""
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
            return  # no libX11 or an unusual one: the window stays where it is


class _ClientMessage(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 24),  # an XEvent is larger than any of its members
    )


class _X11:
    """The few calls of libX11 that are needed, on a connection of their own."""

    def __init__(self) -> None:
        """OSError when there is no libX11 or no display."""
        self.library: Any = ctypes.CDLL("libX11.so.6")
        window, pointer = ctypes.c_ulong, ctypes.c_void_p
        for name, answer, takes in (
            ("XOpenDisplay", pointer, [ctypes.c_char_p]),
            ("XDefaultRootWindow", window, [pointer]),
            ("XInternAtom", window, [pointer, ctypes.c_char_p, ctypes.c_int]),
            ("XMapRaised", ctypes.c_int, [pointer, window]),
            ("XSendEvent", ctypes.c_int, [pointer, window, ctypes.c_int, ctypes.c_long, pointer]),
            ("XCloseDisplay", ctypes.c_int, [pointer]),
            ("XSync", ctypes.c_int, [pointer, ctypes.c_int]),
            ("XSetErrorHandler", pointer, [pointer]),
            ("XFree", ctypes.c_int, [pointer]),
            ("XQueryTree", ctypes.c_int, [pointer, window, *[pointer] * 4]),
            ("XGetWindowProperty", ctypes.c_int,
             [pointer, window, window, ctypes.c_long, ctypes.c_long, ctypes.c_int, window, *[pointer] * 5]),
        ):  # fmt: skip
            call = getattr(self.library, name)
            call.restype, call.argtypes = answer, takes
        self.display = self.library.XOpenDisplay(None)
        if not self.display:
            raise OSError("the display cannot be opened")
        # A window of somebody else's may go while it is looked at, and Xlib ends a program that does not expect that.
        self._calm = ctypes.CFUNCTYPE(ctypes.c_int, pointer, pointer)(lambda _display, _error: 0)
        self._before = self.library.XSetErrorHandler(self._calm)
        self.root = int(self.library.XDefaultRootWindow(self.display))

    def close(self) -> None:
        """Have everything carried out, and leave errors to whom they were left before."""
        self.library.XSync(self.display, 0)
        self.library.XSetErrorHandler(self._before)
        self.library.XCloseDisplay(self.display)

    def atom(self, name: str) -> int:
        return int(self.library.XInternAtom(self.display, name.encode(), 0))

    def numbers(self, window: int, name: str) -> list[int]:
        """A window's property as numbers; empty when it has none of that name."""
        kind, form = ctypes.c_ulong(), ctypes.c_int()
        count, rest, data = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
        failed = self.library.XGetWindowProperty(
            self.display, window, self.atom(name), 0, MOST_ITEMS, 0, ANY_TYPE,
            ctypes.byref(kind), ctypes.byref(form), ctypes.byref(count), ctypes.byref(rest), ctypes.byref(data),
        )  # fmt: skip
        if failed or form.value == 0:
            return []  # there is no such property, and no data to free
        found = [int(data[place]) for place in range(count.value)] if form.value == 32 else []
        self.library.XFree(data)
        return found

    def top_windows(self) -> list[int]:
        """The windows on the screen: the window manager's list, else the root's own children."""
        listed = self.numbers(self.root, "_NET_CLIENT_LIST")
        if listed:
            return listed
        root, parent = ctypes.c_ulong(), ctypes.c_ulong()
        children, count = ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        answers = [ctypes.byref(answer) for answer in (root, parent, children, count)]
        self.library.XQueryTree(self.display, self.root, *answers)
        found = [int(children[place]) for place in range(count.value)]
        if found:
            self.library.XFree(children)
        return found

    def activate(self, window: int) -> None:
        """Map and raise the window, and ask the window manager to make it the active one."""
        self.library.XMapRaised(self.display, window)
        event = _ClientMessage(
            type=CLIENT_MESSAGE, window=window, message_type=self.atom("_NET_ACTIVE_WINDOW"), format=32
        )
        event.data[0] = FROM_A_PAGER
        self.library.XSendEvent(self.display, self.root, 0, REDIRECT_AND_NOTIFY, ctypes.byref(event))


def _on_x11(process: int) -> None:
    x11 = _X11()
    try:
        for window in x11.top_windows():
            if x11.numbers(window, "_NET_WM_PID") == [process]:
                x11.activate(window)
    finally:
        x11.close()


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
