"""When steps were at work, and when nothing was done: the one rule by which cards, the time strip and totals count.

In the format a step's timestamp is its start (docs/FORMAT.md, section 3.2), and most logs follow that; others, such as
those that record a step once it is done, give its end. Which of the two a run uses is inferred from how its steps
follow one another. While any step is at work nothing pauses, so a command that runs for an hour is no pause.

A call that a person refused never ran: its time is how long the person was asked, which is not work.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.stopped import REFUSED
from opentine_gui.core.model import StepKind

TOLERANCE = 1.0
"""Seconds by which consecutive steps may overlap: many logs record whole seconds."""
WAITING = 300.0
"""A pause is at least this many seconds without work; in real sessions pauses are 86 % of the elapsed time."""


class Pause(NamedTuple):
    """A stretch in which no step was at work, in Unix seconds."""

    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """The length of the pause."""
        return self.end - self.begin


def waits(spans: Sequence[tuple[float, float]]) -> list[Pause]:
    """The pauses between steps, given when each worked as (start, end) in Unix seconds, sorted by start."""
    found: list[Pause] = []
    reached = spans[0][1] if spans else 0.0
    for begin, end in spans:
        if begin - reached >= WAITING:
            found.append(Pause(reached, begin))
        if end > reached:
            reached = end
    return found


class WorkTimes(NamedTuple):
    """When each step began and ended, in Unix seconds, 0 where no time is recorded; the pauses of the run; and the
    calls that only waited for a person.
    """

    starts: array[float]
    ends: array[float]
    pauses: tuple[Pause, ...]
    waited: frozenset[int] = frozenset()


def worked(graph: Graph, work: WorkTimes, steps: Iterable[int]) -> float:
    """The seconds in which any of some steps was at work: what ran side by side, or inside another, counts once.

    Steps of which no time is recorded are added up.
    """
    infinite = math.inf
    counted = [step for step in steps if step not in work.waited] if work.waited else list(steps)
    pairs = zip(map(work.starts.__getitem__, counted), map(work.ends.__getitem__, counted), strict=True)
    spans = [(start, end) for start, end in pairs if 0.0 < end < infinite and -infinite < start < infinite]
    seconds = 0.0
    if len(spans) < len(counted):
        for step in counted:
            if not (0.0 < work.ends[step] < infinite and -infinite < work.starts[step] < infinite):
                seconds += max(graph.durations[step], 0.0)
    reached = -infinite
    for start, end in sorted(spans):
        if end > reached:
            seconds += end - (start if start > reached else reached)
            reached = end
    return seconds


def waited_for_a_person(graph: Graph) -> frozenset[int]:
    """The calls that a person was asked about and refused."""
    kinds = graph.kinds
    return frozenset(step for step, how in graph.stopped.items() if how == REFUSED and kinds[step] is StepKind.TOOL)


_known: WeakKeyDictionary[Graph, WorkTimes] = WeakKeyDictionary()


def work_times(graph: Graph) -> WorkTimes:
    """When the steps of a run were at work; steps without a time tell nothing of pauses. Computed once a graph."""
    known = _known.get(graph)
    if known is None:
        known = _known[graph] = _work_times(graph)
    return known


def _work_times(graph: Graph) -> WorkTimes:
    times, durations = graph.timestamps, graph.durations
    if timestamps_are_begins(times, durations, graph.parents):
        starts = array("d", times)
        pairs = zip(times, durations, strict=True)
        ends = array("d", [time + max(length, 0.0) if time > 0.0 else time for time, length in pairs])
    else:
        lengths = possible_lengths(times, durations, graph.parents)
        ends = array("d", times)
        starts = array("d", [end - length if end > 0.0 else end for end, length in zip(times, lengths, strict=True)])
    waited = waited_for_a_person(graph)
    infinite = math.inf  # a comparison takes a third of the time of a call, and there is one for every step
    spans = [
        (start, start if step in waited else end)
        for step, (start, end) in enumerate(zip(starts, ends, strict=True))
        if 0.0 < end < infinite and -infinite < start < infinite
    ]
    return WorkTimes(starts, ends, tuple(waits(sorted(spans))), waited)


def timestamps_are_begins(
    timestamps: Sequence[float], durations: Sequence[float], parents: Sequence[Sequence[int]]
) -> bool:
    """Whether fewer steps overlap their parents when timestamps are taken as starts than when taken as ends."""
    begins_wrong = ends_wrong = 0
    for time, length, above in zip(timestamps, durations, parents, strict=True):
        if not above or time <= 0.0:
            continue
        before = timestamps[above[0]]
        if before <= 0.0:
            continue
        time += TOLERANCE
        if time < before + durations[above[0]]:
            begins_wrong += 1
        if time - length < before:
            ends_wrong += 1
    return begins_wrong < ends_wrong


def possible_lengths(
    timestamps: Sequence[float], durations: Sequence[float], parents: Sequence[Sequence[int]]
) -> array[float]:
    """The duration of each step in seconds, cut if the step would begin before a parent began; `timestamps` are ends.

    Logs give a call that was answered at once the whole duration of the sub-agent that it started in the background.
    """
    lengths = array("d", [duration if not duration < 0.0 else 0.0 for duration in durations])
    began = [0.0] * len(lengths)
    infinite = math.inf
    for step, (end, length, above) in enumerate(zip(timestamps, lengths, parents, strict=True)):
        if not end > 0.0:
            continue
        start, earliest = end - length, 0.0
        for parent in above:
            begin = began[parent]  # 0 for one that comes later
            if begin > earliest:
                earliest = begin
        if 0.0 < start < earliest:
            start = earliest if earliest < end else end
            lengths[step] = end - start
        began[step] = start if -infinite < start < infinite else 0.0
    return lengths
