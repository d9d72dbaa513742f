"""When nothing was done: the one rule by which cards, the time strip and the totals of a run count pauses.

A step's timestamp is the time it was recorded, which is when its work was done: it was at work for `duration` seconds
before. While any step is at work nothing pauses, so a command that runs for an hour is no pause.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opentine_gui.core.graph.graph import Graph

Floats = NDArray[np.float64]

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


def waits(starts: Floats, ends: Floats) -> tuple[NDArray[np.int64], Floats, Floats]:
    """(after which of these steps a pause begins, its beginning, its seconds); the steps are in order of `starts`."""
    reached = np.maximum.accumulate(ends)
    gaps = starts[1:] - reached[:-1]
    long = np.flatnonzero(gaps >= WAITING)
    return long, reached[long], gaps[long]


def pauses_of(graph: Graph) -> tuple[Pause, ...]:
    """The pauses of a run in order; steps without a time tell nothing."""
    ends = np.array(graph.timestamps, dtype=np.float64)
    starts = ends - possible_lengths(graph.timestamps, graph.durations, graph.parents)
    known = np.isfinite(starts) & np.isfinite(ends) & (ends > 0.0)
    starts, ends = starts[known], ends[known]
    order = np.argsort(starts, kind="stable")
    _, begins, lengths = waits(starts[order], ends[order])
    return tuple(
        Pause(begin, begin + seconds) for begin, seconds in zip(begins.tolist(), lengths.tolist(), strict=True)
    )


def possible_lengths(
    timestamps: Sequence[float], durations: Sequence[float], parents: Sequence[Sequence[int]]
) -> Floats:
    """Seconds of each step, cut where it would begin before a step it rests on began: what is recorded cannot be so.

    Logs give the whole work of a sub-agent that went on in the background to the call, which was answered at once.
    """
    lengths = np.maximum(np.asarray(durations, dtype=np.float64), 0.0)
    ends = np.asarray(timestamps, dtype=np.float64).tolist()
    began = [0.0] * len(ends)
    for step, (end, length, above) in enumerate(zip(ends, lengths.tolist(), parents, strict=True)):
        earliest = max((began[parent] for parent in above if parent < step), default=0.0)
        start = end - length if end > 0.0 else 0.0
        if 0.0 < start < earliest:
            start = min(earliest, end)
            lengths[step] = end - start
        began[step] = start if math.isfinite(start) else 0.0
    return lengths


def begins_of_parts(starts: ArrayLike, ends: ArrayLike, parts: ArrayLike) -> NDArray[np.int64]:
    """After which steps, in order of `starts`, those of another part begin: a fork goes on long after its source.

    Only where every step before has ended, so that the parts lie beside each other.
    """
    starts, ends, parts = np.asarray(starts, dtype=np.float64), np.asarray(ends, dtype=np.float64), np.asarray(parts)
    apart = starts[1:] >= np.maximum.accumulate(ends)[:-1]
    return np.flatnonzero(apart & (parts[1:] != parts[:-1]))
