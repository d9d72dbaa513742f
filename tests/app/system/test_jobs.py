"""Jobs: order, replacement, cancelling, errors, budget. Threads are controlled by events, never by time."""

from __future__ import annotations

import gc
import threading
import traceback
import weakref
from collections.abc import Callable

import pytest

from opentine_gui.app.system import job as job_module
from opentine_gui.app.system import jobs as jobs_module
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import Jobs
from tests.app.inline_jobs import InlineJobs
from tests.app.system.conftest import until

LIMIT = 10.0


def test_work_runs_on_another_thread_and_its_result_arrives_on_this_one(jobs: Jobs) -> None:
    seen: list[tuple[str, int]] = []

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> int:
        seen.append(("work", threading.get_ident()))
        return 7

    jobs.submit("a", work, lambda result: seen.append((f"done {result}", threading.get_ident())))
    until(jobs, lambda: len(seen) == 2)
    assert [what for what, _ in seen] == ["work", "done 7"]
    assert seen[0][1] != threading.get_ident() == seen[1][1]
    assert jobs.idle


def test_a_newer_job_with_the_same_key_cancels_the_older(jobs: Jobs) -> None:
    started, noticed = threading.Event(), threading.Event()
    results: list[str] = []

    def old(_progress: ReportProgress, cancelled: IsCancelled) -> str:
        started.set()
        for _ in range(1000):
            if cancelled():
                noticed.set()
                break
            threading.Event().wait(0.01)
        return "old"

    jobs.submit("same", old, results.append)
    assert started.wait(LIMIT)
    jobs.submit("same", lambda _progress, _cancelled: "new", results.append)
    until(jobs, lambda: bool(results))
    assert noticed.wait(LIMIT)
    until(jobs, lambda: jobs.idle)
    assert results == ["new"]


def test_waiting_jobs_start_by_priority_then_by_age(jobs: Jobs) -> None:
    gate, other, order = threading.Event(), threading.Event(), list[str]()
    jobs.submit("gate", lambda _progress, _cancelled: gate.wait(LIMIT), lambda _result: None)
    jobs.submit("other", lambda _progress, _cancelled: other.wait(LIMIT), lambda _result: None)

    def named(name: str) -> Callable[[ReportProgress, IsCancelled], None]:
        return lambda _progress, _cancelled: order.append(name)

    for name, priority in (("late", 5), ("first", 0), ("middle", 2), ("dropped", 1), ("second", 0)):
        jobs.submit(name, named(name), lambda _result: None, priority=priority)
    jobs.cancel("dropped")
    gate.set()  # one thread takes all that follows, one after the other
    until(jobs, lambda: len(order) == 3)
    assert order == ["first", "second", "middle"]
    other.set()
    until(jobs, lambda: jobs.idle)
    assert order == ["first", "second", "middle", "late"]


def test_at_most_two_jobs_run_at_once(jobs: Jobs) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.005)
        with lock:
            running[0] -= 1

    for number in range(12):
        jobs.submit(str(number), work, lambda _result: None)
    until(jobs, lambda: jobs.idle)
    assert most[0] <= 2


