"""Where it may make sense to fork: only in the cases where a study of real sessions found it sensible.

From 55,146 steps of 202 real sessions: before calls that a person refused or interrupted, before a failure from outside
that ended a lane, before the last streak of failures that leads to a failing end. Never at failing tests: failing is
part of that work. Nothing here says that a fork would have helped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from opentine_gui.core.analysis.suspicion.call_facts import CallFacts, call_facts
from opentine_gui.core.analysis.suspicion.failures import Sort, failed, has_failed
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind
from opentine_gui.core.structure.dominators import DominatorTree

MOST_ENDS = 8
"""Most failing ends that are searched for a streak; the last ones are taken."""
MOST = 60
"""Most fork points given; the last ones are taken."""


class Why(StrEnum):
    """Why it is sensible to fork there."""

    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    OUTSIDE = "outside"
    STREAK = "streak"
    COMMON = "common"


class ForkPoint(NamedTuple):
    """A step to fork at, which is kept; `before` is the step after it; `kept` and `dropped` count steps."""

    step: int
    before: int
    why: Why
    kept: int
    dropped: int


def fork_points(graph: Graph, failing: Sequence[int], kept: Mapping[int, int] | None = None) -> list[ForkPoint]:
    """Where to fork, by step; `failing` are the failing ends. At most one per step, with the first reason that holds.

    `kept` caches how many steps a fork keeps, counted in an earlier state of the run: a step's ancestors never change.
    """
    found: dict[int, tuple[int, Why]] = {}
    for before, why in (*_refused(graph), *_streaks(graph, failing)):
        step = _decision(graph, before)
        if step is not None:
            found.setdefault(step, (before, why))
    last = sorted(found.items())[-MOST:]
    return [_point(graph, step, before, why, (kept or {}).get(step)) for step, (before, why) in last]


def common_point(graph: Graph, steps: Sequence[int]) -> ForkPoint | None:
    """The last step that dominates all of these steps; None for fewer than two steps, or if there is none."""
    if len(steps) < 2:
        return None
    tree = DominatorTree(graph.parents)
    common = steps[0]
    for step in steps[1:]:
        common = tree.common(common, step)
        if common == tree.root:
            return None
    return _point(graph, common, common, Why.COMMON)


def fork_at(graph: Graph, step: int) -> ForkPoint:
    """A fork at any step, with what it keeps and drops."""
    return _point(graph, step, step, Why.COMMON)


def _point(graph: Graph, step: int, before: int, why: Why, kept: int | None = None) -> ForkPoint:
    kept = len(graph.closure([step])) if kept is None else kept
    return ForkPoint(step, before, why, kept, len(graph) - kept)


def _decision(graph: Graph, before: int) -> int | None:
    """The step to fork at so that a step does not happen: the response that asked for a call, else its parent."""
    parents = graph.parents[before]
    return parents[0] if parents else None


def _refused(graph: Graph) -> Iterator[tuple[int, Why]]:
    given: set[int] = set()
    for step in range(len(graph)):
        if not has_failed(graph, step):
            continue
        sort = failed(graph, step).sort
        if sort in (Sort.REFUSED, Sort.INTERRUPTED):
            given.add(step)
            if given.intersection(graph.parents[step]):  # the same stop, reported again by a following step
                continue
        if sort is Sort.REFUSED:
            yield step, Why.REFUSED
        elif sort is Sort.INTERRUPTED:
            yield step, Why.INTERRUPTED
        elif sort is Sort.OUTSIDE and not graph.children_of(step):
            yield step, Why.OUTSIDE


def _streaks(graph: Graph, failing: Sequence[int]) -> Iterator[tuple[int, Why]]:
    """The first failure of the last streak before a failing end: failing rounds, with at most one good one between."""
    for end in failing[-MOST_ENDS:]:
        path = graph.closure([end])
        rounds = _rounds(graph, path)
        first: list[int] = []
        bad = good = 0
        for broken in reversed(rounds):
            if broken:
                first, good = broken, 0
                bad += 1
            else:
                good += 1
                if good > 1:
                    break
        if bad >= 2 and failed(graph, first[0]).sort is not Sort.CHECK:
            yield first[0], Why.STREAK


def _rounds(graph: Graph, path: Sequence[int]) -> list[list[int]]:
    """The failures in each round of a path: the calls after one response, up to the next."""
    rounds: list[list[int]] = [[]]
    called = False
    for step in path:
        if graph.kinds[step] in (StepKind.TOOL, StepKind.ERROR):
            called = True
            if has_failed(graph, step):
                rounds[-1].append(step)
        elif called:
            rounds.append([])
            called = False
    return rounds if called else rounds[:-1]


def last_pass(graph: Graph, step: int, facts: Mapping[str, CallFacts] | None = None) -> int | None:
    """The last step on the path to a failing call at which the same call succeeded; None if there is none.

    `facts` are those known of calls, by step id: without them records are read, which takes time for large ones.
    """
    if graph.kinds[step] is not StepKind.TOOL:
        return None
    known = facts or {}

    def asked(position: int) -> bytes:
        found = known.get(graph.ids[position])
        return (found or call_facts(graph, (position,))[position]).asked

    wanted = asked(step)
    for other in reversed(graph.closure([step])[:-1]):
        if graph.kinds[other] is StepKind.TOOL and not has_failed(graph, other) and asked(other) == wanted:
            return other
    return None
