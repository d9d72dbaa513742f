"""Runs each test of this folder in a child process with a private virtual display.

Dear PyGui does not survive a second window in one process: its GLFW layer remembers the context of a window that is
gone, and crashes when a new window gets the same address (seen with Dear PyGui 2.3.1, in the focus callback). So each
test runs in a child process (os.fork); the parent never opens a window. A crash or a hang fails only that test.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import select
import signal
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from glob import glob
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

import opentine_gui
from opentine_gui.scene.text.font_metrics import FontMetrics
from tests.ui.virtual_display import NO_COMPOSING, SOFTWARE, UNPAINTED, VirtualDisplay

HERE = Path(__file__).parent
LONGEST_TEST_SECONDS = 120.0
IMPORTED_LATE = ("filelock", "numpy.ma", "watchfiles")
"""What the application or NumPy imports only when a window is open."""
LOADED_LATE = ("libGLX_mesa.so.0", *glob("/usr/lib/*/dri/swrast_dri.so"))
"""What Mesa loads when a window opens, LLVM with it: to link all that is a quarter of what opening a window takes."""


@pytest.fixture(autouse=True)
def display(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a new virtual display, set as DISPLAY during the test. Rendering is done in software.

    Nine tenths of a frame's time would go into filling pixels, which only the tests marked `painted` look at: for the
    others everything is done but that.
    """
    painted = request.node.get_closest_marker("painted") is not None
    with VirtualDisplay() as server:
        monkeypatch.setenv("DISPLAY", server.name)
        for name, value in (NO_COMPOSING | (SOFTWARE if painted else SOFTWARE | UNPAINTED)).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        monkeypatch.delenv("XAUTHORITY", raising=False)
        yield server.name


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of this folder, so that `-m "not window"` leaves them out."""
    item.add_marker(pytest.mark.window)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Run a test of this folder in a child process and pass on its reports."""
    if HERE not in item.path.parents:
        return None
    warm()
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in reports_of_child(item):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@lru_cache
def warm() -> None:
    """Load here, once, what every window loads when it opens: the children of this process have it then."""
    modules = (module.name for module in walk_packages(opentine_gui.__path__, "opentine_gui."))
    for name in (*modules, *IMPORTED_LATE):
        if not name.endswith("__main__"):
            import_module(name)
    for library in LOADED_LATE:
        with suppress(OSError):  # this machine has another one: then each child loads its own
            ctypes.CDLL(library)
    metrics = FontMetrics()
    for face in metrics.paths:
        metrics.font(face)


class Borrowed:
    """Stands in for the next test in the child, so that fixtures set up by the parent are left for the parent."""

    def __init__(self, item: pytest.Item) -> None:
        self.nodes = list(item.session._setupstate.stack)

    def listchain(self) -> list[Any]:
        """The collectors that must not be torn down."""
        return self.nodes


def reports_of_child(item: pytest.Item) -> list[pytest.TestReport]:
    """Run the test in a child process and return its reports, or one that says how the child died."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns about os.fork in a process with threads; the child touches nothing of theirs.
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
    """Restore a report from JSON, which has no tuples."""
    if isinstance(data["longrepr"], list):
        data["longrepr"] = tuple(data["longrepr"])
    data["location"] = tuple(data["location"])
    report: pytest.TestReport = item.config.hook.pytest_report_from_serializable(config=item.config, data=data)
    return report


def run_in_child(item: pytest.Item, writing: int) -> None:
    """Run the test, write its reports as JSON, and exit without running the parent's clean-up."""
    code = 1
    gc.freeze()  # what the parent has is not the window's, and to walk it copies every page of it
    try:
        reports = runtestprotocol(item, log=False, nextitem=Borrowed(item))  # type: ignore[arg-type]
        hook = item.config.hook.pytest_report_to_serializable
        answer = json.dumps([hook(config=item.config, report=report) for report in reports], default=str)
        code = 0
    except BaseException:  # noqa: BLE001 - the parent reports any error
        answer = traceback.format_exc()
    with os.fdopen(writing, "wb") as stream:
        stream.write(answer.encode())
    os._exit(code)


def read_all(reading: int, limit: float) -> tuple[bytes, bool]:
    """(everything read until the other end was closed, whether that took at most `limit` seconds)."""
    pieces, ends = [], time.monotonic() + limit
    with os.fdopen(reading, "rb", buffering=0) as stream:
        while select.select([stream], [], [], max(0.0, ends - time.monotonic()))[0]:
            piece = stream.read(65536)
            if not piece:
                return b"".join(pieces), True
            pieces.append(piece)
    return b"".join(pieces), False
