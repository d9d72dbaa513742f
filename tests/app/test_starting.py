"""What a window loads before its first frame: what is needed later is loaded later, where it is first needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
LATER = (
    "PIL",
    "anyio",
    "fontTools",
    "multiprocessing",
    "networkx",
    "pygments",
    "rapidfuzz",
    "regex",
    "watchfiles",
    "opentine_gui.export",
)


def test_a_window_whose_run_can_be_painted_has_loaded_nothing_that_is_needed_later(tmp_path: Path) -> None:
    """As `ui.main.run` does it before it shows the window, without a display."""
    code = f"""
import sys, time
from pathlib import Path
import opentine_gui.ui.main as main
from opentine_gui.app.system.watch import Watch
watch = Watch(waits=True)
session = main.make_session(keys_folder=Path({str(tmp_path)!r}), watch=watch, environment={{}})
session.jobs.hold_background()
session.invoke("file.open", path=Path({str(DEMO)!r}))
session.step()
main.await_first_picture(session, 60.0)
assert session.active.picture.layout is not None and session.active.error is None
print(sorted(name for name in list(sys.modules) if name.startswith({LATER!r})))
"""
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=home, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout.strip(), done.returncode) == ("[]", 0), done.stderr
