"""When steps were at work, and when nothing was done: the one rule by which cards, the time strip and totals count.

By the format a step's timestamp is when it began (docs/FORMAT.md, section 3.2), and so do most logs say it; others, and
what records a step once it is done, give the time of its end. Which of both a run means is seen from how its steps
follow one another. While any step is at work nothing pauses, so a command that runs for an hour is no pause.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.core.graph.graph import Graph

TOLERANCE = 1.0
"""Seconds by which times of steps that follow one another may overlap, as many clocks tell whole seconds."""
WAITING = 300.0
"""Seconds without work from which on they are a pause: in real sessions such waiting is 86 % of the clock."""


class Pause(NamedTuple):
    """A stretch in which no step was at work, in Unix seconds."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it was."""
        return self.end - self.begin


def waits(spans: Sequence[tuple[float, float]]) -> list[Pause]:
    """The pauses between steps that were at work in these spans of seconds, which are in order of their beginnings."""
    found: list[Pause] = []
    reached = spans[0][1] if spans else 0.0
    for begin, end in spans:
        if begin - reached >= WAITING:
            found.append(Pause(reached, begin))
        if end > reached:
            reached = end
    return found


class WorkTimes(NamedTuple):
    """When each step began and ended, in Unix seconds, 0 where no time is recorded; and the pauses of the run."""

    starts: array[float]
    ends: array[float]
    pauses: tuple[Pause, ...]


def work_times(graph: Graph) -> WorkTimes:
    """When the steps of a run were at work; steps without a time tell nothing of pauses."""
    times, durations = graph.timestamps, graph.durations
    if timestamps_are_begins(times, durations, graph.parents):
        starts = array("d", times)
        pairs = zip(times, durations, strict=True)
        ends = array("d", (time + max(length, 0.0) if time > 0.0 else time for time, length in pairs))
    else:
        lengths = possible_lengths(times, durations, graph.parents)
        ends = array("d", times)
        starts = array("d", (end - length if end > 0.0 else end for end, length in zip(times, lengths, strict=True)))
    spans = [
        (start, end)
        for start, end in zip(starts, ends, strict=True)
        if end > 0.0 and math.isfinite(end) and math.isfinite(start)
    ]
    return WorkTimes(starts, ends, tuple(waits(sorted(spans))))


def timestamps_are_begins(
    timestamps: Sequence[float], durations: Sequence[float], parents: Sequence[Sequence[int]]
) -> bool:
    """Whether steps follow one another if their timestamps are their beginnings, and less so if they are their ends."""
    begins_wrong = ends_wrong = 0
    for step, above in enumerate(parents):
        if not above or timestamps[step] <= 0.0 or timestamps[above[0]] <= 0.0:
            continue
        time, before = timestamps[step] + TOLERANCE, timestamps[above[0]]
        begins_wrong += time < before + durations[above[0]]
        ends_wrong += time - durations[step] < before
    return begins_wrong < ends_wrong


def possible_lengths(
    timestamps: Sequence[float], durations: Sequence[float], parents: Sequence[Sequence[int]]
) -> array[float]:
    """Seconds of each step, cut where it would begin before a step it rests on began: what is recorded cannot be so.

    Logs give the whole work of a sub-agent that went on in the background to the call, which was answered at once.
    """
    lengths = array("d", (max(duration, 0.0) for duration in durations))
    began = [0.0] * len(lengths)
    for step, (end, length, above) in enumerate(zip(timestamps, lengths, parents, strict=True)):
        earliest = max((began[parent] for parent in above if parent < step), default=0.0)
        start = end - length if end > 0.0 else 0.0
        if 0.0 < start < earliest:
            start = min(earliest, end)
            lengths[step] = end - start
        began[step] = start if math.isfinite(start) else 0.0
    return lengths
