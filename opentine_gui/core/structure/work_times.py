"""When steps were at work, and when nothing was done: the one rule by which cards, the time strip and totals count.

In the format a step's timestamp is its start (docs/FORMAT.md, section 3.2), and most logs follow that; others, such as
those that record a step once it is done, give its end. Which of the two a run uses is inferred from how its steps
follow one another. While any step is at work nothing pauses, so a command that runs for an hour is no pause.

A call that a person refused never ran: its time is how long the person was asked, which is not work. Neither is that of
a call that asks a person something. A step that was added by hand and has not run has no time of work either: its
timestamp says when it was written, which may be a week after the log. A log does not tell how long a call that was
allowed waited for that: only of a change to a file is it known that it takes no minute by itself.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple
from weakref import WeakKeyDictionary

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.core.graph.calls.call_roles import Call, Role, calls_in
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.not_run import not_run_at, steps_not_run
from opentine_gui.core.graph.outcomes.stopped import REFUSED
from opentine_gui.core.model import StepKind

TOLERANCE = 1.0
"""Seconds by which consecutive steps may overlap: many logs record whole seconds."""
WAITING = 300.0
"""A pause is at least this many seconds without work; in real sessions pauses are 86 % of the elapsed time."""

LONG = 60.0
"""Seconds from which a change to a file counts as a wait: of 361 in 19 recorded sessions none took 22 to 97 s."""
_ASKS = late_pattern(
    r"(?:^|_)ask_?(?:the_?)?(?:user|human|followup)|(?:^|__)request_?(?:user|human)_?(?:input|approval|feedback)?$"
    r"|^exit_?plan_?mode$",
    re.IGNORECASE,
)
"""Tools whose result is what a person answers."""
_WRITES = late_pattern(
    r"(?:^|_)(?:multi_?edit|notebook_?edit|(?:search_?(?:and_?)?|str_?)?replace|apply_?(?:patch|diff)|"
    r"(?:edit|write|create|update)(?:_?to)?_?file|edit|write|str_replace_\w+)(?:_?tool)?$",
    re.IGNORECASE,
)
"""Tools that write the text of a file; those that make or change something else may be given a file, too."""
MOST_LONG, LARGEST = 5_000, 1_000_000
"""Most long calls that are looked at, the first ones, and most bytes of each."""


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
    """When each step began and ended, in Unix seconds, 0 where no time is recorded; the pauses of the run; the calls
    that only waited for a person, or probably did; and the steps that have not run, which have no times.
    """

    starts: array[float]
    ends: array[float]
    pauses: tuple[Pause, ...]
    waited: frozenset[int] = frozenset()
    not_run: frozenset[int] = frozenset()


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
    """The calls that a person refused, that asked a person, or that changed a file in a minute or more.

    Of the last ones it is probable that they waited.
    """
    return _refused(graph) | _long_waits(graph, 0)


def _refused(graph: Graph) -> frozenset[int]:
    kinds = graph.kinds
    return frozenset(step for step, how in graph.stopped.items() if how == REFUSED and kinds[step] is StepKind.TOOL)


def _long_waits(graph: Graph, first: int) -> frozenset[int]:
    """Those that took a minute or more and asked a person or changed a file, from the step `first` on."""
    kinds, raws = graph.kinds, graph.raws
    long = (
        step
        for step, length in enumerate(graph.durations[first:], first)
        if length >= LONG and kinds[step] is StepKind.TOOL and len(raws[step]) <= LARGEST
    )
    looked_at = list(islice(long, MOST_LONG))
    calls = calls_in([raws[step] for step in looked_at])
    return frozenset(
        step for step, call in zip(looked_at, calls, strict=True) if asks_a_person(call) or changes_one_file(call)
    )


def asks_a_person(call: Call) -> bool:
    """Whether the result of a call is what a person answers."""
    return _ASKS.search(call.tool) is not None


def changes_one_file(call: Call) -> bool:
    """Whether a call writes a file by a tool for that, which is done in a moment."""
    return call.role is Role.EDIT and bool(call.path) and not call.command and _WRITES.search(call.tool) is not None


class _Found(NamedTuple):
    """The work times of a run, and what they were inferred from, which a longer run goes on from."""

    times: WorkTimes
    votes: tuple[int, int]
    reach: tuple[float, float]
    """When the first step began and the last one ended, of those that have a time; the later first if none has."""


MOST_FOLLOWED = 200
"""Most steps that are added to known times one by one; many more are sooner sorted with all others."""
_known: WeakKeyDictionary[Graph, _Found] = WeakKeyDictionary()


def work_times(graph: Graph) -> WorkTimes:
    """When the steps of a run were at work; steps without a time tell nothing of pauses. Computed once a graph."""
    known = _known.get(graph)
    if known is None:
        known = _known[graph] = _work_times(graph)
    return known.times


def follow_work_times(graph: Graph, before: Graph) -> None:
    """Find the times of a run at the cost of the steps that it has after all those of `before`, if that is possible.

    It is not if the times of `before` were never asked for, if it has none, or if the new steps change what these mean.
    """
    known, count = _known.get(before), len(before)
    if known is None or graph in _known or len(graph) - count > MOST_FOLLOWED:
        return
    if known.times.not_run or _may_not_have_run(graph, count):
        return
    times, durations, parents = graph.timestamps, graph.durations, graph.parents
    begins_wrong, ends_wrong = _votes(times, durations, parents, count)
    votes = known.votes[0] + begins_wrong, known.votes[1] + ends_wrong
    refused = _refused(graph)
    waited = refused | (known.times.waited - _refused(before)) | _long_waits(graph, count)
    changed = (votes[0] < votes[1]) != (known.votes[0] < known.votes[1])
    low, high = known.reach
    if changed or low > high or any(step < count for step in waited ^ known.times.waited):
        return
    infinite = math.inf
    begun = [start if start < infinite else 0.0 for start in known.times.starts]
    starts, ends = _starts_and_ends(graph, votes, begun)
    spans = _spans(starts, ends, waited, count)
    work = WorkTimes(known.times.starts + starts, known.times.ends + ends, known.times.pauses, waited)
    if spans:
        # Where nothing was done, with all that lies before the first step and after the last one.
        free = [(-infinite, low), *known.times.pauses, (high, infinite)]
        for start, end in spans:
            free = [part for begin, stop in free for part in _without(begin, stop, start, end)]
            low, high = min(low, start), max(high, end)
        pauses = tuple(Pause(begin, stop) for begin, stop in free[1:-1] if stop - begin >= WAITING)
        work = work._replace(pauses=pauses)
    _known[graph] = _Found(work, votes, (low, high))


def _may_not_have_run(graph: Graph, first: int) -> bool:
    """Whether a step from `first` on may have been added by hand."""
    return bool(graph.v3_kinds) and any(not_run_at(graph, step) for step in range(first, len(graph)))


def _without(begin: float, stop: float, start: float, end: float) -> tuple[tuple[float, float], ...]:
    """What is left of a stretch without another one."""
    if end <= begin or start >= stop:
        return ((begin, stop),)
    return ((begin, start), (end, stop))


def _work_times(graph: Graph) -> _Found:
    votes = _votes(graph.timestamps, graph.durations, graph.parents)
    starts, ends = _starts_and_ends(graph, votes)
    waited, not_run = waited_for_a_person(graph), steps_not_run(graph)
    if not_run:  # the timestamps themselves, which are one of the two, stay as they are
        starts, ends = array("d", starts), array("d", ends)
        for step in not_run:
            starts[step] = ends[step] = 0.0
    spans = sorted(_spans(starts, ends, waited))
    reach = (spans[0][0], max([end for _, end in spans])) if spans else (math.inf, -math.inf)
    return _Found(WorkTimes(starts, ends, tuple(waits(spans)), waited, not_run), votes, reach)


def _starts_and_ends(
    graph: Graph, votes: tuple[int, int], begun: Sequence[float] = ()
) -> tuple[array[float], array[float]]:
    """When the steps began and ended, without the first ones, of which it is known when they had `begun`."""
    first = len(begun)
    times, durations = graph.timestamps[first:], graph.durations[first:]
    if votes[0] < votes[1]:
        pairs = zip(times, durations, strict=True)
        return times, array("d", [time if length < 0.0 or not time > 0.0 else time + length for time, length in pairs])
    lengths = possible_lengths(times, durations, graph.parents[first:], begun)
    pairs = zip(times, lengths, strict=True)
    return array("d", [end - length if end > 0.0 else end for end, length in pairs]), times


def _spans(
    starts: Sequence[float], ends: Sequence[float], waited: frozenset[int], first: int = 0
) -> list[tuple[float, float]]:
    """When each step was at work that has a time; the number of the first one is given."""
    infinite = math.inf  # a comparison takes a third of the time of a call, and there is one for every step
    return [
        (start, start if step in waited else end)
        for step, (start, end) in enumerate(zip(starts, ends, strict=True), first)
        if 0.0 < end < infinite and -infinite < start < infinite
    ]


def _votes(
    timestamps: Sequence[float], durations: Sequence[float], parents: Sequence[Sequence[int]], first: int = 0
) -> tuple[int, int]:
    """How many steps, from the `first` on, overlap their parents if timestamps are starts, and if they are ends."""
    begins_wrong = ends_wrong = 0
    for time, length, above in zip(timestamps[first:], durations[first:], parents[first:], strict=True):
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
    return begins_wrong, ends_wrong


def possible_lengths(
    timestamps: Sequence[float],
    durations: Sequence[float],
    parents: Sequence[Sequence[int]],
    begun: Sequence[float] = (),
) -> array[float]:
    """The duration of each step in seconds, cut if the step would begin before a parent began; `timestamps` are ends.

    Logs give a call that was answered at once the whole duration of the sub-agent that it started in the background.
    The steps may be those after some that are known: `begun` says when these began.
    """
    lengths = array("d", [duration if not duration < 0.0 else 0.0 for duration in durations])
    first = len(begun)
    began = [*begun, *([0.0] * len(lengths))]
    infinite = math.inf
    for step, (end, length, above) in enumerate(zip(timestamps, lengths, parents, strict=True), first):
        if not end > 0.0:
            continue
        start, earliest = end - length, 0.0
        for parent in above:
            begin = began[parent]  # 0 for one that comes later
            if begin > earliest:
                earliest = begin
        if 0.0 < start < earliest:
            start = earliest if earliest < end else end
            lengths[step - first] = end - start
        began[step] = start if -infinite < start < infinite else 0.0
    return lengths
