"""`python -m bench.idle [CASE …]`: the CPU time an idle window takes, from /proc, shown, covered and minimised.

The demo, a folded run of 700 steps, and the demo beside 64 sessions of an agent, each in a window of its own on one
private virtual display; they are measured in the same seconds, so that other load is the same for all. With
`--against FOLDER` another checkout is measured beside this one. The built program is measured where there is one in
dist/, else this source. A window manager (openbox) minimises windows; where none is installed, those lines are left
out. Children are counted with their parent: the one-file program is two processes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.clock import ROOT, own_home
from bench.generate import agent_run
from bench.session_lines import session_lines
from opentine_gui.core import write
from tests.ui.virtual_display import VirtualDisplay, die_with_parent

PROGRAM = Path("dist") / "opentine-gui" / "opentine-gui"
DEMO = Path("assets") / "demo" / "research-01.tine"
OUTPUT = ROOT / "build" / "bench-idle.json"
SECONDS, SETTLING_SECONDS = 15.0, 5.0
FOLDED_STEPS, SESSIONS, SESSION_BYTES = 700, 64, 40_000
CASES = ("demo", "folded", "sessions")


class Window:
    """A window on one of the cases, in a process and with a home folder of its own."""

    def __init__(self, case: str, checkout: Path, folder: Path, display: str) -> None:
        self.name = case if checkout == ROOT else f"{case}, the other"
        home = folder / self.name.replace(", ", "-")
        home.mkdir()
        self.log = home / "frames.jsonl"
        path = checkout / DEMO
        if case == "folded":
            path = home / "runs" / "folded.tine"
            path.parent.mkdir()
            write(path, agent_run(FOLDED_STEPS))
        if case == "sessions":
            write_sessions(home / ".claude" / "projects" / "-home-dev-project")
        environment = {**own_home(home), "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        environment["XDG_RUNTIME_DIR"] = str(home)
        built = checkout / PROGRAM
        words = [str(built)] if built.exists() else [sys.executable, "-m", "opentine_gui"]
        words += ["open", "--new-window", str(path), "--frame-log", str(self.log)]
        self.process = subprocess.Popen(
            words, cwd=checkout, env=environment, preexec_fn=die_with_parent, stderr=subprocess.DEVNULL
        )

    @property
    def shown(self) -> bool:
        """Whether the graph is on screen. RuntimeError when the program has ended."""
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name}: the program ended with {self.process.returncode}")
        return self.log.exists() and b"graph_shown" in self.log.read_bytes()

    @property
    def frames(self) -> int:
        """How many frames were drawn so far."""
        return self.log.read_bytes().count(b'"cpu_ms"')

    @property
    def cpu_seconds(self) -> float:
        """User and system time of the process and of its finished children."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the program at once."""
        self.process.kill()
        self.process.wait(30)


def write_sessions(folder: Path) -> None:
    """Write the sessions of an agent into a folder of its."""
    folder.mkdir(parents=True)
    lines = b"".join(session_lines(SESSION_BYTES))
    for number in range(SESSIONS):
        name = f"{number:08d}-0000-4000-8000-000000000000"
        path = folder / f"{name}.jsonl"
        path.write_bytes(lines.replace(b"00000000-0000-4000-8000-000000000000", name.encode()))
        os.utime(path, (1_770_000_000 + number, 1_770_000_000 + number))


def measured(windows: Sequence[Window]) -> dict[str, tuple[float, int]]:
    """CPU time over wall time of each untouched window, and how many frames it drew."""
    time.sleep(SETTLING_SECONDS)
    began, before = time.monotonic(), [(window.cpu_seconds, window.frames) for window in windows]
    time.sleep(SECONDS)
    passed = time.monotonic() - began
    return {
        window.name: ((window.cpu_seconds - cpu) / passed, window.frames - frames)
        for window, (cpu, frames) in zip(windows, before, strict=True)
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write build/bench-idle.json."""
    parser = argparse.ArgumentParser(prog="python -m bench.idle", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", choices=(*CASES, []), help=", ".join(CASES))
    parser.add_argument("--against", type=Path, metavar="FOLDER", help="another checkout, measured in the same seconds")
    options = parser.parse_args(arguments)
    checkouts = [ROOT] if options.against is None else [ROOT, options.against.resolve()]
    found: dict[str, dict[str, tuple[float, int]]] = {}
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as folder, VirtualDisplay() as display:
        desktop = shutil.which("openbox")
        environment = {**own_home(Path(folder)), "DISPLAY": display.name}
        manager = subprocess.Popen([desktop], env=environment, stderr=subprocess.DEVNULL) if desktop else None
        windows: list[Window] = []
        try:
            for case in options.cases or CASES:
                windows += [Window(case, checkout, Path(folder), display.name) for checkout in checkouts]
            while not all(window.shown for window in windows):
                time.sleep(0.2)
            # All windows are in one place: the last one covers the others and has the keyboard.
            found["shown"] = measured(windows)
            if manager is not None:
                words = ["xdotool", "search", "--onlyvisible", "--name", "opentine", "windowminimize", "%@"]
                subprocess.run(words, env=environment, check=True, capture_output=True, timeout=60)
                found["minimised"] = measured(windows)
        finally:
            for window in windows:
                window.close()
            if manager is not None:
                manager.terminate()
                manager.wait(30)
    for state, shares in found.items():
        for name, (share, frames) in shares.items():
            print(f"  idle, {name + ', ' + state:<32} {share:6.2%} of a core over {SECONDS:.0f} s, {frames} frames")
    print(f"  load {os.getloadavg()[0]:.1f}")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps({"seconds": SECONDS, "found": found}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
