"""Process-wide settings that keep frames short: thread switches, garbage collection, and memory that is freed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from contextlib import AbstractContextManager

SWITCH_SECONDS = 0.001
"""How long a thread computes before another one may run; five times as long by default."""

FREEZE_THRESHOLD = 50_000
"""New objects after which the results of work are frozen (`gc.freeze`): collecting them would take a frame 0.1 s."""


def shorten_thread_switches() -> None:
    """Let the thread that draws have the interpreter sooner while others compute."""
    sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""glibc's names (mallopt(3)): free bytes at the heap's end that are given back, bytes of a block that gets pages of its
own, and how many heaps threads may have."""
FREE_AT_THE_END = 4 << 20
BLOCK_OF_ITS_OWN = 2 << 20


def share_one_heap() -> None:
    """Let all threads take memory from one heap that shrinks: call it before the first thread is started.

    glibc gives each thread one of its own, and a job is a new thread now and then: what jobs leave behind for good lies
    between what they dropped, and of a run that grew for nine minutes 40 MB of such holes were left. As the threads
    compute one at a time, none waits for the heap. The thresholds are stated because glibc raises them, up to 32 and
    64 MB, when a large block is freed, and from then on keeps as much. Does nothing with another C library.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):  # a C library without mallopt
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, BLOCK_OF_ITS_OWN)
        mallopt(_M_TRIM_THRESHOLD, FREE_AT_THE_END)


class CollectorPause:
    """Switches garbage collection off while work is running: a run is many small objects without reference cycles.

    Many new objects are frozen when the last work ends, so that no later frame pays for looking through them; they are
    still freed by reference count. `lock` guards the count of what is running, for workers enter from their threads.
    """

    def __init__(self, lock: AbstractContextManager[object]) -> None:
        self._lock = lock
        self._running = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._was_enabled = gc.isenabled()
                gc.disable()

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._running -= 1
            if self._running == 0 and self._was_enabled:
                if gc.get_count()[0] > FREEZE_THRESHOLD:
                    gc.freeze()
                gc.enable()


def release_freed_memory() -> None:
    """Return freed memory to the system: after a run of 100,000 steps 220 to 350 MB that glibc would keep.

    Takes 10 ms then, and 0.1 ms if there is nothing to return. Does nothing if the C library cannot do it.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):  # a C library without malloc_trim
        ctypes.CDLL(None).malloc_trim(0)
