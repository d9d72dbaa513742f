"""Whatever was recorded can be copied, or it is said why not; a clipboard without text is never asked for some."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import EditError
from opentine_gui.ui.platform import clipboard
from opentine_gui.ui.platform.clipboard import LONGEST_ON_X11, mac_has_text, may_be_read, put
from tests.ui.opened import Opened


def test_what_no_c_string_holds_is_copied_with_a_sign_for_it(tmp_path: Path) -> None:
    opened = Opened(tmp_path)
    for text, copied in (("a\ud800b", "a?b"), ("a\0b", "a␀b"), ("日本 ✓", "日本 ✓")):
        opened.session.copy(text, recorded=True)
        opened.frame()
        assert dpg.get_clipboard_text() == copied
    with pytest.raises(EditError, match="more than the clipboard of X11 takes"):
        opened.session.copy("x" * (LONGEST_ON_X11 + 1))
    assert dpg.get_clipboard_text() == "日本 ✓", "the clipboard keeps what it had"
    opened.close()


def test_where_no_display_is_known_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for system in ("linux", "freebsd14", "darwin"):
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.delenv("DISPLAY", raising=False)
        assert not may_be_read(), f"nothing can be known of {system} here"


POINTER = ctypes.c_void_p


class Pasteboard:
    """A library of objects as macOS has it, with one pasteboard in it."""

    def __init__(self, text: bool) -> None:
        self.names: list[bytes] = []
        self.asked: list[tuple[bytes, bytes]] = []

        def answer(target: int, selector: int, value: int) -> int:
            asked = self.names[selector - 1]
            told = ctypes.string_at(value) if asked == b"stringWithUTF8String:" else b""
            self.asked.append((asked, told))
            return int(text) if asked == b"stringForType:" else target + 100

        def number(name: bytes) -> int:
            self.names.append(name)
            return len(self.names)

        self.kept: list[Callable[..., int]] = [
            ctypes.CFUNCTYPE(POINTER, ctypes.c_char_p)(number),
            ctypes.CFUNCTYPE(POINTER, POINTER, POINTER, POINTER)(answer),
        ]
        self.library = SimpleNamespace(
            objc_getClass=self.kept[0], sel_registerName=self.kept[0], objc_msgSend=self.kept[1]
        )


@pytest.mark.parametrize("text", [True, False])
def test_the_pasteboard_of_macos_is_asked_whether_it_has_text(text: bool) -> None:
    board = Pasteboard(text)
    assert mac_has_text(board.library) is text
    assert [asked for asked, _ in board.asked] == [b"generalPasteboard", b"stringWithUTF8String:", b"stringForType:"]
    assert board.asked[1][1] == clipboard.MAC_TEXT


def test_a_text_that_is_put_is_there(tmp_path: Path) -> None:
    opened = Opened(tmp_path)
    put("x" * 1_000_000)
    opened.frame()
    assert len(dpg.get_clipboard_text()) == 1_000_000
    assert may_be_read()
    opened.close()
