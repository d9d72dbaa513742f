"""The calls of libX11 that the program needs, bound once. Importing is harmless anywhere; `X11()` needs the library."""

from __future__ import annotations

import ctypes
import time
from types import TracebackType
from typing import Any

CLIENT_MESSAGE = 33
ANY_TYPE, MOST_ITEMS = 0, 4096
_PATIENCE, _BETWEEN = 1.5, 0.1
"""Seconds for which a server that refuses is asked anew, and between two tries: it may be starting again."""

IGNORE_ERRORS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda _display, _error: 0)
"""An error handler for Xlib, whose own ends the program. Here, because Xlib keeps no reference to it."""


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
        ("padding", ctypes.c_long * 24),  # an XEvent is larger than any of its members, and XSendEvent reads all of it
    )


def library() -> Any:
    """libX11 with the types of the calls below. OSError when it is missing, AttributeError when it lacks one."""
    found = ctypes.CDLL("libX11.so.6")
    window, pointer, number, text = ctypes.c_ulong, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for name, result, arguments in (
        ("XOpenDisplay", pointer, [text]),
        ("XCloseDisplay", number, [pointer]),
        ("XSync", number, [pointer, number]),
        ("XEventsQueued", number, [pointer, number]),
        ("XSetErrorHandler", pointer, [pointer]),
        ("XFree", number, [pointer]),
        ("XResourceManagerString", text, [pointer]),
        ("XDefaultScreen", number, [pointer]),
        ("XDisplayWidth", number, [pointer, number]),
        ("XDisplayHeight", number, [pointer, number]),
        ("XDefaultRootWindow", window, [pointer]),
        ("XInternAtom", window, [pointer, text, number]),
        ("XGetSelectionOwner", window, [pointer, window]),
        ("XMapRaised", number, [pointer, window]),
        ("XSendEvent", number, [pointer, window, number, ctypes.c_long, pointer]),
        ("XQueryTree", number, [pointer, window, *[pointer] * 4]),
        ("XGetWindowProperty", number,
         [pointer, window, window, ctypes.c_long, ctypes.c_long, number, window, *[pointer] * 5]),
    ):  # fmt: skip
        call = getattr(found, name)
        call.restype, call.argtypes = result, arguments
    return found


REFUSED = "the display cannot be opened"
_STAYING: list[X11] = []


class X11:
    """A connection to the X server of its own, beside the window's; closed at the end of a `with`."""

    def __init__(self, display: str | None = None) -> None:
        """Connect to `display`, else to the one DISPLAY names. OSError or AttributeError when that is impossible."""
        self._library = library()
        self._display = self._library.XOpenDisplay(display.encode() if display is not None else None)
        if not self._display:
            raise OSError(REFUSED)
        # Another program's window may go away while we look at it.
        self._previous = self._library.XSetErrorHandler(IGNORE_ERRORS)
        self.root = int(self._library.XDefaultRootWindow(self._display))
        self.screen = int(self._library.XDefaultScreen(self._display))

    @classmethod
    def patiently(cls, display: str) -> X11:
        """A connection to a server that may just be starting. OSError or AttributeError when there is none."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                return cls(display)
            except OSError as error:
                if str(error) != REFUSED or time.monotonic() > until:
                    raise
                time.sleep(_BETWEEN)

    def stay(self) -> None:
        """Keep the connection until this process ends, and restore the error handler.

        A server whose last client goes may start again, and refuses the window that is to be opened meanwhile.
        """
        self._library.XSetErrorHandler(self._previous)
        _STAYING.append(self)

    def __enter__(self) -> X11:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait until the server has carried out everything, restore the error handler and disconnect."""
        self._library.XSync(self._display, 0)
        self._library.XSetErrorHandler(self._previous)
        self._library.XCloseDisplay(self._display)

    @property
    def pointer(self) -> int:
        """The connection, as other X libraries are given it."""
        return int(self._display)

    def resources(self) -> str:
        """The server's resource database as text; empty when it has none."""
        return str((self._library.XResourceManagerString(self._display) or b"").decode("latin-1"))

    def size(self) -> tuple[int, int]:
        """Width and height of the default screen in pixels."""
        width = self._library.XDisplayWidth(self._display, self.screen)
        return int(width), int(self._library.XDisplayHeight(self._display, self.screen))

    def atom(self, name: str) -> int:
        """The server's number for a name."""
        return int(self._library.XInternAtom(self._display, name.encode(), 0))

    def numbers(self, window: int, name: str) -> list[int]:
        """A window's property as numbers; empty when it has none of that name."""
        kind, form = ctypes.c_ulong(), ctypes.c_int()
        count, rest, data = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.POINTER(ctypes.c_ulong)()
        failed = self._library.XGetWindowProperty(
            self._display, window, self.atom(name), 0, MOST_ITEMS, 0, ANY_TYPE,
            ctypes.byref(kind), ctypes.byref(form), ctypes.byref(count), ctypes.byref(rest), ctypes.byref(data),
        )  # fmt: skip
        if failed or form.value == 0:
            return []  # there is no such property, and no data to free
        found = [int(data[place]) for place in range(count.value)] if form.value == 32 else []
        self._library.XFree(data)
        return found

    def top_windows(self) -> list[int]:
        """The windows on the screen: the window manager's list, else the root window's children."""
        listed = self.numbers(self.root, "_NET_CLIENT_LIST")
        if listed:
            return listed
        root, parent = ctypes.c_ulong(), ctypes.c_ulong()
        children, count = ctypes.POINTER(ctypes.c_ulong)(), ctypes.c_uint()
        answers = [ctypes.byref(answer) for answer in (root, parent, children, count)]
        self._library.XQueryTree(self._display, self.root, *answers)
        found = [int(children[place]) for place in range(count.value)]
        if found:
            self._library.XFree(children)
        return found

    def selection_owner(self, name: str) -> int:
        """The window that owns a selection such as CLIPBOARD; 0 when none does."""
        return int(self._library.XGetSelectionOwner(self._display, self.atom(name)))

    def map_raised(self, window: int) -> None:
        """Show a window above its siblings."""
        self._library.XMapRaised(self._display, window)

    def wait_until_done(self) -> None:
        """Wait until the server has carried out everything."""
        self._library.XSync(self._display, 0)

    def send_message(self, to: int, window: int, kind: str, number: int, mask: int = 0) -> None:
        """Send a client message about `window`, with one number as its data, to a window that selected `mask`."""
        event = _ClientMessage(type=CLIENT_MESSAGE, window=window, message_type=self.atom(kind), format=32)
        event.data[0] = number
        self._library.XSendEvent(self._display, to, 0, mask, ctypes.byref(event))
