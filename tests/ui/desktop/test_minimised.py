"""A minimised window draws nothing, and its session goes on: files are followed, and it ends when it is told to."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bench.session_lines import session_lines
from opentine_gui.ui.frame import FIRST_REST
from opentine_gui.ui.platform.minimised import OwnWindow
from tests.ui.desktop.test_idle import Frames
from tests.ui.opened import DEMO, Opened
from tests.ui.real_input import xdotool
from tests.ui.virtual_display import die_with_parent

pytestmark = pytest.mark.skipif(
    shutil.which("openbox") is None, reason="openbox is not installed, and nothing else minimises"
)
ROOT = Path(__file__).parents[3]
ENDS_WITHIN = 10.0
MOST_TRIES = 200


@pytest.fixture
def desktop(display: str) -> Iterator[None]:
    """A window manager on the test's display."""
    manager = subprocess.Popen(["openbox"], stderr=subprocess.DEVNULL, preexec_fn=die_with_parent)
    while subprocess.run(["xdotool", "getactivewindow"], capture_output=True, check=False, timeout=20).returncode:
        # Nothing is active on an empty desktop either: the window manager is there once it says what it supports.
        told = subprocess.run(["xdotool", "get_num_desktops"], capture_output=True, check=False, timeout=20)
        if told.returncode == 0:
            break
        assert manager.poll() is None
    yield
    manager.terminate()
    manager.wait(10)


def minimise(title: str, minimised: Callable[[], bool]) -> str:
    """Minimise the window with this title; returns its X id."""
    window = xdotool("search", "--sync", "--onlyvisible", "--name", title).split()[0]
    for _ in range(MOST_TRIES):
        xdotool("windowminimize", "--sync", window)
        if minimised():
            return window
    raise AssertionError("the window was not minimised")


@pytest.mark.usefixtures("desktop")
def test_sigterm_ends_a_minimised_window_like_quit(tmp_path: Path) -> None:
    log = tmp_path / "frames.jsonl"
    frames = Frames(log)
    words = [sys.executable, "-m", "opentine_gui", "open", "--new-window", str(DEMO / "research-01.tine")]
    process = subprocess.Popen([*words, "--frame-log", str(log)], cwd=ROOT, preexec_fn=die_with_parent)
    try:
        while (line := frames.next()) is not None and line.get("event") != "graph_shown":
            pass
        assert line is not None, "the graph is not on screen"
        with OwnWindow(process.pid) as own:
            minimise("opentine", own.minimised)
        while frames.next(FIRST_REST + 1.0) is not None:
            pass  # longer than a shown window goes without a frame: it rests
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(ENDS_WITHIN) == 0
    finally:
        process.kill()
        process.wait()
        frames.close()


@pytest.mark.usefixtures("desktop")
def test_a_file_is_followed_while_the_window_is_minimised_and_nothing_is_drawn(tmp_path: Path) -> None:
    lines = list(session_lines(40_000))
    half = len(lines) // 2
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(lines[:half]))
    opened = Opened(tmp_path)
    document = opened.open(path)
    document.live.follows = True
    opened.rest()
    assert document.record is not None
    before, frames = len(document.record.graph), []
    loop = opened.loop

    def grown() -> bool:
        """Once minimised, let the file grow; true when the session has the new steps."""
        if not loop.own_window.minimised():
            return False
        if not frames:
            frames.append(loop.frames)
            with path.open("ab") as file:
                file.write(b"".join(lines[half:]))
        return document.record is not None and len(document.record.graph) > before

    signal.alarm(60)  # ends this test's process, should the loop sleep
    asked: list[str] = []

    def minimised_once() -> bool:
        if not asked:
            asked.append(minimise(opened.title, lambda: True))
        return grown()

    loop.stop_when(minimised_once)
    loop.run()
    assert loop.stopped
    assert loop.frames == frames[0]
    xdotool("windowmap", asked[0])
    opened.until(lambda: opened.window.canvas.painted is document, "the window as it is now")
    signal.alarm(0)
    opened.close()
