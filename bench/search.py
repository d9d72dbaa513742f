"""The search through everything recorded: one large run against json.loads of its file, and a folder of 10,000 runs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time
from unittest.mock import patch

from bench import folder as folders
from bench.clock import REPEATS, cpu_seconds, own_home
from bench.generate import agent_run
from bench.table import Row, at_most, share
from opentine_gui.app.application import make_session
from opentine_gui.app.search.query import parse_query
from opentine_gui.app.search.scan_run import scan_run
from opentine_gui.app.search.step_search import StepSearch
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage

STEPS = 100_000
FIRST, ANSWER = 100, 50
"""Most milliseconds until the first results of a run, and for an answer from a folder's index."""
QUERIES = {
    "a word that is nowhere": "xylophone",
    "a word in few steps": "src/part_3.py",
    "a word in most steps": "the",
    "kind:tool error: cost:<1": "kind:tool error: cost:<1",
}


def rows(folder: Path, steps: int = STEPS, files: int = folders.FILES) -> Iterator[Row]:
    """First results and all of them in one run; answers for a folder."""
    yield from _one_run(folder, steps)
    yield from _folder(folder, files)


def _one_run(folder: Path, steps: int) -> Iterator[Row]:
    path = storage.write(folder / "large.tine", agent_run(steps))
    size = f"{steps:,} steps, {path.stat().st_size / 1e6:.0f} MB"
    data = path.read_bytes()
    record = storage.read(path)
    for what, text in QUERIES.items():
        loads = cpu_seconds(lambda: json.loads(data), REPEATS)  # measured at the same time, because a shared machine is
        # not always equally fast
        took, first, found = min(_searched(record, text) for _ in range(REPEATS))
        note = f"{found:,} steps found"
        yield Row("search", f"{what}, {size}", took, "s CPU", loads, "json.loads of the file", share(1), note)
        if found:
            yield Row("search", f"{what}, first results", 1000 * first, "ms CPU", target=at_most(FIRST))


def _searched(record: RunRecord, text: str) -> tuple[float, float, int]:
    """(CPU seconds for everything, until the first results, how many steps were found)."""
    begun, first, found = process_time(), 0.0, 0
    for part in scan_run(record, StepSearch(parse_query(text))):
        if part and not first:
            first = process_time() - begun
        found += len(part)
    return process_time() - begun, first, found


def _folder(folder: Path, files: int) -> Iterator[Row]:
    runs = folder / "runs"
    size = f"{files:,} runs, {folders.make(runs, files) / 1e6:.0f} MB"
    with patch.dict(os.environ, own_home(folder / "home")):
        session = make_session(environment={"OPENTINE_RUNS_DIR": str(runs)}, working_folder=folder)
        try:
            session.runs.scan(session)
            _work(session, lambda: len(session.runs.rows) == files and not session.busy)
            begun = perf_counter()
            session.invoke("search.folder")
            longest = _work(session, lambda: session.search.on and not session.busy)
            yield Row("search", f"index filled, {size}", perf_counter() - begun, note="in the background")
            yield Row("search", "longest step of the main thread meanwhile", longest, "ms", target=at_most(100))
            kept = sum(path.stat().st_size for path in (folder / "home").rglob("*.sqlite*"))
            yield Row("search", f"size of the index, {size}", kept / 1e6, "MB")
            for what, text in (("a run's name", "run-00042"), ("a word that is nowhere", "xylophone")):
                answer, _ = _asked(session, text)
                yield Row("search", f"folder: {what}", answer, "ms", target=at_most(ANSWER))
            answer, first = _asked(session, "the")
            yield Row("search", "folder: a word in most runs, first results", first, "ms", target=at_most(ANSWER))
            yield Row("search", "folder: a word in most runs, all of them", answer, "ms", note="every file is read")
        finally:
            session.close()


def _asked(session: Session, text: str) -> tuple[float, float]:
    """(milliseconds until everything was found, until the first result)."""
    session.search.ask("")
    _work(session, lambda: not session.busy)
    first = 0.0
    begun = perf_counter()
    session.invoke("search.ask", text=text)
    session.step()
    while session.search.running or session.busy:
        session.jobs.wait(0.002)
        session.step()
        if session.search.times and not first:
            first = 1000 * (perf_counter() - begun)
    return 1000 * (perf_counter() - begun), first


def _work(session: Session, done: Callable[[], bool]) -> float:
    """Step the session until a condition holds; returns the longest step in milliseconds."""
    longest, deadline = 0.0, perf_counter() + 600
    while not done():
        if perf_counter() > deadline:
            raise TimeoutError("the folder was not read in time")
        before = perf_counter()
        session.step()
        longest = max(longest, perf_counter() - before)
        session.jobs.wait(0.005)
    return 1000 * longest
