"""Jobs: work off the main thread, from immutable input to a result that the frame loop takes from a queue.

Jobs and frames share one interpreter, so the time of a frame depends on how long jobs hold it. Jobs pause between two
slices while a frame is made (`Jobs.paused`). Background jobs run one at a time and pause while other jobs are awaited,
until the results of those have been applied and nothing has followed from them. What is set for the whole process is in
`process_tuning`.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from opentine_gui.app.system.job import SHOW_AFTER, Job, Result, Work
from opentine_gui.app.system.process_tuning import share_collector_pause, share_one_heap, shorten_thread_switches
from opentine_gui.core.progress import collector_paused

COPYING = "copy"
"""The key of the job that makes a large text for the clipboard: what is copied meanwhile takes its place."""

WORKERS = 2

BACKGROUND = 3
"""Jobs with this priority number or a higher one run in the background, one at a time."""

LONGEST_CLOSE = 2.0
"""Seconds that `close` waits for work that is cancelled and does not end."""

INLINE_STEPS = 20_000
"""Graphs with fewer steps are worked on in the frame rather than in a job: that is done sooner than a job would be."""

share_collector_pause(threading.Lock())


def run_in_thread(work: Callable[[], None]) -> Callable[..., None]:
    """Run `work`, which must not raise, in a daemon thread; returns a function that joins it.

    That function takes the longest time to wait in seconds; without one it waits until the work is done.
    """
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread.join


def leaves_nothing() -> None:
    """What follows when the user stops work of which nothing shows that it was begun."""


def new_lock(*, reentrant: bool = False) -> AbstractContextManager[object]:
    """A lock for what several jobs use; who holds a reentrant one may take it again."""
    return threading.RLock() if reentrant else threading.Lock()


class Jobs:
    """A queue with two worker threads. A new job cancels one with the same key; lower `priority` numbers go first."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic, wake: Callable[[], None] | None = None) -> None:
        share_one_heap()
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
        self._workers: set[threading.Thread] = set()
        self._arrived = threading.Event()
        self._may_run, self._nobody_waits = threading.Event(), threading.Event()
        self._may_run.set()
        self._nobody_waits.set()
        self._awaited = self._unapplied = 0
        self._held = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """While the block runs, jobs pause as soon as they report progress or ask whether they are cancelled.

        For what the main thread computes in a frame: whenever it releases the interpreter (numpy does in every call),
        it would otherwise get it back a millisecond later.
        """
        self._may_run.clear()
        try:
            yield
        finally:
            self._may_run.set()

    def hold_background(self) -> None:
        """Let background jobs wait until `release_background`: a first frame comes sooner without what they load."""
        self._held = True

    def release_background(self) -> None:
        """Let background jobs begin, from the next `apply` on."""
        self._held = False

    def submit(
        self,
        key: str,
        work: Work[Result],
        done: Callable[[Result], None],
        failed: Callable[[Exception], None] | None = None,
        *,
        title: str = "",
        priority: int = 0,
        must_finish: bool = False,
        quiet: bool = False,
        stopped: Callable[[], None] | None = None,
        reports_stop: bool = False,
        over: Callable[[], None] | None = None,
        document: int | None = None,
    ) -> None:
        """Queue `work(progress, cancelled)`; `apply` calls `done` or `failed` on the main thread later.

        `document` is the number of the one without which nobody wants the result: it is cancelled when that is closed.
        `over` is called once, on the main thread, whichever way the job ends: after `done` or `failed`, when it is
        cancelled or replaced, or at once where no job begins any more.

        When the user stops the job (`stop`), it is cancelled and `stopped` is called, unless it `reports_stop`: then
        `done` or `failed` says how it ended, as with one that must finish. All but quiet jobs say one or the
        other: `stopped` ends what waits for the result, or is `leaves_nothing`. It is also called where the work fails
        and there is no `failed`: then a notice says why, and nothing comes.

        `close` waits for a job that `must_finish`, and its result is there to be applied after it; one that follows
        from such a result is done at once. A `quiet` one, such as a look whether anything changed, is not seen while it
        runs unless it has a title and takes long, and its `done` says itself when something visible changed.
        """
        if self._closed and not must_finish:
            if over is not None:
                over()
            return
        self.cancel(key)
        job = Job(key, title, priority, work, done, failed, self.clock(), next(self._numbers), must_finish, quiet)
        job.stopped, job.reports_stop, job.over, job.document = stopped, reports_stop or must_finish, over, document
        job.gates = (self._may_run, self._nobody_waits) if priority >= BACKGROUND else (self._may_run,)
        self._active[key] = job
        if self._closed:  # there are no workers any more
            job.gates = ()
            job.execute()
            self._finish(job)
            return
        self._begin(job)

    def compute(
        self,
        key: str,
        work: Callable[[], Result],
        done: Callable[[Result], None],
        *,
        steps: int,
        title: str = "",
        stopped: Callable[[], None] | None = None,
    ) -> None:
        """Hand the result of `work()` on a graph to `done`: at once if it has few steps, else from a job."""
        if steps < INLINE_STEPS:
            self.cancel(key)
            done(work())
        else:
            self.submit(key, lambda _progress, _cancelled: work(), done, title=title, priority=1, stopped=stopped)

    def cancel(self, key: str) -> None:
        """Drop a job: its `done` and `failed` are not called."""
        job = self._active.pop(key, None)
        if job is not None:
            job.cancelled = True
            job.end()

    def cancel_of(self, document: int) -> None:
        """Drop the jobs that were submitted for a document, by its number."""
        for job in list(self._active.values()):
            if job.document == document:
                self.cancel(job.key)

    def stop(self, key: str) -> None:
        """Stop a job at the user's request: one that reports how it ended is asked to end early, another is dropped.

        The `stopped` of one that is dropped is called.
        """
        job = self._active.get(key)
        if job is None:
            return
        if job.reports_stop:
            job.stopping = True
            return
        stopped = job.stopped
        self.cancel(key)
        if stopped is not None:
            stopped()

    def is_running(self, key: str) -> bool:
        """True while a job with this key waits, runs, or is not applied yet."""
        return key in self._active

    def running(self, longer_than: float = 0.0) -> tuple[Job, ...]:
        """Jobs not yet applied and older than `longer_than` seconds, oldest first; quiet ones only if they are seen."""
        if not self._active:
            return ()
        now = self.clock()
        return tuple(job for job in self._active.values() if now - job.started >= longer_than and not job.hidden(now))

    @property
    def seen(self) -> bool:
        """True while a job is under way whose progress may be on screen: one with a title, or one that takes long."""
        return any(job.title or self.clock() - job.started >= SHOW_AFTER for job in self.running())

    @property
    def idle(self) -> bool:
        """True when no job waits, runs, or is to be applied."""
        return not self._active

    def apply(self, budget: float) -> tuple[bool, list[tuple[Job, Exception]]]:
        """Call `done`/`failed` of finished jobs for at most `budget` seconds, at least of one that is not quiet.

        Main thread only. Returns whether anything was applied that was not quiet, and unhandled errors: of work without
        `failed`, or raised by `done`.
        """
        self._go_on()
        end = time.perf_counter() + budget
        changed = False
        unhandled: list[tuple[Job, Exception]] = []
        while self._results:
            job = self._results.popleft()
            if job.priority < BACKGROUND:
                with self._lock:
                    self._unapplied -= 1
            if not job.cancelled:
                if self._active.get(job.key) is job:
                    del self._active[job.key]
                changed = changed or not job.hidden(self.clock())
                try:
                    if job.error is None:
                        job.done(job.result)
                    elif job.failed is not None:
                        job.failed(job.error)
                    else:
                        unhandled.append((job, job.error))
                        if job.stopped is not None:
                            job.stopped()
                except Exception as error:  # noqa: BLE001 - one bad result must not stop the frame loop
                    unhandled.append((job, error))
                job.end()
            job.drop_references()
            if changed and time.perf_counter() >= end:
                break
        return changed, unhandled

    def wait(self, seconds: float) -> None:
        """Sleep until a result arrives, at most this long."""
        if not self._results:
            self._arrived.wait(seconds)
        self._arrived.clear()

    def close(self) -> None:
        """Cancel all jobs but those that must finish, and wait for these; for the others a moment.

        Running work ends when it next asks whether it is cancelled. What does not ask, such as a read from a disk that
        does not answer, is left behind: its thread ends with the process and does not keep that alive.
        """
        self._closed = True
        for key, job in list(self._active.items()):
            if not job.must_finish:
                self.cancel(key)
        if any(job.must_finish for job in self._waiting):
            self._add_worker()  # the workers there are may be held up for good
        end = time.monotonic() + LONGEST_CLOSE
        while self._workers and (self._must_finish() or time.monotonic() < end):
            for worker in list(self._workers):
                worker.join(0.02)

    def _must_finish(self) -> bool:
        return any(job.must_finish and not job.finished for job in self._active.values())

    def _begin(self, job: Job) -> None:
        if not self._workers:
            shorten_thread_switches()
        with self._lock:
            self._waiting.append(job)
            if self._working >= WORKERS:
                return
        self._add_worker()

    def _add_worker(self) -> None:
        """Start a thread that works until nothing waits: a daemon, which the end of the process does not wait for."""
        with self._lock:
            self._working += 1
            worker = threading.Thread(target=self._work_off, name=f"job_{self._working}", daemon=True)
            self._workers.add(worker)
        worker.start()

    def _work_off(self) -> None:
        while True:
            job = self._next_job()
            if job is None:
                self._workers.discard(threading.current_thread())
                return
            with collector_paused():
                job.execute()
            self._finish(job)

    def _go_on(self) -> None:
        """Let background jobs go on once what was awaited is there and nothing followed from it.

        A file that was read is laid out next: work that began in between would delay its picture.
        """
        with self._lock:
            if self._unapplied or self._awaited:
                return
            if not self._nobody_waits.is_set():
                self._nobody_waits.set()
            ready = bool(self._waiting) and not (self._background or self._held) and self._working < WORKERS
            ready = ready and any(not job.cancelled for job in self._waiting)
        if ready:
            self._add_worker()

    def _next_job(self) -> Job | None:
        """The next job that may start now. With None this worker ends. Any thread."""
        with self._lock:
            self._waiting = [job for job in self._waiting if not job.cancelled]
            hold = self._background or self._awaited > 0 or ((self._held or self._unapplied > 0) and not self._closed)
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
            elif self._awaited:  # a queue that runs jobs at once counts none
                self._awaited -= 1
            if job.priority < BACKGROUND:
                self._unapplied += 1
        job.finished = True
        self._results.append(job)
        self._arrived.set()
        if self.wake is not None:
            self.wake()
