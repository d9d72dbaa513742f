"""A window with a folder of twelve runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.core.files import storage
from tests.conftest import run_of
from tests.ui.frame.runs import CHAIN, NAMES
from tests.ui.opened import Opened


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    for name in NAMES:
        storage.write(tmp_path / name, run_of({**CHAIN, name: "39"}, run_id=name))
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()
