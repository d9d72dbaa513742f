"""A real mouse and keyboard for window tests, driven by xdotool; positions are pixels of one window.

`frame` is called after every move, press, release and key and must render one frame, so that the window receives the
parts of a gesture one by one, as from a user. Nothing here sleeps; `until` renders frames until a condition holds.
"""

from __future__ import annotations

import atexit
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.ui.virtual_display import die_with_parent

BUTTONS = {"left": "1", "middle": "2", "right": "3"}
WHEEL_UP, WHEEL_DOWN = "4", "5"
MOST_FRAMES = 600
LEAST_SECONDS = 30.0
"""What a condition may wait for, such as a job or another program, takes seconds and not frames, which may be quick."""
PLAIN = re.compile(r"[\w.:+-]+", re.ASCII)
"""Words that mean the same in a script of xdotool and as its arguments."""

Frame = Callable[[], object]
Point = tuple[float, float]


class Script:
    """One xdotool on one display, which is told a command at a time: to start a program takes longer than a frame."""

    def __init__(self, display: str) -> None:
        self._program = subprocess.Popen(
            ["xdotool", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "DISPLAY": display},
            preexec_fn=die_with_parent,
        )
        atexit.register(self.close)

    def tell(self, *words: str) -> None:
        """Run a command; what it sends has reached the windows' connections when this returns.

        The display answers a second question only after it has sent out what came before the first.
        """
        stdin, stdout = self._program.stdin, self._program.stdout
        assert stdin is not None and stdout is not None
        stdin.write(f"{' '.join(words)}\ngetmouselocation\ngetmouselocation\n".encode())
        stdin.flush()
        if not (stdout.readline() and stdout.readline()):
            error = self._program.communicate()[1].decode(errors="replace").strip()
            raise RuntimeError(f"xdotool {' '.join(words)}: {error or self._program.returncode}")

    def close(self) -> None:
        """End the program."""
        self._program.kill()
        self._program.communicate()


_SCRIPTS: dict[str, Script] = {}


def send(*words: str) -> None:
    """Move, press or type with xdotool on the display of this process."""
    if not all(map(PLAIN.fullmatch, words)):
        xdotool(*words)
        return
    display = os.environ["DISPLAY"]
    if display not in _SCRIPTS:
        _SCRIPTS[display] = Script(display)
    _SCRIPTS[display].tell(*words)


def xdotool(*words: str) -> str:
    """Run an xdotool command in a program of its own; returns its output, stripped."""
    done = subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"xdotool {' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def find_window(title: str, frame: Frame) -> str:
    """Render frames until a visible window's title contains `title`; returns its X id."""
    found: list[str] = []

    def there() -> bool:
        done = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        found[:] = done.stdout.split()
        return bool(found)

    until(there, frame, f"a window titled {title!r}")
    return found[-1]


def until(condition: Callable[[], object], frame: Frame, what: str = "the condition") -> None:
    """Render frames until `condition()` is true; AssertionError naming `what` after many frames and a long time."""
    began, frames = time.monotonic(), 0
    while not condition():
        if frames >= MOST_FRAMES and time.monotonic() - began >= LEAST_SECONDS:
            raise AssertionError(f"{what} did not come true within {frames} frames")
        frame()
        frames += 1


class Mouse:
    """The mouse; positions are pixels of the window with the X id `window`."""

    def __init__(self, window: str, frame: Frame) -> None:
        self.window = window
        self.frame = frame
        self.at: Point = (0.0, 0.0)

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a pixel in one step."""
        send("mousemove", "--window", self.window, str(round(x)), str(round(y)))
        self.at = (x, y)
        self.frame()

    def travel(self, x: float, y: float, moves: int = 8) -> None:
        """Move to a pixel in a straight line of several steps, as a user does."""
        x0, y0 = self.at
        for part in range(1, moves + 1):
            self.move(x0 + (x - x0) * part / moves, y0 + (y - y0) * part / moves)

    def press(self, button: str = "left") -> None:
        """Press a button and hold it."""
        send("mousedown", BUTTONS[button])
        self.frame()

    def release(self, button: str = "left") -> None:
        """Release a button."""
        send("mouseup", BUTTONS[button])
        self.frame()

    def click(self, x: float, y: float, button: str = "left") -> None:
        """Move there and click once."""
        self.move(x, y)
        self.frame()
        self.press(button)
        self.release(button)
        self.frame()

    def double_click(self, x: float, y: float, button: str = "left") -> None:
        """Move there and click twice, within the double-click time."""
        self.move(x, y)
        self.frame()
        # In one go: on a busy machine the frames between four commands take longer than a double click may.
        send("click", "--repeat", "2", "--delay", "30", BUTTONS[button])
        for _ in range(6):
            self.frame()

    def drag(self, start: Point, end: Point, button: str = "left", moves: int = 8) -> None:
        """Press at `start`, move to `end`, release there."""
        self.move(*start)
        self.frame()
        self.press(button)
        self.travel(*end, moves=moves)
        self.frame()
        self.release(button)
        self.frame()

    def wheel(self, notches: int, at: Point | None = None) -> None:
        """Turn the wheel by so many notches; positive is up, away from the user."""
        if at is not None:
            self.move(*at)
            self.frame()
        for _ in range(abs(notches)):
            send("click", WHEEL_UP if notches > 0 else WHEEL_DOWN)
            self.frame()
        self.frame()


class Keyboard:
    """The keyboard; keys go to the window with the X id `window`."""

    def __init__(self, window: str, frame: Frame) -> None:
        self.window = window
        self.frame = frame

    def focus(self) -> None:
        """Give the window the keyboard focus, which no window manager does here."""
        send("windowfocus", self.window)
        self.frame()
        self.frame()

    def press(self, chord: str) -> None:
        """Press and release a key or chord in xdotool's spelling: "ctrl+shift+z", "Home", "Return", "slash"."""
        keys = chord.split("+")
        for key in keys:
            send("keydown", "--delay", "0", key)
            self.frame()
        for key in reversed(keys):
            send("keyup", "--delay", "0", key)
            self.frame()
        self.frame()

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        """Keep a key down while the block runs, for shift-clicks and the like."""
        send("keydown", "--delay", "0", key)
        self.frame()
        try:
            yield
        finally:
            send("keyup", "--delay", "0", key)
            self.frame()

    def type(self, text: str) -> None:
        """Type text, one character at a time."""
        for character in text:
            send("type", "--delay", "0", "--", character)
            self.frame()
        self.frame()
