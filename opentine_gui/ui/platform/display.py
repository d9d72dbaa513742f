"""Whether there is a display (without one Dear PyGui ends the process), its scale and its size."""

from __future__ import annotations

import contextlib
import functools
import re
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

USUAL_DPI = 96.0
SMALLEST_SCALE, LARGEST_SCALE = 1.0, 3.0
_ALL_SCREENS_WIDTH, _ALL_SCREENS_HEIGHT = 78, 79  # SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN
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
        return f"the display {name} does not answer; DISPLAY must name an X server that runs, on a desktop mostly :0"
    from opentine_gui.ui.platform.opengl import opengl_problem

    return opengl_problem(name)


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


def display_size() -> tuple[int, int] | None:
    """Width and height in pixels of all screens together; None if unknown."""
    if sys.platform == "win32":
        import ctypes

        measure = ctypes.windll.user32.GetSystemMetrics
        return int(measure(_ALL_SCREENS_WIDTH)), int(measure(_ALL_SCREENS_HEIGHT))
    return None if sys.platform == "darwin" else _ask_x11()[1]


@functools.cache
def _ask_x11() -> tuple[str, tuple[int, int] | None]:
    """(resource database, screen size in pixels) of the X server; ("", None) when it cannot be asked."""
    from opentine_gui.ui.platform.x11 import X11

    with contextlib.suppress(OSError, AttributeError), X11() as x11:
        return x11.resources(), x11.size()
    return "", None


def _windows_dpi() -> float:
    """The DPI of the main display, after telling Windows that this process does its own scaling."""
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.windll.shcore.SetProcessDpiAwareness(2)  # type: ignore[attr-defined,unused-ignore]
    with contextlib.suppress(OSError, AttributeError):
        return float(ctypes.windll.user32.GetDpiForSystem())  # type: ignore[attr-defined,unused-ignore]
    return USUAL_DPI
