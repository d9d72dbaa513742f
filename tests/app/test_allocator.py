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
CLOSED = """
import resource, sys
from opentine_gui.app.allocator import give_back_freed_memory, keep_freed_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

keep_freed_memory()
before = resident()
tables = [bytearray(b"x") * 800_000 for _ in range(100)]
lives = bytearray(b"x") * 100_000
tables.clear()
if sys.argv[1] == "given back":
    give_back_freed_memory()
print(resident() - before)
"""
PAGES = 40 * 800_000 // 4096


def answer(program: str, how: str) -> int:
    done = subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of other systems has no such setting")
def test_what_was_freed_is_used_again_without_a_page_from_the_system() -> None:
    assert answer(TWICE, "plain") > PAGES / 2, "the system's own way keeps them too: then nothing needs to be set"
    assert answer(TWICE, "kept") < PAGES / 20


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of other systems has no such call")
def test_what_a_closed_document_leaves_goes_back_to_the_system() -> None:
    assert answer(CLOSED, "kept") > 70_000_000, "the C library gives it back by itself: then nothing needs to be asked"
    assert answer(CLOSED, "given back") < 5_000_000


def test_elsewhere_nothing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert keep_freed_memory() is False
