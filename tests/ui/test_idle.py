"""An idle window sleeps, and still answers the shortest input at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.ui import frame as frame_module
from opentine_gui.ui.platform.display import display_problem
from tests.ui.hands import xdotool
from tests.ui.opened import Opened

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo" / "research-01.tine"


@pytest.fixture
def program(tmp_path: Path, display: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """The program as a user starts it, with a frame log, come to rest."""
    log = tmp_path / "frames.jsonl"
    words = [sys.executable, "-m", "opentine_gui", str(DEMO), "--new-window"]
    words += ["--frame-log", str(log), "--exit-after", "60"]
    process = subprocess.Popen(words, cwd=ROOT, env={**os.environ, "DISPLAY": display})
    try:
        wait(lambda: log.exists() and "graph_shown" in log.read_text(), "the graph on screen")
        wait(lambda: time.time() - log.stat().st_mtime > 0.8, "a window at rest")
        yield process, log
    finally:
        process.kill()
        process.wait()


def wait(condition: object, what: str, seconds: float = 25.0) -> None:
    """Poll until the condition holds."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not come true in {seconds} s"
        time.sleep(0.01)


def frames(log: Path) -> list[dict[str, float]]:
    lines = [json.loads(line) for line in log.read_text().splitlines()[:-1]]
    return [line for line in lines if "zoom" in line]


def test_a_window_at_rest_draws_hardly_a_frame(program: tuple[subprocess.Popen[bytes], Path]) -> None:
    _, log = program
    before = len(frames(log))
    end = time.monotonic() + 4.0
    wait(lambda: time.monotonic() > end, "four seconds")
    assert len(frames(log)) - before <= 8


def test_one_notch_of_the_wheel_is_answered_at_once(program: tuple[subprocess.Popen[bytes], Path]) -> None:
    _, log = program
    xdotool("search", "--sync", "--onlyvisible", "--name", "opentine", "mousemove", "--window", "%1", "700", "400")
    wait(lambda: time.time() - log.stat().st_mtime > 0.8, "a window at rest")
    zoom = frames(log)[-1]["zoom"]
    began = time.monotonic()
    xdotool("click", "4")
    wait(lambda: frames(log)[-1]["zoom"] > zoom * 1.05, "the zoom")
    assert time.monotonic() - began < 1.0


def test_input_that_wakes_a_window_is_acted_on_however_slow_its_frames_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "AFTER_WAKE", 0.0)  # what is left of it after a frame that took longer
    opened = Opened(tmp_path)
    opened.rest()
    loop, waits = opened.loop, []
    loop.waiter.attach()
    assert loop.waiter.known
    monkeypatch.setattr(loop.waiter, "wait", lambda seconds: waits.append(seconds) or True)
    for expected in (1, 1, 2):  # wakes; polls what arrived; acts on it, and rests again
        loop._busy_until = 0.0
        loop._sleep(time.monotonic())
        assert len(waits) == expected
        opened.frame()
    opened.close()


def test_without_a_display_the_reason_is_said() -> None:
    assert "DISPLAY is not set" in str(display_problem({}))
    assert "does not answer" in str(display_problem({"DISPLAY": ":9999"}))


def test_a_display_that_answers_is_no_problem(display: str) -> None:
    assert display_problem({"DISPLAY": display}) is None
