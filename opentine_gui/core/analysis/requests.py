"""Which steps answer a request to a model, and what was in the request, as far as the steps show."""

from __future__ import annotations

from opentine_gui.core.analysis.agents import agents
from opentine_gui.core.analysis.context import is_compaction
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind

FARTHEST = 400
"""Most ancestors searched for a request."""


def is_request(graph: Graph, position: int) -> bool:
    """Whether a step answers a request to a model."""
    return graph.kinds[position] in (StepKind.MODEL, StepKind.DONE) and position not in graph.v3_kinds


def request_at(graph: Graph, position: int) -> int | None:
    """The step itself if it answers a request, else the nearest ancestor that does, up to `FARTHEST` steps away."""
    return position if is_request(graph, position) else request_before(graph, position)


def request_before(graph: Graph, position: int) -> int | None:
    """The same agent's previous answer; None for its first, or if it is more than `FARTHEST` steps away."""
    for _ in range(FARTHEST):
        parents = graph.parents[position]
        if not parents or graph.v3_kinds.get(position) == "subagent":
            return None
        position = parents[0]
        if is_request(graph, position):
            return position
    return None


def in_context(graph: Graph, position: int) -> tuple[list[int], int | None]:
    """(the steps whose words were in a request, oldest first; the compaction they begin with, if any).

    These are the same agent's steps on the path to it, and the answers of sub-agents there. The steps above a
    compaction that it kept (`outputs.kept_steps`) come after its summary.
    """
    agent = agents(graph)
    own = agent[position]
    path = [step for step in graph.closure([position], causal=False) if step != position]
    answered = {
        parent
        for step in (*path, position)
        if agent[step] == own and step != own
        for parent in graph.parents[step]
        if agent[parent] != own
    }
    inside = [step for step in path if agent[step] == own or step in answered]
    for place in range(len(inside) - 1, -1, -1):
        step = inside[place]
        if graph.kinds[step] is StepKind.THINK and agent[step] == own and is_compaction(graph.raws[step]):
            return [step, *_kept(graph, inside[:place], step), *inside[place + 1 :]], step
    return inside, None


def _kept(graph: Graph, above: list[int], compaction: int) -> list[int]:
    """The last of the steps above a compaction, as many as it says that it kept."""
    count = graph.step(compaction).outputs.get("kept_steps")
    return above[-count:] if isinstance(count, int) and count > 0 else []
