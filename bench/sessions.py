"""A large session log of each agent: time against `json.loads` over its lines, and memory against its size."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from bench.clock import cpu_seconds, program
from bench.session_lines import codex_lines, gemini_lines, pi_lines, session_lines
from bench.table import Row, at_most, share

SIZE = 500_000_000
"""Bytes of the session."""
ROLLOUT = "rollout-2026-01-01T00-00-00-01a1ffa5-2136-7231-bf88-010e588e3e3e.jsonl"


def rows(folder: Path, size: int = SIZE) -> Iterator[Row]:
    """Time and memory of reading one large session of each agent."""
    for agent, name, lines in (
        ("Claude Code", "session.jsonl", session_lines),
        ("Codex", ROLLOUT, codex_lines),
        ("pi", "pi.jsonl", pi_lines),
        ("Gemini CLI", "session-gemini.jsonl", gemini_lines),
    ):
        path = folder / agent.replace(" ", "-") / name
        path.parent.mkdir()
        with path.open("wb") as file:
            file.writelines(lines(size))
        yield from _rows_of(agent, path)
        path.unlink()


def _rows_of(agent: str, path: Path) -> Iterator[Row]:
    from opentine_gui.importers.readers import read_source

    size = path.stat().st_size
    lines = path.read_bytes().splitlines()
    count = len(lines)
    # kept, as a reader must keep it: both sides spend most of their time on new memory
    reference = cpu_seconds(lambda: len([json.loads(line) for line in lines]), 1)
    lines.clear()
    told: list[float] = []
    ours = cpu_seconds(lambda: read_source(path, progress=told.append), 1)
    what = f"session of {agent}, {count:,} lines, {size / 1e6:.0f} MB"
    yield Row("sessions", f"open, {what}", ours, "CPU s", reference, "json.loads over its lines, kept", share(2))
    steps = max((second - first for first, second in itertools.pairwise(told)), default=1.0)
    yield Row("sessions", f"largest step of its progress, {agent}", 100 * steps, "%", target=at_most(5))
    peak = float(program(["-m", "bench.sessions", str(path)]).stdout)
    yield Row("sessions", f"most memory while opening, {what}", peak, "MB", size / 1e6, "the file", share(3))


def main() -> None:
    """Read the session and print its peak memory beyond that of the program itself, in megabytes."""
    from bench.memory import resident
    from opentine_gui.importers.readers import read_source

    before = most = resident()
    ended = threading.Event()

    def watch() -> None:
        nonlocal most
        while not ended.wait(0.02):
            most = max(most, resident())

    watching = threading.Thread(target=watch)
    watching.start()
    reading = read_source(sys.argv[1])
    ended.set()
    watching.join()
    assert len(reading.record.graph)
    print(round(max(most, resident()) - before, 1))


if __name__ == "__main__":
    main()
