"""Timing: the best of a few calls, and subprocesses for what cannot be measured inside one process."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter, process_time

ROOT = Path(__file__).resolve().parents[1]
REPEATS = 3
SLOW_SECONDS = 2.0
SHORT_SECONDS = 2.0
MOST_REPEATS = 15


def seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Best wall time of a few calls; one call when it is slow, more when they are short."""
    return _best(work, repeats, perf_counter)


def seconds_at_most(work: Callable[[], object], limit: float) -> tuple[float, bool]:
    """(wall time of one call, whether it finished); a call that is stopped took `limit` seconds."""

    def stop(*_: object) -> None:
        raise _Late

    gc.collect()
    before = signal.signal(signal.SIGALRM, stop)
    started = perf_counter()
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        work()
    except _Late:
        return limit, False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return perf_counter() - started, True


class _Late(BaseException):
    """The time is up; nothing that is measured catches this."""


def _nothing() -> None:
    pass


def cpu_seconds(
    work: Callable[[], object], repeats: int = REPEATS, *, before: Callable[[], object] = _nothing
) -> float:
    """Least CPU time of this process over a few calls, as `seconds` counts them; other load does not count.

    `before` runs before each call and is not timed: it can undo what the last call left behind.
    """
    return _best(work, repeats, process_time, before)


def _best(
    work: Callable[[], object], repeats: int, clock: Callable[[], float], before: Callable[[], object] = _nothing
) -> float:
    best, called, spent = float("inf"), 0, 0.0
    while called < repeats or (repeats > 1 and spent < SHORT_SECONDS and called < MOST_REPEATS):
        before()
        gc.collect()
        started = clock()
        work()
        took = clock() - started
        best, called, spent = min(best, took), called + 1, spent + took
        if best > SLOW_SECONDS:
            break
    return best


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def own_home(folder: Path) -> dict[str, str]:
    """An environment with its settings, data and caches in `folder`."""
    found = {**os.environ, "HOME": str(folder)}
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        found[f"XDG_{name}_HOME"] = str(folder / name.lower())
    # Leave the user's own runs out, and let the first start cache its compiled modules, as it does for users.
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR", "PYTHONDONTWRITEBYTECODE"):
        found.pop(name, None)
    return found


def program(
    words: Sequence[str], environment: Mapping[str, str] | None = None, limit: float = 300.0
) -> subprocess.CompletedProcess[str]:
    """Run this Python with these arguments at the repository's root; returns its output. RuntimeError when it fails."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=dict(environment) if environment is not None else None,
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-600:]}")
    return done
