"""Tells a double click from two single ones, however long the frames take.

Dear PyGui measures the time between the frames that saw the presses, and reports press, release and press in separate
frames: if a frame takes longer than 150 ms, even the quickest double click is too slow for it.
"""

from __future__ import annotations

from dataclasses import dataclass

MOST_SECONDS = 0.3
"""Between two presses, as in Dear PyGui."""
MOST_FRAMES = 3
"""Between the frames of two presses of a double click, however long those frames took."""
MOST_SLOW_SECONDS = 2.0
"""Most seconds between two presses that slow frames hold apart; after that they are two single clicks."""
MOST_PIXELS = 6.0
"""Between the places of two presses, as in Dear PyGui."""


@dataclass
class DoublePress:
    """The last press, of one button."""

    x: float = 0.0
    y: float = 0.0
    frame: int = -MOST_FRAMES - 1
    seconds: float = -MOST_SLOW_SECONDS - 1
    count: int = 0

    def is_double(self, x: float, y: float, *, frame: int, seconds: float) -> bool:
        """Whether a press is the second of two at one place (in pixels); a third press does not count as one."""
        between = seconds - self.seconds
        quick = between < MOST_SECONDS or (frame - self.frame <= MOST_FRAMES and between < MOST_SLOW_SECONDS)
        near = abs(x - self.x) <= MOST_PIXELS and abs(y - self.y) <= MOST_PIXELS
        self.count = self.count + 1 if quick and near else 1
        self.x, self.y, self.frame, self.seconds = x, y, frame, seconds
        return self.count == 2
