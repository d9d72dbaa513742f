"""Two runs that part, and a comparison of them."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.overlay import Overlay
from tests.app.conftest import Bench
from tests.conftest import run_of

LEFT = {"a": "", "b": "a", "c": "b", "xd": "c"}
RIGHT = {"a": "", "b": "a", "e": "b", "f": "e"}


def overlay_of(bench: Bench) -> Overlay:
    assert bench.active.overlay is not None
    return bench.active.overlay


@pytest.fixture
def compared(bench: Bench) -> Bench:
    """left.tine and right.tine open, and a comparison of them active."""
    bench.open("left.tine", run_of(LEFT, run_id="left", status="failed"))
    bench.open("right.tine", run_of(RIGHT, run_id="right"))
    bench.do("compare.open")
    return bench
