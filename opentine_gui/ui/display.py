"""Whether there is a display to put a window on: without one the toolkit ends the process instead of saying so."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from pathlib import Path


def display_problem(environment: Mapping[str, str]) -> str | None:
    """None when a window can be opened, else a sentence saying why not. Only X11 displays on Linux are looked at."""
    if not sys.platform.startswith("linux"):
        return None
    name = environment.get("DISPLAY", "")
    if not name:
        return "there is no display: DISPLAY is not set (a Wayland session needs Xwayland)"
    host, _, rest = name.rpartition(":")
    number = rest.split(".")[0]
    if host not in {"", "unix"} or not number.isdigit():
        return None  # a display elsewhere: only trying tells
    path = Path(f"/tmp/.X11-unix/X{number}")
    for address in (str(path), f"\0{path}"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(address)
            except OSError:
                continue
            return None
    return f"the display {name} does not answer"
