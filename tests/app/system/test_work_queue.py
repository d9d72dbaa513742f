"""Work on the main thread: its errors are notices, and what is done no longer stands there as refused."""

from __future__ import annotations

import time

from opentine_gui.app.state.notices import Notices
from opentine_gui.app.system.work_queue import PATIENCE, Turns, WorkQueue
from opentine_gui.core import EditError
from tests.app.conftest import Clock


def refuse() -> None:
    """Work that cannot be done, and says so."""
    raise EditError("there is nothing to join")


def fail() -> None:
    """Work with a fault."""
    raise ZeroDivisionError


def test_what_was_refused_is_no_longer_said_once_it_was_done() -> None:
    notices = Notices()
    queue = WorkQueue(notices, lambda: None)
    for title, work in (("Merge…", refuse), ("Fork", refuse), ("Merge…", lambda: None), ("Fork", refuse)):
        queue.add(title, work)
    queue.run_until(time.perf_counter() + 60)
    assert [notice.text for notice in notices.list()] == ["Fork: there is nothing to join"]


def test_a_fault_of_the_program_stays_until_somebody_has_seen_it() -> None:
    notices = Notices()
    queue = WorkQueue(notices, lambda: None)
    for work in (fail, lambda: None):
        queue.add("Merge…", work)
    queue.run_until(time.perf_counter() + 60)
    (notice,) = notices.list()
    assert "ZeroDivisionError" in notice.text
    assert notice.detail


def test_a_missing_key_is_a_fault_and_a_step_that_is_not_there_is_none() -> None:
    def missing() -> None:
        _ = {}[17]

    def refused() -> None:
        raise LookupError("There is no kept copy.")

    for work, words, detailed in ((missing, "KeyError", True), (refused, "Open: There is no kept copy.", False)):
        notices = Notices()
        queue = WorkQueue(notices, lambda: None)
        queue.add("Open…", work)
        queue.run_until(time.perf_counter() + 60)
        (notice,) = notices.list()
        assert words in notice.text
        assert bool(notice.detail) is detailed


def test_turns_are_begun_in_the_order_they_were_asked_for_but_none_waits_for_good() -> None:
    clock, begun = Clock(), list[str]()
    turns = Turns(lambda work: work(), clock)
    first, second, third = turns.take(), turns.take(), turns.take()
    turns.ready(second, lambda: begun.append("second"))
    turns.pass_over()
    assert begun == [] and turns
    clock.now += PATIENCE + 0.1
    turns.pass_over()
    assert begun == ["second"]
    turns.ready(third, lambda: begun.append("third"))
    turns.ready(first, lambda: begun.append("first"))
    assert begun == ["second", "third", "first"], "a disk that answers late is not forgotten"
    assert not turns


def test_a_turn_that_was_given_up_lets_the_others_go_on() -> None:
    begun = list[str]()
    turns = Turns(lambda work: work(), Clock())
    first, second = turns.take(), turns.take()
    turns.ready(second, lambda: begun.append("second"))
    turns.give_up(first)
    assert begun == ["second"] and not turns
