"""`python -m bench.memory FILE`: megabytes that an open document takes, with layout and verification."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path


def resident() -> float:
    """Megabytes of this process in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Open the file as the window does, without a window, and print the megabytes."""
    from bench.generate import agent_run
    from opentine_gui.app.application import make_session
    from opentine_gui.core.files import storage

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name in ("CONFIG", "DATA", "CACHE", "STATE"):
            os.environ[f"XDG_{name}_HOME"] = str(home / name.lower())
        session = make_session(environment={}, working_folder=home)
        storage.write(home / "small.tine", agent_run(10))
        for path in (home / "small.tine", Path(sys.argv[1])):  # the first only loads the modules
            gc.collect()
            before = resident()
            session.invoke("file.open", path=path)
            session.settle(300)
        gc.collect()
        print(round(resident() - before, 1))
        session.close()


if __name__ == "__main__":
    main()
