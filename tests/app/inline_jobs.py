"""A job queue without threads."""

from __future__ import annotations

import time
from collections.abc import Callable

from opentine_gui.app.system.job import Job
from opentine_gui.app.system.jobs import Jobs


class InlineJobs(Jobs):
    """Runs each job at once in the calling thread; results still go through `apply`.

    While `hold` is set, jobs wait for `release`: the way to test what happens meanwhile.
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
        """Run the held jobs in the order of their submission."""
        held, self.held = self.held, []
        for job in held:
            job.execute()
            self._finish(job)
