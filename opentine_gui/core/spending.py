"""Money, time and tokens of runs that share steps: every step counted once, and what sharing saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from opentine_gui.core.graph import Graph
from opentine_gui.core.model import CostState, RunStatus, StepKind
from opentine_gui.core.record import RunRecord, Totals, totals_of


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One way a step is recorded, and the runs that record it so. US dollars, seconds, Unix seconds; tokens or None."""

    runs: tuple[int, ...]
    cost: float
    cost_state: CostState
    duration: float
    timestamp: float
    tokens: int | None


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """What a family cost. In every sum `unpriced` > 0 says that it is a lower bound.

    `naive` adds up the runs; `once` counts every id once, with the figures the union holds; `repeated` is what the
    other variants of a step add: work that was done again and came out the same. `saved` by forking is the rest:
    naive = once + repeated + saved. `dead_ends` are the steps of `once` that are on no path to a completed tip (see
    `dead_ends`); `undecided` is the part of them that leads to the main tip of a run still running or paused.
    """

    once: Totals
    naive: Totals
    repeated: Totals
    saved: Totals
    dead_ends: Totals
    undecided: Totals


class StepSpending(msgspec.Struct, frozen=True, kw_only=True):
    """What a step stands for in a graph, each step counted once.

    `subtree`: the step and all that exists only because of it, so that would not be there without it; a join that also
    rests on something else is not in it. `descendants`: the step and everything that rests on it. `ancestors`: the step
    and everything it rests on through parents.
    """

    own: Totals
    subtree: Totals
    descendants: Totals
    ancestors: Totals


def step_spending(graph: Graph, position: int) -> StepSpending:
    """The sums around one step, in time that grows with the size of the graph."""
    return StepSpending(
        own=totals_of(graph, [position]),
        subtree=totals_of(graph, exclusive_subtree(graph, position)),
        descendants=totals_of(graph, graph.descendants([position])),
        ancestors=totals_of(graph, graph.closure([position], causal=False)),
    )


def exclusive_subtree(graph: Graph, position: int) -> list[int]:
    """The step and every step all of whose paths from a root lead through it, in traversal order."""
    inside = bytearray(len(graph))
    inside[position] = 1
    found = [position]
    for place in range(position + 1, len(graph)):
        parents = graph.parents[place]
        if parents and all(inside[parent] for parent in parents):
            inside[place] = 1
            found.append(place)
    return found


def completed_tips(records: Iterable[RunRecord]) -> set[str]:
    """The ids at which work came to its end: the main tip of a completed run, and every tip that is a `done` step."""
    found = set()
    for record in records:
        graph = record.graph
        if record.status is RunStatus.COMPLETED and record.main_tip is not None:
            found.add(record.main_tip)
        found.update(graph.ids[place] for place in graph.tips if graph.kinds[place] is StepKind.DONE)
    return found


def dead_ends(records: Sequence[RunRecord], graph: Graph) -> list[int]:
    """Positions in the runs' union that no completed tip rests on: work that led to nothing that was completed.

    A step is alive when it is a completed tip (see `completed_tips`) or a parent or causal ancestor of a step that is
    alive. Every other step is a dead end, those of runs that are still running included: their end is not known yet.
    """
    alive = set(graph.closure([graph.index(tip) for tip in completed_tips(records)]))
    return [place for place in range(len(graph)) if place not in alive]


def spending_of(
    records: Sequence[RunRecord], graph: Graph, holders: Sequence[int], variants: Mapping[str, Sequence[Variant]]
) -> Spending:
    """The sums of a family: `graph` is the union, `holders` the runs of each of its steps as bits.

    `variants` of a step begin with the one the union holds.
    """
    reuse = [mask.bit_count() - 1 for mask in holders]
    repeated: list[Totals] = []
    reused: list[Totals] = []
    for name, found in variants.items():
        reuse[graph.index(name)] = 0
        for number, variant in enumerate(found):
            single = _totals_in(records[variant.runs[0]].graph, name)
            repeated += [single] if number else []
            reused += [single] * (len(variant.runs) - 1)
    dead = dead_ends(records, graph)
    waiting = [
        graph.index(record.main_tip)
        for record in records
        if record.status in (RunStatus.RUNNING, RunStatus.PAUSED) and record.main_tip is not None
    ]
    open_steps = set(graph.closure(waiting))
    return Spending(
        once=totals_of(graph),
        naive=_sum([record.totals for record in records]),
        repeated=_sum(repeated),
        saved=_sum([_weighted(graph, reuse), *reused]),
        dead_ends=totals_of(graph, dead),
        undecided=totals_of(graph, [place for place in dead if place in open_steps]),
    )


def _totals_in(graph: Graph, name: str) -> Totals:
    return totals_of(graph, [graph.index(name)])


def _weighted(graph: Graph, weights: Sequence[int]) -> Totals:
    """Sums in which each step counts as often as its weight says."""
    chosen = [place for place, weight in enumerate(weights) if weight > 0]
    return totals_of(graph, [place for place in chosen for _ in range(weights[place])])


def _sum(found: Sequence[Totals]) -> Totals:
    return Totals(**{name: sum([getattr(one, name) for one in found]) for name in Totals.__struct_fields__})
