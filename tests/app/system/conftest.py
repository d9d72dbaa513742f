"""Jobs with threads, and how tests wait for their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from opentine_gui.app.system.jobs import Jobs


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def until(jobs: Jobs, done: Callable[[], bool]) -> None:
    """Apply results until a condition holds."""
    for _ in range(1000):
        jobs.apply(1.0)
        if done():
            return
        jobs.wait(0.01)
    raise AssertionError("the jobs did not come to it")
