"""Whether the clipboard has text that may be asked for: Dear PyGui ends the program where it has none."""

from __future__ import annotations

import ctypes
import os
import sys

from opentine_gui.ui.platform.x11 import X11

UNICODE_TEXT = 13
"""CF_UNICODETEXT of the Windows API."""
CLIENT_BITS = 18
"""X ids above these bits tell the programs apart, however many a server allows; one begins with small numbers below."""


def may_be_read() -> bool:
    """Whether `dpg.get_clipboard_text` has text to give: on X11 that of this program alone, on Windows any.

    Elsewhere nothing is known, and it is True.
    """
    if sys.platform == "win32":
        return bool(ctypes.windll.user32.IsClipboardFormatAvailable(UNICODE_TEXT))
    if not (sys.platform.startswith("linux") and os.environ.get("DISPLAY")):
        return True
    try:
        with X11() as x11:
            owner, mine = x11.selection_owner("CLIPBOARD"), [os.getpid()]
            own = [window for window in x11.top_windows() if x11.numbers(window, "_NET_WM_PID") == mine]
            return any(owner >> CLIENT_BITS == window >> CLIENT_BITS for window in own)
    except (OSError, AttributeError):
        return False
