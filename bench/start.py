"""`python -m bench.start`: from exec to the demo's graph on screen, against an empty Dear PyGui program built alike.

Both programs are built by PyInstaller, in one file and in one folder, and started in turn on a private virtual display
with software drawing. The clock runs in this process, from the start of the program to the line or file it writes
right after the frame that counts: the frame with the graph for ours, the second frame for the empty one.
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

from tests.ui.virtual_display import VirtualDisplay

ROOT = Path(__file__).resolve().parents[1]
OUTPUT = ROOT / "build" / "bench-start.json"
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
REPEATS = 7
LONGEST_SECONDS = 60.0
EMPTY = """
import sys
import dearpygui.dearpygui as dpg
dpg.create_context()
dpg.create_viewport(title="empty", width=1440, height=900)
dpg.setup_dearpygui()
with dpg.window() as window:
    dpg.add_text("empty")
dpg.show_viewport()
dpg.set_primary_window(window, True)
dpg.render_dearpygui_frame()
dpg.render_dearpygui_frame()
open(sys.argv[1], "w").close()
while dpg.is_dearpygui_running():
    dpg.render_dearpygui_frame()
"""


def build_empty(folder: Path) -> dict[str, Path]:
    """The empty program in one folder and in one file, by PyInstaller as it comes."""
    source = folder / "empty.py"
    source.write_text(EMPTY, encoding="utf-8")
    for form in ("--onedir", "--onefile"):
        words = [form, "--name", f"empty{form}", "--distpath", str(folder), "--workpath", str(folder / "work")]
        command = [
            sys.executable,
            "-m",
            "PyInstaller",
            "--noconfirm",
            "--log-level",
            "ERROR",
            "--specpath",
            str(folder),
        ]
        subprocess.run(
            [*command, *words, str(source)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    return {"folder": folder / "empty--onedir" / "empty--onedir", "one file": folder / "empty--onefile"}


def until_shown(command: list[str | Path], shown: Callable[[], bool], environment: dict[str, str]) -> float:
    """Seconds from the start of a program until `shown`; the program is ended then. TimeoutError when it is not."""
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
    """Median, least and most seconds of every program, started in turn."""
    empty = build_empty(folder)
    ours = {"folder": ROOT / "dist/opentine-gui/opentine-gui", "one file": ROOT / "dist/opentine-gui-one-file"}
    times: dict[tuple[str, str], list[float]] = {}
    with VirtualDisplay() as display:
        home = {name: str(folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        environment = {**os.environ, **home, "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
        for _ in range(repeats + 1):  # the first round warms the disk's cache and is left out
            for form in ("folder", "one file"):
                said = folder / "said"
                said.unlink(missing_ok=True)
                alone = until_shown([empty[form], said], said.exists, environment)
                log = folder / "frames.jsonl"
                log.unlink(missing_ok=True)
                graph = until_shown(
                    [ours[form], DEMO, "--frame-log", log],
                    lambda log=log: log.exists() and b"graph_shown" in log.read_bytes(),
                    environment,
                )
                times.setdefault(("empty", form), []).append(alone)
                times.setdefault(("opentine-gui", form), []).append(graph)
    return [
        {
            "program": program,
            "form": form,
            "seconds": statistics.median(found[1:]),
            "least": min(found[1:]),
            "most": max(found[1:]),
        }
        for (program, form), found in times.items()
    ]


def main() -> int:
    """Measure, print a table, write build/bench-start.json."""
    if not (ROOT / "dist" / "opentine-gui-one-file").exists():
        raise SystemExit("bench.start: there is nothing to start in dist/; run `make binary` first")
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as name:
        rows = measure(Path(name), REPEATS)
    print(f"From exec to the picture, median of {REPEATS}, seconds (least - most); load {os.getloadavg()[0]:.1f}")
    by_key = {(row["program"], row["form"]): row for row in rows}
    for form in ("folder", "one file"):
        ours, empty = by_key["opentine-gui", form], by_key["empty", form]
        ratio = float(str(ours["seconds"])) / float(str(empty["seconds"]))
        for row in (ours, empty):
            print(f"  {form:<9} {row['program']:<13} {row['seconds']:.3f}  ({row['least']:.3f} - {row['most']:.3f})")
        print(f"  {form:<9} ratio         {ratio:.2f}")
    OUTPUT.parent.mkdir(exist_ok=True)
    about = {"machine": platform.machine(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    OUTPUT.write_text(json.dumps({**about, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
