"""Memory that was let go of is there for the next edit, without the system's help."""

from __future__ import annotations

import subprocess
import sys

import pytest

from opentine_gui.app.allocator import keep_freed_memory

TWICE = """
import resource, sys
from opentine_gui.app.allocator import keep_freed_memory

if sys.argv[1] == "kept":
    assert keep_freed_memory()
tables = [bytearray(1) * 800_000 for _ in range(40)]
tables.clear()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
tables = [bytearray(1) * 800_000 for _ in range(40)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
PAGES = 40 * 800_000 // 4096


def faults(how: str) -> int:
    done = subprocess.run([sys.executable, "-c", TWICE, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of other systems has no such setting")
def test_what_was_freed_is_used_again_without_a_page_from_the_system() -> None:
    assert faults("plain") > PAGES / 2, "the system's own way keeps them too: then nothing needs to be set"
    assert faults("kept") < PAGES / 20


def test_elsewhere_nothing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert keep_freed_memory() is False
