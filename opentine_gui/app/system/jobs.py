"""Work off the main thread: immutable input in, a result out through a queue that the frame loop drains.

Work and frames share one interpreter, so the length of a frame depends on how work holds it: threads switch every
`SWITCH` seconds, one piece of background work runs at a time and only while nobody waits for other work, work rests
between two slices while a frame is being made (`Jobs.rest`), and the garbage collector rests while work is under way.
"""

from __future__ import annotations

import gc
import itertools
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

Result = TypeVar("Result")
ReportProgress = Callable[[float], None]
IsCancelled = Callable[[], bool]
Work = Callable[[ReportProgress, IsCancelled], Result]

SHOW_AFTER = 0.3
"""Seconds a job runs before a progress bar is worth showing."""

WORKERS = 2

BACKGROUND = 3
"""Priority from which work is in nobody's way: one such job at a time, for two would share one interpreter anyway."""

SWITCH = 0.001
"""Seconds after which a thread that computes gives way to the one that draws."""

LONGEST_REST = 0.25
"""Seconds a piece of work waits for a frame at most, so that a frame that waits for work cannot hold it up."""

MANY_YOUNG = 50_000
"""Objects made by work from which they are set aside (`gc.freeze`) rather than looked through, 0.1 s at a time."""


def run_in_thread(work: Callable[[], None]) -> Callable[..., None]:
    """Run `work`, which must not raise, in a daemon thread; returns a function that joins it.

    The function takes the most seconds to wait, for ever when it is given none.
    """
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread.join


