"""A job: one piece of work with its progress, where it pauses, and its result or error. `jobs` has the queue."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

Result = TypeVar("Result")
ReportProgress = Callable[[float], None]
IsCancelled = Callable[[], bool]
Work = Callable[[ReportProgress, IsCancelled], Result]

SHOW_AFTER = 0.3
"""Seconds a job runs before a progress bar is worth showing."""

LONGEST_PAUSE = 0.25
"""Seconds a job pauses for a frame at most, so that a frame that waits for the job cannot hold it up for good."""


class Gate(Protocol):
    """Where work pauses until it is let through, such as an event of `threading`."""

    def is_set(self) -> bool:
        """Whether work may go on."""

    def wait(self, timeout: float, /) -> bool:
        """Pause until work may go on, at most this many seconds; whether it may now."""


def _no_work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
    """Stands for the work of a finished job."""


def _no_result(_result: object) -> None:
    """Stands for the `done` of a finished job."""


def _without_locals(error: Exception) -> Exception:
    """The error with its traceback, but without the local variables: they hold whole runs, and this very job."""
    chained: list[BaseException] = [error]
    for link in chained:
        traceback.clear_frames(link.__traceback__)
        chained += [other for other in (link.__cause__, link.__context__) if other is not None and other not in chained]
    # The frame that caught it is still running and was not cleared: cut it off, or the job would refer to itself.
    return error.with_traceback(error.__traceback__ and error.__traceback__.tb_next)


class Job(msgspec.Struct):
    """A job that waits or runs; `fraction` is its progress, 0..1."""

    key: str
    title: str
    priority: int
    work: Work[Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None] | None
    started: float
    number: int
    must_finish: bool = False
    quiet: bool = False
    stopped: Callable[[], None] | None = None
    reports_stop: bool = False
    over: Callable[[], None] | None = None
    document: int | None = None
    fraction: float = 0.0
    cancelled: bool = False
    stopping: bool = False
    finished: bool = False
    result: Any = None
    error: Exception | None = None
    gates: tuple[Gate, ...] = ()

    def report(self, fraction: float) -> None:
        """Set the progress. Called by the work, from its thread."""
        self.fraction = min(1.0, max(0.0, fraction))
        self._wait_at_gates()

    def is_cancelled(self) -> bool:
        """Whether the work should end. Called by the work between slices, from its thread."""
        self._wait_at_gates()
        return self.cancelled or self.stopping

    def hidden(self, now: float) -> bool:
        """Whether it runs unseen: it is not listed among the running jobs."""
        return self.quiet and not (self.title and now - self.started >= SHOW_AFTER)

    def end(self) -> None:
        """Call `over`, the first time."""
        over, self.over = self.over, None
        if over is not None:
            over()

    def drop_references(self) -> None:
        """Drop work and result, so that a reference to the job does not keep whole runs alive."""
        self.work, self.done, self.failed, self.result, self.error = _no_work, _no_result, None, None, None
        self.stopped = self.over = None

    def _wait_at_gates(self) -> None:
        for gate in self.gates:
            if not gate.is_set():
                gate.wait(LONGEST_PAUSE)

    def execute(self) -> None:
        """Run the work and store its result or its error."""
        try:
            if not self.cancelled:
                self.result = self.work(self.report, self.is_cancelled)
        except Exception as error:  # noqa: BLE001 - whatever went wrong is handed to `failed`
            self.error = _without_locals(error)
