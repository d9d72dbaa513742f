"""A large session log of each agent: time against `json.loads` over its lines, and memory against its size."""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from bench.clock import cpu_seconds, program
from bench.table import Row, at_most, share
from bench.texts import length_of, passage

SIZE = 500_000_000
"""Bytes of the session."""
CALLS = 3
"""Most calls in one response."""
TYPICAL = 1500
"""Typical length of a text or a result in characters: a line comes to 3 kB, in public sessions it is 3.6 kB."""
STARTED = 1_770_000_000.0
ROLLOUT = "rollout-2026-01-01T00-00-00-01a1ffa5-2136-7231-bf88-010e588e3e3e.jsonl"


def session_lines(size: int) -> Iterator[bytes]:
    """Lines of a session of Claude Code with about `size` bytes: prompts, thinking, parallel calls, results twice over.

    A result stands in the message and once more in `toolUseResult`, as the program writes it.
    """
    random = Random(7)
    number = written = 0
    above: str | None = None
    clock = STARTED

    def line(kind: str, message: dict[str, object], hangs_from: str | None, **more: object) -> bytes:
        nonlocal number, clock, written
        number += 1
        clock += 0.8
        seconds, part = divmod(clock, 1)
        record = {
            "parentUuid": hangs_from,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/project",
            "sessionId": "00000000-0000-4000-8000-000000000000",
            "version": "2.1.197",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": _uuid(number),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(part * 1000):03d}Z",
            **more,
        }
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        written += len(text)
        return text

    while written < size:
        prompt: dict[str, object] = {"role": "user", "content": passage(random, length_of(random, 200))}
        yield line("user", prompt, above)
        above = _uuid(number)
        for _turn in range(random.randrange(1, 12)):
            calls = random.randrange(1, CALLS + 1)
            identity = f"msg_{number:012d}"
            usage = {"input_tokens": 5, "output_tokens": 90 + calls, "cache_read_input_tokens": number % 150_000}
            blocks: list[dict[str, object]] = [
                {"type": "thinking", "thinking": passage(random, length_of(random, TYPICAL)), "signature": "c2ln" * 90},
                {"type": "text", "text": passage(random, length_of(random, 300))},
            ]
            tools = [f"toolu_{number:012d}_{call}" for call in range(calls)]
            for tool in tools:
                arguments = {"command": passage(random, length_of(random, 120)), "description": "Run a command"}
                blocks.append({"type": "tool_use", "id": tool, "name": "Bash", "input": arguments})
            ends = []
            for block in blocks:
                message = {"id": identity, "role": "assistant", "model": "claude-sonnet-4-5", "content": [block]}
                yield line("assistant", message | {"stop_reason": "tool_use", "usage": usage}, above)
                above = _uuid(number)
                ends.append(above)
            for tool, end in zip(tools, ends[2:], strict=True):
                output = passage(random, length_of(random, 3 * TYPICAL))
                result = {"tool_use_id": tool, "type": "tool_result", "content": output, "is_error": False}
                details = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
                yield line("user", {"role": "user", "content": [result]}, end, toolUseResult=details)
                above = _uuid(number)


def _uuid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


def rows(folder: Path, size: int = SIZE) -> Iterator[Row]:
    """Time and memory of reading one large session of each agent."""
    from bench.formats import codex_lines, gemini_lines, pi_lines

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
    steps = max(second - first for first, second in itertools.pairwise(told))
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
