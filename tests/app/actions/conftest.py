"""What the tests of the actions share: which action a case is for, and runs that are open to act on."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.document.overlay import Overlay
from opentine_gui.core import Comparison, RunRecord
from tests.app.conftest import Bench
from tests.conftest import named, run_of
from tests.core.analysis.call_runs import session_of_edits

COVERED: dict[str, Callable[[Bench], None]] = {}
"""The case of each action, from all files that are loaded."""

RUN: list[str] = []
"""The actions whose cases a test runs."""

RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-a-plain" / "home"

TREE = {"a": "", "b": "a", "c": "b", "xd": "c", "e": "b", "f": "e"}
"""a - b - c - xd, and b - e - f beside it."""


def covers(action_id: str) -> Callable[[Callable[[Bench], None]], Callable[[Bench], None]]:
    def add(case: Callable[[Bench], None]) -> Callable[[Bench], None]:
        assert action_id not in COVERED
        COVERED[action_id] = case
        return case

    return add


def cases_of(module: str) -> Callable[[str, Bench], None]:
    """The test that runs the cases of a file: to stand at its end, under a name that begins with `test_`."""
    mine = [action_id for action_id, case in COVERED.items() if case.__module__ == module]
    RUN.extend(mine)

    @pytest.mark.parametrize("action_id", mine)
    def run(action_id: str, bench: Bench) -> None:
        COVERED[action_id](bench)
        assert bench.notices("error") == []

    return run


def opened(bench: Bench, select: str | None = "a", shape: dict[str, str] | None = None) -> RunRecord:
    record = run_of(shape or TREE)
    bench.open("run.tine", record)
    if select is not None:
        bench.do("select.step", step=named(record, select))
    return bench.record


def selected(bench: Bench) -> list[str]:
    return [bench.active.step(step_id).inputs["text"] for step_id in bench.active.selection]


def with_times(bench: Bench) -> RunRecord:
    bench.open("edits.tine", session_of_edits())
    return bench.record


LEFT = {"a": "", "b": "a", "c": "b", "xd": "c"}

RIGHT = {"a": "", "b": "a", "e": "b", "f": "e"}


def opened_two(bench: Bench) -> None:
    """Two runs that differ after b; the second one is active."""
    bench.open("left.tine", run_of(LEFT, run_id="left", status="failed"))
    bench.open("right.tine", run_of(RIGHT, run_id="right"))


def overlay_of(bench: Bench) -> Overlay:
    assert bench.active.overlay is not None
    return bench.active.overlay


def compared(bench: Bench) -> Comparison:
    opened_two(bench)
    bench.do("compare.open")
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    return comparison


def wait_for(condition: Callable[[], bool]) -> bool:
    """Give another program up to twenty seconds."""
    end = time.monotonic() + 20.0
    while not condition():
        if time.monotonic() > end:
            return False
        os.sched_yield()
    return True
