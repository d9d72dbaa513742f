"""The run a time strip shows: its steps over time, their kinds and the names of its rows, computed in a job."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.step_colours import colours_by_kind
from opentine_gui.app.files.following import BETWEEN_LOOKS, is_growing
from opentine_gui.app.session import Session
from opentine_gui.app.system.jobs import BACKGROUND
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.analysis.agents import MAIN, agents
from opentine_gui.core.structure.work_times import WorkTimes, work_times
from opentine_gui.describe.step_titles import agent_task
from opentine_gui.scene.overviews.timeline import Timeline, timeline, zoomed

JOB = "timeline"


class Made(NamedTuple):
    """What a job computed for a run: the whole strip, the kinds of its steps, and the sub-agent of each."""

    line: Timeline | None
    kinds: NDArray[np.uint8]
    agents: NDArray[np.int32]
    work: WorkTimes
    row_names: tuple[str, ...] = ()
    """The names of the rows of sub-agents, from the first one on."""
    in_rows: tuple[tuple[int, ...], ...] = ()
    """The first steps of the sub-agents in each of these rows, in the order of steps."""


def made_of(record: RunRecord) -> Made:
    """The strip of a run."""
    graph = record.graph
    owners = np.frombuffer(agents(graph), dtype=np.int32)
    work = work_times(graph)
    taken_over, parts = record.inherited_positions, None
    if taken_over:
        parts = np.ones(len(graph), dtype=np.int8)
        parts[taken_over] = 0
    line = timeline(work.ends, np.array(work.ends) - np.array(work.starts), owners, parts, work.waited)
    in_rows = agents_in_rows(line, owners)
    return Made(line, colours_by_kind(graph).kinds, owners, work, agent_row_names(graph, in_rows), in_rows)


def agents_in_rows(line: Timeline | None, owners: NDArray[np.int32]) -> tuple[tuple[int, ...], ...]:
    """The sub-agents in each row of them, by their first steps."""
    if line is None:
        return ()
    of_bars = owners[line.steps]
    # Not np.unique, which imports numpy.ma when it is first called: 12 ms of the frame that opens a run.
    rows = (set(of_bars[line.rows == row].tolist()) for row in range(line.agent_row, line.row_count))
    return tuple(tuple(sorted(row - {MAIN})) for row in rows)


def agent_row_names(graph: Graph, in_rows: Sequence[Sequence[int]]) -> tuple[str, ...]:
    """What each row of sub-agents is called: after the one in it, else by their number."""
    found: list[str] = []
    for inside in in_rows:
        if len(inside) == 1:
            found.append(agent_task(graph.step(inside[0])))
        else:  # below rows with names, one row holds the others
            found.append(f"{len(inside):,} {'more ' if found else ''}sub-agents")
    return tuple(found)


class StripRun:
    """Follows the active document's run. `record` and `made` belong together; None before there is anything."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.made: Made | None = None
        self.revision = 0
        """Counts what was made."""
        self.record: RunRecord | None = None
        self.reading = False
        self.between_looks = BETWEEN_LOOKS
        """Seconds between two looks at a run that grows: the more there is to paint, the longer."""
        self._wanted: RunRecord | None = None
        self._document = 0
        self._began = -BETWEEN_LOOKS
        self._line: tuple[Made | None, tuple[float, float], Timeline | None] = (None, (0.0, 1.0), None)

    @property
    def whole(self) -> Timeline | None:
        """The whole strip; None before it is computed, and for a run without times."""
        return self.made.line if self.made is not None else None

    def line(self, document: Document | None) -> Timeline | None:
        """The part of the strip in view."""
        if document is None or self.made is None or self.made.line is None:
            return None
        view = document.strip.view
        if self._line[0] is not self.made or self._line[1] != view:
            self._line = (self.made, view, zoomed(self.made.line, *view))
        return self._line[2]

    def follow(self, document: Document | None) -> None:
        """Compute the strip of a run that has changed; until then the previous one is shown.

        For a growing run it is computed now and then, in the background.
        """
        record = document.record if document is not None else None
        if record is self._wanted:
            return
        grows = document is not None and document.number == self._document and is_growing(self.session, document)
        if grows and self.session.clock() - self._began < self.between_looks:
            return
        self._wanted, self._began = record, self.session.clock()
        self.session.jobs.cancel(JOB)
        self.reading = False
        before, self._document = self._document, document.number if document is not None else 0
        if record is None or before != self._document:
            self.drop()
        if record is None:
            return

        def done(found: Made) -> None:
            self.reading = False
            self.record, self.made = record, found
            self.revision += 1
            self.session.touch()

        def stopped() -> None:
            self.reading = False  # there is no strip until the run changes
            self.drop()
            self.session.touch()

        self.reading = True
        if grows:
            self.session.jobs.submit(
                JOB, lambda _progress, _cancelled: made_of(record), done, priority=BACKGROUND, stopped=stopped
            )
        else:
            self.session.jobs.compute(JOB, lambda: made_of(record), done, steps=len(record.graph), stopped=stopped)

    def forget(self) -> None:
        """Let go of the run; a job that reads it is cancelled."""
        if self._wanted is not None:
            self.session.jobs.cancel(JOB)
            self._wanted, self.reading = None, False
        if self.made is not None or self.record is not None:
            self.drop()

    def drop(self) -> None:
        """Release the run and everything computed from it."""
        self.record = self.made = None
        self._line = (None, (0.0, 1.0), None)
