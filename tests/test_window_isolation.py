"""A window test that crashes, hangs or fails is reported as that test, and the next one runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CRASHING = """
import os, signal, pytest

PARENT = os.getpid()

def test_crash():
    os.kill(os.getpid(), signal.SIGSEGV)

def test_fails(display):
    assert display == "nothing"

def test_leaves():
    os._exit(3)

def test_fine(tmp_path):
    assert os.getpid() != PARENT and tmp_path.is_dir()

@pytest.mark.skip(reason="on purpose")
def test_skipped():
    pass
"""


def test_each_window_test_stands_or_falls_alone() -> None:
    probe = ROOT / "tests" / "ui" / f"test_probe_{os.getpid()}.py"
    probe.write_text(CRASHING)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(probe)],
            cwd=ROOT, capture_output=True, text=True, timeout=100, check=False,
        )  # fmt: skip
    finally:
        probe.unlink()
    assert "3 failed, 1 passed, 1 skipped" in done.stdout
    assert "died of SIGSEGV" in done.stdout
    assert "ended with 3" in done.stdout
    assert "assert ':" in done.stdout
