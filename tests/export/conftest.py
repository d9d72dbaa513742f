"""The demo runs, which the exports tell of."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.core import RunRecord, read

DEMO = Path(__file__).parents[2] / "assets" / "demo"
NAMES = ("research-01", "retry-01")


@pytest.fixture(scope="session")
def research() -> RunRecord:
    return read(DEMO / "research-01.tine")


@pytest.fixture(scope="session")
def retry() -> RunRecord:
    return read(DEMO / "retry-01.tine")


@pytest.fixture(scope="session")
def evidence() -> RunRecord:
    return read(DEMO / "merged" / "evidence.tine")
