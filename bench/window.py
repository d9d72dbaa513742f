"""The real window under a real mouse (xdotool) on a private display: CPU time of the render thread, by gesture.

Drawing is done in software here, which costs time in threads of the driver; the frame log counts the render thread.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.clock import ROOT, own_home, quantile, seconds
from bench.empty_window import EMPTY_WINDOW
from bench.generate import agent_run
from bench.table import Row, Target, at_most, share
from opentine_gui.core.files import storage
from tests.ui.virtual_display import VirtualDisplay, die_with_parent

SIZES = (1_000, 100_000)
MOVES = 60
REST_SECONDS = 4.0
ROUNDS = 2
"""Starts of the program; for each gesture the least disturbed start counts."""
SCREEN = "1920x1200x24"
CENTRE = (660, 470)
CARD = (660, 294)
"""A card of the first view, in window pixels: the third row of the run, opened at 80 %."""
EMPTY = f"""
{EMPTY_WINDOW}
end = time.monotonic() + float(sys.argv[1])
for _ in range(10):
    dpg.render_dearpygui_frame()
cpu, began = time.process_time(), time.monotonic()
while time.monotonic() < end:
    dpg.render_dearpygui_frame()
print((time.process_time() - cpu) / (time.monotonic() - began))
"""


class Application:
    """The application in a process of its own, on a display, with its frame log."""

    def __init__(self, path: Path, folder: Path, display: str, *, folded: bool = False) -> None:
        """Open a run of `agent_run` with a card for every step, or `folded`."""
        settings = Path(own_home(folder / "home")["XDG_CONFIG_HOME"]) / "opentine-gui" / "settings.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps({"every_step": [] if folded else ["agent"]}), encoding="utf-8")
        self.log = folder / f"{path.stem}.jsonl"
        self.log.unlink(missing_ok=True)  # left by an earlier start
        self.environment = {**own_home(folder / "home"), "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
        words = [sys.executable, "-m", "opentine_gui", "open", str(path), "--frame-log", str(self.log)]
        self.process = subprocess.Popen(
            words,
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=die_with_parent,
        )
        self._place = 0
        self._window = ""

    def lines(self) -> list[dict[str, Any]]:
        """The lines logged since the last call."""
        if not self.log.exists():
            return []
        with self.log.open("rb") as file:
            file.seek(self._place)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._place += len(whole)
        return [json.loads(line) for line in whole.splitlines()]

    def until(self, done: Callable[[list[dict[str, Any]]], bool], limit: float = 90.0) -> list[dict[str, Any]]:
        """Collect lines until the condition holds for them. TimeoutError after the limit."""
        found: list[dict[str, Any]] = []
        begun = perf_counter()
        while not done(found):
            if perf_counter() - begun > limit or self.process.poll() is not None:
                raise TimeoutError("the window did not get there")
            time.sleep(0.02)
            found += self.lines()
        return found

    def rest(self, quiet: float = 1.5) -> None:
        """Wait until the window draws only the rare frames it draws at rest."""
        begun = perf_counter()
        while perf_counter() - begun < 60.0:
            self.lines()
            time.sleep(quiet)
            if len(self.lines()) <= 3:
                return
        raise TimeoutError("the window did not come to rest")

    def cpu_seconds(self) -> float:
        """CPU seconds of the process so far, in all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def hands(self, *words: str) -> str:
        """Call xdotool; returns its output."""
        done = subprocess.run(
            ["xdotool", *words], env=self.environment, check=True, capture_output=True, text=True, timeout=20
        )
        return done.stdout.strip()

    def move(self, x: float, y: float) -> None:
        """Move the mouse to a pixel of the window."""
        if not self._window:
            self._window = self.hands("search", "--onlyvisible", "--name", "opentine").split()[-1]
            self.hands("windowfocus", self._window)
        self.hands("mousemove", "--window", self._window, str(round(x)), str(round(y)))

    def moved_card(self) -> None:
        """RuntimeError unless the stored positions show that a card was moved: the mouse may have missed it."""
        if not self._positions.exists():
            raise RuntimeError("the mouse moved no card")

    @property
    def _positions(self) -> Path:
        return Path(self.environment["XDG_DATA_HOME"]) / "opentine-gui" / "positions.json"

    def close(self) -> None:
        """End the program, and delete the stored positions for the next start."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._positions.unlink(missing_ok=True)


def _travel(application: Application, start: tuple[int, int], across: int, down: int) -> None:
    """Move the mouse away and back in small steps, as a hand does."""
    for step in range(MOVES):
        done = (step + 1) / (MOVES // 2) if step < MOVES // 2 else (MOVES - step) / (MOVES // 2 + 1)
        application.move(start[0] + across * done, start[1] + down * done)
        time.sleep(0.01)


def _pan(application: Application) -> None:
    application.move(*CENTRE)
    application.hands("mousedown", "2")
    _travel(application, CENTRE, 300, -350)
    application.hands("mouseup", "2")


def _zoom(application: Application) -> None:
    application.move(*CENTRE)
    for button in ("5", "4"):
        for _ in range(MOVES // 2):
            application.hands("click", button)
            time.sleep(0.02)


def _drag(application: Application) -> None:
    application.move(*CARD)
    application.hands("mousedown", "1")
    _travel(application, CARD, 250, 180)
    application.move(CARD[0] + 60, CARD[1] + 20)
    application.hands("mouseup", "1")


def _box(application: Application) -> None:
    start = (280, 60)
    application.hands("keydown", "shift")
    application.move(*start)
    application.hands("mousedown", "1")
    _travel(application, start, 700, 720)
    application.hands("mouseup", "1", "keyup", "shift")


def _search(application: Application) -> None:
    application.hands("key", "ctrl+f")
    time.sleep(0.2)
    for letter in "consensus evidence":
        application.hands("type", "--delay", "0", letter)
        time.sleep(0.06)
    for _ in range(6):
        application.hands("key", "Return")
        time.sleep(0.1)
    application.hands("key", "Escape")


GESTURES: dict[str, Callable[[Application], None]] = {
    "dragging a card": _drag,
    "panning": _pan,
    "box-selecting": _box,
    "searching": _search,
    "zooming": _zoom,
}


def rows(folder: Path, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """Opening, every gesture, and the window at rest, at each size."""
    small: dict[str, float] = {}
    with VirtualDisplay(SCREEN) as display:
        empty = _empty(folder, display.name)
        for steps in sizes:
            path = storage.write(folder / f"window-{steps}.tine", agent_run(steps))
            size = f"{steps:,} steps"
            reference = seconds(partial(_parsed, path), 2)
            played: list[dict[str, list[float]]] = []
            for once in range(ROUNDS):
                application = Application(path, folder, display.name)
                try:
                    opening = list(_opening(application, path, size, reference))
                    if not once:
                        yield from opening
                    played.append({gesture: _frames(application, play) for gesture, play in GESTURES.items()})
                    application.moved_card()
                    if once == ROUNDS - 1:
                        rest = _rest(application, size, empty)
                finally:
                    application.close()
            for gesture in GESTURES:
                frames = min((one[gesture] for one in played), key=lambda found: quantile(found, 0.95))
                found = quantile(frames, 0.95)
                small.setdefault(gesture, found)
                yield Row(
                    "window",
                    f"frame while {gesture}, p95, {size}",
                    found,
                    "ms CPU",
                    small[gesture] if steps != sizes[0] else None,
                    f"the same at {sizes[0]:,} steps" if steps != sizes[0] else "",
                    at_most(8),
                    f"median {quantile(frames, 0.5):.1f}, longest {max(frames):.1f}, {len(frames)} frames;"
                    f" the better of {ROUNDS} starts",
                )
            yield rest
        yield from _folded(path, folder, display.name, size)


def _folded(path: Path, folder: Path, display: str, size: str) -> Iterator[Row]:
    """Frames while groups of a folded run open and close."""
    application = Application(path, folder, display, folded=True)
    try:
        application.until(lambda found: any("event" in line for line in found))
        application.rest()
        frames = _frames(application, _walk)
    finally:
        application.close()
    note = f"median {quantile(frames, 0.5):.1f}, longest {max(frames):.1f}, {len(frames)} frames"
    p95 = quantile(frames, 0.95)
    yield Row("window", f"frame while groups open and close, p95, {size}", p95, "ms CPU", target=at_most(8), note=note)


def _walk(application: Application) -> None:
    """Walk failures, each of which opens a group and closes the one before, and close the last."""
    application.move(700, 400)
    for _ in range(10):
        application.hands("key", "n")
        time.sleep(0.6)
    application.hands("key", "Escape")
    time.sleep(0.6)


def _parsed(path: Path) -> object:
    return json.loads(path.read_bytes())


def _opening(application: Application, path: Path, size: str, reference: float) -> Iterator[Row]:
    lines = application.until(lambda found: any("event" in line for line in found))
    shown = next(line["t"] for line in lines if "event" in line)
    first = next(line["t"] for line in lines if "event" not in line)
    frames = [line["t"] for line in lines if "event" not in line and line["t"] <= shown]
    target: Target | None = share(2) if path.stat().st_size > 50e6 else None
    yield Row(
        "window",
        f"first complete picture, {size}",
        shown - first,
        "s",
        reference,
        "read and json.loads",
        target,
        f"from the first frame; {shown:.2f} s from exec",
    )
    gaps = [later - earlier for earlier, later in itertools.pairwise(frames)]
    yield Row("window", f"longest gap between frames until then, {size}", 1000 * max(gaps, default=0.0), "ms")
    application.rest()


def _frames(application: Application, play: Callable[[Application], None]) -> list[float]:
    application.lines()
    play(application)
    time.sleep(0.3)
    found = [float(line["cpu_ms"]) for line in application.lines() if "event" not in line]
    application.rest(0.7)
    return found


def _rest(application: Application, size: str, empty: float) -> Row:
    application.move(700, 5)
    application.rest()
    before, begun = application.cpu_seconds(), perf_counter()
    time.sleep(REST_SECONDS)
    used = (application.cpu_seconds() - before) / (perf_counter() - begun)
    what = f"at rest, {size}"
    return Row("window", what, 100 * used, "% CPU", 100 * empty, "an empty Dear PyGui window", share(1), "all threads")


def _empty(folder: Path, display: str) -> float:
    environment = {**own_home(folder / "home"), "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"}
    words = [sys.executable, "-c", EMPTY, str(REST_SECONDS)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=True)
    return float(done.stdout)
