"""Process-wide settings that keep frames short: thread switches, garbage collection, and memory that is freed."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from contextlib import AbstractContextManager

from opentine_gui.core.progress import COLLECTOR_PAUSE

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

    glibc gives each thread a heap of its own, and jobs start new threads now and then: what jobs leave behind for good
    lies between what they dropped, and of a run that grew for nine minutes 40 MB of such holes were left. As the
    threads compute one at a time, none waits for the heap. The thresholds are stated because glibc raises them, up to
    32 and 64 MB, when a large block is freed, and from then on keeps as much. Does nothing with another C library.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):  # a C library without mallopt
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_ARENA_MAX, 1)
        mallopt(_M_MMAP_THRESHOLD, BLOCK_OF_ITS_OWN)
        mallopt(_M_TRIM_THRESHOLD, FREE_AT_THE_END)


def share_collector_pause(lock: AbstractContextManager[object]) -> None:
    """Let several threads pause garbage collection, and freeze what they made: call it before the first is started.

    A run is many small objects without reference cycles. Many new ones are frozen when the last work ends, so that no
    later frame pays for looking through them; they are still freed by reference count.
    """
    COLLECTOR_PAUSE.lock, COLLECTOR_PAUSE.at_end = lock, _freeze_many


def _freeze_many() -> None:
    if gc.get_count()[0] > FREEZE_THRESHOLD:
        freeze_what_stays()


def freeze_what_stays() -> None:
    """Exempt all present objects from garbage collection.

    The objects of a graph live long, and looking through them takes 50 ms of a later frame. What is in a reference
    cycle and dropped later stays, until `collect_what_was_left`.
    """
    gc.freeze()


def collect_what_was_left() -> None:
    """Collect garbage among what was frozen, too, such as the views of a window that was built anew.

    Takes as long as looking through all objects does: for when the user waits in any case.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def release_freed_memory() -> None:
    """Return freed memory to the system: after a run of 100,000 steps 220 to 350 MB that glibc would keep.

    Takes 10 ms then, and 0.1 ms if there is nothing to return. Does nothing if the C library cannot do it.
    """
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):  # a C library without malloc_trim
        ctypes.CDLL(None).malloc_trim(0)
