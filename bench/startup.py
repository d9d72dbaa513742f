"""Start-up time: the command line against an empty Python, the window against an empty Dear PyGui window."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter

from bench.clock import ROOT, own_home, program
from bench.empty_window import EMPTY_WINDOW
from bench.table import Row, share
from tests.ui.virtual_display import VirtualDisplay

REPEATS = 7
WINDOWS = 11
DEMO = sorted((ROOT / "assets" / "demo").glob("*.tine"))[0]
EMPTY = f"""
from opentine_gui.ui.platform.frame_log import process_age
{EMPTY_WINDOW}
dpg.render_dearpygui_frame()
dpg.render_dearpygui_frame()
print(process_age())
"""


def rows(folder: Path) -> Iterator[Row]:
    """Both start-up times, each the median of a few starts that alternate with its reference."""
    pass_seconds, help_seconds = _in_turn((["-c", "pass"], ["-m", "opentine_gui", "--help"]), REPEATS)
    yield Row(
        "start",
        "opentine-gui --help",
        1000 * help_seconds,
        "ms",
        1000 * pass_seconds,
        "python -c pass",
        share(5),
        f"median of {REPEATS}",
    )
    yield from _window(folder)


def _in_turn(programs: Sequence[Sequence[str]], repeats: int) -> list[float]:
    """Median seconds of each program; the first round warms the disk cache and does not count."""
    times: list[list[float]] = [[] for _ in programs]
    for _ in range(repeats + 1):
        for found, words in zip(times, programs, strict=True):
            begun = perf_counter()
            program(words)
            found.append(perf_counter() - begun)
    return [statistics.median(found[1:]) for found in times]


def _window(folder: Path) -> Iterator[Row]:
    ours: list[float] = []
    empty: list[float] = []
    with VirtualDisplay() as display:
        environment = {**own_home(folder / "home"), "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
        for _ in range(WINDOWS + 1):
            empty.append(float(program(["-c", EMPTY], environment).stdout))
            log = folder / "start.jsonl"
            words = ["-m", "opentine_gui", "open", str(DEMO), "--frame-log", str(log), "--exit-after", "2"]
            program(words, environment)
            shown = [line["t"] for line in map(json.loads, log.read_text().splitlines()) if "event" in line]
            ours.append(float(shown[0]))
            time.sleep(0.05)
    yield Row(
        "start",
        "window with the demo's graph",
        1000 * statistics.median(ours[1:]),
        "ms",
        1000 * statistics.median(empty[1:]),
        "empty Dear PyGui window",
        share(2.5),
        f"median of {WINDOWS}, software drawing, load {os.getloadavg()[0]:.1f}",
    )
