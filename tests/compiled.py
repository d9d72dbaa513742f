"""Compiles modules and tests once, on all cores, for the test processes that are about to begin.

In a fresh clone nothing is compiled yet, and pytest rewrites the assertions of every test when it imports it: each of
the processes would do all of that by itself, at the same time. What this leaves out, or is wrong about, they do.
"""

from __future__ import annotations

import os
import py_compile
import sys
from collections.abc import Iterable
from importlib.util import cache_from_source
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _rewrite_test, _write_pyc, assertstate_key

ROOT = Path(__file__).parents[1]
ROOMS = ("opentine_gui", "tests", "bench")


def compile_once(config: pytest.Config) -> None:
    """Compile what is not compiled yet, in as many processes as there are cores; returns when all is done."""
    if sys.dont_write_bytecode:
        return
    waiting = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) if is_stale(path)]
    share = os.cpu_count() or 1
    children = []
    for part in range(share) if waiting else ():
        child = os.fork()
        if child == 0:
            try:
                write(waiting[part::share], config)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def is_test(path: Path) -> bool:
    """Whether pytest rewrites the assertions of a module."""
    return path.name.startswith("test_") or path.name == "conftest.py"


def compiled(path: Path) -> Path:
    """Where Python, or pytest, keeps the compiled module."""
    place = Path(cache_from_source(str(path)))
    return place.with_name(path.stem + PYC_TAIL) if is_test(path) else place


def is_stale(path: Path) -> bool:
    """Whether a module is still to be compiled, by the times of the files."""
    place = compiled(path)
    return not place.exists() or place.stat().st_mtime < path.stat().st_mtime


def write(paths: Iterable[Path], config: pytest.Config) -> None:
    """Compile modules, as Python does, and tests, as pytest does."""
    for path in paths:
        if is_test(path):
            digest, code = _rewrite_test(path, config)
            place = compiled(path)
            place.parent.mkdir(exist_ok=True)
            _write_pyc(config.stash[assertstate_key], code, digest, place)
        else:
            py_compile.compile(str(path), quiet=2)
