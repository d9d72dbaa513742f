"""A window with a run of the demo, and what is invoked in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ui.opened import Opened, copy_of_demo


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    runs = copy_of_demo(tmp_path)
    window = Opened(runs)
    window.keyboard.focus()
    window.open(runs / "research-01.tine")
    yield window
    window.close()


@pytest.fixture
def ran(opened: Opened) -> list[tuple[str, dict[str, Any]]]:
    """Record the actions invoked from now on, with their arguments."""
    asked: list[tuple[str, dict[str, Any]]] = []
    invoke = opened.session.invoke

    def spy(action_id: str, /, **arguments: Any) -> None:
        asked.append((action_id, arguments))
        invoke(action_id, **arguments)

    opened.session.invoke = spy  # type: ignore[method-assign]
    return asked
