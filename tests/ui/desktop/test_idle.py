"""An idle window sleeps, and still reacts at once to the shortest input."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.ui import frame as frame_module
from opentine_gui.ui.platform.display import display_problem
from opentine_gui.ui.platform.window_events import WindowEvents
from tests.ui.opened import Opened, copy_of_demo
from tests.ui.real_input import xdotool
from tests.ui.virtual_display import SOFTWARE, VirtualDisplay

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
REST_SECONDS = 0.8
"""A window that draws no frame for so long is at rest."""
LONGEST_SECONDS = 25.0


class Frames:
    """The frame log of a running program, read through a named pipe, which wakes us when a line is written."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._unfinished = b""
        self._lines: list[dict[str, float]] = []
        self.process: subprocess.Popen[bytes] | None = None

    def next(self, seconds: float = LONGEST_SECONDS) -> dict[str, float] | None:
        """The next line of the log; None if none is written within `seconds` or the program has ended."""
        end = time.monotonic() + seconds
        while not self._lines:
            ready, _, _ = select.select([self._pipe], [], [], max(end - time.monotonic(), 0.0))
            piece = os.read(self._pipe, 65536) if ready else b""
            if not piece:
                return None
            *whole, self._unfinished = (self._unfinished + piece).split(b"\n")
            self._lines += [json.loads(line) for line in whole]
        return self._lines.pop(0)

    def rest(self) -> dict[str, float]:
        """Wait until the window is at rest; returns its last frame."""
        end = time.monotonic() + LONGEST_SECONDS
        last = self.next()
        while (line := self.next(REST_SECONDS)) is not None:
            assert time.monotonic() < end, "the window does not come to rest"
            last = line
        assert last is not None, "no frame was drawn"
        return last

    def close(self) -> None:
        os.close(self._pipe)


@pytest.fixture
def frames(tmp_path: Path, display: str) -> Iterator[Frames]:
    """The frames of the program, started as a user starts it, from when its graph is on screen."""
    log = tmp_path / "frames.jsonl"
    frames = Frames(log)
    words = [sys.executable, "-m", "opentine_gui", str(DEMO), "--new-window"]
    words += ["--frame-log", str(log), "--exit-after", "60"]
    process = frames.process = subprocess.Popen(words, cwd=ROOT, env={**os.environ, "DISPLAY": display})
    try:
        while (line := frames.next()) is not None and line.get("event") != "graph_shown":
            pass
        assert line is not None, "the graph is not on screen"
        yield frames
    finally:
        process.kill()
        process.wait()
        frames.close()


@pytest.mark.painted
def test_a_window_at_rest_draws_hardly_a_frame(frames: Frames) -> None:
    rest = frames.rest()["t"]
    drawn = 0
    # Even at rest a frame is drawn every three seconds, so the loop ends soon after the four that count.
    while (frame := frames.next()) is not None and frame["t"] < rest + 4:
        drawn += 1
        assert drawn <= 8
    assert frame is not None, "the window draws nothing at all"


@pytest.mark.painted
def test_one_notch_of_the_wheel_is_answered_at_once(frames: Frames) -> None:
    xdotool("search", "--sync", "--onlyvisible", "--name", "opentine", "mousemove", "--window", "%1", "700", "400")
    zoom = frames.rest()["zoom"]
    began = time.monotonic()
    xdotool("click", "4")
    while (frame := frames.next()) is not None and frame["zoom"] <= zoom * 1.05:
        pass
    assert frame is not None, "the wheel did not zoom"
    assert time.monotonic() - began < 1.0


def test_input_that_wakes_a_window_is_acted_on_however_slow_its_frames_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "AFTER_WAKE", 0.0)  # what is left of it after a frame that took longer
    opened = Opened(tmp_path)
    opened.rest()
    loop, waits = opened.loop, []
    opened.until(lambda: loop.frames >= loop._awake_for, "the window at rest")
    loop.waiter.attach()
    assert loop.waiter.known
    monkeypatch.setattr(loop.waiter, "wait", lambda seconds: waits.append(seconds) or True)
    for expected in (1, 1, 2):  # wakes; polls what arrived; acts on it, and rests again
        loop._busy_until = 0.0
        loop._sleep(time.monotonic())
        assert len(waits) == expected
        opened.frame()
    opened.close()


def test_what_a_press_brings_up_is_shown_however_slow_frames_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "STAY_BUSY", 0.0)  # what is left of it after a frame that took longer
    opened = Opened(copy_of_demo(tmp_path))
    opened.open(opened.session.working_folder / "research-01.tine")
    opened.mouse.move(*opened.free_point())
    opened.rest()
    loop, waits = opened.loop, []
    monkeypatch.setattr(loop.waiter, "_descriptors", [0])
    monkeypatch.setattr(loop.waiter, "wait", lambda seconds: waits.append(seconds) or True)
    assert not opened.window.context_menu.visible
    xdotool("click", "3")
    opened.frame()  # polls it
    while not waits:
        opened.frame()
        loop._busy_until = 0.0
        loop._sleep(time.monotonic())
    assert opened.window.context_menu.visible
    opened.close()


