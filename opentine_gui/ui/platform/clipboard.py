"""The clipboard: what may be put on it, whether it holds text, and who keeps that after the program ends."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.system.desktop.outer_environment import outer_environment
from opentine_gui.core import EditError
from opentine_gui.describe.numbers import format_bytes
from opentine_gui.ui.platform.x11 import X11

KEEPERS = (("xclip", "-selection", "clipboard", "-in"), ("xsel", "--clipboard", "--input"))
MOST_SECONDS = 2.0
"""Most seconds that the end of the program waits for one of these programs to read the text."""

UNICODE_TEXT = 13
"""CF_UNICODETEXT of the Windows API."""
CLIENT_BITS = 18
"""X ids above these bits tell the programs apart, however many a server allows; one begins with small numbers below."""


LONGEST_ON_X11 = 16_000_000
"""Bytes that GLFW hands to a program that pastes, all at once: a longer request is refused by the X server."""
MAC_TEXT = b"public.utf8-plain-text"


def put(text: str) -> None:
    """Put a text on the clipboard. What no C string holds is replaced: Dear PyGui refuses a text with it.

    EditError for one that nobody could paste.
    """
    on_x11 = sys.platform.startswith("linux")
    if on_x11 and len(text) > LONGEST_ON_X11:
        raise _too_long(len(text))  # before it is encoded, in a frame
    data = text.replace("\0", "\u2400").encode(errors="replace")
    if on_x11 and len(data) > LONGEST_ON_X11:
        raise _too_long(len(data))
    dpg.set_clipboard_text(data.decode())


def _too_long(size: int) -> EditError:
    return EditError(
        f"{format_bytes(size)} are more than the clipboard of X11 takes ({format_bytes(LONGEST_ON_X11)}); "
        "nothing was copied, an export or the editor can take them"
    )


def may_be_read() -> bool:
    """Whether `dpg.get_clipboard_text` has text to give: on X11 that of this program alone, elsewhere any.

    Dear PyGui ends the program if it is asked while there is no text, so in doubt it is not asked.
    """
    try:
        if sys.platform == "win32":
            return bool(ctypes.windll.user32.IsClipboardFormatAvailable(UNICODE_TEXT))
        if sys.platform == "darwin":
            return mac_has_text(ctypes.CDLL("libobjc.dylib"))
        if not os.environ.get("DISPLAY"):
            return False
        with X11() as x11:
            owner, mine = x11.selection_owner("CLIPBOARD"), [os.getpid()]
            own = [window for window in x11.top_windows() if x11.numbers(window, "_NET_WM_PID") == mine]
            return any(owner >> CLIENT_BITS == window >> CLIENT_BITS for window in own)
    except (OSError, AttributeError):
        return False


def mac_has_text(objc: Any) -> bool:
    """Whether the general pasteboard of macOS has text, asked through the library of its objects, `objc`."""
    pointer = ctypes.c_void_p
    named = ctypes.CFUNCTYPE(pointer, ctypes.c_char_p)
    find, name = (ctypes.cast(one, named) for one in (objc.objc_getClass, objc.sel_registerName))
    bare, with_string, with_object = (
        ctypes.cast(objc.objc_msgSend, ctypes.CFUNCTYPE(pointer, pointer, pointer, *more))
        for more in ((), (ctypes.c_char_p,), (pointer,))
    )
    board = bare(find(b"NSPasteboard"), name(b"generalPasteboard"))
    kind = with_string(find(b"NSString"), name(b"stringWithUTF8String:"), MAC_TEXT)
    return bool(board and kind and with_object(board, name(b"stringForType:"), kind))


def hand_over(find: Callable[[str], str | None] = shutil.which) -> None:
    """Hand this program's clipboard text to a program that stays, if it would be lost with the window.

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
