"""Which agent did a step: the main agent or a sub-agent."""

from __future__ import annotations

from array import array

from opentine_gui.core.graph.graph import Graph

MAIN = -1


def agents(graph: Graph) -> array[int]:
    """For each step, the position of the first step of its sub-agent; `MAIN` for steps of the main agent.

    The step after a sub-agent joins has the caller's step as its first parent (docs/FORMAT.md has no lanes).
    """
    found = array("i", [MAIN]) * len(graph)
    began = {position for position, kind in graph.v3_kinds.items() if kind == "subagent"}
    if not began:
        return found
    for step, parents in enumerate(graph.parents):
        if step in began:
            found[step] = step
        elif parents:
            found[step] = found[parents[0]]
    return found
