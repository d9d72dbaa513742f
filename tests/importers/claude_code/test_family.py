"""Which sessions beside one share its lines, in a folder of more than are searched."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

from opentine_gui.importers.claude_code.family import family
from tests.importers.claude_code.written_log import Log

SHARED = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f"


def session(folder: Path, name: str, changed: float, first: str) -> Path:
    log = Log(name)
    log.user(None, "Go", uuid=first)
    path = log.write(folder)
    os.utime(path, (changed, changed))
    return path


def test_a_fork_is_found_among_more_sessions_than_are_searched_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("opentine_gui.importers.claude_code.family"), "MOST_FILES", 3)
    for number in range(9):
        session(tmp_path, f"a{number}", 1e9 + number * 1000, f"{number:08d}-0000-4000-8000-000000000000")
    origin = session(tmp_path, "z-origin", 1e9 + 4_900, SHARED)
    fork = session(tmp_path, "y-fork", 1e9 + 5_100, SHARED)
    assert family(origin) == [fork]
    assert family(fork) == [origin]


def test_a_family_is_in_the_order_of_names(tmp_path: Path) -> None:
    paths = [session(tmp_path, name, 1e9, SHARED) for name in "cab"]
    assert [path.stem for path in family(paths[0])] == ["a", "b"]
