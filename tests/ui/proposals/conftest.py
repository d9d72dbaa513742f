"""A window with the failed demo run, of a size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import pytest

from tests.ui.opened import Opened, copy_of_demo

Ran = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens a window of a size with the failed demo run."""
    made: list[Opened] = []

    def open_window(width: int = 1440, height: int = 900, scale: float = 1.0) -> Opened:
        runs = copy_of_demo(tmp_path)
        window = Opened(runs, scale=scale)
        made.append(window)
        dpg.set_viewport_width(width)
        dpg.set_viewport_height(height)
        window.keyboard.focus()
        window.open(runs / "research-01.tine")
        return window

    yield open_window
    for window in made:
        window.close()


@pytest.fixture
def opened(make: Callable[..., Opened]) -> Opened:
    return make()


@pytest.fixture
def ran(opened: Opened) -> Ran:
    """Record the actions invoked from now on, with their arguments."""
    asked: Ran = []
    invoke = opened.session.invoke

    def spy(action_id: str, /, **arguments: Any) -> None:
        asked.append((action_id, arguments))
        invoke(action_id, **arguments)

    opened.session.invoke = spy  # type: ignore[method-assign]
    return asked
