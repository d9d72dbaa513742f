"""A window with a long run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from tests.core.sample_runs import make_record
from tests.ui.canvas.folding.long_run import long_graph
from tests.ui.opened import Opened


@pytest.fixture
def run(tmp_path: Path) -> RunRecord:
    return make_record(list(long_graph()), run_id="long")


@pytest.fixture
def opened(tmp_path: Path, run: RunRecord) -> Iterator[Opened]:
    window = Opened(tmp_path)
    window.keyboard.focus()
    window.open(storage.write(tmp_path / "long.tine", run))
    yield window
    window.close()
