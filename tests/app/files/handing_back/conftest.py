"""A recorded session from which somebody goes on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED


@pytest.fixture
def source(bench: Bench) -> Iterator[Path]:
    """A recorded session in the home folder of the test, open in front; it is as it was in the end."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    before = path.read_bytes()
    bench.do("file.open", path=path)
    yield path
    assert path.read_bytes() == before
