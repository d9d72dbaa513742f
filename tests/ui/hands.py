"""A real mouse and keyboard (xdotool), in pixels of one window; the window draws frames between the parts of a gesture.

`frame` is called after every single move, press, release and key: it must render one frame, so that the window sees the
parts of a gesture one by one, as from a hand. Nothing here sleeps; `until` renders frames until a condition holds.
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
    """Run one xdotool command line; its answer without the last newline."""
    done = subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=20, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"xdotool {' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout.strip()


def find_window(title: str, frame: Frame) -> str:
    """The X id of the visible window whose title contains `title`, rendering frames until there is one."""
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
    """The pointer, in the pixels of the window `window`."""

    def __init__(self, window: str, frame: Frame) -> None:
        self.window = window
        self.frame = frame
        self.at: Point = (0.0, 0.0)

    def move(self, x: float, y: float) -> None:
        """Put the pointer on one pixel."""
        xdotool("mousemove", "--window", self.window, str(round(x)), str(round(y)))
        self.at = (x, y)
        self.frame()

    def travel(self, x: float, y: float, moves: int = 8) -> None:
        """Go to a pixel in a straight line of several moves, as a hand does."""
        x0, y0 = self.at
        for part in range(1, moves + 1):
            self.move(x0 + (x - x0) * part / moves, y0 + (y - y0) * part / moves)

    def press(self, button: str = "left") -> None:
        """Hold a button down."""
        xdotool("mousedown", BUTTONS[button])
        self.frame()

    def release(self, button: str = "left") -> None:
        """Let a button go."""
        xdotool("mouseup", BUTTONS[button])
        self.frame()

    def click(self, x: float, y: float, button: str = "left") -> None:
        """Go there and click once."""
        self.move(x, y)
        self.frame()
        self.press(button)
        self.release(button)
        self.frame()

    def double_click(self, x: float, y: float, button: str = "left") -> None:
        """Go there and click twice, faster than the double-click time."""
        self.move(x, y)
        self.frame()
        for _ in range(2):
            self.press(button)
            self.release(button)
        self.frame()

    def drag(self, start: Point, end: Point, button: str = "left", moves: int = 8) -> None:
        """Press at `start`, travel to `end`, release there."""
        self.move(*start)
        self.frame()
        self.press(button)
        self.travel(*end, moves=moves)
        self.frame()
        self.release(button)
        self.frame()

    def wheel(self, notches: int, at: Point | None = None) -> None:
        """Turn the wheel, away from the hand when positive."""
        if at is not None:
            self.move(*at)
            self.frame()
        for _ in range(abs(notches)):
            xdotool("click", WHEEL_UP if notches > 0 else WHEEL_DOWN)
            self.frame()
        self.frame()


class Keyboard:
    """The keys, going to the window `window`."""

    def __init__(self, window: str, frame: Frame) -> None:
        self.window = window
        self.frame = frame

    def focus(self) -> None:
        """Give the window the keyboard; without a window manager nothing else does."""
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
        """Type text, one character after the other."""
        for character in text:
            xdotool("type", "--delay", "0", "--", character)
            self.frame()
        self.frame()
