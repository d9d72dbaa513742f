"""`python -m bench.idle`: the CPU time an idle window takes, from /proc, shown and minimised, over 30 seconds each.

The built program, the demo on a private virtual display; a window manager (openbox) minimises it, and where none is
installed that line is left out. Children are counted with their parent: the one-file program is two processes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from tests.ui.virtual_display import VirtualDisplay

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "dist" / "opentine-gui" / "opentine-gui"
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
OUTPUT = ROOT / "build" / "bench-idle.json"
SECONDS, SETTLING_SECONDS = 30.0, 4.0


def cpu_seconds(process: int) -> float:
    """User and system time of a process and of its finished children."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def share_of_a_core(process: int) -> float:
    """CPU time over wall time while nobody touches the window."""
    time.sleep(SETTLING_SECONDS)
    began, before = time.monotonic(), cpu_seconds(process)
    time.sleep(SECONDS)
    return (cpu_seconds(process) - before) / (time.monotonic() - began)


def main() -> int:
    """Measure, print, write build/bench-idle.json."""
    if not PROGRAM.exists():
        raise SystemExit("bench.idle: there is nothing to start in dist/; run `make binary` first")
    shares: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as home, VirtualDisplay() as display:
        environment = {
            **os.environ,
            **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"), home),
            "DISPLAY": display.name,
            "LIBGL_ALWAYS_SOFTWARE": "1",
        }
        desktop = shutil.which("openbox")
        started = [subprocess.Popen([desktop], env=environment, stderr=subprocess.DEVNULL)] if desktop else []
        started.append(subprocess.Popen([PROGRAM, DEMO], env=environment))
        window = started[-1]
        try:
            words = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "research-01.tine"]
            found = subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=60)
            shares["shown"] = share_of_a_core(window.pid)
            if desktop:
                number = found.stdout.split()[0]
                subprocess.run(["xdotool", "windowminimize", number], env=environment, check=True, timeout=60)
                shares["minimised"] = share_of_a_core(window.pid)
        finally:
            for program in reversed(started):
                program.terminate()
                program.wait(30)
    for state, share in shares.items():
        print(f"  idle, {state:<10} {share:.2%} of a core over {SECONDS:.0f} s; load {os.getloadavg()[0]:.1f}")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps({"seconds": SECONDS, "shares": shares}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
