"""When nothing was done: the one rule by which cards, the time strip and the totals of a run count pauses.

A step's timestamp is the time it was recorded, which is when its work was done: it was at work for `duration` seconds
before. While any step is at work nothing pauses, so a command that runs for an hour is no pause.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.core.graph.graph import Graph

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


def pauses_of(graph: Graph) -> tuple[Pause, ...]:
    """The pauses of a run in order; steps without a time tell nothing."""
    lengths = possible_lengths(graph.timestamps, graph.durations, graph.parents)
    spans = [
        (end - length, end)
        for end, length in zip(graph.timestamps, lengths, strict=True)
        if end > 0.0 and math.isfinite(end) and math.isfinite(length)
    ]
    return tuple(waits(sorted(spans)))


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
