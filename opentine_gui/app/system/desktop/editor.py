"""Opens a file in the user's editor: `$VISUAL` or `$EDITOR`, in a terminal where it needs one, else the desktop's own.

Programs are started with a list of words and never through a shell. What the desktop chooses is given plain text
alone: the program for another type may run it, or fetch what it names.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from opentine_gui.app.system.desktop.started_programs import Started, StartedPrograms
from opentine_gui.app.system.desktop.terminal import Find, terminal_words
from opentine_gui.core.files.storage import PrivateFiles

IN_A_TERMINAL = frozenset(
    {
        *(
            "vi",
            "vim",
            "nvim",
            "view",
            "ex",
            "nano",
            "rnano",
            "pico",
            "micro",
            "hx",
            "helix",
            "kak",
            "ed",
            "joe",
            "jed",
        ),
        *("jmacs", "jstar", "ne", "mcedit", "tilde", "vis", "amp", "dte", "mg", "zile", "emacs-nox", "less", "more"),
    }
)
"""Editors that have no window of their own."""
PLAIN = ".txt"
_OPENERS = {"darwin": ("open", "-t"), "win32": ("notepad",)}


class EditorCall(msgspec.Struct, frozen=True):
    """How to open a file: words to put before its path. `own`: an editor the user named, which takes any text."""

    words: tuple[str, ...]
    own: bool


def editor_call(
    environment: Mapping[str, str], *, platform: str = sys.platform, find: Find = shutil.which
) -> EditorCall | None:
    """The program to open a text with; None where there is none. `find` looks programs up by name."""
    path = environment.get("PATH", os.defpath)
    for variable in ("VISUAL", "EDITOR"):
        words = _words(environment.get(variable, ""), platform)
        program = find(words[0], path=path) if words else None
        if program is None:
            continue
        call = (program, *words[1:])
        if not _needs_terminal(call):
            return EditorCall(call, own=True)
        terminal = terminal_words(environment, find) if platform not in _OPENERS else None
        if terminal is not None:
            return EditorCall((*terminal, *call), own=True)
    name, *rest = _OPENERS.get(platform, ("xdg-open",))
    program = find(name, path=path)
    return None if program is None else EditorCall((program, *rest), own=False)


def folder_call(
    environment: Mapping[str, str], path: Path, *, platform: str = sys.platform, find: Find = shutil.which
) -> tuple[str, ...] | None:
    """What shows a file in its folder, or the folder alone where nothing points at a file; None where nothing can."""
    name, *rest = {"darwin": ("open", "-R", str(path)), "win32": ("explorer", f"/select,{path}")}.get(
        platform, ("xdg-open", str(path.parent))
    )
    program = find(name, path=environment.get("PATH", os.defpath))
    return None if program is None else (program, *rest)


class Editors:
    """The editors that were opened, and the copies they show, which are removed with the session."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._copies = PrivateFiles()
        self._started = StartedPrograms(environment)

    def open(self, name: str, suffix: str, data: bytes) -> Path:
        """Open a new copy with this content; returns its path. LookupError without an editor, StorageError, OSError.

        The suffix is kept for an editor that the user named; for the desktop's own everything is plain text.
        """
        call = editor_call(self._environment)
        if call is None:
            raise LookupError("No editor was found: set VISUAL to one.")
        path = self._copies.write(name + (suffix if call.own else PLAIN), data)
        self._started.start((*call.words, str(path)))
        return path

    def open_file(self, path: Path) -> None:
        """Open a file itself, to be changed. LookupError without an editor, OSError."""
        call = editor_call(self._environment)
        if call is None:
            raise LookupError(f"No editor was found: set VISUAL to one. The file is {path}")
        self._started.start((*call.words, str(path)))

    def show_folder(self, path: Path) -> Started:
        """Show a file where it lies, in the desktop's file manager. LookupError where there is none, OSError."""
        words = folder_call(self._environment, path)
        if words is None:
            raise LookupError(f"No program that shows folders was found. The file is {path}")
        return self._started.start(words)

    def close(self) -> None:
        """Remove the copies; the editors go on."""
        self._copies.close()
        self._started.let_go()


def _words(text: str, platform: str) -> list[str]:
    try:
        return shlex.split(text, posix=platform != "win32")
    except ValueError:
        return []


def _needs_terminal(call: tuple[str, ...]) -> bool:
    name = Path(call[0]).name.removesuffix(".exe")
    return name in IN_A_TERMINAL or (name.startswith("emacs") and bool({"-nw", "--no-window-system"} & {*call[1:]}))
