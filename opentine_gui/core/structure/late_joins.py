"""Asynchronous joins: links by which the result of a sub-agent arrives while its caller has gone on."""

from __future__ import annotations

from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind


def late_joins(graph: Graph) -> frozenset[tuple[int, int]]:
    """The links (parent, step) at which a sub-agent's last step is a further parent and the caller did not wait.

    It went on if it decided anything between the step the sub-agent hangs from and the one that receives the result;
    calls alone are what ran beside it.
    """
    agents = {step for step, kind in graph.v3_kinds.items() if kind == "subagent"}
    if not agents:
        return frozenset()
    parents = graph.parents
    lanes: dict[int, int] = {}
    found = set()
    for step, above in enumerate(parents):
        for parent in above[1:]:
            agent = _agent_of(graph, agents, parent, lanes)
            if agent < 0 or not parents[agent] or _agent_of(graph, agents, step, lanes) == agent:
                continue
            if _went_on(graph, above[0], parents[agent][0]):
                found.add((parent, step))
    return frozenset(found)


def _agent_of(graph: Graph, agents: set[int], step: int, known: dict[int, int]) -> int:
    """The first step of the sub-agent in whose lane a step stands; -1 on the main line."""
    walked = []
    while step not in known:
        if step in agents:
            known[step] = step
            break
        walked.append(step)
        if not graph.parents[step]:
            known[step] = -1
            break
        step = graph.parents[step][0]
    agent = known[step]
    known.update(dict.fromkeys(walked, agent))
    return agent


def _went_on(graph: Graph, step: int, caller: int) -> bool:
    """Whether there is a decision on the way from a step up to the one that called, both ends left out."""
    while step > caller:
        if graph.kinds[step] is not StepKind.TOOL or step in graph.v3_kinds:
            return True
        if not graph.parents[step]:
            return False
        step = graph.parents[step][0]
    return False
