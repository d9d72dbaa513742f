"""Runs a program in the user's terminal, in a folder: as a list of words, never as a line for a shell.

On macOS, whose Terminal takes nothing but a line, each word is quoted.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from opentine_gui.app.system.desktop.started_programs import StartedPrograms

Find = Callable[..., str | None]
_FOLDER = "{folder}"

_LINUX: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "x-terminal-emulator": ((), (), ("-e",)),
    "gnome-terminal": ((), (f"--working-directory={_FOLDER}",), ("--",)),
    "konsole": ((), ("--workdir", _FOLDER), ("-e",)),
    "xfce4-terminal": ((), (f"--working-directory={_FOLDER}",), ("-x",)),
    "kitty": ((), ("--directory", _FOLDER), ()),
    "alacritty": ((), ("--working-directory", _FOLDER), ("-e",)),
    "wezterm": (("start",), ("--cwd", _FOLDER), ("--",)),
    "foot": ((), (f"--working-directory={_FOLDER}",), ()),
    "xterm": ((), (), ("-e",)),
}
"""Terminals: their first words, those that say where to start, and the last ones before the program's own."""
_ANY: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ("-e",))
_APPLE = """
on run words
  tell application "Terminal"
    do script (item 1 of words)
    activate
  end tell
end run
"""


class TerminalCall(msgspec.Struct, frozen=True):
    """How to start a terminal: its words, and the folder it starts in."""

    words: tuple[str, ...]
    folder: str


def terminal_call(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    platform: str = sys.platform,
    find: Find = shutil.which,
) -> TerminalCall | None:
    """The terminal that runs a command in a folder; None where there is none, or the program is not to be found.

    On Windows a batch file is not started: its shell would read the words again.
    """
    path = environment.get("PATH", os.defpath)
    program = find(command[0], path=path)
    if program is None:
        return None
    words, place = (program, *command[1:]), str(folder)
    if platform == "darwin":
        line = f"cd {shlex.quote(place)} && {shlex.join(words)}"
        script = find("osascript", path=path)
        return None if script is None else TerminalCall((script, "-e", _APPLE, line), place)
    if platform == "win32":
        return None if program.lower().endswith((".cmd", ".bat")) else TerminalCall(words, place)
    before = terminal_words(environment, find, folder=place)
    return None if before is None else TerminalCall((*before, *words), place)


def terminal_words(
    environment: Mapping[str, str], find: Find = shutil.which, *, folder: str = ""
) -> tuple[str, ...] | None:
    """What stands before the words of a program that needs a terminal, on Linux; None where there is no terminal.

    That is the one TERMINAL names, else the first that is there. Without a `folder` it starts where it likes.
    """
    path, named = environment.get("PATH", os.defpath), environment.get("TERMINAL", "")
    for name in (named, *_LINUX) if named else _LINUX:
        where = find(name, path=path)
        if where is not None:
            first, place, last = _LINUX.get(os.path.basename(name), _ANY)
            return (where, *first, *(word.replace(_FOLDER, folder) for word in place if folder), *last)
    return None


class Terminals:
    """The terminals that were opened; they go on when the window closes."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._started = StartedPrograms(environment)

    def find(self, program: str) -> str | None:
        """Where a program is; None when it is not installed."""
        return shutil.which(program, path=self._environment.get("PATH", os.defpath))

    def run(self, command: Sequence[str], folder: Path) -> None:
        """Run a command in a terminal. LookupError when there is no terminal or no such program, OSError."""
        call = terminal_call(command, folder, self._environment)
        if call is None:
            raise LookupError(f"No terminal was found that runs {command[0]}: copy the command instead.")
        self._started.start(call.words, call.folder, console=True)

    def close(self) -> None:
        """Let go of them."""
        self._started.let_go()
