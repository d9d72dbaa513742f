"""A command that was shown and asked for, running behind the window; what it prints is read from a file as it grows.

It is a list of words, never a line for a shell. Its output goes to a file and not to a pipe, so that it goes on when
the window closes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from opentine_gui.app.system.desktop.outer_environment import outer_environment
from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage

MOST_SHOWN = 1 << 20
"""Bytes of output that are shown, the last ones."""
PATIENCE = 3.0
"""Seconds a command gets to end by itself before it is ended."""


class CommandRun:
    """A running command; `poll` it now and then."""

    def __init__(self, words: Sequence[str], folder: Path, log: Path, environment: Mapping[str, str]) -> None:
        """Start it. OSError when it cannot be started, StorageError when its output cannot be written."""
        self.words, self.log = tuple(words), log
        self.status: int | None = None
        """Its exit status; None while it runs."""
        self.revision = 0
        self._size = 0
        self._stopped_at: float | None = None
        with storage.open_log(log) as output:
            self._program = subprocess.Popen(
                self.words,
                cwd=folder,
                env=outer_environment(environment),
                stdin=subprocess.DEVNULL,
                stdout=output.fileno(),
                stderr=subprocess.STDOUT,
                start_new_session=sys.platform != "win32",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )

    @property
    def stopping(self) -> bool:
        """Whether it was asked to stop and has not ended yet."""
        return self._stopped_at is not None and self.status is None

    @property
    def stopped(self) -> bool:
        """Whether it has ended after it was asked to stop."""
        return self._stopped_at is not None and self.status is not None

    def poll(self, now: float) -> bool:
        """Look at it; True when something changed. `now` is any clock in seconds."""
        before = (self._size, self.status)
        with suppress(OSError):
            self._size = os.stat(self.log).st_size
        if self.status is None:
            self.status = self._program.poll()
            if self._stopped_at is not None and self.status is None and now - self._stopped_at >= PATIENCE:
                self._signal(force=True)
        changed = (self._size, self.status) != before
        self.revision += changed
        return changed

    def output(self) -> str:
        """The last of what it printed; hostile text."""
        begin = max(self._size - MOST_SHOWN, 0)
        try:
            data = storage.read_piece(self.log, begin, MOST_SHOWN)
        except TineError as error:
            return str(error)
        return data.decode("utf-8", "replace")

    def stop(self, now: float) -> None:
        """Ask it and what it started to end; `poll` ends what does not."""
        if self.status is None and self._stopped_at is None:
            self._stopped_at = now
            self._signal(force=False)
            self.revision += 1

    def let_go(self) -> None:
        """Leave it to itself; the output of one that has ended is removed."""
        self.poll(0.0)
        if self.status is None:
            self._program.returncode = 0  # or Popen would warn that nobody waited for it
        else:
            storage.remove_log(self.log)

    def _signal(self, *, force: bool) -> None:
        with suppress(OSError):
            if sys.platform == "win32":
                self._program.kill() if force else self._program.terminate()
            else:
                os.killpg(self._program.pid, signal.SIGKILL if force else signal.SIGTERM)
