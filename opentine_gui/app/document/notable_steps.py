"""Finds the steps that failed, and those at which a run forks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

from opentine_gui.core import Graph, StepKind


class NotableSteps:
    """Failures and forks of one graph, as positions in traversal order. Found once, for menus ask in every frame."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def failures(self) -> tuple[int, ...]:
        """Steps that failed: error steps, and steps with a recorded error; not those that a person stopped."""
        graph = self.graph
        failed = (i for i, kind in enumerate(graph.kinds) if kind is StepKind.ERROR or graph.failed[i])
        return tuple(i for i in failed if i not in graph.stopped)

    @cached_property
    def stopped(self) -> Mapping[str, int]:
        """How many steps a person "refused" and "interrupted"."""
        return Counter(self.graph.stopped.values())

    @cached_property
    def forks(self) -> tuple[int, ...]:
        """Steps with more than one child."""
        return tuple(i for i, children in enumerate(self.graph.children) if len(children) > 1)
