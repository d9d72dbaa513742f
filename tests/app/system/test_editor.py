"""The user's editor: which program opens a copy, in a terminal or not, and that nothing reaches a shell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from opentine_gui.app.system.desktop.editor import Editors, editor_call, folder_call


def on(*programs: str):  # type: ignore[no-untyped-def]
    """A system with these programs."""
    return lambda name, path=None: f"/bin/{name}" if name in programs else None


@pytest.mark.parametrize(
    ("environment", "programs", "platform", "words", "own"),
    [
        ({"VISUAL": "code --wait", "EDITOR": "vim"}, ("code", "vim"), "linux", ("/bin/code", "--wait"), True),
        ({"VISUAL": "gone", "EDITOR": "gedit"}, ("gedit",), "linux", ("/bin/gedit",), True),
        ({"EDITOR": "vim -R"}, ("vim", "xterm"), "linux", ("/bin/xterm", "-e", "/bin/vim", "-R"), True),
        ({"EDITOR": "nano"}, ("nano", "gnome-terminal"), "linux", ("/bin/gnome-terminal", "--", "/bin/nano"), True),
        ({"EDITOR": "vim"}, ("vim", "xfce4-terminal"), "linux", ("/bin/xfce4-terminal", "-x", "/bin/vim"), True),
        ({"EDITOR": "vim"}, ("vim", "wezterm"), "linux", ("/bin/wezterm", "start", "--", "/bin/vim"), True),
        ({"EDITOR": "vim"}, ("vim", "kitty"), "linux", ("/bin/kitty", "/bin/vim"), True),
        (
            {"EDITOR": "vim", "TERMINAL": "foot"},
            ("vim", "xterm", "foot"),
            "linux",
            ("/bin/foot", "/bin/vim"),
            True,
        ),
        ({"EDITOR": "vim"}, ("vim", "xdg-open"), "linux", ("/bin/xdg-open",), False),
        ({"EDITOR": "emacs -nw"}, ("emacs", "xdg-open"), "linux", ("/bin/xdg-open",), False),
        ({"VISUAL": "'unclosed"}, ("xdg-open",), "linux", ("/bin/xdg-open",), False),
        ({}, ("open",), "darwin", ("/bin/open", "-t"), False),
        ({}, ("notepad",), "win32", ("/bin/notepad",), False),
    ],
)
def test_the_users_own_editor_comes_first(
    environment: Mapping[str, str], programs: tuple[str, ...], platform: str, words: tuple[str, ...], own: bool
) -> None:
    call = editor_call(environment, platform=platform, find=on(*programs))
    assert call is not None
    assert (call.words, call.own) == (words, own)


def test_a_file_is_shown_in_its_folder_as_the_system_does_it() -> None:
    path = Path("/runs/a.svg")
    assert folder_call({}, path, platform="linux", find=on("xdg-open")) == ("/bin/xdg-open", "/runs")
    assert folder_call({}, path, platform="darwin", find=on("open")) == ("/bin/open", "-R", "/runs/a.svg")
    assert folder_call({}, path, platform="win32", find=on("explorer")) == ("/bin/explorer", "/select,/runs/a.svg")
    assert folder_call({}, path, platform="linux", find=on()) is None
    with pytest.raises(LookupError, match=r"a\.svg"):
        Editors({"PATH": "/nowhere"}).show_folder(path)


def test_without_any_program_nothing_is_written(tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert editor_call({}, platform="linux", find=on()) is None
    editors = Editors({"PATH": str(tmp_path)})
    with pytest.raises(LookupError, match="VISUAL"):
        editors.open("step", ".txt", b"data")
