"""The graphics driver is loaded beside the imports, through a connection that closes, and hinders no start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opentine_gui.app.jobs import aside
from opentine_gui.ui.driver import Driver


def connections() -> int:
    """Open sockets of this process."""
    return sum(os.readlink(path).startswith("socket:") for path in Path("/proc/self/fd").iterdir() if path.is_symlink())


def test_the_driver_is_loaded_and_its_connection_closed(display: str) -> None:
    before = connections()
    driver = Driver({"DISPLAY": display})
    driver.wait()
    assert driver.loaded
    assert connections() == before + 1
    assert "libGLX" in Path("/proc/self/maps").read_text()
    driver.close()
    assert connections() == before
    driver.close()
    assert not driver.loaded


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ""}])
def test_without_a_display_nothing_is_loaded(environment: dict[str, str]) -> None:
    driver = Driver(environment)
    assert not driver.loaded
    driver.close()


def test_a_display_that_is_not_there_is_left_to_the_window_to_complain_about() -> None:
    driver = Driver({"DISPLAY": ":9876"})
    assert not driver.loaded
    driver.close()


def test_work_aside_is_waited_for() -> None:
    done: list[int] = []
    wait = aside(lambda: done.append(1))
    wait()
    wait()
    assert done == [1]
