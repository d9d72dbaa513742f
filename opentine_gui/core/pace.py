"""Long work in slices: tell how far it is, stop when asked, leave the garbage collector out of big decodes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from opentine_gui.core.canonical import SLICE
from opentine_gui.core.errors import Cancelled

Progress = Callable[[float], None]
Stop = Callable[[], bool]


class Pace:
    """Between two slices of work: report the fraction done (0 to 1) and raise Cancelled when the caller wants out."""

    def __init__(self, progress: Progress | None = None, cancelled: Stop | None = None) -> None:
        self._progress = progress
        self._cancelled = cancelled

    def at(self, fraction: float) -> None:
        """Called between slices."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("the work was stopped")
        if self._progress is not None:
            self._progress(min(1.0, fraction))

    def part(self, start: float, stop: float) -> Pace:
        """The pace of a piece of the work: its 0 to 1 is `start` to `stop` here."""
        return Pace(lambda fraction: self.at(start + (stop - start) * min(1.0, fraction)))


def batches(texts: Sequence[bytes | msgspec.Raw], size: int = SLICE) -> Iterator[slice]:
    """Runs of consecutive texts that hold about `size` bytes each."""
    start = total = 0
    for position, text in enumerate(texts):
        total += len(text)
        if total >= size:
            yield slice(start, position + 1)
            start, total = position + 1, 0
    if start < len(texts):
        yield slice(start, len(texts))


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection inside: decoding makes many objects and no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
