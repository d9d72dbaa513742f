"""Programs of the user's desktop that were started, and go on when the window closes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from opentine_gui.app.system.desktop.outer_environment import outer_environment

SECONDS_TO_GIVE_UP = 3.0
"""How long a program of the desktop may take to find that it can do nothing: xdg-open tries several."""


class Started(NamedTuple):
    """A program that was started."""

    name: str
    process: subprocess.Popen[bytes]

    def failure(self) -> str:
        """What it ended with if it gave up at once, "" if it goes on or did its work. Waits some seconds."""
        try:
            code = self.process.wait(SECONDS_TO_GIVE_UP)
        except subprocess.TimeoutExpired:
            return ""
        # Windows' explorer ends with 1 although it shows the folder.
        return f"{self.name} ended with exit code {code}" if code and sys.platform != "win32" else ""


class StartedPrograms:
    """Starts programs by a list of words, and lets go of them in the end."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._started: list[subprocess.Popen[bytes]] = []

    def start(self, words: Sequence[str], folder: str | None = None, *, console: bool = False) -> Started:
        """Start a program; with `console`, on Windows, in a console of its own. OSError if that fails."""
        self._started = [program for program in self._started if program.poll() is None]
        own_console = console and sys.platform == "win32"
        stream = None if own_console else subprocess.DEVNULL
        program = subprocess.Popen(
            words,
            cwd=folder,
            env=outer_environment(self._environment),
            stdin=stream,
            stdout=stream,
            stderr=stream,
            start_new_session=sys.platform != "win32",
            creationflags=getattr(subprocess, "CREATE_NEW_CONSOLE", 0) if own_console else 0,
        )
        self._started.append(program)
        return Started(Path(words[0]).name, program)

    def let_go(self) -> None:
        """Leave them running, without a warning from Popen that nobody waited for them."""
        for program in self._started:
            program.poll()
            program.returncode = program.returncode or 0
        self._started.clear()
