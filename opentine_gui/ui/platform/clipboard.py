"""The clipboard: whether it has text that may be asked for, and who keeps it after the program's end."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

import dearpygui.dearpygui as dpg

from opentine_gui.app.system.desktop.outer_environment import outer_environment
from opentine_gui.ui.platform.x11 import X11

KEEPERS = (("xclip", "-selection", "clipboard", "-in"), ("xsel", "--clipboard", "--input"))
MOST_SECONDS = 2.0
"""How long the program's end may wait for one of them to have read the text."""

UNICODE_TEXT = 13
"""CF_UNICODETEXT of the Windows API."""
CLIENT_BITS = 18
"""X ids above these bits tell the programs apart, however many a server allows; one begins with small numbers below."""


def may_be_read() -> bool:
    """Whether `dpg.get_clipboard_text` has text to give: on X11 that of this program alone, on Windows any.

    Dear PyGui ends the program where it is asked without there being text. Elsewhere nothing is known, and it is True.
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


def hand_over(find: Callable[[str], str | None] = shutil.which) -> None:
    """Give what this program has on the clipboard to one that stays, where it would be lost with the window.

    On X11 a clipboard's text is with the program that copied it. With Dear PyGui 2.3.1 it was gone after the end, and a
    clipboard manager was not seen to be asked. `xclip` or `xsel`, where one is installed, keeps it until something else
    is copied.
    """
    if not sys.platform.startswith("linux") or not os.environ.get("DISPLAY") or not may_be_read():
        return
    for name, *words in KEEPERS:
        keeper = find(name)
        if keeper is None:
            continue
        try:
            subprocess.run(
                [keeper, *words],
                input=dpg.get_clipboard_text().encode(errors="replace"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=outer_environment(os.environ),
                timeout=MOST_SECONDS,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return
