"""`python -m bench.start`: from exec to the demo's graph on screen, against an empty Dear PyGui program.

All are built by PyInstaller, in one file and in one folder, and started in turn on a private virtual display with
software drawing. The empty program is there twice: as PyInstaller builds it by itself, and built like ours, without
what `packaging/contents.py` leaves out. The clock runs in this process, from the start of the program to the line or
file it writes right after the frame that counts: the frame with the graph for ours, the second for an empty one.
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


LIKE_OURS = """
import sys
sys.path.insert(0, {packaging!r})
from pathlib import Path
import contents
from PyInstaller.archive.writers import ZlibArchiveWriter
analysis = Analysis([{source!r}], excludes=list(contents.EXCLUDED_MODULES), optimize=2)
scripts = [entry for entry in analysis.scripts if entry[0] not in contents.UNWANTED_SCRIPTS]
datas = [entry for entry in analysis.datas if contents.wanted_data(entry[0])]
binaries = [
    (target, contents.without_symbols(Path(path), Path({parts!r})) if kind != "SYMLINK" else path, kind)
    for target, path, kind in analysis.binaries
    if contents.wanted_binary(target)
]
ZlibArchiveWriter._COMPRESSION_LEVEL = 0
archive = PYZ(analysis.pure)
COLLECT(EXE(archive, scripts, exclude_binaries=True, name="alike"), binaries, datas, name="alike")
EXE(archive, scripts, binaries, datas, name="alike-one-file")
"""
FORMS = ("folder", "one file")
OURS, PLAIN, ALIKE = "opentine-gui", "empty", "empty, built like ours"


def build_empty(folder: Path) -> dict[tuple[str, str], Path]:
    """The empty program by (name, form), built in `folder`."""
    source, spec, parts = folder / "empty.py", folder / "alike.spec", folder / "parts"
    source.write_text(EMPTY, encoding="utf-8")
    parts.mkdir()
    spec.write_text(
        LIKE_OURS.format(packaging=str(ROOT / "packaging"), source=str(source), parts=str(parts)), encoding="utf-8"
    )
    common = ["--noconfirm", "--log-level", "ERROR", "--distpath", str(folder), "--workpath", str(folder / "work")]
    plain = ["--specpath", str(folder), str(source), "--name"]
    _pyinstaller(*common, *plain, "empty", "--onedir")
    _pyinstaller(*common, *plain, "empty-one-file", "--onefile")
    _pyinstaller(*common, str(spec), PYTHONNODEBUGRANGES="1")
    return {
        (name, form): folder / program / program if form == "folder" else folder / f"{program}-one-file"
        for name, program in ((PLAIN, "empty"), (ALIKE, "alike"))
        for form in FORMS
    }


def _pyinstaller(*words: str, **environment: str) -> None:
    command = [sys.executable, "-m", "PyInstaller", *words]
    subprocess.run(
        command,
        check=True,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


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
    programs = build_empty(folder)
    programs[OURS, "folder"] = ROOT / "dist" / "opentine-gui" / "opentine-gui"
    programs[OURS, "one file"] = ROOT / "dist" / "opentine-gui-one-file"
    times: dict[tuple[str, str], list[float]] = {key: [] for key in programs}
    said = folder / "said"
    with VirtualDisplay() as display:
        home = {name: str(folder / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        environment = {**os.environ, **home, "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
        for _ in range(repeats + 1):  # the first round warms the disk's cache and is left out
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
    for form in FORMS:
        for row in (row for row in rows if row["form"] == form):
            print(f"  {form:<9} {row['program']:<23} {row['seconds']:.3f}  ({row['least']:.3f} - {row['most']:.3f})")
        for empty in (PLAIN, ALIKE):
            print(f"  {form:<9} ratio to {empty:<23} {seconds[OURS, form] / seconds[empty, form]:.2f}")
    OUTPUT.parent.mkdir(exist_ok=True)
    about = {"machine": platform.machine(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    OUTPUT.write_text(json.dumps({**about, "rows": rows}, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
