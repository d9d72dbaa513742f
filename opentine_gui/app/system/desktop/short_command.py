"""A command that was shown and asked for, run to its end in a job: what an agent does with a file before it goes on."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from opentine_gui.app.system.desktop.outer_environment import outer_environment

LONGEST = 60.0
"""Seconds after which it is ended."""
LOOK = 0.05
MOST_SAID = 2_000
"""Bytes of its last words that are kept."""


def run_to_end(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], cancelled: Callable[[], bool]
) -> tuple[int | None, str]:
    """(its exit status, None when it was ended; the last of what it printed). OSError when it cannot be started."""
    program = subprocess.Popen(
        list(words),
        cwd=folder,
        env=outer_environment(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    for _look in range(int(LONGEST / LOOK)):
        try:
            said, _nothing = program.communicate(timeout=LOOK)
        except subprocess.TimeoutExpired:
            if cancelled():
                break
        else:
            return program.returncode, said[-MOST_SAID:].decode("utf-8", "replace").strip()
    program.kill()
    said, _nothing = program.communicate()
    return None, said[-MOST_SAID:].decode("utf-8", "replace").strip()
