"""A window with a folder of two runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.core import write
from tests.conftest import MakeRun
from tests.ui.opened import Opened

SHAPE = {"find": "", "plan": "find", "left": "plan", "right": "plan", "join": "left right", "answer": "join"}


@pytest.fixture
def folder(tmp_path: Path, make_run: MakeRun) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    write(runs / "first.tine", make_run(SHAPE, run_id="first"))
    write(runs / "second.tine", make_run({"alone": ""}, run_id="second"))
    return runs


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    window = Opened(folder)
    window.keyboard.focus()
    yield window
    window.close()
