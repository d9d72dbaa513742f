"""Whether a display can draw with OpenGL, found out before Dear PyGui, which ends the process where it cannot."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentine_gui.ui.platform.x11 import X11

MESA = "install Mesa's drivers (Debian, Ubuntu: sudo apt-get install libgl1 libglx-mesa0 libgl1-mesa-dri)"
SOFTWARE = "or try software rendering: LIBGL_ALWAYS_SOFTWARE=1 opentine-gui …"
# A window (GLX_DRAWABLE_TYPE, GLX_WINDOW_BIT) in true colours (GLX_RENDER_TYPE, GLX_RGBA_BIT) with GLX_DOUBLEBUFFER.
_CONFIGURATION = (0x8010, 1, 0x8011, 1, 0x5, 1, 0)
_VERSION = (0x2091, 3, 0x2092, 0, 0)  # GLX_CONTEXT_MAJOR_VERSION_ARB, GLX_CONTEXT_MINOR_VERSION_ARB


def opengl_problem(display: str) -> str | None:
    """None if a window with OpenGL can be made on an X display that answers, else a sentence with the way out."""
    try:
        library = _library()
    except (OSError, AttributeError):
        return f"OpenGL is missing on this system; {MESA}"
    try:
        kept = X11.patiently(display)
        with X11(display) as x11, _quiet():
            problem = _tried(library, x11, display)
        kept.stay()
        return problem
    except (OSError, AttributeError):
        return (
            f"the display {display} refuses the connection; start the program as the user whose display it is "
            "(over ssh: ssh -X), or name another display in DISPLAY"
        )


def _library() -> Any:
    """libGL with the types of the calls below. OSError when it is missing, AttributeError when it lacks one."""
    library = ctypes.CDLL("libGL.so.1")
    pointer, number = ctypes.c_void_p, ctypes.c_int
    for name, result, arguments in (
        ("glXQueryExtension", number, [pointer, pointer, pointer]),
        ("glXChooseFBConfig", ctypes.POINTER(pointer), [pointer, number, pointer, pointer]),
        ("glXGetProcAddressARB", pointer, [ctypes.c_char_p]),
        ("glXDestroyContext", None, [pointer, pointer]),
    ):
        call = getattr(library, name)
        call.restype, call.argtypes = result, arguments
    return library


def _tried(library: Any, x11: X11, display: str) -> str | None:
    """Make a context as the window will, and throw it away."""
    if not library.glXQueryExtension(x11.pointer, None, None):
        return (
            f"the display {display} has no OpenGL (its GLX extension is off); start its X server with GLX, "
            "or use another display: xvfb-run -a opentine-gui … makes one"
        )
    count = ctypes.c_int()
    wanted = (ctypes.c_int * len(_CONFIGURATION))(*_CONFIGURATION)
    found = library.glXChooseFBConfig(x11.pointer, x11.screen, wanted, ctypes.byref(count))
    made = None
    if found and count.value:
        address = library.glXGetProcAddressARB(b"glXCreateContextAttribsARB")
        if address:
            create = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * 3, ctypes.c_int, ctypes.c_void_p)(address)
            made = create(x11.pointer, found[0], None, 1, (ctypes.c_int * len(_VERSION))(*_VERSION))
    if not made:
        return f"OpenGL 3 cannot be used on the display {display}; {MESA}, {SOFTWARE}"
    library.glXDestroyContext(x11.pointer, made)
    return None


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing that drivers print reaches standard error: the answer is one sentence."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
