"""Fixtures of the tests of the document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.core import RunRecord, Step, write
from tests.core.sample_runs import make_step


@pytest.fixture
def diamond() -> dict[str, Step]:
    """root -> left, right -> join; and a loose second root."""
    root = make_step("root", cost=1.0, duration=1.0)
    left = make_step("left", root.id, cost=2.0, duration=2.0, usage={"input": 10, "output": 5})
    right = make_step("right", root.id, cost=4.0, duration=4.0)
    join = make_step("join", left.id, right.id, cost=8.0, duration=8.0)
    loose = make_step("loose", cost=16.0, duration=16.0)
    return {"root": root, "left": left, "right": right, "join": join, "loose": loose}


@pytest.fixture
def save(tmp_path: Path) -> Callable[[RunRecord, str], Path]:
    """Write a record to a file of the test's own directory."""
    return lambda record, name="run.tine": write(tmp_path / name, record)
