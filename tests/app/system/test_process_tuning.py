"""Memory of a closed document is returned to the system; the garbage collector is on again when all pauses ended."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest

from opentine_gui.app.system import process_tuning
from opentine_gui.app.system.process_tuning import collect_what_was_left, freeze_what_stays
from opentine_gui.core.progress import COLLECTOR_PAUSE, collector_paused

CLOSED = """
import resource, sys
from opentine_gui.app.system.process_tuning import release_freed_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

before = resident()
tables = [bytearray(b"x") * 80_000 for _ in range(1000)]
lives = bytearray(b"x") * 80_000
tables.clear()
if sys.argv[1] == "given back":
    release_freed_memory()
print(resident() - before)
"""


def answer(program: str, how: str) -> int:
    done = subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of other systems has no such call")
def test_what_a_closed_document_leaves_goes_back_to_the_system() -> None:
    assert answer(CLOSED, "kept") > 70_000_000, "the C library gives it back by itself: then nothing needs to be asked"
    assert answer(CLOSED, "given back") < 5_000_000


@pytest.fixture
def collecting() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize("first_out", ["frame", "job"])
def test_a_frame_and_a_job_that_pause_the_collector_leave_it_on_in_whatever_order_they_end(
    collecting: None, monkeypatch: pytest.MonkeyPatch, first_out: str
) -> None:
    frame, job = collector_paused(), collector_paused()
    frame.__enter__()
    disable = gc.disable

    def other_ends_in_between() -> None:
        frame.__exit__(None, None, None)
        disable()

    if first_out == "frame":
        monkeypatch.setattr(gc, "disable", other_ends_in_between)  # right after the job asked whether it is on
    job.__enter__()
    monkeypatch.setattr(gc, "disable", disable)
    assert not gc.isenabled()
    (job if first_out == "job" else frame).__exit__(None, None, None)
    assert not gc.isenabled(), "one of them is still at work"
    (frame if first_out == "job" else job).__exit__(None, None, None)
    assert gc.isenabled()


def test_threads_that_pause_the_collector_side_by_side_leave_it_on(collecting: None) -> None:
    assert isinstance(COLLECTOR_PAUSE.lock, type(threading.Lock()))
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def pause_often() -> None:
        for _ in range(2000):
            with collector_paused():
                assert not gc.isenabled()

    try:
        threads = [threading.Thread(target=pause_often) for _ in range(2)]
        for thread in threads:
            thread.start()
        pause_often()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert gc.isenabled()


def test_many_new_objects_of_a_pause_are_frozen(collecting: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_tuning, "FREEZE_THRESHOLD", 1000)
    gc.unfreeze()
    with collector_paused():
        made = [[] for _ in range(5000)]
    try:
        assert gc.get_freeze_count() > len(made)
    finally:
        gc.unfreeze()


def test_what_was_frozen_and_dropped_is_collected_when_asked() -> None:
    class View:
        pass

    view = View()
    view.itself = view  # type: ignore[attr-defined]
    alive = weakref.ref(view)
    freeze_what_stays()
    try:
        del view
        gc.collect()
        assert alive() is not None
        collect_what_was_left()
        assert alive() is None
    finally:
        gc.unfreeze()
