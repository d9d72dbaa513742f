"""Drags files onto a window as another program does: the source's side of the XDND protocol, by libX11.

Run it as a program: `python file_drag.py WINDOW X Y FILE…`, the window's X id and a pixel of the screen. It ends with 0
once the window said that it has the files.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Sequence
from pathlib import Path

PROPERTY_NOTIFY, SELECTION_REQUEST, SELECTION_NOTIFY, CLIENT_MESSAGE = 28, 30, 31, 33
COPY, ATOM = "XdndActionCopy", 4
SECONDS = 20.0


class Message(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong), ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5), ("padding", ctypes.c_long * 24),
    )  # fmt: skip


class Request(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
        ("owner", ctypes.c_ulong), ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong),
        ("target", ctypes.c_ulong), ("property", ctypes.c_ulong), ("time", ctypes.c_ulong),
    )  # fmt: skip


class Notify(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int), ("display", ctypes.c_void_p),
        ("requestor", ctypes.c_ulong), ("selection", ctypes.c_ulong), ("target", ctypes.c_ulong),
        ("property", ctypes.c_ulong), ("time", ctypes.c_ulong), ("padding", ctypes.c_long * 24),
    )  # fmt: skip


class Event(ctypes.Union):
    _fields_ = (("type", ctypes.c_int), ("message", Message), ("request", Request), ("padding", ctypes.c_long * 24))


def drag(target: int, x: int, y: int, paths: Sequence[Path]) -> bool:
    """Drop files onto a window; True once it has answered that it is done."""
    library = ctypes.CDLL("libX11.so.6")
    number, pointer = ctypes.c_ulong, ctypes.c_void_p
    library.XOpenDisplay.restype = pointer
    library.XDefaultRootWindow.restype = library.XCreateSimpleWindow.restype = library.XInternAtom.restype = number
    display = pointer(library.XOpenDisplay(None))
    root = library.XDefaultRootWindow(display)
    source = library.XCreateSimpleWindow(display, number(root), 0, 0, 1, 1, 0, number(0), number(0))

    def atom(name: str) -> int:
        return int(library.XInternAtom(display, name.encode(), 0))

    def send(kind: str, *data: int) -> None:
        event = Event()
        event.message = Message(CLIENT_MESSAGE, 0, 1, display, target, atom(kind), 32)
        for place, value in enumerate((source, *data)):
            event.message.data[place] = value
        library.XSendEvent(display, number(target), 0, ctypes.c_long(0), ctypes.byref(event))
        library.XFlush(display)

    uris = "".join(f"{path.as_uri()}\r\n" for path in paths).encode()
    library.XSetSelectionOwner(display, number(atom("XdndSelection")), number(source), number(0))
    send("XdndEnter", 5 << 24, atom("text/uri-list"), 0, 0)
    send("XdndPosition", 0, (x << 16) | y, 0, atom(COPY))
    event, ends, dropped = Event(), time.monotonic() + SECONDS, False
    while time.monotonic() < ends:
        if not library.XPending(display):
            time.sleep(0.005)
            continue
        library.XNextEvent(display, ctypes.byref(event))
        if event.type == CLIENT_MESSAGE and event.message.message_type == atom("XdndStatus"):
            if not event.message.data[1] & 1:
                return False  # it does not want them
            if not dropped:
                dropped = True
                send("XdndDrop", 0, 0, 0, 0)
        elif event.type == SELECTION_REQUEST:
            asked = event.request
            library.XChangeProperty(
                display, number(asked.requestor), number(asked.property), number(asked.target), 8, 0, uris, len(uris)
            )
            answer = Notify(
                SELECTION_NOTIFY, 0, 1, display, asked.requestor, asked.selection, asked.target, asked.property,
                asked.time,
            )  # fmt: skip
            library.XSendEvent(display, number(asked.requestor), 0, ctypes.c_long(0), ctypes.byref(answer))
            library.XFlush(display)
        elif event.type == CLIENT_MESSAGE and event.message.message_type == atom("XdndFinished"):
            return bool(event.message.data[1])
    return False


if __name__ == "__main__":
    window, x, y, *names = sys.argv[1:]
    sys.exit(0 if drag(int(window), int(x), int(y), [Path(name) for name in names]) else 1)
