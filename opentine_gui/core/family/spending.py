"""Cost, time and tokens of runs that share steps: each step counted once, and what sharing saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.totals import Totals, totals_of
from opentine_gui.core.model import CostState, RunStatus, StepKind
from opentine_gui.core.record import RunRecord

_SUMMED = tuple(name for name in Totals.__struct_fields__ if not name.startswith("stated_"))
"""What is stated for a whole run is in no step, so it cannot be counted once or shared."""


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One set of figures recorded for a step, and the runs that have it. US dollars, seconds, Unix seconds."""

    runs: tuple[int, ...]
    cost: float
    cost_state: CostState
    duration: float
    timestamp: float
    tokens: int | None


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """What a family cost. A sum with `unpriced` > 0 is a lower bound.

    `naive` adds up all runs. `once` counts each id once, with the figures in the union. `repeated` is the sum of the
    other variants: work done again with the same result. `saved` is what forking saved: naive = once + repeated +
    saved. `dead_ends` are the steps of `once` that lead to no completed tip (see `dead_ends`); `undecided` is the part
    of them that leads to the main tip of a running or paused run.
    """

    once: Totals
    naive: Totals
    repeated: Totals
    saved: Totals
    dead_ends: Totals
    undecided: Totals


class StepSpending(msgspec.Struct, frozen=True, kw_only=True):
    """Sums around one step, each step counted once.

    `subtree`: the step and all that exists only because of it; a merge step with a parent elsewhere is not included.
    `descendants`: the step and all its descendants. `ancestors`: the step and all its ancestors.
    """

    own: Totals
    subtree: Totals
    descendants: Totals
    ancestors: Totals


def step_spending(graph: Graph, position: int) -> StepSpending:
    """The sums around one step, in time linear in the size of the graph."""
    return StepSpending(
        own=totals_of(graph, [position]),
        subtree=totals_of(graph, exclusive_subtree(graph, position)),
        descendants=totals_of(graph, graph.descendants([position])),
        ancestors=totals_of(graph, graph.closure([position], causal=False)),
    )


def exclusive_subtree(graph: Graph, position: int) -> list[int]:
    """Positions of the step and of all steps it dominates (every path from a root leads through it), ascending."""
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
    """Ids of the completed tips: the main tip of each completed run, and every tip that is a `done` step."""
    found = set()
    for record in records:
        graph = record.graph
        if record.status is RunStatus.COMPLETED and record.main_tip is not None:
            found.add(record.main_tip)
        found.update(graph.ids[place] for place in graph.tips if graph.kinds[place] is StepKind.DONE)
    return found


def dead_ends(records: Sequence[RunRecord], graph: Graph) -> list[int]:
    """Positions in the union of the steps that lead to no completed tip (see `completed_tips`).

    Completed tips and everything they depend on, through parents and causes, are not dead ends. All other steps are,
    even in runs that are still running: how those end is not known yet.
    """
    alive = set(graph.closure([graph.index(tip) for tip in completed_tips(records)]))
    return [place for place in range(len(graph)) if place not in alive]


def spending_of(
    records: Sequence[RunRecord], graph: Graph, holders: Sequence[int], variants: Mapping[str, Sequence[Variant]]
) -> Spending:
    """The sums of a family: `graph` is the union, `holders` the runs of each of its steps as bit masks.

    The first of a step's `variants` is the one in the union.
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
    """Sums in which each step counts as many times as its weight."""
    chosen = [place for place, weight in enumerate(weights) if weight > 0]
    return totals_of(graph, [place for place in chosen for _ in range(weights[place])])


def _sum(found: Sequence[Totals]) -> Totals:
    return Totals(**{name: sum([getattr(one, name) for one in found]) for name in _SUMMED})
