"""Whether there is a display (without one Dear PyGui ends the process), its scale and the room on it."""

from __future__ import annotations

import contextlib
import functools
import re
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from opentine_gui.ui.platform.x11 import X11

USUAL_DPI = 96.0
SMALLEST_SCALE, LARGEST_SCALE = 1.0, 3.0
_WORK_AREA = 0x30  # SPI_GETWORKAREA
_FRAME_WIDTH, _FRAME_PADDING, _CAPTION_HEIGHT = 32, 92, 4  # SM_CXSIZEFRAME, SM_CXPADDEDBORDER, SM_CYCAPTION
USUAL_FRAME = (1, 1, 32, 1)
"""Left, right, top and bottom of a window's frame in pixels, where no other window shows what they are."""
_XFT_DPI = re.compile(r"^Xft\.dpi:\s*([0-9]+(?:\.[0-9]+)?)\s*$", re.MULTILINE)


def display_problem(environment: Mapping[str, str]) -> str | None:
    """None if a window can be opened, else a sentence that says why not and what to do. Only Linux is asked."""
    if not sys.platform.startswith("linux"):
        return None
    name = environment.get("DISPLAY", "")
    if not name and environment.get("WAYLAND_DISPLAY"):
        return (
            "this Wayland session has no Xwayland, which the window needs (DISPLAY is not set); install xwayland "
            "(Debian, Ubuntu: sudo apt-get install xwayland) and log in again"
        )
    if not name:
        return (
            "there is no display (DISPLAY is not set); start the program on a desktop, over ssh with ssh -X, "
            "or on a display that is not shown: xvfb-run -a opentine-gui …"
        )
    if not _answers(name):
        return f"the display {name} does not answer; DISPLAY must name an X server that runs, on a desktop usually :0"
    from opentine_gui.ui.platform.opengl import opengl_problem

    return opengl_problem(name)


def ask_early(environment: Mapping[str, str]) -> Callable[[], str | None]:
    """Begin to find `display_problem` in a thread; the function returned waits for the answer.

    Trying OpenGL loads the driver, outside the interpreter: meanwhile the modules of the window are imported.
    """
    from opentine_gui.app.system.jobs import run_in_thread  # imported with the window's modules in any case

    answers: list[str | None] = []

    def ask() -> None:
        with contextlib.suppress(Exception):  # asked again below, where it may be raised
            answers.append(display_problem(environment))

    join = run_in_thread(ask)

    def answer() -> str | None:
        join()
        return answers[0] if answers else display_problem(environment)

    return answer


def _answers(name: str) -> bool:
    """Whether an X server listens on a local display; for one on another machine only opening it tells."""
    host, _, rest = name.rpartition(":")
    number = rest.split(".")[0]
    if host not in {"", "unix"} or not number.isdigit():
        return bool(host)
    path = Path(f"/tmp/.X11-unix/X{number}")
    for address in (str(path), f"\0{path}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(address)
            except OSError:
                continue
            return True
    return False


def display_scale(environment: Mapping[str, str], resources: Callable[[], str] | None = None) -> float:
    """Pixels per design pixel on this display, in quarters from 1 to 3; 1 by default.

    On X11 the variables of GTK and Qt override the display's resolution (Xft.dpi, set by desktops) from the resource
    database, the text that `resources` returns. Windows is asked; macOS scales the window itself.
    """
    if sys.platform == "win32":
        return _in_quarters(_windows_dpi() / USUAL_DPI)
    if sys.platform == "darwin":
        return 1.0
    for name in ("GDK_SCALE", "QT_SCALE_FACTOR"):
        told = _number(environment.get(name, ""))
        if told > 0:
            finer = _number(environment.get("GDK_DPI_SCALE", "")) if name == "GDK_SCALE" else 0.0
            return _in_quarters(told * (finer or 1.0))
    found = _XFT_DPI.search(resources() if resources is not None else _ask_x11()[0])
    return _in_quarters(float(found[1]) / USUAL_DPI) if found else 1.0


def _number(text: str) -> float:
    return float(text) if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text.strip()) else 0.0


def _in_quarters(scale: float) -> float:
    return min(max(round(scale * 4) / 4, SMALLEST_SCALE), LARGEST_SCALE)


class Room(NamedTuple):
    """Where a window's content may be, in pixels of the screen: the screen without docks, less the window's frame."""

    x: int
    y: int
    width: int
    height: int


def window_room() -> Room | None:
    """The room there is for a window; None if unknown. Several screens count as one."""
    if sys.platform == "win32":
        return _room_on_windows()
    return None if sys.platform == "darwin" else _ask_x11()[1]


@functools.cache
def _ask_x11() -> tuple[str, Room | None]:
    """(resource database, room for a window) of the X server; ("", None) when it cannot be asked."""
    from opentine_gui.ui.platform.x11 import X11

    with contextlib.suppress(OSError, AttributeError), X11() as x11:
        return x11.resources(), _room_on_x11(x11)
    return "", None


def _room_on_x11(x11: X11) -> Room:
    """The work area less a frame like those the window manager gave to other windows."""
    area = x11.numbers(x11.root, "_NET_WORKAREA")[:4]
    width, height = x11.size()
    x, y, width, height = area if len(area) == 4 and min(area[2:]) > 0 else (0, 0, width, height)
    if not x11.numbers(x11.root, "_NET_SUPPORTING_WM_CHECK"):
        return Room(x, y, width, height)  # without a window manager there are no frames
    frames = [found for window in x11.top_windows() if len(found := x11.numbers(window, "_NET_FRAME_EXTENTS")) == 4]
    left, right, top, bottom = (max(sides) for sides in zip(USUAL_FRAME, *frames, strict=True))
    return Room(x + left, y + top, width - left - right, height - top - bottom)


def _room_on_windows() -> Room | None:
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        area, user = wintypes.RECT(), ctypes.windll.user32
        if user.SystemParametersInfoW(_WORK_AREA, 0, ctypes.byref(area), 0):
            edge = user.GetSystemMetrics(_FRAME_WIDTH) + user.GetSystemMetrics(_FRAME_PADDING)
            top = edge + user.GetSystemMetrics(_CAPTION_HEIGHT)
            width, height = area.right - area.left, area.bottom - area.top
            return Room(area.left + edge, area.top + top, width - 2 * edge, height - top - edge)
    return None


def _windows_dpi() -> float:
    """The DPI of the main display, after telling Windows that this process does its own scaling."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.windll.shcore.SetProcessDpiAwareness(2)  # type: ignore[attr-defined,unused-ignore]
    with contextlib.suppress(OSError, AttributeError):
        return float(ctypes.windll.user32.GetDpiForSystem())  # type: ignore[attr-defined,unused-ignore]
    return USUAL_DPI
