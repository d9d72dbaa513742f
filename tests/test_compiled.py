"""What is compiled before the test processes begin is what Python and pytest take when these import it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import _read_pyc

from tests import compiled


def test_what_is_compiled_once_is_not_compiled_again(
    tmp_path: Path, pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "ROOT", tmp_path)
    monkeypatch.setattr(compiled, "ROOMS", ("room",))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    room = tmp_path / "room"
    room.mkdir()
    test, module, broken = (room / name for name in ("test_it.py", "module.py", "test_broken.py"))
    test.write_text("def test_it():\n    assert [1] == [2]\n", encoding="utf-8")
    module.write_text("NAME = 1\n", encoding="utf-8")
    broken.write_text("def\n", encoding="utf-8")
    compiled.compile_once(pytestconfig)
    code = _read_pyc(test, compiled.compiled(test))
    assert code is not None and "@pytest_ar" in code.co_names
    assert Path(importlib.util.cache_from_source(str(module))).is_file()
    assert [path for path in (test, module, broken) if compiled.is_stale(path)] == [broken]
