"""Every test in this folder gets a process and a virtual display of its own, whatever display the machine has.

Dear PyGui cannot be trusted with a second window in one process: its GLFW layer remembers the context of a window that
is gone, and crashes when a new window gets the same address (seen with Dear PyGui 2.3.1, in the focus callback). So
each test runs in a forked child; the parent never makes a window. A crash or a hang fails that test and no other.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.ui.virtual_display import VirtualDisplay

HERE = Path(__file__).parent
LONGEST_TEST_SECONDS = 120.0


@pytest.fixture(autouse=True)
def display(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a fresh virtual display, which DISPLAY says during the test. Drawing is done in software."""
    with VirtualDisplay() as server:
        monkeypatch.setenv("DISPLAY", server.name)
        monkeypatch.setenv("LIBGL_ALWAYS_SOFTWARE", "1")
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        monkeypatch.delenv("XAUTHORITY", raising=False)
        yield server.name


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in this folder, so that `-m "not window"` leaves it out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.window)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Run an item of this folder in a child process and report here what it reported there."""
    if HERE not in item.path.parents:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in reports_of_child(item):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


class Borrowed:
    """Stands for the next item in the child: what the parent had set up stays, for it is the parent's to take down."""

    def __init__(self, item: pytest.Item) -> None:
        self.nodes = list(item.session._setupstate.stack)

    def listchain(self) -> list[Any]:
        """The collectors that are not torn down."""
        return self.nodes


def reports_of_child(item: pytest.Item) -> list[pytest.TestReport]:
    """Fork, run the item in the child, and answer its reports, or one that says how the child died."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of forking beside other threads; the child touches nothing of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reading)
        run_in_child(item, writing)
    os.close(writing)
    answer, in_time = read_all(reading, LONGEST_TEST_SECONDS)
    if not in_time:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if in_time and status == 0:
        return [report_from(item, data) for data in json.loads(answer)]
    if not in_time:
        how = f"took longer than {LONGEST_TEST_SECONDS:.0f} s and was stopped"
    elif os.WIFSIGNALED(status):
        how = f"died of {signal.Signals(os.WTERMSIG(status)).name}"
    else:
        how = (
            f"ended with {os.waitstatus_to_exitcode(status)} before it could report:\n{answer.decode(errors='replace')}"
        )
    return [pytest.TestReport(item.nodeid, item.location, {}, "failed", f"the test's process {how}", "call")]


def report_from(item: pytest.Item, data: dict[str, Any]) -> pytest.TestReport:
    """A report as it was before it travelled as JSON, which knows no tuples."""
    if isinstance(data["longrepr"], list):
        data["longrepr"] = tuple(data["longrepr"])
    data["location"] = tuple(data["location"])
    report: pytest.TestReport = item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
    return report


def run_in_child(item: pytest.Item, writing: int) -> None:
    """Run the item, write its reports as JSON, and leave without running anything of the parent's."""
    code = 1
    try:
        reports = runtestprotocol(item, log=False, nextitem=Borrowed(item))  # type: ignore[arg-type]
        hook = item.config.hook.pytest_report_to_serializable
        answer = json.dumps([hook(config=item.config, report=report) for report in reports], default=str)
        code = 0
    except BaseException:  # noqa: BLE001 - the parent reports whatever it was
        answer = traceback.format_exc()
    with os.fdopen(writing, "wb") as stream:
        stream.write(answer.encode())
    os._exit(code)


def read_all(reading: int, limit: float) -> tuple[bytes, bool]:
    """(everything written until the other end was closed, whether that was within `limit` seconds)."""
    pieces, ends = [], time.monotonic() + limit
    with os.fdopen(reading, "rb", buffering=0) as stream:
        while select.select([stream], [], [], max(0.0, ends - time.monotonic()))[0]:
            piece = stream.read(65536)
            if not piece:
                return b"".join(pieces), True
            pieces.append(piece)
    return b"".join(pieces), False