class CollectorRest:
    """No garbage collection while work is under way: a run is many small objects without a cycle among them.

    What a large job leaves behind is set aside for good, so that no later frame pays for walking through it; when its
    document closes it is freed by reference count. So it must hold no reference cycles; tests check this
    for jobs however they end, for closed documents, and for edits that were undone and replaced.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way = 0
        self._was_on = False

    def __enter__(self) -> None:
        with self._lock:
            self._under_way += 1
            if self._under_way == 1:
                self._was_on = gc.isenabled()
                gc.disable()

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._under_way -= 1
            if self._under_way == 0 and self._was_on:
                if gc.get_count()[0] > MANY_YOUNG:
                    gc.freeze()
                gc.enable()


_collector_rest = CollectorRest()


def _nothing(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
    """The work of a job that is over."""


def _taken(_result: object) -> None:
    """What is called with the result of a job that is over."""


def _without_values(error: Exception) -> Exception:
    """The error with its lines, but without what the variables of the work held, whole runs and this very job."""
    chained: list[BaseException] = [error]
    for link in chained:
        traceback.clear_frames(link.__traceback__)
        chained += [other for other in (link.__cause__, link.__context__) if other is not None and other not in chained]
    # The frame that caught it is still running, so it was not cleared; no traceback must lead from the job to itself.
    return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


class Job(msgspec.Struct):
    """One piece of work under way or waiting; `fraction` is 0..1."""

    key: str
    title: str
    priority: int
    work: Work[Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None] | None
    started: float
    number: int
    fraction: float = 0.0
    cancelled: bool = False
    stopping: bool = False
    finished: bool = False
    result: Any = None
    error: Exception | None = None
    gates: tuple[threading.Event, ...] = ()

    def report(self, fraction: float) -> None:
        """Called by the work itself, from its thread."""
        self.fraction = min(1.0, max(0.0, fraction))
        self._give_way()

    def is_cancelled(self) -> bool:
        """Asked by the work itself between slices."""
        self._give_way()
        return self.cancelled or self.stopping

    def forget(self) -> None:
        """Let go of what went in and came out: whoever still holds the job must not keep whole runs alive."""
        self.work, self.done, self.failed, self.result, self.error = _nothing, _taken, None, None, None

    def _give_way(self) -> None:
        for gate in self.gates:
            if not gate.is_set():
                gate.wait(LONGEST_REST)

    def execute(self) -> None:
        """Run the work and keep its result or its error."""
        try:
            if not self.cancelled:
                self.result = self.work(self.report, self.is_cancelled)
        except Exception as error:  # noqa: BLE001 - the thread's edge: whatever went wrong is handed to `failed`
            self.error = _without_values(error)


class Jobs:
    """Two worker threads. A newer job with the same key cancels the older one; lower `priority` numbers go first."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, wake: Callable[[], None] | None = None) -> None:
        self.clock = clock
        self.wake = wake
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._waiting: list[Job] = []
        self._active: dict[str, Job] = {}
        self._working = 0
        self._background = False
        self._results: deque[Job] = deque()
        self._closed = False
        self._executor: ThreadPoolExecutor | None = None
        self._arrived = threading.Event()
        self._may_run, self._nobody_waits = threading.Event(), threading.Event()
        self._may_run.set()
        self._nobody_waits.set()
        self._awaited = 0

    @contextmanager
    def rest(self) -> Iterator[None]:
        """While the block runs, work under way rests as soon as it looks whether it is still wanted.

        For what the main thread computes in a frame: each of its calls that lets go of the interpreter (numpy's do)
        would otherwise get it back a thousandth of a second later.
        """
        self._may_run.clear()
        try:
            yield
        finally:
            self._may_run.set()

    def submit(
        self,
        key: str,
        work: Work[Result],
        done: Callable[[Result], None],
        failed: Callable[[Exception], None] | None = None,
        *,
        title: str = "",
        priority: int = 0,
    ) -> None:
        """Start `work(progress, cancelled)` soon; `done` or `failed` is called later on the main thread by `apply`."""
        if self._closed:
            return
        self.cancel(key)
        job = Job(key, title, priority, work, done, failed, self.clock(), next(self._numbers))
        job.gates = (self._may_run, self._nobody_waits) if priority >= BACKGROUND else (self._may_run,)
        self._active[key] = job
        self._begin(job)

    def cancel(self, key: str) -> None:
        """The result of this job is no longer wanted; its `done` and `failed` are not called."""
        job = self._active.pop(key, None)
        if job is not None:
            job.cancelled = True

    def stop(self, key: str) -> None:
        """Ask this job to end early; unlike after `cancel` its `done` or `failed` is called and says how it ended."""
        job = self._active.get(key)
        if job is not None:
            job.stopping = True

    def is_running(self, key: str) -> bool:
        """True while a job with this key is waiting, running or not yet applied."""
        return key in self._active

    def running(self, longer_than: float = 0.0) -> tuple[Job, ...]:
        """Jobs not yet applied and older than `longer_than` seconds, oldest first."""
        now = self.clock()
        return tuple(job for job in self._active.values() if now - job.started >= longer_than)

    @property
    def idle(self) -> bool:
        """True when nothing is waiting, running or to be applied."""
        return not self._active

    def apply(self, budget: float) -> tuple[bool, list[tuple[Job, Exception]]]:
        """Call `done`/`failed` of finished jobs for at most `budget` seconds (at least one). Main thread only.

        Returns whether anything was applied and the errors nobody took (work without `failed`, or `done` that raised).
        """
        end = time.perf_counter() + budget
        changed = False
        stray: list[tuple[Job, Exception]] = []
        while self._results:
            job = self._results.popleft()
            if not job.cancelled:
                if self._active.get(job.key) is job:
                    del self._active[job.key]
                changed = True
                try:
                    if job.error is None:
                        job.done(job.result)
                    elif job.failed is not None:
                        job.failed(job.error)
                    else:
                        stray.append((job, job.error))
                except Exception as error:  # noqa: BLE001 - one bad result must not stop the frame loop
                    stray.append((job, error))
            job.forget()
            if changed and time.perf_counter() >= end:
                break
        return changed, stray

    def wait(self, seconds: float) -> None:
        """Sleep until a result arrives, at most that long."""
        if not self._results:
            self._arrived.wait(seconds)
        self._arrived.clear()

    def close(self) -> None:
        """Cancel everything and let the threads end; running work ends at its next look at `cancelled`."""
        self._closed = True
        for key in list(self._active):
            self.cancel(key)
        with self._lock:
            self._waiting.clear()
        if self._executor is not None:
            self._executor.shutdown(wait=True, cancel_futures=True)

    def _begin(self, job: Job) -> None:
        if self._executor is None:
            sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))
            self._executor = ThreadPoolExecutor(max_workers=WORKERS, thread_name_prefix="job")
        with self._lock:
            self._waiting.append(job)
            if self._working >= WORKERS:
                return
            self._working += 1
        self._executor.submit(self._work_off)

    def _work_off(self) -> None:
        while True:
            job = self._take()
            if job is None:
                return
            with _collector_rest:
                job.execute()
            self._finish(job)

    def _take(self) -> Job | None:
        """The next job that may start now, or None, and then this worker has ended. Any thread."""
        with self._lock:
            self._waiting = [job for job in self._waiting if not job.cancelled]
            hold = self._background or self._awaited > 0
            ready = [job for job in self._waiting if job.priority < BACKGROUND or not hold]
            if not ready:
                self._working -= 1
                return None
            job = min(ready, key=lambda waiting: (waiting.priority, waiting.number))
            self._waiting.remove(job)
            if job.priority >= BACKGROUND:
                self._background = True
            else:
                self._awaited += 1
                self._nobody_waits.clear()
            return job

    def _finish(self, job: Job) -> None:
        with self._lock:
            if job.priority >= BACKGROUND:
                self._background = False
            elif self._awaited:  # of work that runs inline none was counted
                self._awaited -= 1
                if not self._awaited:
                    self._nobody_waits.set()
        job.finished = True
        self._results.append(job)
        self._arrived.set()
        if self.wake is not None:
            self.wake()


class InlineJobs(Jobs):
    """Runs the work at once where it is submitted, for tests and batch runs; results still go through `apply`.

    With `hold` set, work waits until `release`: the way to test what happens meanwhile.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock=clock)
        self.hold = False
        self.held: list[Job] = []

    def _begin(self, job: Job) -> None:
        job.gates = ()  # this thread is the only one
        if self.hold:
            self.held.append(job)
            return
        job.execute()
        self._finish(job)

    def release(self) -> None:
        """Run what was held back, in order of submission."""
        held, self.held = self.held, []
        for job in held:
            job.execute()
            self._finish(job)