def test_an_error_goes_to_failed_or_comes_back_from_apply() -> None:
    jobs, failures = InlineJobs(), []

    def broken(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        raise OSError("no")

    jobs.submit("a", broken, lambda _result: None, failures.append)
    assert jobs.apply(1.0) == (True, [])
    assert [str(error) for error in failures] == ["no"]
    jobs.submit("b", broken, lambda _result: None)
    changed, stray = jobs.apply(1.0)
    assert changed
    assert [(job.key, str(error)) for job, error in stray] == [("b", "no")]


class Large:
    """Stands for a run that a job reads, makes or captures."""


@pytest.mark.parametrize("ending", ["done", "failed", "failed because of another", "stray", "cancelled", "stopped"])
def test_a_job_that_is_over_keeps_nothing_alive(jobs: Jobs, ending: str) -> None:
    """Not by a reference cycle either: what is frozen at the end of work is never collected."""
    alive: list[weakref.ref[Large]] = []
    begun, seen, stray = threading.Event(), [], []

    def submitted() -> None:
        captured = Large()
        alive.append(weakref.ref(captured))

        def work(progress: ReportProgress, cancelled: IsCancelled) -> Large:
            made, kept = Large(), captured
            alive.append(weakref.ref(made))
            begun.set()
            while ending in ("cancelled", "stopped") and not cancelled():
                progress(0.5)
            if ending == "failed because of another":
                try:
                    raise KeyError(made)
                except KeyError as error:
                    raise ValueError("no") from error
            if ending != "done":
                raise ValueError("no", kept is made)
            return made

        failed = None if ending == "stray" else (lambda error: seen.append(str(error)))
        reports = ending == "stopped"
        jobs.submit("a", work, lambda result: seen.append(type(result).__name__), failed, reports_stop=reports)

    gc.collect()
    gc.disable()
    try:
        submitted()
        (job,) = jobs.running()
        assert begun.wait(LIMIT)
        if ending == "cancelled":
            jobs.cancel("a")
        elif ending == "stopped":
            jobs.stop("a")
        for _ in range(1000):
            stray += [str(error) for _, error in jobs.apply(1.0)[1]]
            if job.finished and job.work is job_module._no_work:
                break
            jobs.wait(0.01)
        expected = {"cancelled": 0, "stray": 0}.get(ending, 1)
        assert (len(seen), len(stray)) == (expected, int(ending == "stray"))
        assert len(alive) == 2
        assert [thing() for thing in alive] == [None, None]
    finally:
        gc.enable()


def test_an_error_of_work_says_in_which_line_it_was(jobs: Jobs) -> None:
    errors: list[Exception] = []

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        raise ValueError("no")

    jobs.submit("a", work, lambda _result: None, errors.append)
    until(jobs, lambda: bool(errors))
    assert [frame.name for frame in traceback.extract_tb(errors[0].__traceback__)] == ["work"]


def test_an_error_while_a_result_is_applied_does_not_lose_the_next_result() -> None:
    jobs, seen = InlineJobs(), []

    def broken(_result: object) -> None:
        raise ValueError("bad result")

    jobs.submit("a", lambda _progress, _cancelled: 1, broken)
    jobs.submit("b", lambda _progress, _cancelled: 2, seen.append)
    _, stray = jobs.apply(1.0)
    assert seen == [2]
    assert [job.key for job, _ in stray] == ["a"]


def test_applying_stops_when_the_budget_is_spent_but_always_does_one() -> None:
    jobs, seen = InlineJobs(), []
    for number in range(3):
        jobs.submit(str(number), lambda _progress, _cancelled, number=number: number, seen.append)
    for expected in ([0], [0, 1], [0, 1, 2]):
        jobs.apply(0.0)
        assert seen == expected
    assert jobs.apply(0.0) == (False, [])


def test_cancelled_work_never_reports_even_when_it_had_finished() -> None:
    jobs, seen = InlineJobs(), []
    jobs.submit("a", lambda _progress, _cancelled: 1, seen.append)
    jobs.cancel("a")
    jobs.apply(1.0)
    assert seen == []
    assert jobs.idle


def test_progress_is_shown_for_jobs_that_take_long_enough() -> None:
    now = [0.0]
    jobs = InlineJobs(clock=lambda: now[0])
    jobs.hold = True

    def work(progress: ReportProgress, _cancelled: IsCancelled) -> None:
        progress(0.5)
        progress(7.0)

    jobs.submit("a", work, lambda _result: None, title="Reading")
    now[0] = 0.2
    assert jobs.running(0.3) == ()
    now[0] = 0.4
    assert [job.title for job in jobs.running(0.3)] == ["Reading"]
    (job,) = jobs.running()
    jobs.release()
    assert job.fraction == 1.0


def test_a_quiet_job_is_not_seen_at_work_and_its_result_changes_nothing_by_itself() -> None:
    now, results = [0.0], []
    jobs = InlineJobs(clock=lambda: now[0])
    jobs.hold = True
    jobs.submit("look", lambda _progress, _cancelled: 7, results.append, quiet=True)
    now[0] = 5.0
    assert jobs.running() == ()
    assert not jobs.seen
    assert not jobs.idle
    jobs.release()
    assert jobs.apply(1.0) == (False, [])
    assert results == [7]
    assert jobs.idle


def test_a_job_is_seen_at_work_by_its_title_or_when_it_takes_long() -> None:
    now = [0.0]
    jobs = InlineJobs(clock=lambda: now[0])
    jobs.hold = True
    jobs.submit("a", lambda _progress, _cancelled: None, lambda _none: None)
    assert not jobs.seen
    now[0] = 0.4
    assert jobs.seen
    jobs.cancel("a")
    jobs.submit("b", lambda _progress, _cancelled: None, lambda _none: None, title="Reading")
    assert jobs.seen


def test_after_closing_nothing_starts_and_running_work_is_asked_to_end() -> None:
    jobs, started, asked = Jobs(), threading.Event(), threading.Event()

    def work(_progress: ReportProgress, cancelled: IsCancelled) -> None:
        started.set()
        for _ in range(1000):
            if cancelled():
                asked.set()
                return
            threading.Event().wait(0.01)

    jobs.submit("a", work, lambda _result: None)
    assert started.wait(LIMIT)
    jobs.close()
    assert asked.is_set()
    jobs.submit("b", work, lambda _result: None)
    assert jobs.idle


def test_a_result_wakes_whoever_sleeps() -> None:
    woken = threading.Event()
    jobs = Jobs(wake=woken.set)
    jobs.submit("a", lambda _progress, _cancelled: None, lambda _result: None)
    assert woken.wait(LIMIT)
    jobs.close()


@pytest.mark.parametrize(
    ("ending", "heard"),
    [
        ("done", ["done", "over"]),
        ("failed", ["failed", "over"]),
        ("failed, and nobody asked", ["stopped", "over"]),
        ("done fails", ["done", "over"]),
        ("cancelled", ["over"]),
        ("replaced", ["over"]),
        ("stopped", ["over", "stopped"]),
        ("stopped, and reports", ["failed", "over"]),
        ("closed", ["over"]),
        ("too late", ["over"]),
    ],
)
def test_a_job_says_once_that_it_is_over_whichever_way_it_ended(ending: str, heard: list[str]) -> None:
    jobs = InlineJobs()
    jobs.hold = True
    said: list[str] = []

    def work(_progress: ReportProgress, cancelled: IsCancelled) -> None:
        if ending.startswith("failed") or cancelled():
            raise OSError("no")

    def done(_result: None) -> None:
        said.append("done")
        if ending == "done fails":
            raise OSError("no")

    if ending == "too late":
        jobs.close()
    jobs.submit(
        "a",
        work,
        done,
        None if ending.endswith("nobody asked") else lambda _error: said.append("failed"),
        stopped=lambda: said.append("stopped"),
        reports_stop=ending.endswith("reports"),
        over=lambda: said.append("over"),
    )
    if ending == "cancelled":
        jobs.cancel("a")
    elif ending == "replaced":
        jobs.submit("a", lambda _progress, _cancelled: None, lambda _result: None)
    elif ending.startswith("stopped"):
        jobs.stop("a")
    elif ending == "closed":
        jobs.close()
    jobs.release()
    jobs.apply(1.0)
    jobs.cancel("a")
    jobs.close()
    assert said == heard


def test_work_that_never_ends_does_not_keep_the_process_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a read from a disk that does not answer. What must finish is done even when all workers are held up."""
    monkeypatch.setattr(jobs_module, "LONGEST_CLOSE", 0.05)
    jobs, never, saved = Jobs(), threading.Event(), []
    for number in range(jobs_module.WORKERS):
        jobs.submit(f"stuck{number}", lambda _progress, _cancelled: never.wait(), lambda _result: None)
    jobs.submit("save", lambda _progress, _cancelled: saved.append(1), lambda _result: None, must_finish=True)
    jobs.close()
    assert saved == [1]
    stuck = [thread for thread in threading.enumerate() if thread.name.startswith("job_")]
    assert stuck and all(thread.daemon for thread in stuck)
    never.set()


def test_background_jobs_that_are_held_wait_until_they_are_released_and_others_do_not(jobs: Jobs) -> None:
    done: list[str] = []
    jobs.hold_background()
    jobs.submit("loads", lambda _progress, _cancelled: "loads", done.append, priority=jobs_module.BACKGROUND)
    for name in ("first", "second"):
        jobs.submit(name, lambda _progress, _cancelled, name=name: name, done.append)
        until(jobs, lambda name=name: name in done)
    assert done == ["first", "second"], "each looked for more to do before it ended"
    assert jobs.is_running("loads")
    jobs.release_background()
    until(jobs, lambda: jobs.idle)
    assert done == ["first", "second", "loads"]


def test_a_held_job_that_must_finish_is_done_when_the_program_ends() -> None:
    jobs, done = Jobs(), list[str]()
    jobs.hold_background()
    jobs.submit(
        "writes", lambda _progress, _cancelled: "writes", done.append, priority=jobs_module.BACKGROUND, must_finish=True
    )
    jobs.close()
    jobs.apply(LIMIT)
    assert done == ["writes"]
