"""Places of a run worth going to: found once for each graph, because menus ask about them in every frame."""

from __future__ import annotations

from functools import cached_property

from opentine_gui.core import Graph, StepKind


class Landmarks:
    """Positions in traversal order, each list made when it is first asked for; O(steps)."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def failures(self) -> tuple[int, ...]:
        """Steps that failed: error steps, and steps with a recorded error."""
        graph = self.graph
        return tuple(i for i, kind in enumerate(graph.kinds) if kind is StepKind.ERROR or graph.failed[i])

    @cached_property
    def forks(self) -> tuple[int, ...]:
        """Steps at which the run parts: more than one child."""
        return tuple(i for i, children in enumerate(self.graph.children) if len(children) > 1)
