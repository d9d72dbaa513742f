"""Progress and cancellation of work done in slices; pausing the garbage collector in large decodes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext

import msgspec

from opentine_gui.core.errors import Cancelled

SLICE = 1 << 18
"""About how many bytes are worked on at a time, so that other threads get their turn in between."""

Progress = Callable[[float], None]
Stop = Callable[[], bool]


class Pace:
    """Reports progress (0 to 1) between slices of work, and raises Cancelled when `cancelled` answers true."""

    def __init__(self, progress: Progress | None = None, cancelled: Stop | None = None) -> None:
        self._progress = progress
        self._cancelled = cancelled

    def at(self, fraction: float) -> None:
        """Report that `fraction` of the work is done; Cancelled if the caller has cancelled."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("the work was stopped")
        if self._progress is not None:
            self._progress(min(1.0, fraction))

    def part(self, start: float, stop: float) -> Pace:
        """The pace of a part of the work; its 0 to 1 maps to `start` to `stop`."""
        return Pace(lambda fraction: self.at(start + (stop - start) * min(1.0, fraction)))


class UncountedParts:
    """Splits `start` to `stop` of a pace among an unknown number of parts: each takes a quarter of what is left.

    The work after them begins where the last one ended.
    """

    def __init__(self, pace: Pace, start: float, stop: float) -> None:
        self._pace = pace
        self._at, self._stop = start, stop

    def next(self) -> Pace:
        """The pace of one more part."""
        start, self._at = self._at, self._at + (self._stop - self._at) / 4
        return self._pace.part(start, self._at)

    def rest(self) -> Pace:
        """The pace of the work after the parts, up to 1."""
        return self._pace.part(self._at, 1.0)


def batches(texts: Sequence[bytes | msgspec.Raw], size: int = SLICE) -> Iterator[slice]:
    """Slices of consecutive texts of about `size` bytes each."""
    start = total = 0
    for position, text in enumerate(texts):
        total += len(text)
        if total >= size:
            yield slice(start, position + 1)
            start, total = position + 1, 0
    if start < len(texts):
        yield slice(start, len(texts))


class CollectorPause:
    """Keeps the garbage collector off while a block of any thread is inside; there is one for the process.

    Two independent pauses could leave it off: one would take the other's setting for the original state.
    """

    def __init__(self) -> None:
        self.lock: AbstractContextManager[object] = nullcontext()
        """Guards the count; a program with threads sets one before it starts them."""
        self.at_end: Callable[[], None] = lambda: None
        """Called when the last block has ended, before the collector is on again."""
        self._inside = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self.lock:
            self._inside += 1
            if self._inside == 1:
                self._was_enabled = gc.isenabled()
                gc.disable()

    def __exit__(self, *_error: object) -> None:
        with self.lock:
            self._inside -= 1
            if self._inside == 0 and self._was_enabled:
                try:
                    self.at_end()
                finally:
                    gc.enable()


COLLECTOR_PAUSE = CollectorPause()


def collector_paused() -> CollectorPause:
    """Disable the garbage collector inside: decoding makes many objects and no cycles."""
    return COLLECTOR_PAUSE
