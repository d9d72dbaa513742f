"""`python -m bench.start`: time from exec to the demo's graph on screen, against an empty Dear PyGui program.

Both are built by PyInstaller, in one file and in one folder, and started in turn on a private virtual display with
software drawing. The clock runs in this process, from the start of the program to the line or file it writes right
after the frame that counts: the first with the graph for ours, the second for the empty one. Exits with 1 when ours
takes more than 2.5 times as long.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.empty_window import EMPTY_WINDOW
from tests.ui.virtual_display import VirtualDisplay

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "bench-start.json"
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
REPEATS = 7
LONGEST_SECONDS = 60.0
EMPTY = f"""
{EMPTY_WINDOW}
dpg.render_dearpygui_frame()
dpg.render_dearpygui_frame()
open(sys.argv[1], "w").close()
while dpg.is_dearpygui_running():
    dpg.render_dearpygui_frame()
"""
FORMS = ("folder", "one file")
OURS, EMPTY_ONE = "opentine-gui", "empty"
MOST = 2.5
"""How many times longer than the empty program ours may take."""


def build_empty(folder: Path) -> dict[tuple[str, str], Path]:
    """Build the empty program in `folder`; paths by (name, form)."""
    source = folder / "empty.py"
    source.write_text(EMPTY, encoding="utf-8")
    places = ["--distpath", str(folder), "--workpath", str(folder / "work"), "--specpath", str(folder)]
    for name, form in (("empty", "--onedir"), ("empty-one-file", "--onefile")):
        words = ["--noconfirm", "--log-level", "ERROR", *places, "--name", name, form, str(source)]
        command = [sys.executable, "-m", "PyInstaller", *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return {(EMPTY_ONE, "folder"): folder / "empty" / "empty", (EMPTY_ONE, "one file"): folder / "empty-one-file"}


def until_shown(command: list[str | Path], shown: Callable[[], bool], environment: dict[str, str]) -> float:
    """Seconds from a program's start until `shown` holds; ends the program. TimeoutError when it never does."""
    began = time.perf_counter()
    program = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        while not shown():
            if time.perf_counter() - began > LONGEST_SECONDS or program.poll() is not None:
                raise TimeoutError(f"{command[0]} showed nothing")
            time.sleep(0.001)
        return time.perf_counter() - began
    finally:
        program.terminate()
        program.wait(30)


def measure(folder: Path, repeats: int) -> list[dict[str, object]]:
    """Median, least and most seconds of each program; the programs are started in turn."""
    programs = build_empty(folder)
    programs[OURS, "folder"] = ROOT / "dist" / "opentine-gui" / "opentine-gui"
    programs[OURS, "one file"] = ROOT / "dist" / "opentine-gui-one-file"
    times: dict[tuple[str, str], list[float]] = {key: [] for key in programs}
    said = folder / "said"
    with VirtualDisplay() as display:
        home = {name: str(folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        environment = {**os.environ, **home, "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
        for _ in range(repeats + 1):  # the first round warms the disk cache and does not count
            for key, program in programs.items():
                said.unlink(missing_ok=True)
                if key[0] == OURS:
                    words: list[str | Path] = [program, DEMO, "--frame-log", said]
                    shown = lambda: said.exists() and b"graph_shown" in said.read_bytes()  # noqa: E731
                else:
                    words, shown = [program, said], said.exists
                times[key].append(until_shown(words, shown, environment))
    return [
        {
            "program": name,
            "form": form,
            "seconds": statistics.median(found[1:]),
            "least": min(found[1:]),
            "most": max(found[1:]),
        }
        for (name, form), found in times.items()
    ]


def main() -> int:
    """Measure, print a table, write build/bench-start.json."""
    if not (ROOT / "dist" / "opentine-gui-one-file").exists():
        raise SystemExit("bench.start: there is nothing to start in dist/; run `make binary` first")
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as name:
        rows = measure(Path(name), REPEATS)
    print(f"From exec to the picture, median of {REPEATS}, seconds (least - most); load {os.getloadavg()[0]:.1f}")
    seconds = {(row["program"], row["form"]): float(str(row["seconds"])) for row in rows}
    ratios = {form: seconds[OURS, form] / seconds[EMPTY_ONE, form] for form in FORMS}
    for form in FORMS:
        for row in (row for row in rows if row["form"] == form):
            print(f"  {form:<9} {row['program']:<13} {row['seconds']:.3f}  ({row['least']:.3f} - {row['most']:.3f})")
        print(f"  {form:<9} ratio         {ratios[form]:.2f}  (at most {MOST})")
    OUTPUT.parent.mkdir(exist_ok=True)
    about = {"machine": platform.machine(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    OUTPUT.write_text(json.dumps({**about, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    return 1 if max(ratios.values()) > MOST else 0


if __name__ == "__main__":
    raise SystemExit(main())
