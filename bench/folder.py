"""A folder of 10,000 runs in a session without a window: list, filter, a changed file, and the next start."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import Any
from unittest.mock import patch

import msgspec

from bench.clock import own_home, program, quantile
from bench.generate import agent_run
from bench.table import Row, at_most
from opentine_gui.app.application import make_session
from opentine_gui.app.folder import runs_folder as runs_module
from opentine_gui.app.session import Session
from opentine_gui.core.files import reader, storage
from opentine_gui.core.format import container

FILES = 10_000
QUERY = "tag:even cost:>0.001 after:2026-01-01 run-00"
TICK = 0.005
FRAME = 1000 / 60
STARTED = """
import sys, time
from pathlib import Path
from opentine_gui.ui.platform.frame_log import process_age
from opentine_gui.app.application import make_session
session = make_session(environment={"OPENTINE_RUNS_DIR": sys.argv[1]}, working_folder=Path.cwd())
session.runs.scan(session)
while len(session.runs.rows) < int(sys.argv[2]):
    session.step()
    session.jobs.wait(0.005)
print(process_age())
session.close()
"""


def make(folder: Path, files: int) -> int:
    """Fill a folder with small runs, every second compressed, every fourth a fork; returns their size in bytes."""
    folder.mkdir()
    size = 0
    for number in range(files):
        record = agent_run(8 + number % 5, seed=number, typical=100, run_id=f"run-{number:05}")
        tags = ["even" if number % 2 == 0 else "odd", f"batch-{number // 100}"]
        metadata = {**record.metadata, "tags": tags}
        if number % 4 == 3:
            metadata["forked_from"] = f"run-{number - 1:05}"
        record = msgspec.structs.replace(record, created_at=record.created_at + number, metadata=metadata)
        data = reader.encode(record)
        if number % 2:
            data = container.wrap(data, "zlib")
        size += len(data)
        (folder / f"run-{number:05}.tine").write_bytes(data)
    return size


def rows(folder: Path, files: int = FILES) -> Iterator[Row]:
    """First look, next start, filter and change."""
    runs = folder / "runs"
    size = f"{files:,} files, {make(runs, files) / 1e6:.0f} MB"
    home = own_home(folder / "home")
    with patch.dict(os.environ, home):
        session = make_session(environment={"OPENTINE_RUNS_DIR": str(runs)}, working_folder=folder)
        try:
            yield from _first_look(session, files, size)
        finally:
            session.close()
        yield from _next_start(folder, runs, files, size)


def _first_look(session: Session, files: int, size: str) -> Iterator[Row]:
    begun, longest, first = perf_counter(), 0.0, 0.0
    session.runs.scan(session)
    while session.busy:
        before = perf_counter()
        session.step()
        longest = max(longest, perf_counter() - before)
        if session.runs.rows and not first:
            first = perf_counter() - begun
        session.jobs.wait(TICK)
    if len(session.runs.rows) != files:
        raise SystemExit("bench: the folder's list is not complete; nothing was measured")
    yield Row("folder", f"first rows, no index yet, {size}", first, "s", target=at_most(1.0))
    yield Row("folder", f"every file read, no index yet, {size}", perf_counter() - begun)
    yield Row("folder", "longest step of the main thread meanwhile", 1000 * longest, "ms", target=at_most(100))


def _next_start(folder: Path, runs: Path, files: int, size: str) -> Iterator[Row]:
    started = float(program(["-c", STARTED, str(runs), str(files)], own_home(folder / "home")).stdout)
    yield Row("folder", f"list shown, from the start of Python, {size}", started, target=at_most(1.0), note="no window")
    session = make_session(environment={"OPENTINE_RUNS_DIR": str(runs)}, working_folder=folder)
    read: list[Path] = []
    real = runs_module.summarise
    try:

        def noted(path: Path, cancelled: Any) -> Any:
            read.append(path)
            return real(path, cancelled)

        with patch.object(runs_module, "summarise", noted):
            begun = perf_counter()
            session.runs.scan(session)
            while session.busy:
                session.step()
                session.jobs.wait(TICK)
            yield Row("folder", f"list shown, {size}", perf_counter() - begun, "s", target=at_most(1.0))
            yield Row("folder", "files read again though unchanged", float(len(read)), "files", target=at_most(0))
        yield _filter(session)
        yield _change(session, runs)
    finally:
        session.close()


def _filter(session: Session) -> Row:
    """Every prefix of a query, as it is typed."""
    times = []
    for end in range(1, len(QUERY) + 1):
        session.runs.set_filter(QUERY[:end])
        begun = perf_counter()
        session.runs.shown()
        times.append(1000 * (perf_counter() - begun))
    session.runs.set_filter("")
    note = f"median {quantile(times, 0.5):.1f} ms, {len(times)} keys"
    return Row("folder", "filter, slowest key", max(times), "ms", target=at_most(FRAME), note=note)


def _change(session: Session, runs: Path) -> Row:
    """From another program's write to a file until its row shows it."""
    session.watch_files()
    path = runs / f"run-{len(session.runs.rows) // 2:05}.tine"
    record = storage.read(path)
    deadline = perf_counter() + 20.0
    begun = 0.0
    steps = len(record.graph)
    longer = agent_run(steps + 7, typical=100, run_id=record.run_id)
    time.sleep(1.0)  # until the system watches the folder
    storage.write(path, longer)
    begun = perf_counter()
    while not any(row.path == path and row.steps == steps + 7 for row in session.runs.rows):
        if perf_counter() > deadline:
            raise TimeoutError("the change was not noticed")
        session.step()
        time.sleep(TICK)
    return Row("folder", "a changed file's row is new after", perf_counter() - begun, "s", target=at_most(1.0))
