"""100,000 steps in a session without a window: first picture, stalls of the main thread, edits, cancelling."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

from bench.clock import own_home, seconds
from bench.generate import agent_run
from bench.table import Row, at_most, share
from opentine_gui.app.application import make_session
from opentine_gui.app.document.document import Document
from opentine_gui.core.files import storage

STEPS = 100_000
TICK = 0.002
"""Seconds that the measuring loop sleeps between two steps, as the frame loop does."""


class Watched:
    """Steps a session like the frame loop, and records how long the main thread was blocked each time."""

    def __init__(self, folder: Path, *, folded: bool = False) -> None:
        """A session that shows every step of a run of `agent_run`, or that run `folded`."""
        self.session = make_session(environment={}, working_folder=folder)
        self.session.settings.every_step = [] if folded else ["agent"]
        self.longest = 0.0
        self.fractions: list[tuple[float, int, float]] = []
        """When a job was seen, its number, and how far it was: one that is asked for again begins anew."""

    def until(self, done: Callable[[], object], limit: float = 120.0) -> float:
        """Step until the condition holds; returns the seconds it took. TimeoutError after the limit."""
        begun = perf_counter()
        while not done():
            before = perf_counter()
            self.session.step()
            for job in self.session.jobs.running():
                self.fractions.append((before - begun, job.number, job.fraction))
            time.sleep(TICK)
            self.longest = max(self.longest, perf_counter() - before - TICK)
            if before - begun > limit:
                raise TimeoutError("the session did not get there")
        return perf_counter() - begun

    @property
    def document(self) -> Document:
        """The document in front."""
        found = self.session.active
        assert found is not None
        return found


def rows(folder: Path, steps: int = STEPS) -> Iterator[Row]:
    """Everything about opening and editing one large file."""
    path = storage.write(folder / f"open-{steps}.tine", agent_run(steps))
    size = f"{steps:,} steps, {path.stat().st_size / 1e6:.0f} MB"
    reference = seconds(lambda: json.loads(path.read_bytes()), 2)
    with patch.dict(os.environ, own_home(folder / "home")):
        watched = Watched(folder)
        try:
            opening = list(_opening(watched, path, size, reference))
            yield from opening
            yield from _edits(watched, size)
        finally:
            watched.session.close()
        watched = Watched(folder, folded=True)
        try:
            yield from _folded(watched, path, size, opening[0].ours)
        finally:
            watched.session.close()
        yield _cancelling(folder, path, size)


def _opening(watched: Watched, path: Path, size: str, reference: float) -> Iterator[Row]:
    session = watched.session
    session.invoke("file.open", path=path)
    session.step()
    document = watched.document
    first = watched.until(lambda: document.picture.layout is not None)
    yield Row(
        "open", f"first complete picture, {size}", first, "s", reference, "read and json.loads", share(2), "no window"
    )
    told = [at for at, _, fraction in watched.fractions if 0.0 < fraction < 1.0]
    yield Row("open", "progress moves from", 1000 * min(told), "ms", target=at_most(300))
    still = _longest_standstill(watched.fractions)
    yield Row("open", "longest standstill of the progress", 1000 * still, "ms", note="of one job")
    everything = first + watched.until(lambda: document.verification is not None and not session.busy)
    yield Row("open", f"final picture and check of every id, {size}", everything, "s", reference, "read and json.loads")
    yield Row("open", "longest stall of the main thread meanwhile", 1000 * watched.longest, "ms", target=at_most(100))


def _folded(watched: Watched, path: Path, size: str, every_step: float) -> Iterator[Row]:
    """The same run folded: its first picture, groups opened and closed, an edit."""
    session = watched.session
    session.invoke("file.open", path=path)
    session.step()
    document = watched.document
    first = watched.until(lambda: document.picture.fold is not None)
    yield Row(
        "open",
        f"first folded picture, {size}",
        first,
        "s",
        every_step,
        "every step, in this run",
        share(1),
        "no window",
    )
    watched.until(lambda: document.verification is not None and not session.busy)
    watched.longest = 0.0
    took = []
    for _ in range(8):
        fold = document.picture.fold
        assert fold is not None
        group = max(range(len(fold)), key=lambda card: fold.card(card).size)
        for action, wanted in (("fold.open", 1), ("fold.close", 0)):
            begun = perf_counter()
            session.invoke(action, **({"step": document.picture.step_id(group)} if wanted else {}))
            watched.until(partial(_has_open, document, wanted))
            took.append(perf_counter() - begun)
    longest = 1000 * max(took)
    yield Row("open", f"group opened or closed, {size}", longest, "ms", target=at_most(100), note="of 16")
    yield Row("open", "longest stall of the main thread meanwhile", 1000 * watched.longest, "ms", target=at_most(30))
    record = document.record
    assert record is not None
    parents = record.graph.parents
    place = next(place for place in range(len(parents) // 2, len(parents)) if parents[place] == parents[place + 1])
    begun = perf_counter()
    pair = (record.graph.ids[place], record.graph.ids[place + 1])
    session.invoke("run.merge", steps=pair, accept=True)
    watched.until(lambda: document.record is not record and not document.layout_is_stale)
    yield Row("open", f"merge visible in a folded run, {size}", 1000 * (perf_counter() - begun), "ms")


def _has_open(document: Document, groups: int) -> bool:
    return document.picture.fold is not None and len(document.picture.fold.state.openings) == groups


def _longest_standstill(fractions: list[tuple[float, int, float]]) -> float:
    longest = 0.0
    seen: dict[int, tuple[float, float]] = {}
    for at, job, fraction in fractions:
        last, since = seen.get(job, (-1.0, at))
        if fraction == last:
            longest = max(longest, at - since)
        else:
            seen[job] = (fraction, at)
    return longest


def _edits(watched: Watched, size: str) -> Iterator[Row]:
    session, source = watched.session, watched.document
    record = source.record
    assert record is not None
    ids = record.graph.ids
    parents = record.graph.parents
    place = next(place for place in range(len(ids) // 2, len(ids)) if parents[place] == parents[place + 1])
    middle, sibling = ids[place], ids[place + 1]

    def edit(what: str, action: str, visible: Callable[[], object], **arguments: object) -> Row:
        watched.longest = 0.0
        begun = perf_counter()
        session.invoke(action, **arguments)
        watched.until(visible)
        took = perf_counter() - begun
        stall = watched.longest
        watched.until(lambda: not session.busy)
        note = f"longest stall {1000 * stall:.0f} ms; all settled after {perf_counter() - begun:.2f} s"
        return Row("open", f"{what} visible, {size}", 1000 * took, "ms", target=at_most(100), note=note)

    def shows(count: int) -> bool:
        layout = watched.document.picture.layout
        return layout is not None and len(layout.nodes) == count and not watched.document.layout_is_stale

    yield edit("merge", "run.merge", lambda: shows(len(ids) + 1), steps=(middle, sibling), accept=True)
    yield edit("undo", "edit.undo", lambda: shows(len(ids)))
    yield edit("redo", "edit.redo", lambda: shows(len(ids) + 1))
    yield edit("undo again", "edit.undo", lambda: shows(len(ids)))
    yield edit("merge again", "run.merge", lambda: shows(len(ids) + 1), steps=(middle, sibling), accept=True)
    yield edit("its undo", "edit.undo", lambda: shows(len(ids)))
    yield edit(
        "fork",
        "run.fork",
        lambda: watched.document is not source and watched.document.picture.layout is not None,
        step=middle,
        accept=True,
    )
    session.activate(source)
    watched.until(lambda: not session.busy)
    assert source.picture.layout is not None
    x, y = (float(value) for value in source.picture.layout.centers[len(ids) // 2])
    begun = perf_counter()
    from opentine_gui.app.state.commands import MoveSteps

    session.apply(source, MoveSteps({middle: (x + 40.0, y + 10.0)}, source.direction))
    session.step()
    yield Row("open", f"moved card visible, {size}", 1000 * (perf_counter() - begun), "ms", target=at_most(100))


def _cancelling(folder: Path, path: Path, size: str) -> Row:
    """From closing a tab whose file is being read until its job has ended."""
    watched = Watched(folder)
    session = watched.session
    session.invoke("file.open", path=path)
    watched.until(lambda: any(job.fraction > 0.3 for job in session.jobs.running()))
    begun = perf_counter()
    session.remove_document(watched.document)
    session.close()  # waits for the threads
    return Row("open", f"cancelled reading ends, {size}", 1000 * (perf_counter() - begun), "ms", target=at_most(300))
