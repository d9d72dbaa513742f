"""Asynchronous joins: links by which a sub-agent's result arrives after its caller has gone on."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind

NO_AGENT = -1


def late_joins(
    graph: Graph,
    agents: Sequence[int] | None = None,
    known: frozenset[tuple[int, int]] = frozenset(),
    same: int = 0,
) -> frozenset[tuple[int, int]]:
    """The links (parent, step) where a sub-agent's last step is a further parent and the caller did not wait.

    The caller went on if it decided anything between the step that started the sub-agent and the one that receives the
    result; mere calls in between ran in parallel. `agents` comes from `agents_of`; `known` are the late joins among the
    first `same` steps, from an earlier state of the run.
    """
    if "subagent" not in graph.v3_kinds.values():
        return frozenset()
    agents = agents_of(graph) if agents is None else agents
    parents = graph.parents
    found = {link for link in known if link[1] < same}
    for step in range(same, len(parents)):
        above = parents[step]
        for parent in above[1:]:
            agent = agents[parent]
            if agent < 0 or not parents[agent] or agents[step] == agent:
                continue
            if _went_on(graph, above[0], parents[agent][0]):
                found.add((parent, step))
    return frozenset(found)


def agents_of(graph: Graph, known: array[int] | None = None, same: int = 0) -> array[int]:
    """For each step, the first step of the sub-agent in whose lane it lies; `NO_AGENT` on the main line.

    The first `same` entries are copied from `known`, an earlier state of the run.
    """
    found = known[:same] if known is not None else array("q")
    kinds, parents = graph.v3_kinds, graph.parents
    if known is None and "subagent" not in kinds.values():
        return array("q", [NO_AGENT]) * len(parents)
    for step in range(len(found), len(parents)):
        above = parents[step]
        found.append(step if kinds.get(step) == "subagent" else found[above[0]] if above else NO_AGENT)
    return found


def _went_on(graph: Graph, step: int, caller: int) -> bool:
    """Whether a decision lies on the path from a step up to its caller, both ends excluded."""
    while step > caller:
        if graph.kinds[step] is not StepKind.TOOL or step in graph.v3_kinds:
            return True
        if not graph.parents[step]:
            return False
        step = graph.parents[step][0]
    return False
