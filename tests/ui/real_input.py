"""A real mouse and keyboard for window tests, driven by xdotool; positions are pixels of one window.

`frame` is called after every move, press, release and key and must render one frame, so that the window receives the
parts of a gesture one by one, as from a user. Nothing here sleeps; `until` renders frames until a condition holds.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

BUTTONS = {"left": "1", "middle": "2", "right": "3"}
WHEEL_UP, WHEEL_DOWN = "4", "5"
MOST_FRAMES = 600

Frame = Callable[[], object]
Point = tuple[float, float]


def xdotool(*words: str) -> str:
    """Run an xdotool command; returns its output, stripped."""
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


def until(condition: Callable[[], object], frame: Frame, what: str = "the condition", most: int = MOST_FRAMES) -> None:
    """Render frames until `condition()` is true; AssertionError naming `what` after `most` frames."""
    for _ in range(most):
        if condition():
            return
        frame()
    raise AssertionError(f"{what} did not come true within {most} frames")


class Mouse:
    """The mouse; positions are pixels of the window with the X id `window`."""

    def __init__(self, window: str, frame: Frame) -> None:
        self.window = window
        self.frame = frame
        self.at: Point = (0.0, 0.0)

    def move(self, x: float, y: float) -> None:
        """Move the pointer to a pixel in one step."""
        xdotool("mousemove", "--window", self.window, str(round(x)), str(round(y)))
        self.at = (x, y)
        self.frame()

    def travel(self, x: float, y: float, moves: int = 8) -> None:
        """Move to a pixel in a straight line of several steps, as a user does."""
        x0, y0 = self.at
        for part in range(1, moves + 1):
            self.move(x0 + (x - x0) * part / moves, y0 + (y - y0) * part / moves)

    def press(self, button: str = "left") -> None:
        """Press a button and hold it."""
        xdotool("mousedown", BUTTONS[button])
        self.frame()

    def release(self, button: str = "left") -> None:
        """Release a button."""
        xdotool("mouseup", BUTTONS[button])
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
        # In one go: on a busy machine four programs, started one after the other, take longer than a double click may.
        xdotool("click", "--repeat", "2", "--delay", "30", BUTTONS[button])
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
            xdotool("click", WHEEL_UP if notches > 0 else WHEEL_DOWN)
            self.frame()
        self.frame()


class Keyboard:
    """The keyboard; keys go to the window with the X id `window`."""

    def __init__(self, window: str, frame: Frame) -> None:
        self.window = window
        self.frame = frame

    def focus(self) -> None:
        """Give the window the keyboard focus, which no window manager does here."""
        xdotool("windowfocus", self.window)
        self.frame()
        self.frame()

    def press(self, chord: str) -> None:
        """Press and release a key or chord in xdotool's spelling: "ctrl+shift+z", "Home", "Return", "slash"."""
        keys = chord.split("+")
        for key in keys:
            xdotool("keydown", key)
            self.frame()
        for key in reversed(keys):
            xdotool("keyup", key)
            self.frame()
        self.frame()

    @contextmanager
    def holding(self, key: str) -> Iterator[None]:
        """Keep a key down while the block runs, for shift-clicks and the like."""
        xdotool("keydown", key)
        self.frame()
        try:
            yield
        finally:
            xdotool("keyup", key)
            self.frame()

    def type(self, text: str) -> None:
        """Type text, one character at a time."""
        for character in text:
            xdotool("type", "--delay", "0", "--", character)
            self.frame()
        self.frame()
