"""What a window manager sends when its close button is pressed: none runs on the tests' display, so this does it."""

from __future__ import annotations

import ctypes
import ctypes.util

CLIENT_MESSAGE = 33


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
        ("padding", ctypes.c_long * 24),  # XEvent is a union of 24 longs: XSendEvent reads all of it
    )


def ask_to_close(window: str, display: str) -> None:
    """Send WM_DELETE_WINDOW (ICCCM 4.2.8.1) to a window by its X id."""
    library = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    library.XOpenDisplay.restype = ctypes.c_void_p
    library.XInternAtom.restype = ctypes.c_ulong
    connection = ctypes.c_void_p(library.XOpenDisplay(display.encode()))
    assert connection.value, f"the display {display} cannot be opened"
    try:
        event = _ClientMessage(type=CLIENT_MESSAGE, window=int(window), format=32)
        event.message_type = library.XInternAtom(connection, b"WM_PROTOCOLS", 0)
        event.data[0] = library.XInternAtom(connection, b"WM_DELETE_WINDOW", 0)
        library.XSendEvent(connection, ctypes.c_ulong(int(window)), 0, ctypes.c_long(0), ctypes.byref(event))
        library.XSync(connection, 0)
    finally:
        library.XCloseDisplay(connection)