def test_what_a_job_brings_is_shown_however_slow_frames_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Opened(copy_of_demo(tmp_path))
    opened.open(opened.session.working_folder / "research-01.tine")
    opened.rest()
    loop, waits, answered = opened.loop, [], []
    opened.until(lambda: loop.frames >= loop._awake_for, "the window at rest")
    monkeypatch.setattr(loop.waiter, "_descriptors", [0])
    monkeypatch.setattr(loop.waiter, "wait", lambda seconds: waits.append(seconds))
    monkeypatch.setattr(opened.session, "step", lambda: not answered.append(0))  # a job is done
    loop._busy_until = 0.0
    loop._sleep(time.monotonic())
    assert waits and answered, "it rested, and the job's answer came"
    monkeypatch.undo()
    monkeypatch.setattr(loop.waiter, "_descriptors", [0])
    monkeypatch.setattr(loop.waiter, "wait", lambda seconds: waits.append(seconds) or True)
    waits.clear()
    frames = loop.frames
    while not waits:
        opened.frame()
        loop._busy_until = 0.0  # what is left of it after a frame that took longer
        loop._sleep(time.monotonic())
    assert loop.frames - frames >= 2, "what was placed in the first of them is drawn whole in the second"
    opened.close()


def test_input_that_arrived_while_a_frame_was_drawn_ends_the_rest_at_once(tmp_path: Path) -> None:
    opened = Opened(tmp_path)
    opened.rest()
    waiter = opened.loop.waiter
    waiter.attach()
    assert not waiter.wait(0.0)
    xdotool("mousemove", "300", "200", "click", "4")
    events = WindowEvents()
    end = time.monotonic() + LONGEST_SECONDS
    while not events.wait_already():  # which reads it: it is no more in the socket
        assert time.monotonic() < end, "the server did not send the event"
    assert waiter.wait(LONGEST_SECONDS)
    opened.close()


GONE = """
import ctypes
library = ctypes.CDLL("libX11.so.6")
library.XOpenDisplay.restype = ctypes.c_void_p
library.XCreateSimpleWindow.restype = library.XInternAtom.restype = library.XDefaultRootWindow.restype = ctypes.c_ulong
display = ctypes.c_void_p(library.XOpenDisplay(None))
root = ctypes.c_ulong(library.XDefaultRootWindow(display))
window = ctypes.c_ulong(library.XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, ctypes.c_ulong(0), ctypes.c_ulong(0)))
atoms = [ctypes.c_ulong(library.XInternAtom(display, name, 0)) for name in (b"CLIPBOARD", b"UTF8_STRING", b"ANSWER")]
library.XConvertSelection(display, *atoms, window, ctypes.c_ulong(0))
library.XSync(display, 0)
"""
"""Asks for the clipboard, and is gone before it is answered."""


@pytest.mark.painted
def test_a_program_that_asks_for_the_clipboard_and_goes_away_does_not_end_this_one(frames: Frames) -> None:
    xdotool("search", "--sync", "--onlyvisible", "--name", "opentine", "mousemove", "--window", "%1", "700", "400")
    frames.rest()
    xdotool("key", "ctrl+a", "ctrl+c")
    frames.rest()
    assert frames.process is not None
    for _ in range(3):  # while the program stands still, so that it answers when nobody is there any more
        frames.process.send_signal(signal.SIGSTOP)
        subprocess.run([sys.executable, "-c", GONE], check=True)
        frames.process.send_signal(signal.SIGCONT)
        xdotool("click", "4")
        assert frames.next() is not None
        frames.rest()
    assert frames.process.poll() is None


LOOKED_AT = """
import os
from opentine_gui.ui.platform.display import display_problem
from opentine_gui.ui.platform.x11 import X11
assert display_problem(os.environ) is None
with X11() as x11:
    first = x11.atom("OPENTINE_FIRST")
with X11() as x11:
    assert x11.atom("OPENTINE_SECOND") == first + 1, "the server has started again and forgotten the first name"
"""


def test_a_server_that_starts_again_without_clients_does_not_between_looking_and_opening() -> None:
    with VirtualDisplay("320x200x24", "-reset") as display:
        environment = {**os.environ, **SOFTWARE, "DISPLAY": display.name}
        for _ in range(3):  # each finds a server that starts again because the one before was its last client
            subprocess.run([sys.executable, "-c", LOOKED_AT], env=environment, check=True, timeout=60)


def test_a_display_that_answers_is_no_problem(display: str) -> None:
    assert display_problem({"DISPLAY": display}) is None
