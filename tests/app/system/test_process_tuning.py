"""Memory of a closed document is returned to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

CLOSED = """
import resource, sys
from opentine_gui.app.system.process_tuning import release_freed_memory

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

before = resident()
tables = [bytearray(b"x") * 80_000 for _ in range(1000)]
lives = bytearray(b"x") * 80_000
tables.clear()
if sys.argv[1] == "given back":
    release_freed_memory()
print(resident() - before)
"""


def answer(program: str, how: str) -> int:
    done = subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, check=True, timeout=60)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the C library of other systems has no such call")
def test_what_a_closed_document_leaves_goes_back_to_the_system() -> None:
    assert answer(CLOSED, "kept") > 70_000_000, "the C library gives it back by itself: then nothing needs to be asked"
    assert answer(CLOSED, "given back") < 5_000_000
