"""When jobs rest: while a frame is made, and background jobs while others are awaited."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable

import pytest

from opentine_gui.app.system import job as job_module
from opentine_gui.app.system import process_tuning
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import BACKGROUND, Jobs
from tests.app.system.conftest import until

LIMIT = 10.0


def paused_at(jobs: Jobs, slices: list[int]) -> int:
    """Wait until the present slice of a job has ended and no other begins; returns how many there were."""
    reached = -1
    for _ in range(200):
        reached, before = len(slices), reached
        jobs.wait(0.005)
        if reached == before:
            break
    reached = len(slices)
    jobs.wait(0.05)
    assert len(slices) == reached
    return reached


def test_background_work_runs_one_at_a_time_and_lets_the_rest_pass(jobs: Jobs) -> None:
    gate, begun, done = threading.Event(), threading.Event(), []
    together: list[int] = []
    under_way: list[str] = []

    def background(name: str) -> Callable[[ReportProgress, IsCancelled], str]:
        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> str:
            under_way.append(name)
            together.append(len(under_way))
            begun.set()
            gate.wait(LIMIT)
            under_way.remove(name)
            return name

        return work

    for name in ("tidy", "check", "copy"):
        jobs.submit(name, background(name), done.append, priority=BACKGROUND)
    assert begun.wait(LIMIT)
    jobs.submit("open", lambda _progress, _cancelled: "open", done.append)
    until(jobs, lambda: done == ["open"])
    gate.set()
    until(jobs, lambda: len(done) == 4)
    assert done == ["open", "tidy", "check", "copy"]
    assert together == [1, 1, 1]


def test_the_collector_rests_while_work_is_under_way_and_large_results_are_set_aside(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_tuning, "FREEZE_THRESHOLD", 1000)
    frozen = gc.get_freeze_count()
    seen: list[bool] = []
    results: list[object] = []

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> list[list[int]]:
        seen.append(gc.isenabled())
        return [[number] for number in range(5000)]

    try:
        jobs.submit("a", work, results.append)
        until(jobs, lambda: bool(results))
        jobs.close()
        assert seen == [False]
        assert gc.isenabled()
        assert gc.get_freeze_count() >= frozen + 5000
    finally:
        gc.unfreeze()
        gc.collect()
        gc.freeze()  # again what tests/conftest.py set aside


def test_work_rests_between_two_slices_while_a_frame_is_made(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "LONGEST_PAUSE", LIMIT)
    slices: list[int] = []
    begun = threading.Event()

    def work(progress: ReportProgress, cancelled: IsCancelled) -> None:
        while not cancelled():
            slices.append(1)
            begun.set()
            progress(0.5)

    jobs.submit("long", work, lambda _result: None)
    assert begun.wait(LIMIT)
    with jobs.paused():
        reached = paused_at(jobs, slices)
    until(jobs, lambda: len(slices) > reached)
    jobs.stop("long")
    until(jobs, lambda: jobs.idle)


def test_a_frame_that_waits_for_work_does_not_hold_it_up_for_good(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "LONGEST_PAUSE", 0.001)
    results: list[str] = []

    def work(progress: ReportProgress, _cancelled: IsCancelled) -> str:
        progress(0.5)
        return "there"

    with jobs.paused():
        jobs.submit("a", work, results.append)
        until(jobs, lambda: results == ["there"])


def test_background_work_begins_when_nothing_follows_from_what_was_awaited(jobs: Jobs) -> None:
    order: list[str] = []
    go = threading.Event()

    def work(name: str) -> Callable[[ReportProgress, IsCancelled], object]:
        return lambda _progress, _cancelled: (go.wait(LIMIT), order.append(name))

    jobs.submit("read", work("read"), lambda _none: None)
    jobs.submit("list", work("list"), lambda _none: None, priority=BACKGROUND)
    go.set()
    while not jobs._results:  # before anything is applied: the worker is through with it
        jobs.wait(0.01)
    jobs.apply(1.0)
    jobs.submit("lay out", work("lay out"), lambda _none: None, priority=1)  # in the same step of the session
    until(jobs, lambda: jobs.idle)
    assert order == ["read", "lay out", "list"]


def test_background_work_that_must_finish_does_so_at_the_close_though_nothing_is_applied_any_more() -> None:
    jobs = Jobs()
    written: list[bool] = []
    jobs.submit("read", lambda _progress, _cancelled: None, lambda _none: None)
    jobs.submit(
        "write", lambda _progress, _cancelled: written.append(True), print, priority=BACKGROUND, must_finish=True
    )
    jobs.close()
    assert written == [True]


def test_background_work_rests_while_somebody_waits_for_other_work(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "LONGEST_PAUSE", LIMIT)
    slices: list[int] = []
    begun, wanted, end = threading.Event(), threading.Event(), threading.Event()
    done: list[str] = []

    def check(progress: ReportProgress, cancelled: IsCancelled) -> None:
        while not cancelled():
            slices.append(1)
            begun.set()
            progress(0.5)

    def read(_progress: ReportProgress, _cancelled: IsCancelled) -> str:
        wanted.set()
        assert end.wait(LIMIT)
        return "read"

    jobs.submit("check", check, lambda _result: None, priority=BACKGROUND)
    assert begun.wait(LIMIT)
    jobs.submit("read", read, done.append)
    jobs.submit("later", lambda _progress, _cancelled: "later", done.append, priority=BACKGROUND)
    assert wanted.wait(LIMIT)
    reached = paused_at(jobs, slices)
    assert done == []
    end.set()
    until(jobs, lambda: done == ["read"] and len(slices) > reached)
    jobs.stop("check")
    until(jobs, lambda: done == ["read", "later"])
